"""Pipelines, searches and data frames of both kinds, with both models."""

import numpy as np
import pandas as pd
import polars
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import VotingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from pulasso.metrics import make_pu_scorer, observed_log_likelihood_scorer
from support.small_models import NAMES

FRAMES = {
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "polars": lambda X: polars.DataFrame(X, schema=NAMES),
}
each_frame = pytest.mark.parametrize("kind", FRAMES)


@each_frame
def test_frames_give_what_arrays_give(estimator, data, kind):
    X, z = data
    frame = FRAMES[kind](X)
    model = clone(estimator).fit(frame, type(frame[NAMES[0]])(z))
    assert model.feature_names_in_.tolist() == NAMES
    # Frames lie in memory column by column, so that sums end in other last digits.
    np.testing.assert_allclose(model.predict_proba(frame), estimator.fit(X, z).predict_proba(X), rtol=1e-12)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[NAMES[::-1]])


@each_frame
def test_set_output_carries_names_to_the_model(estimator, data, kind):
    X, z = data
    scaler = StandardScaler().set_output(transform=kind)
    pipeline = make_pipeline(scaler, estimator).fit(FRAMES[kind](X), z)
    assert pipeline[-1].feature_names_in_.tolist() == NAMES
    plain = clone(estimator).fit(StandardScaler().fit_transform(X), z)
    np.testing.assert_allclose(
        pipeline.predict_proba(FRAMES[kind](X)), plain.predict_proba((X - X.mean(0)) / X.std(0))
    )
    assert "feature 0" in str(pipeline[-1].summary())


def test_set_output_on_the_whole_pipeline(estimator, data):
    X, z = data
    square = FunctionTransformer(np.square, feature_names_out="one-to-one")
    pipeline = make_pipeline(square, StandardScaler(), estimator).set_output(transform="pandas")
    pipeline.fit(FRAMES["pandas"](X), z)
    assert pipeline[-1].feature_names_in_.tolist() == NAMES


def test_columns_of_different_kinds(estimator, data):
    X, z = data
    frame = FRAMES["pandas"](X).assign(site=np.array(["east", "north", "west"])[np.arange(len(X)) % 3])
    columns = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["site"]),
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    pipeline = make_pipeline(columns, estimator).fit(frame, z)
    assert pipeline[-1].feature_names_in_.tolist() == ["site_east", "site_north", "site_west", *NAMES]
    assert pipeline.predict(frame).shape == (len(X),)


@each_frame
def test_grid_search_over_a_pipeline(estimator, data, kind):
    X, z = FRAMES[kind](data[0]), data[1]
    step = type(estimator).__name__.lower()
    pipeline = make_pipeline(StandardScaler().set_output(transform=kind), estimator)
    search = GridSearchCV(
        pipeline, {f"{step}__lam": [0.3, 0.01]}, cv=3, scoring=observed_log_likelihood_scorer
    ).fit(X, z)
    assert search.best_params_ == {f"{step}__lam": 0.01}
    assert search.best_estimator_[-1].feature_names_in_.tolist() == NAMES
    assert search.predict(X).shape == (len(data[1]),)


def test_grid_search_by_estimated_accuracy(estimator, data):
    scorer = make_pu_scorer("accuracy", scenario="single-training-set", label_frequency=0.6)
    search = GridSearchCV(estimator, {"lam": [0.3, 0.01]}, cv=3, scoring=scorer).fit(*data)
    assert search.best_params_ == {"lam": 0.01}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_cross_validated_predictions_and_votes(estimator, data):
    X, z = data
    proba = cross_val_predict(estimator, X, z, cv=3, method="predict_proba")
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    votes = VotingClassifier([("a", estimator), ("b", clone(estimator).set_params(lam=0.05))], voting="soft")
    assert votes.fit(X, z).predict_proba(X).shape == (len(X), 3)
