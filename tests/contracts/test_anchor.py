"""The anchor: a term like any other, for every response, scenario, solver and storage."""

from dataclasses import replace

import dask.array as da
import numpy as np
import pytest

from pulasso import (
    MultinomialPULasso,
    MultinomialPULassoCV,
    OrdinalPULasso,
    OrdinalPULassoCV,
    PUData,
    build_problem,
    fit_path,
)
from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.exceptions import InputError, LabelFrequencyWarning
from pulasso.problem import Params
from pulasso.responses import RESPONSES
from pulasso.scenarios import LabelModel
from pulasso.solvers import SOLVERS
from pulasso.solvers.curvature import _hessian
from support.brute_force import central_difference, softmax
from support.cases import CASES
from support.extended import certificate

RESPONSE_NAMES = list(RESPONSES)
ESTIMATORS = {"multinomial": MultinomialPULasso, "ordinal": OrdinalPULasso}
SIMULATIONS = {"multinomial": simulate_multinomial, "ordinal": simulate_ordinal}
N, P = 60, 3


@pytest.fixture
def rng():
    return np.random.default_rng(20261118)


def problem_and_params(rng, response, case, n_positive, anchor=2.0, groups=None):
    sample = case.labels(rng, N, n_positive)
    x = rng.normal(1.0, 2.0, (N, P))
    data = PUData(x, sample.codes, np.arange(n_positive + 1), sample.weight)
    problem = build_problem(
        data, response=response, scenario=case.make(n_positive), anchor=anchor, groups=groups
    )
    offsets = problem.null.offsets * rng.uniform(0.8, 1.2, len(problem.null.offsets))
    return problem, Params(rng.normal(size=problem.shape), offsets)


@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.parametrize("response", RESPONSE_NAMES)
def test_value_by_brute_force(response, case, rng):
    problem, params = problem_and_params(rng, response, case, 3)
    plain = replace(problem, anchor=None)
    loss, told = problem.loss, problem.told_shares
    eta = problem.response.log_odds(problem.design.matmul(params.theta), params.offsets)
    weight = loss.weight * (loss.codes == 0) if case.name.startswith("case-control") else loss.weight
    proba = softmax(eta)
    if "case-control-always" in case.name:  # class 1 never is among unlabeled rows
        proba[:, 1] = 0.0
        proba /= proba.sum(axis=1, keepdims=True)
    mean = weight @ proba / weight.sum()
    own = told > 0
    expected = 2.0 * np.sum(told[own] * np.log(told[own] / mean[own]))
    assert problem.at(params).loss - plain.at(params).loss == pytest.approx(expected, rel=1e-9)
    assert expected > 0.0
    np.testing.assert_allclose(problem.class_shares(problem.at(params)), mean, rtol=1e-10)


@pytest.mark.parametrize("n_positive", [1, 3])
@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.parametrize("response", RESPONSE_NAMES)
def test_gradient(response, case, n_positive, rng):
    problem, params = problem_and_params(rng, response, case, n_positive)
    grad = problem.gradient(problem.at(params))
    by_theta = central_difference(lambda theta: problem.at(Params(theta, params.offsets)).loss, params.theta)
    by_offsets = central_difference(
        lambda offsets: problem.at(Params(params.theta, offsets)).loss, params.offsets
    )
    scale = max(np.abs(by_theta).max(), np.abs(by_offsets).max())
    np.testing.assert_allclose(grad.theta, by_theta, rtol=1e-6, atol=1e-8 * scale)
    np.testing.assert_allclose(grad.offsets, by_offsets, rtol=1e-6, atol=1e-8 * scale)


