"""The whole chain from parameters to loss: gradients, information, and the two models meeting at K = 1."""

import numpy as np
import pytest

from pulasso.problem import Params
from pulasso.responses import RESPONSES, Multinomial, Ordinal
from pulasso.scenarios import FullyObserved, SingleTrainingSet
from support.brute_force import central_difference, softmax
from support.cases import BY_SCENARIO, CASES, LabelSample
from support.problems import make_problem, make_response

RESPONSE_NAMES = list(RESPONSES)
N, P = 40, 3


@pytest.fixture
def rng():
    return np.random.default_rng(20260103)


def problem_and_params(rng, response_name, case, n_positive, symmetric=False):
    """Return a problem with random weights, and random parameters in its domain."""
    sample = case.labels(rng, N, n_positive)
    response = make_response(response_name, n_positive, symmetric)
    problem, null = make_problem(rng.normal(1.0, 2.0, (N, P)), sample, response, "rows")
    theta = rng.normal(size=problem.shape)
    return problem, Params(theta, null.offsets * rng.uniform(0.8, 1.2, len(null.offsets)))


@pytest.mark.parametrize("n_positive", [1, 3])
@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.parametrize("response_name", RESPONSE_NAMES)
def test_gradient_in_all_parameters(response_name, case, n_positive, rng):
    problem, params = problem_and_params(rng, response_name, case, n_positive)
    grad = problem.gradient(problem.at(params))
    by_theta = central_difference(lambda theta: problem.at(Params(theta, params.offsets)).loss, params.theta)
    by_offsets = central_difference(
        lambda offsets: problem.at(Params(params.theta, offsets)).loss, params.offsets
    )
    scale = max(np.abs(by_theta).max(), np.abs(by_offsets).max())
    np.testing.assert_allclose(grad.theta, by_theta, rtol=1e-6, atol=1e-8 * scale)
    np.testing.assert_allclose(grad.offsets, by_offsets, rtol=1e-6, atol=1e-8 * scale)


