"""The group lasso by hand: weights of zero and infinity, layouts, and the l1 special case."""

import numpy as np
import pytest

from pulasso import Groups
from pulasso.penalties import BlockPenalty, GroupLasso

THETA = np.array([[3.0, 4.0], [0.0, 0.0], [-1.0, 2.0]])


def lasso(groups):
    return BlockPenalty(GroupLasso(), groups.resolve(3, 2))


def test_rows_by_hand():
    penalty = lasso(Groups.rows(weights=[1.0, 2.0, 3.0]))
    assert penalty.value(THETA, 1.0) == pytest.approx(5.0 + 3.0 * np.sqrt(5.0))
    np.testing.assert_allclose(penalty.prox(THETA, 1.0, 1.0)[0], [2.4, 3.2])
    np.testing.assert_array_equal(penalty.prox(THETA, 1.0, 1.0)[1:], 0.0)


def test_default_weights_make_single_entries_the_l1_norm():
    penalty = lasso(Groups.entries())
    assert penalty.value(THETA, 1.0) == pytest.approx(np.abs(THETA).sum())
    np.testing.assert_allclose(
        penalty.prox(THETA, 1.0, 1.0), np.sign(THETA) * np.maximum(np.abs(THETA) - 1, 0)
    )


def test_groups_of_one_are_entries():
    single = lasso(Groups.from_blocks([([j], [k]) for j in range(3) for k in (1, 2)]))
    entries, rng = lasso(Groups.entries()), np.random.default_rng(0)
    theta, grad = rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    assert single.value(theta, 1.0) == pytest.approx(entries.value(theta, 1.0))
    np.testing.assert_allclose(single.prox(theta, 0.4, 1.0), entries.prox(theta, 0.4, 1.0))
    np.testing.assert_allclose(
        np.sort(single.subdiff_distance(theta, grad, 0.4)),
        np.sort(entries.subdiff_distance(theta, grad, 0.4)),
    )
    assert single.lam_max(grad) == pytest.approx(entries.lam_max(grad))


def test_one_group_of_everything_is_the_frobenius_norm():
    penalty = lasso(Groups.from_columns([[0, 1, 2]], weights=1.0))
    assert penalty.value(THETA, 1.0) == pytest.approx(np.linalg.norm(THETA))


def test_weight_zero_is_never_shrunk():
    penalty = lasso(Groups.rows(weights=[0.0, 1.0, 1.0]))
    assert penalty.has_unpenalized
    np.testing.assert_array_equal(penalty.prox(THETA, 100.0, 1.0)[0], THETA[0])
    assert penalty.subdiff_distance(THETA, np.ones((3, 2)), 1.0)[0] == pytest.approx(np.sqrt(2.0))
    assert penalty.lam_max(np.array([[9.0, 9.0], [0.3, 0.4], [0.0, 0.0]])) == pytest.approx(0.5)


def test_weight_infinity_stays_at_zero():
    penalty = lasso(Groups.rows(weights=[np.inf, 1.0, 1.0]))
    assert not penalty.has_unpenalized
    assert penalty.value(THETA, 1.0) == np.inf
    np.testing.assert_array_equal(penalty.prox(THETA, 1e-9, 1.0)[0], 0.0)
    np.testing.assert_array_equal(penalty.prox(THETA, 0.0, 1.0)[0], 0.0)
    excluded = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    assert np.isfinite(penalty.value(excluded, 1.0))
    assert penalty.subdiff_distance(excluded, np.full((3, 2), 7.0), 1.0)[0] == 0.0
    assert penalty.lam_max(np.array([[9.0, 9.0], [0.3, 0.4], [0.0, 0.0]])) == pytest.approx(0.5)


def test_nothing_penalised_means_lam_max_zero():
    assert lasso(Groups.rows(weights=0.0)).lam_max(THETA) == 0.0


def test_step_zero_changes_nothing():
    np.testing.assert_array_equal(lasso(Groups.rows()).prox(THETA, 0.0, 1.0), THETA)


@pytest.mark.parametrize("size", [1e-300, 1e-30, 1e30])
def test_tiny_and_huge_coefficients(size):
    penalty = lasso(Groups.entries())
    shrunk = penalty.prox(size * THETA, 0.5 * size, 1.0)
    np.testing.assert_allclose(shrunk / size, penalty.prox(THETA, 0.5, 1.0), rtol=1e-12)


def test_almost_nothing_is_dropped_without_a_warning():
    assert not lasso(Groups.entries()).prox(np.full((3, 2), 1e-308), 10.0, 1.0).any()


def test_inputs_are_left_alone():
    theta = THETA.copy()
    theta.flags.writeable = False
    penalty = lasso(Groups.from_columns([[0, 2], [1]]))
    penalty.prox(theta, 0.1, 1.0)
    penalty.subdiff_distance(theta, theta, 0.1)
    np.testing.assert_array_equal(theta, THETA)
