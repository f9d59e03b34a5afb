"""Inference with boosted trees: a bootstrap of what they say, and refusals that name what to use instead."""

import numpy as np
import pandas as pd
import pytest

from pulasso import PUBoostingClassifier
from pulasso.exceptions import InputError
from pulasso.inference import (
    bootstrap,
    find_stationary_points,
    stability_selection,
)
from pulasso.inference import (
    test_labelling as labelling_test,
)

pytest.importorskip("lightgbm", reason="in the extra 'boosting'")
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(300, 3)), columns=["a", "b", "idle"])
Y = np.where(X["a"] + 0.3 * X["b"] > 0, "oak", "none")
Z = np.where(RNG.random(300) < 0.6, Y, "none")
TREES = PUBoostingClassifier(
    scenario="single-training-set",
    label_frequency=0.6,
    unlabeled="none",
    n_estimators=30,
    learning_rate=0.2,
    random_state=0,
)


@pytest.fixture(name="result", scope="module")
def twelve_replicates():
    return bootstrap(TREES, X, Z, n_replicates=12, predict_at=X[:4], random_state=1)


def test_predictions_and_importances_vary(result):
    assert result.importances.shape == (12, 3) and result.proba.shape == (12, 4, 2)
    np.testing.assert_allclose(result.importances.sum(axis=1), 1.0)
    lower, upper = result.proba_intervals(0.9)
    np.testing.assert_allclose(lower, np.quantile(result.proba, 0.05, axis=0))
    assert (upper > lower).all() and (result.importances.std(axis=0) > 0).all()
    table = result.to_frame()
    assert table["feature"].iloc[0] == "a" and table["lower"].iloc[0] > table["upper"].iloc[1]
    assert table["importance"].iloc[0] == result.model.feature_importances_.max()


def test_a_replicate_is_a_fit_with_the_counts_as_weights(result, monkeypatch):
    seen = []
    plain = PUBoostingClassifier.fit

    def fit(self, X, y, sample_weight=None):
        seen.append((sample_weight, self.random_state))
        return plain(self, X, y, sample_weight)

    monkeypatch.setattr(PUBoostingClassifier, "fit", fit)
    again = bootstrap(TREES, X, Z, n_replicates=2, predict_at=X[:4], random_state=1)
    np.testing.assert_array_equal(again.proba, result.proba[:2])
    (_, own), (counts, seed), _ = seen
    assert own == 0 and counts.sum() == 300 and counts.max() > 1
    alone = TREES.set_params(random_state=seed).fit(X, Z, sample_weight=counts)
    TREES.set_params(random_state=0)
    np.testing.assert_array_equal(alone.predict_proba(X[:4]), result.proba[0])


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning")
def test_case_control_is_drawn_within_labels():
    told = {"scenario": "case-control", "label_frequency": None, "prevalence": 0.4}
    result = bootstrap(
        PUBoostingClassifier(**{**TREES.get_params(), **told}), X, Z, n_replicates=2, random_state=0
    )
    assert result.by_label and "within every observed label" in repr(result)
    with pytest.raises(InputError) as caught:
        result.proba_intervals()
    assert caught.value.parameter == "predict_at"


def test_what_it_says(result):
    words = repr(result)
    assert words.startswith("Bootstrap of PUBoostingClassifier\n")
    assert "12, rows drawn from all of them" in words and "95 % from" in words
    assert f"{result.rounds.min()} to {result.rounds.max()}" in words
    with pytest.raises(InputError) as caught:
        bootstrap(TREES, X, Z, start="all rows")
    assert caught.value.parameter == "start"


@pytest.mark.parametrize(
    ("ask", "instead"),
    [
        (stability_selection, "bootstrap\\(\\) says how far its importances vary"),
        (labelling_test, "Test with a linear model first"),
        (find_stationary_points, "several random_state"),
    ],
)
def test_questions_about_coefficients_are_refused(ask, instead):
    with pytest.raises(TypeError, match=f"not a PUBoostingClassifier. That one has neither .*{instead}"):
        ask(TREES, X, Z)
