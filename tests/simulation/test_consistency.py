"""Data drawn from each scenario itself: estimates approach the truth as n^-1/2, naive ones do not.

Features lie on a grid, so that n observations are a table of counts and a fit costs the same for every n. One
more test draws every row of a continuous design by itself.
"""

import numpy as np
import pytest

from pulasso import MultinomialPULasso, OrdinalPULasso
from support.problems import make_response
from support.simulate import Truth, count_on_grid, grid_of_features

P, K = 4, 2
SAMPLE_SIZES = (1_000, 10_000, 100_000)
SEEDS = range(8)
LABEL_FREQUENCY = np.array([0.7, 0.5])
GRID = grid_of_features(P)

MODELS = {"multinomial": MultinomialPULasso, "ordinal": OrdinalPULasso}
SCENARIOS = ("case-control", "single-training-set", "fully-observed")

every_response = pytest.mark.parametrize("response", MODELS)


def make_truth(response):
    model = make_response(response, K)
    if response == "ordinal":
        return Truth(model, np.array([[1.0], [-0.8], [0.6], [0.0]]), np.array([0.3, 1.2]))
    theta = np.array([[1.0, -0.5], [-0.8, 0.7], [0.0, 0.9], [0.5, 0.0]])
    return Truth(model, theta, np.array([-0.4, -0.6]))


def what_the_user_knows(scenario, truth):
    """Return the scenario's settings, with the true number."""
    if scenario == "case-control":
        return {"scenario": scenario, "prevalence": truth.proba(GRID).mean(axis=0)[1:]}
    if scenario == "single-training-set":
        return {"scenario": scenario, "label_frequency": LABEL_FREQUENCY}
    return {"scenario": scenario}


def error(response, settings, truth, counts):
    """Return the distance of the estimated coefficients to the truth."""
    x, z = np.repeat(GRID, K + 1, axis=0), np.tile(np.arange(K + 1), len(GRID))
    model = MODELS[response](lam=0.0, tol=1e-7, **settings).fit(x, z, counts.ravel())
    assert model.converged_
    return np.linalg.norm(np.atleast_2d(model.coef_).T - truth.theta)


def mean_log_errors(response, scenario, settings):
    """Return the mean over seeds of the log error, for every sample size."""
    truth = make_truth(response)
    errors = np.empty((len(SAMPLE_SIZES), len(SEEDS)))
    for i, n in enumerate(SAMPLE_SIZES):
        for seed in SEEDS:
            rng = np.random.default_rng([seed, n])
            counts = count_on_grid(rng, scenario, truth, GRID, n, LABEL_FREQUENCY)
            errors[i, seed] = error(response, settings, truth, counts)
    return np.log(errors).mean(axis=1)


@every_response
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_right_scenario_finds_the_truth(response, scenario):
    truth = make_truth(response)
    right = mean_log_errors(response, scenario, what_the_user_knows(scenario, truth))
    slope = np.polyfit(np.log(SAMPLE_SIZES), right, 1)[0]
    assert -0.7 <= slope <= -0.3
    assert np.exp(right[-1]) < 0.1
    if scenario != "fully-observed":
        naive = mean_log_errors(response, scenario, {"scenario": "fully-observed"})
        assert np.exp(naive[-1] - right[-1]) > 5.0
        assert np.polyfit(np.log(SAMPLE_SIZES[1:]), naive[1:], 1)[0] > -0.15


@every_response
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_rows_of_a_continuous_design(response, scenario):
    truth, rng, n = make_truth(response), np.random.default_rng(31), 20_000
    population = rng.normal(size=(5 * n, P))
    y = truth.draw(rng, population)
    if scenario == "case-control":
        rows = [np.arange(n // 2), *(np.flatnonzero(y == k)[-n // 4 :] for k in range(1, K + 1))]
        x, z = population[np.concatenate(rows)], np.repeat([0, 1, 2], [n // 2, n // 4, n // 4])
        settings = {"prevalence": [np.mean(y == 1), np.mean(y == 2)]}
    else:
        x = population[:n]
        shown = rng.random(n) < np.append(1.0, LABEL_FREQUENCY)[y[:n]]
        z = np.where(shown, y[:n], 0) if scenario == "single-training-set" else y[:n]
        settings = {"label_frequency": LABEL_FREQUENCY} if scenario == "single-training-set" else {}
    model = MODELS[response](lam=0.0, scenario=scenario, **settings).fit(x, z)
    np.testing.assert_allclose(np.atleast_2d(model.coef_).T, truth.theta, atol=0.2)
    proba = model.predict_proba(population[:1000])
    assert np.abs(proba - truth.proba(population[:1000])).mean() < 0.03