@pytest.mark.parametrize("case", BY_SCENARIO, ids=repr)
def test_gradient_under_the_symmetric_norm(case, rng):
    problem, params = problem_and_params(rng, Multinomial.name, case, 3, symmetric=True)
    grad = problem.gradient(problem.at(params))
    by_theta = central_difference(lambda theta: problem.at(Params(theta, params.offsets)).loss, params.theta)
    np.testing.assert_allclose(grad.theta, by_theta, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("n_positive", [1, 2, 4])
@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.parametrize("response_name", RESPONSE_NAMES)
def test_null_model_is_stationary_in_the_free_parameters(response_name, case, n_positive, rng):
    sample = case.labels(rng, N, n_positive)
    response = make_response(response_name, n_positive)
    problem, null = make_problem(rng.normal(size=(N, P)), sample, response, "rows")
    grad = problem.gradient(problem.at(null))
    np.testing.assert_allclose(grad.offsets, 0.0, atol=1e-12)
    assert not null.theta.any()
    assert problem.kkt_violation(null, grad) <= 1e-10


@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.parametrize("response_name", RESPONSE_NAMES)
def test_information_of_the_free_parameters(response_name, case, rng):
    problem, params = problem_and_params(rng, response_name, case, 3)
    point = problem.at(params)
    eta = problem.response.log_odds(point.linear, params.offsets)
    matrices = problem.loss.curvature(eta).matrices()
    # d eta / d offsets by differences, shape (n_offsets, n_samples, K)
    moves = 1e-6 * np.eye(len(params.offsets))
    jacobian = np.array(
        [(problem.response.log_odds(point.linear, params.offsets + move) - eta) / 1e-6 for move in moves]
    )
    expected = np.einsum("n,ank,nkl,bnl->ab", problem.loss.sample_weight, jacobian, matrices, jacobian)
    np.testing.assert_allclose(problem.offsets_information(point), expected, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_one_positive_class_makes_the_models_one(case, rng):
    seed = int(rng.integers(1_000_000))
    multinomial, params = problem_and_params(np.random.default_rng(seed), Multinomial.name, case, 1)
    ordinal, _ = problem_and_params(np.random.default_rng(seed), Ordinal.name, case, 1)
    mirrored = Params(params.theta, -params.offsets)
    one, other = multinomial.at(params), ordinal.at(mirrored)
    assert one.loss == pytest.approx(other.loss, rel=1e-13)
    grad, grad_mirrored = multinomial.gradient(one), ordinal.gradient(other)
    np.testing.assert_allclose(grad.theta, grad_mirrored.theta, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(grad.offsets, -grad_mirrored.offsets, rtol=1e-9, atol=1e-14)
    assert multinomial.lam_max == pytest.approx(ordinal.lam_max, rel=1e-10)


@pytest.mark.parametrize("response_name", RESPONSE_NAMES)
def test_a_label_frequency_of_one_is_full_observation(response_name, rng):
    n_positive, response = 3, make_response(response_name, 3)
    codes = rng.integers(0, n_positive + 1, N)
    certain, full = (
        LabelSample.of(scenario, codes, np.ones(N), n_positive)
        for scenario in (SingleTrainingSet(label_frequency=1.0), FullyObserved())
    )
    u, offsets = rng.normal(size=(N, response.n_outputs)), response.null_offsets(rng.normal(size=n_positive))
    eta = response.log_odds(u, offsets)
    plain = -np.mean(np.log(softmax(eta))[np.arange(N), codes])
    for sample in (certain, full):
        value, grad = sample.loss.value_and_grad(eta)
        assert value == pytest.approx(plain, rel=1e-12)
        onehot = np.eye(n_positive + 1)[codes]
        np.testing.assert_allclose(grad, (softmax(eta) - onehot)[:, 1:] / N, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(certain.null.log_odds, full.null.log_odds, rtol=1e-12)


@pytest.mark.parametrize("size", [1e2, 1e4])
@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.parametrize("response_name", RESPONSE_NAMES)
def test_extreme_coefficients_keep_everything_finite(response_name, case, size, rng):
    problem, params = problem_and_params(rng, response_name, case, 3)
    for sign in (-1.0, 1.0):
        far = Params(
            sign * size * params.theta,
            problem.response.shift(params.offsets, np.full(problem.shape[1], size)),
        )
        point = problem.at(far)
        grad = problem.gradient(point)
        assert np.isfinite(point.loss) and point.loss >= 0.0
        assert np.isfinite(grad.theta).all() and np.isfinite(grad.offsets).all()
        assert np.isfinite(problem.offsets_information(point)).all()


@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.parametrize(
    ("response_name", "symmetric"), [*((name, False) for name in RESPONSE_NAMES), (Multinomial.name, True)]
)
def test_second_derivatives_in_predictor_and_free_parameters(response_name, case, symmetric, rng):
    n_positive, n = 3, 6
    sample = case.labels(rng, n, n_positive)
    response = make_response(response_name, n_positive, symmetric)
    u, offsets = rng.normal(size=(n, response.n_outputs)), response.null_offsets(rng.normal(size=n_positive))

    def gradients(u, offsets):
        return response.pullback(u, offsets, sample.loss.value_and_grad(response.log_odds(u, offsets))[1])

    eta = response.log_odds(u, offsets)
    grad_eta, curvature = sample.loss.value_and_grad(eta)[1], sample.loss.curvature(eta, 1.0)
    second = response.second_order(u, offsets, grad_eta, curvature, sample.loss.sample_weight)
    close = {"rtol": 1e-6, "atol": 1e-9}
    for m in range(len(offsets)):
        numeric = central_difference(lambda b, m=m: gradients(u, b)[1][m], offsets)
        np.testing.assert_allclose(second.oo[m], numeric, **close)
    for k in range(response.n_outputs):
        by_u = central_difference(lambda v, k=k: gradients(v, offsets)[0][:, k].sum(), u)
        for other in range(response.n_outputs):
            np.testing.assert_allclose(second.uu(k, other), by_u[:, other], **close)
        for i in range(n):
            by_offsets = central_difference(lambda b, i=i, k=k: gradients(u, b)[0][i, k], offsets)
            np.testing.assert_allclose(second.uo(k)[i], by_offsets, **close)
