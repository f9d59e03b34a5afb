"""The convex moment method against the formula of Song et al., minimised by brute force."""

import numpy as np
import pytest
from scipy.optimize import minimize

from pulasso.baselines import MomentLasso
from pulasso.datasets import simulate_multinomial

FREQUENCY = np.array([0.7, 0.5])


@pytest.fixture(scope="module")
def data():
    return simulate_multinomial(
        1500, 3, n_active=2, scenario="single-training-set", label_frequency=FREQUENCY, random_state=4
    )


def surrogate(parameters, data):
    """Return the mean of (l(k) - (1 - pi_k) l(0)) / pi_k over labelled rows, l(0) over others: class-conditional noise.

    With flips from k to 0 of probability 1 - pi_k and none back this is the unbiased loss
    ``((1 - rho_{-y}) l(y) - rho_y l(-y)) / (1 - rho_+ - rho_-)`` of Natarajan et al., which Song et al. penalise.
    """
    theta = parameters.reshape(4, 2)
    scores = np.column_stack([np.zeros(len(data.z)), data.X @ theta[:3] + theta[3]])
    losses = np.logaddexp.reduce(scores, axis=1)[:, None] - scores
    of_row = losses[:, 0].copy()
    for k, pi in enumerate(FREQUENCY, start=1):
        rows = data.z == k
        of_row[rows] = (losses[rows, k] - (1 - pi) * losses[rows, 0]) / pi
    return of_row.mean()


def test_without_penalty_it_is_the_minimum_of_the_formula(data):
    found = minimize(surrogate, np.zeros(8), args=(data,), method="BFGS", options={"gtol": 1e-8})
    model = MomentLasso(0.0, standardize=False, tol=1e-8, **data.scenario_params).fit(data.X, data.z)
    best = found.x.reshape(4, 2)
    np.testing.assert_allclose(model.coef_.T, best[:3], atol=1e-4)
    np.testing.assert_allclose(model.intercept_, best[3], atol=1e-4)


def test_with_penalty_no_step_decreases_the_penalised_formula(data):
    lam = 0.05
    model = MomentLasso(lam, standardize=False, groups="entries", tol=1e-8, **data.scenario_params)
    model.fit(data.X, data.z)
    found = np.vstack([model.coef_.T, model.intercept_])

    def objective(parameters):
        return surrogate(parameters.ravel(), data) + lam * np.abs(parameters[:3]).sum()

    least, rng = objective(found), np.random.default_rng(0)
    assert 0 < np.count_nonzero(found[:3]) < 6
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(100):
            assert objective(found + size * rng.normal(size=found.shape)) > least - 1e-9