@pytest.mark.parametrize("groups", [None, "symmetric"])
@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.parametrize("response", RESPONSE_NAMES)
def test_hessian(response, case, groups, rng):
    """Rows and coupling together are the derivative of the gradient."""
    if groups and response == "ordinal":
        groups = None
    problem, params = problem_and_params(rng, response, case, 2)
    blocks = np.arange(problem.blocks.n_blocks)
    at = problem.blocks.entries(blocks)

    def gradient(variables):
        theta = np.zeros(problem.shape)
        theta[at] = variables[len(params.offsets) :]
        found = problem.gradient(problem.at(Params(theta, variables[: len(params.offsets)])))
        return np.append(found.offsets, found.theta[at])

    here = np.append(params.offsets, params.theta[at])
    step = 1e-5
    expected = [
        (gradient(here + step * e) - gradient(here - step * e)) / (2 * step) for e in np.eye(len(here))
    ]
    hessian = _hessian(problem, params, blocks)
    np.testing.assert_allclose(hessian, expected, rtol=1e-5, atol=1e-7 * np.abs(hessian).max())


@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.parametrize("response", RESPONSE_NAMES)
def test_null_model_is_stationary(response, case, rng):
    """The path begins at the anchored model without features, also where labels contradict what was told."""
    problem, _ = problem_and_params(rng, response, case, 2, anchor=5.0)
    grad = problem.gradient(problem.at(problem.null))
    np.testing.assert_allclose(grad.offsets, 0.0, atol=1e-11)
    if not case.confirmed:
        np.testing.assert_allclose(
            problem.class_shares(problem.at(problem.null)), problem.told_shares, atol=1e-12
        )


@pytest.mark.parametrize("anchor", [0.3, 10.0])
@pytest.mark.parametrize("scenario", ["case-control", "single-training-set"])
@pytest.mark.parametrize("response", list(ESTIMATORS))
def test_solvers_and_storages_agree_to_the_certificate(response, scenario, anchor):
    data = SIMULATIONS[response](250, 20, n_active=4, scenario=scenario, random_state=3)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 250)
    settings = {"lam": 0.02, "anchor": anchor, "tol": 1e-7, **data.scenario_params}
    found = [ESTIMATORS[response](solver=each, **settings).fit(data.X, data.z, weight) for each in SOLVERS]
    chunks = da.from_array(data.X, chunks=(70, 20))
    found.append(ESTIMATORS[response](**settings).fit(chunks, data.z, weight))
    for model in found:
        assert model.converged_
        assert model.objective_ == pytest.approx(found[0].objective_, abs=1e-9)
        np.testing.assert_allclose(model.class_shares_, found[0].class_shares_, atol=1e-5)
        np.testing.assert_allclose(model.told_shares_, found[0].told_shares_, rtol=1e-12)
    for model in (found[0], found[-1]):
        violation, rounding = certificate(model, data.X, data.z, weight)
        assert violation <= 1e-7 * 1.01 + 10 * rounding


@pytest.mark.parametrize("response", list(ESTIMATORS))
def test_a_stronger_anchor_holds_more_tightly(response):
    data = SIMULATIONS[response](150, 300, n_active=5, scenario="single-training-set", random_state=0)
    gaps = []
    for anchor in (0.0, 1.0, 30.0):
        path = fit_path(
            data.X, data.z, response=response, anchor=anchor, n_lams=15, tol=1e-4, **data.scenario_params
        )
        gaps.append(np.abs(path.class_shares[-1] - path.model(-1).told_shares_).max())
        assert path.class_shares.shape == (15, 3) and path.converged.all()
        np.testing.assert_allclose(path.class_shares.sum(axis=1), 1.0)
    assert gaps[0] > 2 * gaps[1] > 4 * gaps[2]


