"""The quadratic model learns from steps that were taken."""

import numpy as np
import pytest

from pulasso.penalties import Thresholds
from pulasso.solvers._quadratic import Quadratic


def random_quadratic(sizes=(1, 2, 3), n_offsets=2):
    rng = np.random.default_rng(3)
    n = n_offsets + sum(sizes)
    root = rng.normal(size=(n, 3 * n))
    quadratic = Quadratic(n_offsets)
    quadratic.grow(np.array(sizes))
    quadratic.hessian[:] = root @ root.T / n
    quadratic.settle(0)
    return quadratic, rng


def test_a_correction_gives_the_seen_change_of_the_gradient():
    quadratic, rng = random_quadratic()
    change = rng.normal(size=8)
    other = quadratic.hessian.copy() + np.diag(rng.uniform(0.1, 0.3, 8)).astype(np.float32)
    seen = other @ change
    quadratic.correct(change, seen)
    np.testing.assert_allclose(quadratic.hessian @ change, seen, rtol=1e-4, atol=1e-4)
    assert np.linalg.eigvalsh(quadratic.hessian).min() > 0


def test_implausible_changes_are_ignored():
    quadratic, rng = random_quadratic()
    before, change = quadratic.hessian.copy(), rng.normal(size=8)
    for factor in (-1.0, 1e-3, 1e3):  # not convex, or mere rounding
        quadratic.correct(change, factor * (before @ change))
        np.testing.assert_array_equal(quadratic.hessian, before)


@pytest.mark.parametrize("ridge", [0.0, 0.7])
def test_the_minimum_of_a_corrected_model_is_a_minimum(ridge):
    quadratic, rng = random_quadratic()
    change = rng.normal(size=8)
    quadratic.correct(change, 1.3 * (quadratic.hessian @ change))
    before = quadratic.hessian.copy()
    gradient, thresholds = rng.normal(size=8), np.array([0.0, 0.3, 0.4, 0.2])
    bound, tols = Thresholds(thresholds[1:], None, np.repeat(ridge, 6)), np.full(4, 1e-9)
    best = quadratic.descend(gradient, np.zeros(8), bound, tols=tols, max_sweeps=2000)
    assert (quadratic.hessian == before).all()  # a ridge is added for the descent only
    slope = gradient + quadratic.hessian.astype(float) @ best + np.append([0.0, 0.0], ridge * best[2:])
    for start, size, threshold in zip(quadratic.starts, quadratic.sizes, thresholds, strict=True):
        b, g = best[start : start + size], slope[start : start + size]
        norm = np.linalg.norm(b)
        assert (
            np.linalg.norm(g + threshold * b / norm) < 1e-6 if norm else np.linalg.norm(g) <= threshold + 1e-6
        )
