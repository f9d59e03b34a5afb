"""The compiled kernels and their NumPy twins do the same, and what block descent does is minimise."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from pulasso.kernels import KroneckerFactors, native, numpy_kernels, rows

needs_native = pytest.mark.skipif(not native.is_loaded, reason="the compiled kernel was not built")
KERNELS = [
    pytest.param(numpy_kernels.block_descent, id="numpy"),
    pytest.param(
        native.block_descent,
        id="native",
        marks=needs_native,
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


def run(kernel, problem, beta, max_sweeps=2000, tol=1e-9, l1=None):
    hessian, linear, starts, sizes, thresholds, decomposition = problem
    beta, tols = beta.copy(), np.full(len(sizes), tol)
    gradient = linear + hessian.astype(float) @ beta
    sweeps = kernel(hessian, gradient, beta, starts, sizes, thresholds, l1, *decomposition, max_sweeps, tols)
    return beta, gradient, sweeps


def violation(problem, beta, l1=None):
    hessian, linear, starts, sizes, thresholds, _ = problem
    gradient = linear + hessian.astype(float) @ beta
    if l1 is not None:
        soft = np.sign(gradient) * np.maximum(np.abs(gradient) - l1, 0.0)
        gradient = np.where(beta != 0, gradient + l1 * np.sign(beta), soft)
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
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_result_is_optimal_with_a_lasso_inside_the_blocks(kernel, sizes):
    problem, rng = quadratic(sizes), np.random.default_rng(1)
    l1 = rng.uniform(0.0, 3.0, sum(sizes))
    beta, _, sweeps = run(kernel, problem, rng.normal(size=sum(sizes)), 20_000, 1e-9, l1)
    assert sweeps > 0 and (beta == 0).any()
    assert violation(problem, beta, l1) <= 1e-7


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_block_has_its_own_tolerance(kernel):
    hessian, linear, *blocks, decomposition = quadratic([2, 2], zero_threshold=False)
    found = []
    for tols in ([1e-9, 1e-9], [1e6, 1e-9]):
        beta, gradient = np.zeros(4), linear.copy()
        assert kernel(hessian, gradient, beta, *blocks, None, *decomposition, 2000, np.array(tols)) > 0
        found.append(beta)
    assert found[0][:2].any() and not found[1][:2].any()  # a block that may be far off is not touched


@needs_native
@pytest.mark.parametrize("kernel", KERNELS)
def test_random_shapes(kernel):
    """From one entry to a hundred, in blocks of one to twelve; `make sanitize` looks for steps beyond the arrays."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 13, size=int(rng.integers(1, 10)))
        problem = quadratic(sizes, seed)
        beta, _, sweeps = run(kernel, problem, rng.normal(size=sizes.sum()) * (rng.random() < 0.5))
        assert sweeps > 0 and violation(problem, beta) <= 1e-6, f"seed {seed}"