def test_rho_zero_is_the_plain_likelihood():
    data = simulate_multinomial(200, 30, random_state=1)
    plain = MultinomialPULasso(0.02, **data.scenario_params).fit(data.X, data.z)
    zero = MultinomialPULasso(0.02, anchor=0, **data.scenario_params).fit(data.X, data.z)
    np.testing.assert_array_equal(plain.coef_, zero.coef_)
    proba = plain.predict_proba(data.X)[data.z == 0]
    np.testing.assert_allclose(plain.class_shares_, proba.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(plain.told_shares_[1:], data.scenario_params["prevalence"])


@pytest.mark.parametrize("estimator", [MultinomialPULassoCV, OrdinalPULassoCV])
@pytest.mark.parametrize("scenario", ["case-control", "single-training-set"])
def test_calibrated_shares(estimator, scenario):
    """Intercepts or cutpoints are moved until held-out probabilities have the mean that was told."""
    simulate = simulate_multinomial if estimator is MultinomialPULassoCV else simulate_ordinal
    data = simulate(200, 60, n_active=4, scenario=scenario, random_state=2)
    settings = {"n_lams": 8, "lam_min_ratio": 0.1, "tol": 1e-3, "random_state": 0, **data.scenario_params}
    plain = estimator(**settings).fit(data.X, data.z)
    moved = estimator(calibrate="shares", **settings).fit(data.X, data.z)
    population = data.z == 0 if scenario == "case-control" else slice(None)
    np.testing.assert_allclose(moved.cv_proba_[population].mean(axis=0), moved.told_shares_, atol=1e-6)
    offsets = moved.response_.offsets_name
    np.testing.assert_allclose(
        getattr(moved, offsets) - getattr(plain, offsets), moved.calibration_, atol=1e-12
    )
    np.testing.assert_array_equal(moved.coef_, plain.coef_)
    shares = moved.predict_proba(data.X)[population].mean(axis=0)
    np.testing.assert_allclose(moved.class_shares_, shares, rtol=1e-9)
    assert not np.allclose(moved.calibration_, 0.0)


def test_impossible_shares_hold_nothing():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(90, 2)), np.repeat([0, 1, 2], 30)
    with pytest.warns(LabelFrequencyWarning, match="anchor has nothing to hold to"):
        model = MultinomialPULasso(0.1, anchor=1.0, scenario="single-training-set", label_frequency=0.5).fit(
            x, z
        )
    assert model.told_shares_[0] < 0 and np.isfinite(model.class_shares_).all()


@pytest.mark.parametrize("anchor", [-1.0, np.inf, "strong", None])
def test_bad_strengths_are_refused(anchor):
    with pytest.raises(InputError) as caught:
        MultinomialPULasso(0.1, anchor=anchor, prevalence=0.2).fit(np.eye(6), [0, 0, 0, 0, 1, 1])
    assert caught.value.parameter == "anchor"


class ByRow:
    """Labelling that depends on the first column."""

    by_row, name, asks_for, explanation, sampled_by_label = True, "by-row", None, "", False

    def label_model(self, counts, x, feature_names):
        shown = 0.5 / (1.0 + np.exp(-x[:, :1])) + 0.3
        with np.errstate(divide="ignore"):
            labeled = np.log(np.hstack([0.0 * shown, shown, shown]))
            return LabelModel(labeled, np.log1p(-np.exp(labeled)))


def test_shares_of_labels_that_depend_on_the_row():
    """Every labelled row stands for as many as its own label frequency says."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(4_000, 3))
    y = np.array([rng.choice(3, p=each) for each in softmax(x[:, :2])])
    shown = 0.5 / (1.0 + np.exp(-x[:, 0])) + 0.3
    z = np.where(rng.random(len(y)) < shown, y, 0)
    model = MultinomialPULasso(0.01, anchor=3.0, scenario=ByRow()).fit(x, z)
    actual = np.bincount(y) / len(y)
    np.testing.assert_allclose(model.told_shares_, actual, atol=0.03)
    expected = sum(np.bincount(z[[i]], minlength=3)[1:] / shown[i] for i in np.flatnonzero(z)) / len(z)
    np.testing.assert_allclose(model.told_shares_[1:], expected, rtol=1e-9)
    assert model.converged_
    np.testing.assert_allclose(model.class_shares_, model.told_shares_, atol=0.01)


def test_a_class_that_vanishes_costs_infinitely_much(rng):
    """A step that leads there is not taken, and nothing is said about divisions by zero."""
    problem, params = problem_and_params(rng, "multinomial", CASES[0], 2)
    far = Params(params.theta * 0.0, np.array([-1e4, 0.0]))
    assert problem.at(far).loss == np.inf
