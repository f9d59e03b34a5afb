"""Estimators inside scikit-learn's own machinery."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from pulasso import CaseControl, FullyObserved, Groups, MultinomialPULasso, OrdinalPULasso, SingleTrainingSet

# The classes of these small data have no order, and their shares are not those that are told: models say so.
pytestmark = pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning")

SINGLE = {"lam": 0.02, "scenario": "single-training-set", "label_frequency": 0.75}

both = pytest.mark.parametrize("estimator", [MultinomialPULasso, OrdinalPULasso])


def observed_score(model, X, y):
    return model.observed_score(X, y)


@both
def test_pipeline(X, y, estimator):
    model = make_pipeline(StandardScaler(), estimator(**SINGLE)).fit(X, y)
    alone = estimator(**SINGLE).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X), rtol=1e-5)


@both
def test_pipeline_of_names(X, y, estimator):
    """From text columns to groups by source column, all by name."""
    data = pd.DataFrame(X, columns=["rain", "frost", "slope", "iron"])
    data["rock"] = np.array(["chalk", "granite", "slate"])[np.arange(120) % 3]
    encoder = make_column_transformer((OneHotEncoder(), ["rock"]), remainder="passthrough").set_output(
        transform="pandas"
    )
    encoder.set_params(onehotencoder__sparse_output=False)
    groups = Groups.from_transformer(encoder.fit(data))
    model = make_pipeline(encoder, estimator(groups=groups, **SINGLE)).fit(data, y)
    assert list(model[-1].groups_.names) == ["rock", "rain", "frost", "slope", "iron"]


@both
@pytest.mark.parametrize(
    "scenario",
    [CaseControl({1: 0.3, 2: 0.2}), SingleTrainingSet(np.array([0.75, 0.8])), FullyObserved()],
    ids=lambda scenario: scenario.name,
)
def test_clone_keeps_every_parameter(X, y, estimator, scenario):
    model = estimator(lam=0.02, scenario=scenario, groups=Groups.rows(weights=[1, 2, 1, 1]), tol=1e-5)
    copied = clone(model)
    assert copied is not model
    assert repr(copied.get_params()) == repr(model.get_params())
    np.testing.assert_array_equal(copied.fit(X, y).coef_, model.fit(X, y).coef_)
    assert not hasattr(clone(model), "coef_")


@both
def test_set_params(X, y, estimator):
    model = estimator(**SINGLE).set_params(
        lam=0.05, scenario="case-control", label_frequency=None, prevalence=0.2
    )
    expected = estimator(lam=0.05, scenario="case-control", prevalence=0.2).fit(X, y)
    np.testing.assert_array_equal(model.fit(X, y).coef_, expected.coef_)
    with pytest.raises(ValueError, match="Invalid parameter 'alpha'"):
        model.set_params(alpha=1)


@both
@pytest.mark.parametrize(
    "duplicate", [lambda model: pickle.loads(pickle.dumps(model)), copy.deepcopy], ids=["pickle", "deepcopy"]
)
def test_round_trip(X, y, estimator, duplicate):
    data = pd.DataFrame(X, columns=["rain", "frost", "slope", "iron"])
    model = estimator(groups=Groups.rows(weights=[1, 2, 1, 1]), **SINGLE).fit(data, y)
    again = duplicate(model)
    np.testing.assert_array_equal(again.predict_proba(data), model.predict_proba(data))
    assert again.observed_score(data, y) == model.observed_score(data, y)
    assert repr(again.summary()) == repr(model.summary())
    assert repr(again.get_params()) == repr(model.get_params())


def test_a_fitted_model_does_not_hold_the_data():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 5)), rng.integers(0, 2, 20_000)
    model = MultinomialPULasso(lam=0.02, scenario="fully-observed").fit(X, y)
    assert len(pickle.dumps(model)) < 20_000


@both
def test_grid_search_with_the_observed_score(X, y, estimator):
    lams = [0.5, 0.1, 0.02]
    search = GridSearchCV(estimator(**SINGLE), {"lam": lams}, scoring=observed_score, cv=3).fit(X, y)
    assert search.best_params_["lam"] in lams
    assert search.best_params_["lam"] < 0.5, "0.5 is the null model, which knows nothing"
    assert search.predict(X).shape == (120,)


@both
def test_grid_search_over_scenarios_and_groups(X, y, estimator):
    grid = {
        "scenario": [CaseControl(0.2), SingleTrainingSet(0.75)],
        "groups": ["entries", Groups.from_columns([[0, 1], [2, 3]])],
    }
    search = GridSearchCV(estimator(lam=0.02), grid, scoring=observed_score, cv=3).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@both
def test_cross_validation_by_accuracy(X, y, estimator):
    scores = cross_val_score(estimator(**SINGLE), X, y, cv=3)
    assert np.all((scores > 0) & (scores <= 1))


def test_weights_can_be_routed(X, y):
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = MultinomialPULasso(**SINGLE).set_fit_request(sample_weight=True)
        model = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), estimator)
        weight = np.arange(120.0)
        model.fit(X, y, sample_weight=weight)
    alone = MultinomialPULasso(**SINGLE).fit(StandardScaler().fit_transform(X), y, sample_weight=weight)
    np.testing.assert_allclose(model[-1].coef_, alone.coef_)


@both
def test_representations(X, y, estimator):
    model = estimator(**SINGLE)
    assert repr(model).startswith(f"{estimator.__name__}(")
    assert "lam=0.02" in repr(model)
    assert estimator.__name__ in model._repr_html_()
    assert estimator.__name__ in model.fit(X, y)._repr_html_()
