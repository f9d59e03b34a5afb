"""The moment method for ordered classes: its loss, its formula, its convexity, and why the likelihood gives none."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from pulasso.baselines import MomentLasso, OrdinalMomentLasso
from pulasso.baselines._cumulative import CumulativeMomentLoss
from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.exceptions import ConvergenceWarning
from pulasso.responses import Ordinal
from pulasso.solvers import SOLVERS

FREQUENCY = np.array([0.7, 0.5, 0.6])


def test_gradient_and_curvature():
    rng = np.random.default_rng(2)
    loss, eta = CumulativeMomentLoss(rng.random(5), rng.random((5, 3))), rng.normal(size=(5, 3))
    numeric = approx_fprime(eta.ravel(), lambda v: loss.value_and_grad(v.reshape(5, 3))[0], 1e-7)
    np.testing.assert_allclose(loss.value_and_grad(eta)[1].ravel(), numeric, atol=1e-6)
    step, v = 1e-6, rng.normal(size=(5, 3))
    change = loss.value_and_grad(eta + step * v)[1] - loss.value_and_grad(eta - step * v)[1]
    bent = loss.curvature(eta, 1.0).apply(v) * loss.sample_weight[:, None]
    np.testing.assert_allclose(bent, change / (2 * step), atol=1e-6)
    assert (np.einsum("ij,ij->i", v, loss.curvature(eta).apply(v)) >= 0).all()
    assert loss.complete(eta) is loss


def test_extreme_log_odds_overflow_nothing():
    loss = CumulativeMomentLoss(np.ones(2), np.full((2, 2), 0.3))
    value, grad = loss.value_and_grad(np.array([[800.0, -800.0], [-900.0, -700.0]]))
    assert np.isfinite(value)
    assert np.isfinite(grad).all()


@pytest.fixture(scope="module")
def single():
    return simulate_ordinal(
        1200,
        3,
        n_positive=3,
        scenario="single-training-set",
        label_frequency=FREQUENCY,
        random_state=4,
    )


def by_hand(parameters, data):
    """Return the sum over cuts of logistic losses in which 1{y >= k} is 1 / pi_z for labelled rows of k or above."""
    loss = 0.0
    guess = np.where(data.z > 0, 1.0 / FREQUENCY[data.z - 1], 0.0)
    for k, threshold in enumerate(parameters[3:], start=1):
        xi = data.X @ parameters[:3] - threshold
        loss += np.mean(np.logaddexp(0.0, xi) - np.where(data.z >= k, guess, 0.0) * xi)
    return loss


def test_without_penalty_it_is_the_minimum_of_the_formula(single):
    start = np.array([0.0, 0.0, 0.0, -1.0, 0.0, 1.0])
    found = minimize(by_hand, start, args=(single,), method="BFGS", options={"gtol": 1e-8}).x
    model = OrdinalMomentLasso(0.0, standardize=False, tol=1e-8, **single.scenario_params)
    model.fit(single.X, single.z)
    np.testing.assert_allclose(model.coef_, found[:3], atol=1e-4)
    np.testing.assert_allclose(model.thresholds_, found[3:], atol=1e-4)


def test_the_formula_is_convex_where_the_likelihood_of_guessed_classes_is_not(single):
    """Between any two points the composite loss lies below the chord; guesses put into the likelihood do not."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        a, b = (np.append(5 * rng.normal(size=3), np.cumsum(rng.uniform(0.5, 4.0, 3)) - 5) for _ in range(2))
        chord = 0.5 * (by_hand(a, single) + by_hand(b, single))
        assert by_hand(0.5 * (a + b), single) <= chord + 1e-12
    line, pi = np.linspace(-8.0, 8.0, 161), FREQUENCY[2]
    log_proba = Ordinal(3).log_proba(line[:, None], np.array([0.0, 3.0, 6.0]))
    of_a_labelled_row = -(log_proba[:, 3] / pi + (1.0 - 1.0 / pi) * log_proba[:, 0])
    assert np.diff(of_a_labelled_row, 2).min() < -1e-4


@pytest.mark.parametrize("settings", [{}, {"scenario": "single-training-set", "label_frequency": 0.5}])
def test_it_comes_close_to_the_truth(settings):
    data = simulate_ordinal(20_000, 4, random_state=0, **settings)
    model = OrdinalMomentLasso(1e-4, **data.scenario_params).fit(data.X, data.z)
    np.testing.assert_allclose(model.coef_, data.coef, atol=0.1)
    np.testing.assert_allclose(model.thresholds_, data.thresholds, atol=0.1)


def test_one_class_is_the_multinomial_method():
    data = simulate_multinomial(600, 6, n_positive=1, random_state=1)
    ordinal = OrdinalMomentLasso(0.02, tol=1e-7, **data.scenario_params).fit(data.X, data.z)
    other = MomentLasso(0.02, tol=1e-7, **data.scenario_params).fit(data.X, data.z)
    np.testing.assert_allclose(ordinal.coef_, other.coef_[0], atol=1e-5)
    np.testing.assert_allclose(ordinal.thresholds_, -other.intercept_, atol=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_finds_the_one_minimum(solver):
    data = simulate_ordinal(500, 12, n_positive=3, random_state=0)
    settings = {"tol": 1e-6, **data.scenario_params}
    model = OrdinalMomentLasso(0.05, solver=solver, **settings).fit(data.X, data.z)
    assert model.converged_
    assert model.objective_ == pytest.approx(
        OrdinalMomentLasso(0.05, **settings).fit(data.X, data.z).objective_
    )


def test_a_loss_without_minimum_is_reported():
    wide = simulate_ordinal(60, 200, random_state=0)
    with pytest.warns(ConvergenceWarning, match="OrdinalPULasso, whose loss is bounded"):
        OrdinalMomentLasso(0.001, **wide.scenario_params).fit(wide.X, wide.z)
