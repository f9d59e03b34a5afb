"""The compiled kernel and its NumPy twin do the same, and what they do is minimise."""

import numpy as np
import pytest

from pulasso.kernels import native, numpy_kernels

KERNELS = [
    pytest.param(numpy_kernels.block_descent, id="numpy"),
    pytest.param(
        native.block_descent,
        id="native",
        marks=pytest.mark.skipif(native.library_path() is None, reason="the compiled kernel was not built"),
    ),
]
every_size = pytest.mark.parametrize("sizes", [[1] * 8, [3, 1, 4], [8], [2, 2, 2, 2]], ids=str)


def quadratic(sizes, seed=0, zero_threshold=True):
    """Return a random strictly convex quadratic with blocks of these sizes, in the kernel's arguments."""
    rng, sizes = np.random.default_rng(seed), np.array(sizes, dtype=np.int64)
    n, starts = int(sizes.sum()), np.cumsum(sizes) - sizes
    root = rng.normal(size=(n, 2 * n))
    hessian = (root @ root.T / n).astype(np.float32)
    eigenvalues, bases = np.empty(n), []
    for start, size in zip(starts, sizes, strict=True):
        block = slice(start, start + size)
        eigenvalues[block], vectors = np.linalg.eigh(hessian[block, block].astype(float))
        bases.append(vectors.T.ravel())
    thresholds = rng.uniform(0.1, 1.5, len(sizes))
    if zero_threshold:
        thresholds[0] = 0.0
    linear = rng.normal(0.0, 2.0, n)
    basis_starts = np.cumsum(sizes**2) - sizes**2
    return hessian, linear, starts, sizes, thresholds, (eigenvalues, np.concatenate(bases), basis_starts)


def run(kernel, problem, beta, max_sweeps=2000, tol=1e-9):
    hessian, linear, starts, sizes, thresholds, decomposition = problem
    beta = beta.copy()
    gradient = linear + hessian.astype(float) @ beta
    sweeps = kernel(hessian, gradient, beta, starts, sizes, thresholds, *decomposition, max_sweeps, tol)
    return beta, gradient, sweeps


def violation(problem, beta):
    hessian, linear, starts, sizes, thresholds, _ = problem
    gradient = linear + hessian.astype(float) @ beta
    worst = 0.0
    for start, size, threshold in zip(starts, sizes, thresholds, strict=True):
        b, g = beta[start : start + size], gradient[start : start + size]
        norm = np.linalg.norm(b)
        distance = (
            np.linalg.norm(g + threshold * b / norm) if norm else max(0.0, np.linalg.norm(g) - threshold)
        )
        worst = max(worst, distance)
    return worst


@every_size
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("seed", range(3))
def test_the_result_is_optimal(kernel, sizes, seed):
    problem = quadratic(sizes, seed)
    rng = np.random.default_rng(seed)
    for start in (np.zeros(sum(sizes)), rng.normal(size=sum(sizes))):
        beta, gradient, sweeps = run(kernel, problem, start)
        assert sweeps > 0
        assert violation(problem, beta) <= 1e-7
        np.testing.assert_allclose(gradient, problem[1] + problem[0].astype(float) @ beta, atol=1e-6)


@every_size
def test_the_two_kernels_agree_sweep_by_sweep(sizes):
    if native.library_path() is None:
        pytest.skip("the compiled kernel was not built")
    problem, start = quadratic(sizes), np.zeros(sum(sizes))
    for sweeps in (1, 2, 5):
        ours, our_gradient, our_count = run(numpy_kernels.block_descent, problem, start, sweeps)
        theirs, their_gradient, their_count = run(native.block_descent, problem, start, sweeps)
        np.testing.assert_allclose(theirs, ours, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(their_gradient, our_gradient, rtol=1e-5, atol=1e-6)
        assert our_count == their_count


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_trail_holds_every_sweep(kernel):
    hessian, linear, *blocks, decomposition = quadratic([3, 1, 4])
    trail = np.full((4, 2, 8), np.nan)
    beta, gradient = np.zeros(8), linear.copy()
    kernel(hessian, gradient, beta, *blocks, *decomposition, 4, 1e-14, trail)
    for sweeps in range(1, 5):
        expected = run(kernel, (hessian, linear, *blocks, decomposition), np.zeros(8), sweeps, 1e-14)
        np.testing.assert_array_equal(trail[sweeps - 1], expected[:2])


@pytest.mark.parametrize("kernel", KERNELS)
def test_too_few_sweeps_are_said(kernel):
    problem = quadratic([1] * 8)
    assert run(kernel, problem, np.zeros(8), max_sweeps=1, tol=1e-14)[2] == -1


@pytest.mark.parametrize("kernel", KERNELS)
def test_large_thresholds_leave_zero(kernel):
    hessian, linear, starts, sizes, thresholds, decomposition = quadratic([2, 3], zero_threshold=False)
    problem = (hessian, linear, starts, sizes, np.full(2, 1e3), decomposition)
    beta, _, sweeps = run(kernel, problem, np.zeros(5))
    assert sweeps == 1 and not beta.any()
