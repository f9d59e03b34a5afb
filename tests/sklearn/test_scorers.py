"""Scorers and score tables with scikit-learn's pipelines, searches, routing and pickles."""

import io
import pickle

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from pulasso import MultinomialPULasso, OrdinalPULasso, metrics
from pulasso.exceptions import LabelError, NotFittedError, ScenarioError, TrivialModelWarning

HALF = {"scenario": "single-training-set", "label_frequency": 0.5}


@pytest.fixture(scope="module", name="data")
def single_training_set():
    rng = np.random.default_rng(0)
    y = rng.permuted(np.repeat([0, 1, 2], 200))
    X = rng.normal(size=(600, 4))
    X[y == 1, 0] += 2.5
    X[y == 2, 1] += 2.5
    return X, y, np.where(rng.random(600) < 0.5, y, 0)


@pytest.fixture(scope="module", name="model")
def fitted(data):
    X, _, z = data
    return MultinomialPULasso(lam=0.01, **HALF).fit(X[:300], z[:300])


@pytest.mark.parametrize("name", metrics.SCORERS)
def test_every_scorer_prefers_a_good_model(data, model, name):
    X, _, z = data
    poor = MultinomialPULasso(lam=0.12, **HALF).fit(X[:300], z[:300])
    scorer = metrics.SCORERS[name]
    assert scorer(model, X[300:], z[300:]) > scorer(poor, X[300:], z[300:])


def test_scorers_agree_with_the_metrics(data, model):
    X, _, z = data
    pred, proba = model.predict(X), model.predict_proba(X)
    expected = {
        "accuracy": metrics.pu_accuracy(z, pred, **HALF),
        "balanced_accuracy": metrics.pu_recall(z, pred, average="macro", **HALF),
        "roc_auc": metrics.pu_roc_auc(z, proba, average="macro", **HALF),
        "neg_log_loss": metrics.pu_log_loss(z, proba, **HALF),
        "neg_brier_score": metrics.pu_brier_score(z, proba, **HALF),
        "neg_mean_squared_error": metrics.pu_mean_squared_error(z, pred, **HALF),
        "neg_mean_absolute_error": metrics.pu_mean_absolute_error(z, pred, **HALF),
        "observed_log_likelihood": model.observed_score(X, z),
    }
    assert set(expected) == set(metrics.SCORERS)
    for name, value in expected.items():
        sign = -1 if name.startswith("neg_") else 1
        assert metrics.SCORERS[name](model, X, z) == pytest.approx(sign * float(value)), name


def test_weights_reach_the_scorer(data, model):
    X, _, z = data
    weight = np.random.default_rng(1).integers(0, 3, len(z))
    rows = np.repeat(np.arange(len(z)), weight)
    for scorer in metrics.SCORERS.values():
        assert scorer(model, X, z, sample_weight=weight) == pytest.approx(scorer(model, X[rows], z[rows]))


def test_grid_search_over_a_pipeline(data):
    X, y, z = data
    pipeline = make_pipeline(StandardScaler(), MultinomialPULasso(**HALF))
    grid = {"multinomialpulasso__lam": [0.1, 0.01]}
    for scorer in (metrics.pu_accuracy_scorer, metrics.observed_log_likelihood_scorer):
        search = GridSearchCV(pipeline, grid, scoring=scorer, cv=3).fit(X, z)
        assert search.best_params_ == {"multinomialpulasso__lam": 0.01}
        assert search.score(X, z) == pytest.approx(scorer(search.best_estimator_, X, z))
        assert scorer(search, X, z) == pytest.approx(
            search.score(X, z)
        )  # a search is scored as what it found
    assert metrics.pu_accuracy_scorer(search, X, z) == pytest.approx(
        np.mean(search.predict(X) == y), abs=0.06
    )


def test_several_scores_at_once(data):
    X, _, z = data
    scoring = {"accuracy": metrics.pu_accuracy_scorer, "loss": metrics.pu_log_loss_scorer}
    found = cross_validate(MultinomialPULasso(lam=0.01, **HALF), X, z, scoring=scoring, cv=2)
    assert (found["test_accuracy"] > 0.7).all()
    assert (found["test_loss"] > -0.7).all()


