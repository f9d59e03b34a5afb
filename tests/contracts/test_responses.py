"""Every response model: log odds, probabilities and derivatives tell the same story."""

import numpy as np
import pytest

from pulasso.responses import RESPONSES, Multinomial
from support.brute_force import central_difference, softmax
from support.problems import make_response

N = 20
KINDS = [*((cls.name, False) for cls in RESPONSES), (Multinomial.name, True)]

pytestmark = [
    pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind[0] + "-symmetric" * kind[1]),
    pytest.mark.parametrize("n_positive", [1, 2, 5]),
]


@pytest.fixture
def rng():
    return np.random.default_rng(20260102)


@pytest.fixture
def response(kind, n_positive):
    name, symmetric = kind
    return make_response(name, n_positive, symmetric)


@pytest.fixture
def u(response, rng):
    return rng.normal(0.0, 2.0, (N, response.n_outputs))


@pytest.fixture
def aux(response, n_positive, rng):
    """Free parameters inside the domain, whatever the model calls them."""
    return response.null_aux(rng.normal(0.0, 1.0, n_positive))


def test_shapes(response, u, aux, n_positive):
    eta = response.log_odds(u, aux)
    grad_u, grad_aux = response.pullback(u, aux, eta)
    assert response.n_positive == n_positive
    assert eta.shape == (N, n_positive)
    assert grad_u.shape == u.shape and grad_aux.shape == aux.shape
    assert response.aux_jacobian(u, aux).shape == (len(aux), N, n_positive)
    assert response.log_proba(u, aux).shape == (N, n_positive + 1)


def test_probabilities_sum_to_one_and_have_these_log_odds(response, u, aux):
    log_proba, eta = response.log_proba(u, aux), response.log_odds(u, aux)
    np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.exp(log_proba), softmax(eta), rtol=1e-10)
    np.testing.assert_allclose(log_proba[:, 1:] - log_proba[:, :1], eta, rtol=1e-10, atol=1e-12)


def test_pullback_is_the_chain_rule(response, u, aux, rng, n_positive):
    grad_eta = rng.normal(size=(N, n_positive))
    grad_u, grad_aux = response.pullback(u, aux, grad_eta.copy())
    by_u = central_difference(lambda v: np.vdot(grad_eta, response.log_odds(v, aux)), u)
    by_aux = central_difference(lambda b: np.vdot(grad_eta, response.log_odds(u, b)), aux, step=1e-4)
    np.testing.assert_allclose(grad_u, by_u, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(grad_aux, by_aux, rtol=1e-7, atol=1e-8)


def test_jacobian_agrees_with_pullback(response, u, aux, rng, n_positive):
    grad_eta = rng.normal(size=(N, n_positive))
    by_jacobian = np.einsum("ank,nk->a", response.aux_jacobian(u, aux), grad_eta)
    np.testing.assert_allclose(by_jacobian, response.pullback(u, aux, grad_eta)[1], rtol=1e-10, atol=1e-10)


def test_pullback_leaves_its_input_alone(response, u, aux, rng, n_positive):
    grad_eta = rng.normal(size=(N, n_positive))
    before = grad_eta.copy()
    response.pullback(u, aux, grad_eta)
    np.testing.assert_array_equal(grad_eta, before)


def test_null_parameters_give_these_log_odds(response, rng, n_positive):
    for size in (0.1, 1.0, 5.0, 30.0):
        log_odds = rng.normal(0.0, size, n_positive)
        null = response.null_aux(log_odds)
        assert response.is_feasible(null)
        found = response.log_odds(np.zeros((3, response.n_outputs)), null)
        np.testing.assert_allclose(found, np.tile(log_odds, (3, 1)), rtol=1e-9, atol=1e-9)


def test_shift_absorbs_a_constant(response, u, aux, rng):
    offset = rng.normal(0.0, 3.0, response.n_outputs)
    shifted = response.shift(aux, offset)
    np.testing.assert_allclose(
        response.log_odds(u + offset, shifted), response.log_odds(u, aux), rtol=1e-10, atol=1e-10
    )


def test_infinite_parameters_are_not_feasible(response, aux):
    assert response.is_feasible(aux)
    for bad in (np.nan, np.inf, -np.inf):
        assert not response.is_feasible(np.full_like(aux, bad))


@pytest.mark.parametrize("size", [100.0, 1e3, 1e4])
def test_everything_stays_finite_far_out(response, aux, size, rng, n_positive):
    u = size * rng.choice([-1.0, 0.0, 1.0], (N, response.n_outputs))
    for free in (aux, response.shift(aux, np.full(response.n_outputs, size))):
        assert np.isfinite(response.log_odds(u, free)).all()
        assert np.isfinite(response.aux_jacobian(u, free)).all()
        np.testing.assert_allclose(np.exp(response.log_proba(u, free)).sum(axis=1), 1.0, rtol=1e-9)
        for part in response.pullback(u, free, rng.normal(size=(N, n_positive))):
            assert np.isfinite(part).all()
