"""Predictions for a population with other class shares."""

import numpy as np
import pytest

from pulasso import (
    CaseControl,
    MultinomialPULasso,
    MultinomialPULassoCV,
    OrdinalPULasso,
    OrdinalPULassoCV,
    load,
)
from pulasso.exceptions import InputError

OWN, NEW = np.array([0.6, 0.25, 0.15]), np.array([0.2, 0.3, 0.5])
CENTRES = np.array([[0.0, 0.0, 0.0], [1.2, 0.0, 0.0], [0.0, 1.5, 0.0]])
FREQUENCY = np.array([0.5, 0.7])
# Small samples drift from what they were told, and short grids end early: nothing that matters here.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pulasso.exceptions.ClassShareWarning", "ignore::pulasso.exceptions.GridEdgeWarning"
)
SCENARIOS = ("case-control", "single-training-set", "fully-observed")


def draw(rng, n, shares):
    y = rng.choice(3, n, p=shares)
    return CENTRES[y] + rng.normal(size=(n, 3)), y


def bayes(x, shares):
    """The truth: Gaussian classes with one covariance, which make the multinomial model exact."""
    log = np.log(shares) - 0.5 * ((x[:, None] - CENTRES) ** 2).sum(axis=2)
    proba = np.exp(log - log.max(axis=1, keepdims=True))
    return proba / proba.sum(axis=1, keepdims=True)


def sample(scenario, n, seed=0):
    """Return features, labels and settings of a sample of the scenario, of the population with shares OWN."""
    rng = np.random.default_rng(seed)
    x, y = draw(rng, n, OWN)
    if scenario == "fully-observed":
        return x, y, {"scenario": scenario}
    if scenario == "single-training-set":
        z = np.where(rng.random(n) < np.append(0.0, FREQUENCY)[y], y, 0)
        return x, z, {"scenario": scenario, "label_frequency": FREQUENCY}
    x = np.vstack([x, *(CENTRES[k] + rng.normal(size=(n // 2, 3)) for k in (1, 2))])
    z = np.repeat([0, 1, 2], [n, n // 2, n // 2])
    return x, z, {"scenario": scenario, "prevalence": OWN[1:]}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_simulated_label_shift(scenario):
    """The rows are of another population; with its shares, probabilities are those of Bayes' rule there."""
    x, z, known = sample(scenario, 20_000)
    model = MultinomialPULasso(lam=1e-5, **known).fit(x, z)
    rows, y = draw(np.random.default_rng(1), 20_000, NEW)
    found, as_fitted = model.predict_proba(rows, prevalence=NEW[1:]), model.predict_proba(rows)
    assert np.abs(found - bayes(rows, NEW)).mean() < 0.012
    assert np.abs(as_fitted - bayes(rows, NEW)).mean() > 0.1
    np.testing.assert_allclose(found.mean(axis=0), NEW, atol=0.012)
    loss = [-np.log(each[np.arange(len(y)), y]).mean() for each in (found, as_fitted)]
    assert loss[0] < loss[1] - 0.1
    assert (model.predict(rows, NEW[1:]) == y).mean() > (model.predict(rows) == y).mean() + 0.05


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize(
    "estimator", [MultinomialPULasso, OrdinalPULasso, MultinomialPULassoCV, OrdinalPULassoCV]
)
def test_the_told_shares_change_nothing(estimator, scenario, tmp_path):
    x, z, known = sample(scenario, 400)
    grid = {"lams": [0.05, 0.02], "cv": 2} if estimator.__name__.endswith("CV") else {"lam": 0.02}
    model = estimator(**grid, **known).fit(x, z)
    own = model.told_shares_
    np.testing.assert_allclose(model.predict_proba(x, own[1:]), model.predict_proba(x), rtol=1e-12)
    by_hand = model.predict_proba(x) * NEW / own
    by_hand /= by_hand.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(x, NEW), by_hand, rtol=1e-12)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(x, NEW)), by_hand, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(x, NEW), by_hand.argmax(axis=1))
    model.save(tmp_path / "model")
    np.testing.assert_allclose(load(tmp_path / "model").predict_proba(x, NEW), by_hand, rtol=1e-12)


def test_all_forms_of_the_shares():
    x, z, known = sample("case-control", 300)
    model = OrdinalPULasso(lam=0.02, **known).fit(x, z)
    found = model.predict_proba(x, 0.3)
    for same in ([0.3, 0.3], [0.4, 0.3, 0.3], {1: 0.3, 2: 0.3}, {0: 0.4, 1: 0.3, 2: 0.3}):
        np.testing.assert_allclose(model.predict_proba(x, same), found, rtol=1e-12)
    np.testing.assert_allclose(model.predict_expected(x, 0.3), found @ [0, 1, 2], rtol=1e-12)


def test_tails_are_kept():
    """Far from everything probabilities underflow, and their logs do not."""
    x, z, known = sample("case-control", 300)
    model = MultinomialPULasso(lam=0.001, **known).fit(x, z)
    far = np.array([[4_000.0, -4_000.0, 0.0]])
    found = model.predict_log_proba(far, NEW)
    assert np.isfinite(found).all()
    ratio = np.log(NEW / OWN)
    np.testing.assert_allclose(
        found - found[:, :1], model.decision_function(far) + ratio - ratio[0], rtol=1e-9
    )


def test_a_class_that_is_never_unlabeled_has_a_share_of_the_population():
    x, z, known = sample("case-control", 300)
    model = MultinomialPULasso(lam=0.02, scenario=CaseControl(OWN[1:], always_labeled=2)).fit(x, z)
    assert model.told_shares_[2] == 0
    np.testing.assert_allclose(model.predict_proba(x, OWN[1:]), model.predict_proba(x), rtol=1e-12)


def test_impossible_told_shares_leave_the_mean_prediction():
    """Labels ask for more than everything, so that only the fitted model says what its population is."""
    x, z, _ = sample("single-training-set", 400)
    with pytest.warns(UserWarning, match="too low"):
        model = MultinomialPULasso(lam=0.02, scenario="single-training-set", label_frequency=0.1).fit(x, z)
    assert model.told_shares_[0] < 0
    np.testing.assert_allclose(
        model.predict_proba(x, model.class_shares_), model.predict_proba(x), rtol=1e-12
    )


@pytest.mark.parametrize(
    "prevalence",
    [0.6, 0.0, 1.0, -0.1, np.nan, "estimate", "a", [0.2], [0.5, 0.5, 0.5], [0.5, 0.6], {1: 0.2}, {9: 0.2}]
    + [{0: 0.1, 1: 0.2, 2: 0.2}, [[0.2, 0.2]], {1: None, 2: 0.1}, []],
)
@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_log_proba"])
def test_shares_that_cannot_be_are_refused(method, prevalence):
    x, z, known = sample("case-control", 200)
    model = MultinomialPULasso(lam=0.1, **known).fit(x, z)
    with pytest.raises(InputError) as caught:
        getattr(model, method)(x, prevalence)
    assert caught.value.parameter == "prevalence"
