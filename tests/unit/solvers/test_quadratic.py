"""The quadratic model learns from steps that were taken."""

import numpy as np

from pulasso.solvers._quadratic import Quadratic


def random_quadratic(sizes=(1, 2, 3), n_offsets=2):
    rng = np.random.default_rng(3)
    n = n_offsets + sum(sizes)
    root = rng.normal(size=(n, 3 * n))
    return Quadratic((root @ root.T / n).astype(np.float32), np.array(sizes), n_offsets), rng


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


def test_the_minimum_of_a_corrected_model_is_a_minimum():
    quadratic, rng = random_quadratic()
    change = rng.normal(size=8)
    quadratic.correct(change, 1.3 * (quadratic.hessian @ change))
    gradient, thresholds = rng.normal(size=8), np.array([0.0, 0.3, 0.4, 0.2])
    best = quadratic.descend(gradient, np.zeros(8), thresholds, tol=1e-9, max_sweeps=2000)
    slope = gradient + quadratic.hessian.astype(float) @ best
    for start, size, threshold in zip(quadratic.starts, quadratic.sizes, thresholds, strict=True):
        b, g = best[start : start + size], slope[start : start + size]
        norm = np.linalg.norm(b)
        assert (
            np.linalg.norm(g + threshold * b / norm) < 1e-6 if norm else np.linalg.norm(g) <= threshold + 1e-6
        )
