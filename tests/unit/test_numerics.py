"""Log-space building blocks, against extended precision and in the far tails."""

import numpy as np
import pytest

from pulasso.numerics import log1mexp, log_normalize, sigmoid, softplus_pair

T = np.array([-1e4, -745.0, -40.0, -1.0, -1e-9, 0.0, 1e-9, 0.3, 5.0, 40.0, 745.0, 1e4])
EXACT = np.longdouble


def test_log_normalize_agrees_with_the_obvious_formula():
    scores = np.random.default_rng(0).normal(0.0, 3.0, (10, 4))
    log_total, share = log_normalize(scores)
    np.testing.assert_allclose(log_total, np.log(np.exp(scores).sum(axis=1)), rtol=1e-14)
    np.testing.assert_allclose(share, np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True), rtol=1e-13)


@pytest.mark.parametrize("shift", [-1e5, -800.0, 800.0, 1e5])
def test_log_normalize_does_not_overflow(shift):
    log_total, share = log_normalize(np.array([[0.0, 1.0, 2.0]]) + shift)
    plain_total, plain_share = log_normalize(np.array([[0.0, 1.0, 2.0]]))
    np.testing.assert_allclose(log_total, plain_total + shift, rtol=1e-14)
    np.testing.assert_allclose(share, plain_share, rtol=1e-10)


def test_log_normalize_of_impossible_terms():
    scores = np.array([[-np.inf, 0.0], [-np.inf, -np.inf]])
    log_total, share = log_normalize(scores)
    np.testing.assert_array_equal(log_total, [0.0, -np.inf])
    np.testing.assert_array_equal(share, [[0.0, 1.0], [0.0, 0.0]])


def test_softplus_pair_keeps_both_tails():
    up, down = softplus_pair(T)
    np.testing.assert_allclose(up - down, T, rtol=1e-12, atol=1e-15)
    small = np.abs(T) < 700
    exact = np.log1p(np.exp(-np.abs(T[small]).astype(EXACT)))
    np.testing.assert_allclose(np.minimum(up, down)[small], exact.astype(float), rtol=1e-15)
    assert up[0] == 0.0 and up[-1] == 1e4


def test_sigmoid_keeps_both_tails():
    under, over = sigmoid(T)
    np.testing.assert_allclose(under + over, 1.0, rtol=1e-15)
    exact = 1 / (1 + np.exp(-T.astype(EXACT)))
    inside = np.abs(T) < 700
    np.testing.assert_allclose(under[inside], exact[inside].astype(float), rtol=1e-15)
    np.testing.assert_allclose(over[::-1][1:-1], sigmoid(-T[::-1])[0][1:-1], rtol=1e-15)


@pytest.mark.parametrize("d", [1e-300, 1e-17, 1e-12, 1e-5, 0.3, np.log(2.0), 0.7, 3.0, 30.0, 300.0, 1e4])
def test_log1mexp(d):
    found = log1mexp(np.array([d]))[0]
    # log(1 - exp(-d)) = log d - d/2 + d^2/24 - ... for small d, and -exp(-d) for large d
    if d < 1e-4:
        expected = np.log(d) - d / 2
    else:
        expected = float(np.log(-np.expm1(-EXACT(d)))) if d < 30 else -np.exp(-d)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-300)
