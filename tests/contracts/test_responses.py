"""Every response model: log odds, probabilities and derivatives tell the same story."""

import numpy as np
import pytest

from pulasso.responses import RESPONSES, Multinomial
from support.brute_force import central_difference, softmax
from support.problems import make_response

N = 20
KINDS = [*((name, False) for name in RESPONSES), (Multinomial.name, True)]

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
def offsets(response, n_positive, rng):
    """Free parameters inside the domain, whatever the model calls them."""
    return response.null_offsets(rng.normal(0.0, 1.0, n_positive))


def test_shapes(response, u, offsets, n_positive):
    eta = response.log_odds(u, offsets)
    grad_u, grad_offsets = response.pullback(u, offsets, eta)
    assert response.n_positive == n_positive
    assert eta.shape == (N, n_positive)
    assert grad_u.shape == u.shape and grad_offsets.shape == offsets.shape
    assert response.log_proba(u, offsets).shape == (N, n_positive + 1)


def test_probabilities_sum_to_one_and_have_these_log_odds(response, u, offsets):
    log_proba, eta = response.log_proba(u, offsets), response.log_odds(u, offsets)
    np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.exp(log_proba), softmax(eta), rtol=1e-10)
    np.testing.assert_allclose(log_proba[:, 1:] - log_proba[:, :1], eta, rtol=1e-10, atol=1e-12)


def test_pullback_is_the_chain_rule(response, u, offsets, rng, n_positive):
    grad_eta = rng.normal(size=(N, n_positive))
    grad_u, grad_offsets = response.pullback(u, offsets, grad_eta.copy())
    by_u = central_difference(lambda v: np.vdot(grad_eta, response.log_odds(v, offsets)), u)
    by_offsets = central_difference(lambda b: np.vdot(grad_eta, response.log_odds(u, b)), offsets, step=1e-4)
    np.testing.assert_allclose(grad_u, by_u, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(grad_offsets, by_offsets, rtol=1e-7, atol=1e-8)


def test_pullback_leaves_its_input_alone(response, u, offsets, rng, n_positive):
    grad_eta = rng.normal(size=(N, n_positive))
    before = grad_eta.copy()
    response.pullback(u, offsets, grad_eta)
    np.testing.assert_array_equal(grad_eta, before)


def test_null_parameters_give_these_log_odds(response, rng, n_positive):
    for size in (0.1, 1.0, 5.0, 30.0):
        log_odds = rng.normal(0.0, size, n_positive)
        null = response.null_offsets(log_odds)
        assert response.is_feasible(null)
        found = response.log_odds(np.zeros((3, response.n_outputs)), null)
        np.testing.assert_allclose(found, np.tile(log_odds, (3, 1)), rtol=1e-9, atol=1e-9)


def test_shift_absorbs_a_constant(response, u, offsets, rng):
    offset = rng.normal(0.0, 3.0, response.n_outputs)
    shifted = response.shift(offsets, offset)
    np.testing.assert_allclose(
        response.log_odds(u + offset, shifted), response.log_odds(u, offsets), rtol=1e-10, atol=1e-10
    )


def test_infinite_parameters_are_not_feasible(response, offsets):
    assert response.is_feasible(offsets)
    for bad in (np.nan, np.inf, -np.inf):
        assert not response.is_feasible(np.full_like(offsets, bad))


@pytest.mark.parametrize("size", [100.0, 1e3, 1e4])
def test_everything_stays_finite_far_out(response, offsets, size, rng, n_positive):
    u = size * rng.choice([-1.0, 0.0, 1.0], (N, response.n_outputs))
    for free in (offsets, response.shift(offsets, np.full(response.n_outputs, size))):
        assert np.isfinite(response.log_odds(u, free)).all()
        np.testing.assert_allclose(np.exp(response.log_proba(u, free)).sum(axis=1), 1.0, rtol=1e-9)
        for part in response.pullback(u, free, rng.normal(size=(N, n_positive))):
            assert np.isfinite(part).all()