@needs_native
@every_size
def test_the_two_kernels_agree_sweep_by_sweep(sizes):
    problem, start = quadratic(sizes), np.zeros(sum(sizes))
    l1 = np.random.default_rng(2).uniform(0.0, 1.0, sum(sizes))
    for sweeps, own in [(1, None), (2, None), (5, None), (1, l1), (4, l1)]:
        ours, our_gradient, our_count = run(numpy_kernels.block_descent, problem, start, sweeps, l1=own)
        theirs, their_gradient, their_count = run(native.block_descent, problem, start, sweeps, l1=own)
        np.testing.assert_allclose(theirs, ours, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(their_gradient, our_gradient, rtol=1e-5, atol=1e-6)
        assert our_count == their_count


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_trail_holds_every_sweep(kernel):
    hessian, linear, *blocks, decomposition = quadratic([3, 1, 4])
    trail = np.full((4, 2, 8), np.nan)
    beta, gradient = np.zeros(8), linear.copy()
    kernel(hessian, gradient, beta, *blocks, None, *decomposition, 4, np.full(3, 1e-14), trail)
    for sweeps in range(1, 5):
        expected = run(kernel, (hessian, linear, *blocks, decomposition), np.zeros(8), sweeps, 1e-14)
        np.testing.assert_array_equal(trail[sweeps - 1], expected[:2])


def collinear(sizes, seed=0):
    """Return a quadratic that is nearly flat in most directions, where it takes thousands of plain sweeps."""
    hessian, *rest, _ = quadratic(sizes, seed)
    common = np.random.default_rng(seed).normal(size=(sum(sizes), 2))
    hessian = (0.1 * hessian + common @ common.T).astype(np.float32)
    eigenvalues, bases = np.empty(sum(sizes)), []
    for start, size in zip(rest[1], rest[2], strict=True):
        block = slice(start, start + size)
        eigenvalues[block], vectors = np.linalg.eigh(hessian[block, block].astype(float))
        bases.append(vectors.T.ravel())
    basis_starts = np.cumsum(rest[2] ** 2) - rest[2] ** 2
    linear, starts, lengths, thresholds = rest
    return (
        hessian,
        linear,
        starts,
        lengths,
        0.1 * thresholds,
        (eigenvalues, np.concatenate(bases), basis_starts),
    )


def accelerate(module, problem, max_sweeps=5000, l1=None, tol=1e-6):
    hessian, linear, starts, sizes, thresholds, decomposition = problem
    state = np.append(np.zeros(len(linear)), linear)
    blocks = (starts, sizes, thresholds, l1, *decomposition)
    count = module.accelerated_descent(hessian, state, *blocks, max_sweeps, np.full(len(sizes), tol))
    return state[: len(linear)], state[len(linear) :], count


@pytest.mark.parametrize("module", [numpy_kernels, pytest.param(native, marks=needs_native)])
@pytest.mark.parametrize("sizes", [[1] * 40, [3, 1, 4] * 5], ids=["single", "mixed"])
def test_extrapolation_needs_fewer_sweeps_to_the_same_minimum(module, sizes):
    problem = collinear(sizes)
    beta, gradient, count = accelerate(module, problem)
    plain, _, plain_count = run(native.block_descent if native.is_loaded else numpy_kernels.block_descent,
                                problem, np.zeros(sum(sizes)), 50_000, 1e-6)  # fmt: skip
    assert 0 < count < 0.5 * plain_count
    assert violation(problem, beta) <= 1e-5
    np.testing.assert_allclose(beta, plain, atol=1e-4)
    np.testing.assert_allclose(gradient, problem[1] + problem[0].astype(float) @ beta, atol=1e-5)


@needs_native
@pytest.mark.parametrize("with_l1", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_two_accelerated_kernels_agree(with_l1, seed):
    problem = collinear([3, 1, 4] * 3, seed)
    l1 = np.random.default_rng(seed).uniform(0.0, 0.1, 24) if with_l1 else None
    for max_sweeps in (10, 15, 20, 40):
        ours, our_gradient, our_count = accelerate(numpy_kernels, problem, max_sweeps, l1)
        theirs, their_gradient, their_count = accelerate(native, problem, max_sweeps, l1)
        np.testing.assert_allclose(theirs, ours, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(their_gradient, our_gradient, rtol=1e-4, atol=1e-5)
        assert our_count == their_count


@pytest.mark.parametrize("module", [numpy_kernels, pytest.param(native, marks=needs_native)])
def test_a_quadratic_without_minimum_is_said_to_have_none(module):
    hessian, *rest = quadratic([1] * 8)
    for bad in (np.float32(-3.0) + 0 * hessian, np.nan * hessian):
        indefinite = np.where(np.eye(8, dtype=bool), hessian, bad).astype(np.float32)
        assert accelerate(module, (indefinite, *rest), 500)[2] == 0


@needs_native
def test_the_accelerated_descent_refuses_what_it_would_misread():
    hessian, linear, *blocks, decomposition = quadratic([3, 1, 4])
    state, tols = np.append(np.zeros(8), linear), np.full(3, 1e-9)
    for bad in (
        (hessian.astype(float), state, tols),
        (hessian, state[:-2], tols),
        (hessian, np.repeat(state, 2)[::2], tols),
        (hessian, state, tols[:2]),
    ):
        with pytest.raises(ValueError):
            native.accelerated_descent(*bad[:2], *blocks, None, *decomposition, 10, bad[2])


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


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_stale_decomposition_leads_to_the_same_minimum(kernel):
    hessian, *blocks, (eigenvalues, bases, basis_starts) = quadratic([3, 1, 4])
    stale = (hessian, *blocks, (1.4 * eigenvalues, bases, basis_starts))
    beta, _, sweeps = run(kernel, stale, np.zeros(8))
    assert sweeps > 0
    assert violation(stale, beta) <= 1e-7


def kronecker(sizes, seed=0, n_features=6, n_outputs=20, rank=3):
    """Return a random quadratic that is never formed, in the kernel's arguments; blocks of consecutive entries."""
    rng, sizes = np.random.default_rng(seed), np.array(sizes, dtype=np.int64)
    n, starts = n_features * n_outputs, np.cumsum(sizes) - sizes
    assert sizes.sum() == n
    roots = rng.normal(size=(n_features, 2 * n_features)), rng.normal(size=(n_outputs, 2 * n_outputs))
    gram, mean = (root @ root.T / len(root) for root in roots)
    row, output = np.divmod(np.arange(n), n_outputs)
    low, sign = rng.normal(size=(n, rank)), np.array([1.0, 1.0, -1e-3])
    factors = KroneckerFactors(gram.astype(np.float32), mean, low, sign, row, output)
    hessian = np.kron(factors.gram.astype(float), mean) + (low * sign) @ low.T
    eigenvalues, bases = np.empty(n), []
    for start, size in zip(starts, sizes, strict=True):
        block = slice(start, start + size)
        eigenvalues[block], vectors = np.linalg.eigh(hessian[block, block])
        bases.append(vectors.T.ravel())
    basis_starts = np.cumsum(sizes**2) - sizes**2
    blocks = (starts, sizes, rng.uniform(0.1, 1.5, len(sizes)))
    return (
        factors,
        hessian,
        rng.normal(0.0, 2.0, n),
        blocks,
        (eigenvalues, np.concatenate(bases), basis_starts),
    )


EVERY_SHAPE = {"features": [20] * 6, "single": [1] * 120, "across": [7, 33, 20, 60], "one": [120]}


@pytest.mark.parametrize("module", [numpy_kernels, pytest.param(native, marks=needs_native)])
@pytest.mark.parametrize("sizes", EVERY_SHAPE.values(), ids=EVERY_SHAPE)
def test_what_is_never_formed_has_the_minimum_of_what_is(module, sizes):
    factors, hessian, gradient, (starts, sizes, thresholds), (eigenvalues, *bases) = kronecker(sizes)
    ridge, state = np.repeat(np.linspace(0.0, 1.0, len(sizes)), sizes), factors.state(np.zeros(120))
    decomposition = (eigenvalues + ridge, *bases)
    tols = np.full(len(sizes), 1e-9)
    blocks = (starts, sizes, thresholds, None, *decomposition)
    assert module.kronecker_descent(factors, gradient, ridge, state, *blocks, 20_000, tols) > 0
    beta, pulled, along = factors.parts(state)
    slope = gradient + ridge * beta + hessian @ beta
    kept = gradient + ridge * beta + pulled.ravel() + factors.low @ along
    np.testing.assert_allclose(kept, slope, atol=1e-8)
    np.testing.assert_allclose(factors.apply(beta), hessian @ beta, atol=1e-8)
    for start, size, threshold in zip(starts, sizes, thresholds, strict=True):
        b, g = beta[start : start + size], slope[start : start + size]
        norm = np.linalg.norm(b)
        off = np.linalg.norm(g + threshold * b / norm) if norm else np.linalg.norm(g) - threshold
        assert off <= 1e-7


@needs_native
@pytest.mark.parametrize("with_l1", [False, True])
@pytest.mark.parametrize("sizes", EVERY_SHAPE.values(), ids=EVERY_SHAPE)
def test_the_two_kernels_that_form_nothing_agree(sizes, with_l1):
    factors, _, gradient, blocks, decomposition = kronecker(sizes, seed=1)
    l1 = np.random.default_rng(2).uniform(0.0, 1.0, 120) if with_l1 else None
    tols, trails = np.full(len(sizes), 1e-30), []  # below any rounding: all four sweeps are made
    for module in (numpy_kernels, native):
        state, trail = factors.state(np.zeros(120)), np.empty((4, 120 + 120 + 3))
        arguments = (*blocks, l1, *decomposition, 4, tols, trail)
        assert module.kronecker_descent(factors, gradient, np.zeros(120), state, *arguments) == -4
        np.testing.assert_array_equal(trail[-1], state)
        trails.append(trail)
    np.testing.assert_allclose(trails[1], trails[0], rtol=1e-6, atol=1e-8)


@needs_native
def test_the_compiled_descent_refuses_what_it_would_misread():
    factors, _, gradient, blocks, decomposition = kronecker([20] * 6)
    state, ridge, tols = factors.state(np.zeros(120)), np.zeros(120), np.full(6, 1e-6)
    rest = (*blocks, None, *decomposition, 1, tols)
    for changed in (
        factors._replace(gram=factors.gram.astype(float)),
        factors._replace(row=factors.row + 1),
        factors._replace(low=factors.low[1:]),
        factors._replace(mean=factors.mean[:, 1:].copy()),
    ):
        with pytest.raises(ValueError, match="arrays must|row and output|entries differ|squares"):
            native.kronecker_descent(changed, gradient, ridge, state, *rest)
    with pytest.raises(ValueError, match="state"):
        native.kronecker_descent(factors, gradient, ridge, state[1:].copy(), *rest)
    with pytest.raises(ValueError, match="trail"):
        native.kronecker_descent(factors, gradient, ridge, state, *rest, np.empty((1, 5)))
    with pytest.raises(ValueError, match="blocks differ"):
        native.kronecker_descent(factors, gradient, ridge, state, *rest[:-1], tols[1:].copy())


@needs_native
@pytest.mark.parametrize("n", [1, 7, 64])
def test_the_rank_two_kernels_agree(n):
    rng = np.random.default_rng(n)
    square = rng.normal(size=(n, n + 3)).astype(np.float32)[
        :, :n
    ]  # rows apart from each other, as in a store
    gained, lost = rng.normal(size=(2, n))
    ours, theirs = square.copy(), square
    numpy_kernels.rank_two(ours, gained, lost)
    native.rank_two(theirs, gained, lost)
    np.testing.assert_allclose(theirs, ours, rtol=1e-5, atol=1e-5)


@needs_native
@pytest.mark.parametrize("by_row", [False, True])
@pytest.mark.parametrize("scale", [1.0, 300.0])
@pytest.mark.parametrize("hides", [True, False])
@pytest.mark.parametrize("n_positive", [1, 2, 5])
def test_the_losses_agree(n_positive, hides, scale, by_row):
    rng, n = np.random.default_rng(n_positive), 700
    eta = np.asfortranarray(scale * rng.normal(size=(n, n_positive)))
    codes, sample_weight = rng.integers(0, n_positive + 2, n), rng.random(n) / n
    log_total, log_hidden = rng.normal(size=(2, *([n] if by_row else []), n_positive + 1))
    if n_positive > 1:
        log_hidden[..., -1] = -np.inf  # one class is always labelled
    arguments = (eta, codes, sample_weight, log_total, log_hidden if hides else None)
    value, grad = native.observed_loss(*arguments)
    expected, expected_grad = numpy_kernels.observed_loss(*arguments)
    assert value == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(grad, expected_grad, rtol=1e-12, atol=1e-18)
    assert grad.flags.f_contiguous


@needs_native
def test_losses_of_what_is_not_a_number_are_none():
    codes, sample_weight = np.zeros(2, dtype=int), np.full(2, 0.5)
    for odd in (np.nan, np.inf):
        for loss in (native.observed_loss, numpy_kernels.observed_loss):
            with np.errstate(invalid="ignore"):
                assert not np.isfinite(
                    loss(np.array([[0.0], [odd]]), codes, sample_weight, np.zeros(2), np.zeros(2))[0]
                )


@needs_native
@pytest.mark.parametrize("n", [1, 3, 257, 1000])
@pytest.mark.parametrize("order", ["F", "C"])
def test_the_centred_sums_agree(n, order):
    rng = np.random.default_rng(n)
    x = np.asarray(rng.normal(5.0, 2.0, size=(n, 4)), order=order)
    x[:, 2] = 0.1  # from itself a constant column differs by nothing at all
    origin, weight = x[0].copy(), rng.random(n)
    shift, square = native.centred_sums(x, origin, weight)
    assert shift[2] == square[2] == 0.0
    for found, expected in zip((shift, square), numpy_kernels.centred_sums(x, origin, weight), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    with pytest.raises(ValueError):
        native.centred_sums(np.asfortranarray(x), origin[:-1], weight)


@needs_native
@pytest.mark.parametrize("n", [1, 7, 2048, 4100])
@pytest.mark.parametrize("n_rows", [0, 1, 4, 6, 38])
@pytest.mark.parametrize("n_vectors", [1, 2, 3, 4, 5])
def test_products_of_rows_agree(n, n_rows, n_vectors):
    rng = np.random.default_rng(n + n_rows)
    stored = rng.normal(size=(n_rows, n + 3))[:, 1 : n + 1]  # rows with a gap between them
    vectors, weights = rng.normal(size=(n_vectors, n)), rng.normal(size=(n_vectors, n_rows))
    every_other = np.arange(0, n_rows, 2)[::-1].copy()
    for which in (None, every_other):
        some = weights if which is None else np.ascontiguousarray(weights[:, : len(which)])
        found = rows.row_products(stored, vectors, which), rows.row_sums(stored, some, which)
        expected = rows.numpy_row_products(stored, vectors, which), rows.numpy_row_sums(stored, some, which)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12 * np.sqrt(n))


@needs_native
def test_rows_that_are_not_there_are_refused():
    stored, weights = np.ones((3, 5)), np.ones((1, 2))
    for which in (np.array([0, 3]), np.array([-1, 0]), np.array([0, 1], dtype=np.int32)):
        with pytest.raises(ValueError, match="which must be"):
            rows.row_products(stored, np.ones((1, 5)), which)
        with pytest.raises(ValueError, match="which must be"):
            rows.row_sums(stored, weights, which)
    with pytest.raises(ValueError, match="as long as the rows"):
        rows.row_products(stored, np.ones((1, 4)))
    with pytest.raises(ValueError, match="one number for every row"):
        rows.row_sums(stored, weights)


def test_rows_of_other_numbers_are_left_to_numpy():
    stored = np.ones((3, 5), dtype=np.float32)
    assert rows.row_products(stored, np.ones((1, 5), dtype=np.float32)).dtype == np.float32
    assert not rows.is_compiled(np.ones((5, 3)).T)  # columns are not rows


def test_rows_among_other_bytes_are_left_to_numpy():
    records = np.zeros(6, dtype=[("number", "i4"), ("values", "f8", (5,))])
    records["values"] = np.random.default_rng(0).normal(size=(6, 5))
    stored, vectors = records["values"], np.ones((2, 5))
    np.testing.assert_allclose(rows.row_products(stored, vectors)[1], stored.sum(axis=1))
    np.testing.assert_allclose(rows.row_sums(stored, np.ones((1, 6)))[0], stored.sum(axis=0))


@needs_native
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_sparse_gram_matrices_agree_with_dense_algebra(dtype):
    rng = np.random.default_rng(0)
    columns = sparse.csc_array(sparse.random(60, 9, 0.2, random_state=1, dtype=dtype))
    weight, mean, scale = rng.normal(size=60), rng.random(9), rng.uniform(0.5, 2.0, 9)
    scale[4] = np.inf  # a constant column
    some = np.array([1, 4, 7])
    dense = (columns.toarray() - mean) / scale
    expected = dense[:, some].T @ (weight[:, None] * dense)
    for kernel in (native.sparse_gram, numpy_kernels.sparse_gram):
        found = kernel(columns[:, some], columns, weight, (mean[some], mean), (scale[some], scale))
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@needs_native
@pytest.mark.parametrize("part, place, value", [
    ("indices", 3, 60), ("indices", 3, -1), ("indptr", 2, 10**6), ("indptr", 2, -1), ("indptr", -1, 10**6),
])  # fmt: skip
def test_columns_with_entries_outside_of_the_matrix_are_refused(part, place, value):
    fine, damaged = (
        sparse.csc_array(sparse.random(60, 9, 0.2, random_state=1, dtype=np.float64)) for _ in "ab"
    )
    getattr(damaged, part)[place] = value
    numbers = (np.ones(9), np.ones(9))
    for pair in ((fine, damaged), (damaged, fine)):
        with pytest.raises(ValueError, match=r"^(indptr|indices) must"):
            native.sparse_gram(*pair, np.ones(60), numbers, numbers)


def test_a_library_that_was_named_but_cannot_be_loaded_is_an_error(tmp_path):
    (tmp_path / "kernel.so").write_bytes(b"no library")
    environment = os.environ | {"PULASSO_KERNEL": str(tmp_path / "kernel.so")}
    environment["PYTHONPATH"] = str(Path(native.__file__).parents[2])
    command = [sys.executable, "-c", "import pulasso.kernels"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "ImportError: PULASSO_KERNEL=" in done.stderr


@needs_native
def test_buffers_have_room_for_what_the_library_was_built_with():
    source = (Path(native.__file__).parent / "kernels.c").read_text()
    for name in native.SIZES:
        assert f"#define {name.upper()} {native._FUNCTIONS[name]} " in " ".join(source.split())