def test_observed_likelihood_behind_a_pipeline(data):
    X, _, z = data
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    pipeline = make_pipeline(StandardScaler(), OrdinalPULasso(lam=0.01, **HALF)).fit(X, z)
    direct = OrdinalPULasso(lam=0.01, **HALF).fit(scaled, z)
    found = metrics.observed_log_likelihood_scorer(pipeline, X, z)
    assert found == pytest.approx(direct.observed_score(scaled, z))


# --- other classifiers --------------------------------------------------------------------------------


def test_any_classifier_with_a_scenario(data):
    X, y, z = data
    oracle, naive = LogisticRegression().fit(X, y), LogisticRegression().fit(X, z)
    scorer = metrics.make_pu_scorer("accuracy", **HALF)
    assert scorer(oracle, X, z) == pytest.approx(oracle.score(X, y), abs=0.06)
    assert scorer(naive, X, z) == pytest.approx(naive.score(X, y), abs=0.06)
    likelihood = metrics.make_pu_scorer("observed_log_likelihood", **HALF)
    assert likelihood(oracle, X, z) > likelihood(naive, X, z)
    with pytest.raises(ScenarioError, match="LogisticRegression") as caught:
        metrics.pu_accuracy_scorer(oracle, X, z)
    assert caught.value.parameter == "scenario"


def test_class_0_need_not_come_first(data):
    X, y, z = data
    names = np.array(["wine", "apple", "beech"])  # class 0 is last in the alphabet
    text = LogisticRegression().fit(X, names[y])
    numbers = LogisticRegression().fit(X, y)
    for name in metrics.SCORERS:
        if "error" in name:  # the order of the classes is another one
            continue
        expected = metrics.make_pu_scorer(name, **HALF)(numbers, X, z)
        found = metrics.make_pu_scorer(name, unlabeled="wine", **HALF)(text, X, names[z])
        assert found == pytest.approx(expected, rel=1e-3), name


def test_zeros_of_a_forest_do_no_harm(data):
    X, y, z = data
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    assert np.isfinite(metrics.make_pu_scorer("roc_auc", **HALF)(forest, X, z))
    assert metrics.make_pu_scorer("neg_log_loss", **HALF)(forest, X, z) == -np.inf
    assert not np.isnan(metrics.make_pu_scorer("observed_log_likelihood", **HALF)(forest, X, z))


def test_a_user_may_doubt_the_scenario_of_the_fit(data, model):
    X, _, z = data
    other = metrics.make_pu_scorer("accuracy", scenario="single-training-set", label_frequency=0.7)
    expected = metrics.pu_accuracy(z, model.predict(X), scenario="single-training-set", label_frequency=0.7)
    assert other(model, X, z) == pytest.approx(float(expected))


# --- what scikit-learn does with scorers --------------------------------------------------------------


def test_scorers_survive_pickling_and_cloning(data, model):
    X, _, z = data
    scorer = metrics.make_pu_scorer("accuracy", scenario="single-training-set", label_frequency=[0.4, 0.6])
    stream = io.BytesIO()
    joblib.dump(scorer, stream)
    stream.seek(0)
    for copy in (pickle.loads(pickle.dumps(scorer)), joblib.load(stream), clone(scorer, safe=False)):
        assert copy(model, X, z) == scorer(model, X, z)
        assert repr(copy) == repr(scorer)
    assert repr(metrics.pu_accuracy_scorer) == "make_pu_scorer('accuracy')"


def test_metadata_routing_brings_weights(data):
    X, _, z = data
    weight = np.random.default_rng(2).uniform(0.5, 2.0, len(z))
    with sklearn.config_context(enable_metadata_routing=True):
        model = MultinomialPULasso(lam=0.02, **HALF).set_fit_request(sample_weight=True)
        scores = {}
        for asks in (True, False):
            scorer = metrics.pu_accuracy_scorer.set_score_request(sample_weight=asks)
            search = GridSearchCV(model, {"lam": [0.02]}, scoring=scorer, cv=2).fit(
                X, z, sample_weight=weight
            )
            scores[asks] = search.cv_results_["mean_test_score"][0]
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
            GridSearchCV(model, {"lam": [0.02]}, scoring=metrics.pu_accuracy_scorer, cv=2).fit(
                X, z, sample_weight=weight
            )
    assert scores[True] != scores[False]


