"""The group lasso in all its layouts: value, prox, certificate and lam_max agree with each other."""

import numpy as np
import pytest

from pulasso.penalties import GroupLasso
from support import groups as kinds

P, M = 9, 3

pytestmark = pytest.mark.parametrize(
    "kind",
    [kinds.rows, kinds.entries, kinds.blocks, kinds.column_sets, kinds.weighted_column_sets],
    ids=lambda kind: kind.__name__,
)


@pytest.fixture
def rng():
    return np.random.default_rng(20260104)


@pytest.fixture
def penalty(kind, rng):
    return GroupLasso(kind(rng, P, M).resolve(P, M))


def parts(penalty, matrix):
    """Return the blocks of a matrix as vectors."""
    return [matrix[penalty.blocks.index == j] for j in range(penalty.blocks.n_blocks)]


def feasible(penalty, theta):
    """Put excluded blocks to zero."""
    return np.where(np.isinf(penalty.blocks.weights)[penalty.blocks.index], 0.0, theta)


def test_value_is_the_weighted_sum_of_norms(penalty, rng):
    theta = feasible(penalty, rng.normal(size=(P, M)))
    weights = np.where(np.isinf(penalty.blocks.weights), 0.0, penalty.blocks.weights)
    expected = sum(w * np.linalg.norm(part) for w, part in zip(weights, parts(penalty, theta), strict=True))
    assert penalty.value(theta) == pytest.approx(expected, rel=1e-13)
    assert penalty.value(np.zeros((P, M))) == 0.0


@pytest.mark.parametrize("step", [1e-3, 0.3, 1.0, 10.0])
def test_prox_leaves_a_subgradient(penalty, step, rng):
    v = rng.normal(size=(P, M))
    b = penalty.prox(v, step)
    subgradient = (v - b) / step
    for w, at, g in zip(penalty.blocks.weights, parts(penalty, b), parts(penalty, subgradient), strict=True):
        if np.isinf(w):
            assert not at.any()
        elif at.any():
            np.testing.assert_allclose(g, w * at / np.linalg.norm(at), rtol=1e-9, atol=1e-12)
        else:
            assert np.linalg.norm(g) <= w * (1 + 1e-12)


@pytest.mark.parametrize("step", [1e-3, 0.3, 1.0, 10.0])
def test_certificate_is_zero_at_the_minimiser(penalty, step, rng):
    v = rng.normal(size=(P, M))
    b = penalty.prox(v, step)
    # b minimises 0.5 ||b - v||^2 + step * value(b), whose smooth gradient is b - v.
    np.testing.assert_allclose(penalty.kkt_distances(b, b - v, step), 0.0, atol=1e-13)


def test_certificate_measures_the_distance_to_the_subdifferential(penalty, rng):
    theta = penalty.prox(rng.normal(size=(P, M)), 0.8)
    grad, lam = rng.normal(size=(P, M)), 0.4
    found = penalty.kkt_distances(theta, grad, lam)
    for j, (w, at, g) in enumerate(
        zip(penalty.blocks.weights, parts(penalty, theta), parts(penalty, grad), strict=True)
    ):
        if np.isinf(w):
            expected = 0.0
        elif at.any():
            expected = np.linalg.norm(g + lam * w * at / np.linalg.norm(at))
        else:
            expected = max(0.0, np.linalg.norm(g) - lam * w)
        assert found[j] == pytest.approx(expected, rel=1e-12, abs=1e-14)


def test_prox_beats_its_neighbours(penalty, rng):
    v, step = rng.normal(size=(P, M)), 0.5

    def model(b):
        return 0.5 * np.sum((b - v) ** 2) + step * penalty.value(b)

    b = penalty.prox(v, step)
    for size in (1e-3, 1e-1, 1.0):
        for _ in range(20):
            assert model(b) <= model(feasible(penalty, b + size * rng.normal(size=b.shape))) + 1e-14


def test_lam_max_is_exact(penalty, rng):
    grad = rng.normal(size=(P, M))
    lam_max, zero = penalty.lam_max(grad), np.zeros((P, M))
    penalized = penalty.blocks.weights > 0
    assert penalty.kkt_distances(zero, grad, lam_max)[penalized].max() <= 1e-14
    assert penalty.kkt_distances(zero, grad, 0.999 * lam_max)[penalized].max() > 0.0
    moved = penalty.prox(-grad, lam_max * (1 + 1e-12))
    assert all(not part.any() for part, w in zip(parts(penalty, moved), penalized, strict=True) if w)
    below = penalty.prox(-grad, 0.999 * lam_max)
    assert any(part.any() for part, w in zip(parts(penalty, below), penalized, strict=True) if w)


def test_value_is_convex_and_homogeneous(penalty, rng):
    one, other = (feasible(penalty, rng.normal(size=(P, M))) for _ in range(2))
    for t in (0.1, 0.5, 0.9):
        mixed = penalty.value(t * one + (1 - t) * other)
        assert mixed <= t * penalty.value(one) + (1 - t) * penalty.value(other) + 1e-12
    assert penalty.value(-3.0 * one) == pytest.approx(3.0 * penalty.value(one), rel=1e-12)


def test_without_penalized_keeps_only_free_blocks(penalty, rng):
    free = penalty.without_penalized()
    moved = free.prox(rng.normal(size=(P, M)), 1.0)
    for w, part in zip(penalty.blocks.weights, parts(penalty, moved), strict=True):
        assert part.any() == (w == 0)
