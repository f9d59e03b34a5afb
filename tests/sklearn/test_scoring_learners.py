"""Our scorers with boosted trees, by scikit-learn's own tools: cross_val_score, searches, pipelines."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

from pulasso import PUBoostingClassifier
from pulasso.exceptions import ClassShareWarning, InputError
from pulasso.metrics import SCORERS, pu_accuracy, pu_log_loss, pu_scores
from pulasso.model_selection import named_scorer

pytest.importorskip("lightgbm", reason="in the extra 'boosting'")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 3))
Y = (X[:, 0] * X[:, 1] > 0).astype(int) + ((X[:, 0] > 0) & (X[:, 1] > 0))
Z = np.where(RNG.random(600) < 0.6, Y, 0)
TOLD = {"scenario": "single-training-set", "label_frequency": 0.6}
TREES = PUBoostingClassifier(n_estimators=25, learning_rate=0.2, early_stopping=False, random_state=0, **TOLD)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


@pytest.fixture(autouse=True)
def shares_are_beside_the_point():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClassShareWarning)
        yield


@pytest.mark.parametrize("name", SCORERS)
def test_every_scorer_scores_trees(name):
    ordinal = clone(TREES).set_params(response="ordinal") if "mean" in name else TREES
    found = cross_val_score(ordinal, X, Z, scoring=named_scorer(f"pu_{name}"), cv=FOLDS, error_score="raise")
    assert np.isfinite(found).all() and np.ptp(found) > 0


def test_a_score_is_that_of_held_out_rows():
    found = cross_val_score(TREES, X, Z, scoring=named_scorer("pu_neg_log_loss"), cv=FOLDS)
    train, test = next(FOLDS.split(X, Z))
    proba = clone(TREES).fit(X[train], Z[train]).predict_proba(X[test])
    assert found[0] == pytest.approx(-float(pu_log_loss(Z[test], proba, classes=[0, 1, 2], **TOLD)))


def test_a_search_prefers_trees_that_can_meet():
    search = GridSearchCV(
        TREES,
        {"interaction_constraints": [[[0], [1], [2]], [[0, 1], [2]]]},
        scoring=SCORERS["accuracy"],
        cv=FOLDS,
    ).fit(X[:400], Z[:400])
    assert search.best_params_["interaction_constraints"] == [[0, 1], [2]]
    scores = pu_scores(search, X[400:], Z[400:])
    alone = pu_accuracy(Z[400:], search.predict(X[400:]), classes=[0, 1, 2], **TOLD)
    assert scores["accuracy"].value == pytest.approx(float(alone))


def test_pipelines_and_reports_of_searches(tmp_path):
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(soil=RNG.choice(["clay", "sand"], 600))
    encoded = make_column_transformer((OrdinalEncoder(), ["soil"]), remainder="passthrough")
    steps = make_pipeline(encoded, clone(TREES))
    assert pu_scores(steps.fit(table[:400], Z[:400]), table[400:], Z[400:])["accuracy"].value > 0.5
    search = GridSearchCV(
        make_pipeline(StandardScaler(), clone(TREES)), {"puboostingclassifier__max_leaves": [4]}, cv=2,
        scoring=SCORERS["observed_log_likelihood"],
    ).fit(X, Z)  # fmt: skip
    pytest.importorskip("jinja2")
    from pulasso.report import write_card, write_report

    page = write_report(search, tmp_path / "page.html", X=X, z=Z).read_text(encoding="utf-8")
    assert (
        "share of the total gain" in page and "averaged over rows" not in page
    )  # a pipeline reads other columns
    card = write_card(search, tmp_path / "card.md").read_text(encoding="utf-8")
    assert "inside a GridSearchCV" in card


def test_ordered_trees_predict_by_a_rule():
    model = clone(TREES).set_params(response="ordinal").fit(X, Z)
    proba = model.predict_proba(X)
    np.testing.assert_array_equal(model.predict(X), proba.argmax(axis=1))
    np.testing.assert_array_equal(model.predict(X, rule="mean"), np.rint(proba @ np.arange(3)))
    np.testing.assert_array_equal(
        model.predict(X, rule="median"), (proba.cumsum(axis=1)[:, :-1] < 0.5).sum(axis=1)
    )
    for unknown, estimator in (("midst", model), ("mean", clone(TREES).fit(X, Z))):
        with pytest.raises(InputError) as caught:
            estimator.predict(X, rule=unknown)
        assert caught.value.parameter == "rule"