# --- the table ----------------------------------------------------------------------------------------


def test_table_of_a_multinomial_model(data, model):
    X, y, z = data
    scores = metrics.pu_scores(model, X[300:], z[300:])
    accuracy = scores["accuracy"]
    low, high = accuracy.interval(0.999)
    assert low < model.score(X[300:], y[300:]) < high
    text, html = repr(scores), scores._repr_html_()
    for words in (
        "Scores of MultinomialPULasso",
        "single-training-set",
        "95 % interval",
        "balanced accuracy",
    ):
        assert words in text
        assert words in html
    assert "mean squared error" not in text
    frame = scores.to_frame()
    assert list(frame.columns) == ["score", "class", "estimate", "standard_error", "low", "high"]
    assert len(frame) == 4 + 5 * 3
    assert scores["recall"].of(2).value == pytest.approx(
        frame.query("score == 'recall' and `class` == 2")["estimate"].item()
    )
    with pytest.raises(KeyError, match="'f1' is none of the scores: 'accuracy'"):
        scores["f1"]


def test_table_of_an_ordinal_pipeline_with_text(data):
    X, y, z = data
    names = np.array(["none", "few", "many"])
    model = OrdinalPULasso(
        lam=0.01, unlabeled="?", negative="none", class_order=["none", "few", "many"], **HALF
    )
    labels = np.where(z == 0, "?", names[z])
    pipeline = make_pipeline(StandardScaler(), model).fit(X, labels)
    scores = metrics.pu_scores(pipeline, X, labels, level=0.9)
    assert scores.classes.tolist() == ["none", "few", "many"]
    assert "90 % interval" in repr(scores)
    real = np.mean((pipeline.predict(X)[:, None] == names).argmax(axis=1) != y)
    assert scores["mean absolute error"].value >= real - 0.1


def test_table_of_a_classifier_without_probabilities(data):
    X, y, z = data
    scores = metrics.pu_scores(LinearSVC().fit(X, y), X, z, **HALF)
    assert set(scores.overall) == {"accuracy", "balanced accuracy"}
    assert "AUC" not in scores.by_class


def test_table_names_a_trivial_model(data):
    X, _, z = data
    null = MultinomialPULasso(lam=10.0, **HALF).fit(X, z)
    with pytest.warns(TrivialModelWarning, match="Every row is predicted as"):
        scores = metrics.pu_scores(null, X, z)
    assert "warning: Every row" in repr(scores)
    assert "warning: Every row" in scores._repr_html_()


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning")
def test_labels_and_rows_must_fit_the_model(data, model):
    X, _, z = data
    with pytest.raises(NotFittedError, match="MultinomialPULasso"):
        metrics.pu_scores(make_pipeline(StandardScaler(), MultinomialPULasso()), X, z)
    with pytest.raises(LabelError, match="7"):
        metrics.pu_scores(model, X, np.where(z == 2, 7, z))
    with pytest.raises(ValueError, match="600 rows"):
        metrics.pu_scores(model, X, z[:10])
    confirmed = MultinomialPULasso(
        lam=0.01, unlabeled=-1, negative=0, scenario="case-control", prevalence=0.3
    )
    confirmed.fit(X, np.where(z == 0, -1, z))
    with pytest.raises(LabelError, match="confirmed negatives") as caught:
        metrics.observed_log_likelihood_scorer(confirmed, X, z)
    assert caught.value.parameter == "z"
    with pytest.raises(LabelError, match="0, 1, 2") as caught:
        metrics.make_pu_scorer("roc_auc", classes=["a", "b"])(model, X, np.where(z == 0, "a", "b"))
    assert caught.value.parameter == "classes"
