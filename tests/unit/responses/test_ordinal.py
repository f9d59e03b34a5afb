"""The ordinal response, against its definition in extended precision."""

import numpy as np
import pytest

from pulasso.numerics import sigmoid
from pulasso.responses import Ordinal

OFFSETS = [
    np.array([0.3]),
    np.array([-1.0, 0.5]),
    np.array([-2.0, 1.0, 1e-3, 3.0]),
    np.array([0.0, 1e-6, 2.0, 5.0, 0.1]),
]


def naive_proba(u, offsets):
    """P(y = j) as differences of cumulative probabilities, in extended precision."""
    cutpoints = np.cumsum(offsets.astype(np.longdouble))
    cumulative = 1 / (1 + np.exp(u.astype(np.longdouble) - cutpoints))
    ends = np.zeros((len(u), 1), np.longdouble), np.ones((len(u), 1), np.longdouble)
    return np.diff(np.hstack([ends[0], cumulative, ends[1]]), axis=1)


@pytest.mark.parametrize("offsets", OFFSETS, ids=len)
def test_probabilities_agree_with_the_definition(offsets):
    u = np.linspace(-8.0, 8.0, 41)[:, None]
    response, proba = Ordinal(len(offsets)), naive_proba(u, offsets)
    np.testing.assert_allclose(np.exp(response.log_proba(u, offsets)), proba.astype(float), rtol=1e-9)
    eta = np.log(proba[:, 1:] / proba[:, :1]).astype(float)
    np.testing.assert_allclose(response.log_odds(u, offsets), eta, rtol=1e-9, atol=1e-9)


def test_cumulative_probabilities_are_sigmoids_of_cutpoints():
    offsets, u = OFFSETS[2], np.array([[0.7]])
    proba = np.exp(Ordinal(4).log_proba(u, offsets))[0]
    np.testing.assert_allclose(np.cumsum(proba)[:-1], sigmoid(np.cumsum(offsets) - 0.7)[0], rtol=1e-12)


def test_a_larger_predictor_means_higher_classes():
    u = np.linspace(-3, 3, 7)[:, None]
    proba = np.exp(Ordinal(4).log_proba(u, OFFSETS[2]))
    assert (np.diff(np.cumsum(proba, axis=1)[:, :-1], axis=0) < 0).all()


def test_the_far_tail_has_the_right_slope():
    # log P(y = 0) = -softplus(u - nu_1), so about nu_1 - u far out, where sigmoids would give log 0.
    log_proba = Ordinal(2).log_proba(np.array([[900.0]]), np.array([1.0, 2.0]))
    np.testing.assert_allclose(log_proba[0, :2], [-899.0, -897.0 + np.log1p(-np.exp(-2.0))], rtol=1e-12)


@pytest.mark.parametrize("gap", [1e-300, 1e-20, 1e-8, 1.0, 50.0, 1e4])
def test_narrow_and_wide_gaps(gap):
    response, offsets, u = Ordinal(2), np.array([0.2, gap]), np.array([[-3.0], [0.2], [5.0]])
    eta = response.log_odds(u, offsets)
    assert np.isfinite(eta).all()
    grad_u, grad_offsets = response.pullback(u, offsets, np.ones((3, 2)))
    assert np.isfinite(grad_u).all() and np.isfinite(grad_offsets).all()


@pytest.mark.parametrize("log_odds", [[-60.0, 0.0], [3.0, -45.0, 2.0], [-300.0, -1.0, 250.0, -20.0]])
def test_null_cutpoints_of_rare_classes_keep_their_digits(log_odds):
    response = Ordinal(len(log_odds))
    offsets = response.null_offsets(np.array(log_odds))
    assert response.is_feasible(offsets)
    np.testing.assert_allclose(
        response.log_odds(np.zeros((1, 1)), offsets)[0], log_odds, rtol=1e-12, atol=1e-12
    )


def test_null_cutpoints_are_logits_of_cumulative_shares():
    shares = np.array([0.5, 0.2, 0.1, 0.2])
    offsets = Ordinal(3).null_offsets(np.log(shares[1:] / shares[0]))
    below = np.cumsum(shares)[:-1]
    np.testing.assert_allclose(np.cumsum(offsets), np.log(below / (1 - below)), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    "offsets, feasible", [([5.0, 1e-9], True), ([5.0, 0.0], False), ([5.0, -1.0], False)]
)
def test_gaps_must_be_positive(offsets, feasible):
    assert Ordinal(2).is_feasible(np.array(offsets)) is feasible


def test_shift_moves_all_cutpoints_and_no_gap():
    offsets = np.array([0.5, 1.0, 2.0])
    np.testing.assert_array_equal(Ordinal(3).shift(offsets, np.array([0.25])), [0.75, 1.0, 2.0])
    np.testing.assert_array_equal(offsets, [0.5, 1.0, 2.0])
