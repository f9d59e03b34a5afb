"""The error bounds of stability selection, by hand."""

import math

import pytest

from pulasso.inference import pairs_bound, selection_bound
from pulasso.inference.bounds import largest_q


def test_meinshausen_and_buehlmann():
    assert selection_bound(20, 0.9, 1000) == pytest.approx(400 / (0.8 * 1000))
    assert selection_bound(7, 1.0, 50) == pytest.approx(49 / 50)


def test_shah_and_samworth_up_to_three_quarters():
    # C = 1 / (2 (2 * 0.6 - 1 - 1/100)) with B = 50
    assert pairs_bound(10, 0.6, 200, 50) == pytest.approx(100 / 200 / (2 * (0.2 - 0.01)))


def test_shah_and_samworth_above_three_quarters():
    # C = 4 (1 - 0.8 + 1/100) / (1 + 1/50)
    assert pairs_bound(10, 0.8, 200, 50) == pytest.approx(100 / 200 * 4 * 0.21 / 1.02)


def test_the_two_pieces_meet_and_lie_below_the_first_bound():
    below, above = pairs_bound(10, 0.75, 1000, 10**7), pairs_bound(10, 0.75 + 1e-9, 1000, 10**7)
    assert below == pytest.approx(above, rel=1e-6)
    for threshold in (0.6, 0.7, 0.8, 0.9, 1.0):
        assert pairs_bound(10, threshold, 1000, 50) < selection_bound(10, threshold, 1000)


def test_no_number_outside_the_range_of_the_theorem():
    assert math.isnan(pairs_bound(60, 0.9, 100, 50))  # theta > 1 / sqrt(3)
    assert math.isnan(pairs_bound(40, 0.55, 100, 50))  # threshold < 1/2 + theta^2
    assert math.isnan(pairs_bound(1, 0.501, 100, 50))  # less than one pair above one half


@pytest.mark.parametrize("threshold", [0.5, 0.2, 1.2, "high", float("nan")])
def test_thresholds_without_a_bound_are_refused(threshold):
    with pytest.raises(ValueError, match="threshold="):
        selection_bound(5, threshold, 100)


@pytest.mark.parametrize(("expected", "threshold", "n_groups", "q"), [(1, 0.75, 200, 10), (2, 0.6, 10, 2)])
def test_the_largest_q_keeps_the_bound(expected, threshold, n_groups, q):
    assert largest_q(expected, threshold, n_groups) == q
    assert selection_bound(q, threshold, n_groups) <= expected * (1 + 1e-12)
    assert selection_bound(q + 1, threshold, n_groups) > expected
    assert largest_q(1e9, threshold, n_groups) == n_groups
