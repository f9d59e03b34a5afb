"""Designs of every storage: products equal those of an explicit matrix, and X is used where it lies."""

import numpy as np
import pytest
from scipy import sparse

from pulasso import MultinomialPULasso, OrdinalPULasso
from pulasso.design import DenseDesign, SparseDesign, as_design, column_store, standardize
from support.brute_force import standardized
from support.memory import peak_memory

N, P, M = 30, 7, 3


def values(dtype=np.float64):
    """Columns of different scale, a third of the entries zero, one column constant and one all zero."""
    rng = np.random.default_rng(5)
    x = rng.normal(1.0, 1.0, (N, P)) * 10.0 ** np.arange(-3, P - 3)
    x[rng.random((N, P)) < 0.3] = 0.0
    x[:, 2], x[:, 4] = 3.7, 0.0
    return x.astype(dtype)


def read_only(x):
    x.flags.writeable = False
    return x


def memory_mapped(x, folder):
    np.save(folder / "x.npy", x)
    return np.load(folder / "x.npy", mmap_mode="r")


STORAGES = {
    "c-order": lambda x, folder: np.ascontiguousarray(x),
    "f-order": lambda x, folder: np.asfortranarray(x),
    "slice": lambda x, folder: np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)[::2, ::2],
    "rows-of-larger": lambda x, folder: np.vstack([x, x])[:N],
    "reversed": lambda x, folder: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
    "read-only": lambda x, folder: read_only(x),
    "memory-mapped": memory_mapped,
    "csr-matrix": lambda x, folder: sparse.csr_matrix(x),
    "csc-matrix": lambda x, folder: sparse.csc_matrix(x),
    "csr-array": lambda x, folder: sparse.csr_array(x),
    "csc-array": lambda x, folder: sparse.csc_array(x),
}

pytestmark = pytest.mark.filterwarnings("error")
stored = pytest.mark.parametrize("storage", STORAGES)
precise = pytest.mark.parametrize(
    "dtype, rtol", [(np.float64, 1e-12), (np.float32, 2e-5)], ids=["f64", "f32"]
)


@pytest.fixture
def rng():
    return np.random.default_rng(6)


@pytest.fixture
def share(rng):
    weight = rng.uniform(0.0, 2.0, N)
    return weight / weight.sum()


@stored
@precise
def test_products(storage, dtype, rtol, rng, tmp_path):
    design = as_design(STORAGES[storage](values(dtype), tmp_path))
    theta, grad = rng.normal(size=(P, M)), rng.normal(size=(N, M))
    x = values(dtype).astype(float)
    assert design.shape == (N, P) and design.dtype == dtype
    for found, expected in ((design.matmul(theta), x @ theta), (design.rmatmul(grad), x.T @ grad)):
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * np.abs(expected).max())


@stored
@precise
def test_moments(storage, dtype, rtol, share, tmp_path):
    x = values(dtype).astype(float)
    mean, variance, _ = as_design(STORAGES[storage](values(dtype), tmp_path)).moments(share)
    np.testing.assert_allclose(mean, share @ x, rtol=rtol, atol=1e-12)
    np.testing.assert_allclose(variance, share @ (x - share @ x) ** 2, rtol=rtol, atol=rtol)
    assert mean.dtype == variance.dtype == np.float64


@stored
@precise
@pytest.mark.parametrize("center, scale", [(True, True), (True, False), (False, True), (False, False)])
def test_standardised_products(storage, dtype, rtol, center, scale, share, rng, tmp_path):
    design = standardize(
        as_design(STORAGES[storage](values(dtype), tmp_path)), share, center=center, scale=scale
    )
    explicit = standardized(values(dtype), share, center=center, scale=scale)
    theta, grad = rng.normal(size=(P, M)), rng.normal(size=(N, M))
    for found, expected in (
        (design.matmul(theta), explicit @ theta),
        (design.rmatmul(grad), explicit.T @ grad),
    ):
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, expected, rtol=10 * rtol, atol=10 * rtol * np.abs(expected).max())


@stored
def test_constant_columns_become_zero(storage, share, tmp_path):
    design = standardize(as_design(STORAGES[storage](values(), tmp_path)), share)
    np.testing.assert_array_equal(np.flatnonzero(np.isinf(design.scale)), [2, 4])
    unit = np.eye(P)
    columns = design.matmul(unit)
    assert np.abs(columns[:, [2, 4]]).max() <= 1e-12
    gradient = design.rmatmul(np.random.default_rng(0).normal(size=(N, 1)))
    assert not gradient[[2, 4]].any()


@stored
@precise
def test_loaded_columns(storage, dtype, rtol, share, rng, tmp_path):
    design = standardize(as_design(STORAGES[storage](values(dtype), tmp_path)), share)
    store, explicit = column_store(design), standardized(values(dtype), share)
    store.load(np.array([5, 0]))
    store.load(np.array([3, 2, 6]))
    np.testing.assert_array_equal(store.features, [5, 0, 3, 2, 6])
    x = explicit[:, store.features]
    theta, grad, weight = rng.normal(size=(5, M)), rng.normal(size=(N, M)), rng.normal(size=N)
    close = {"rtol": 10 * rtol, "atol": 100 * rtol}
    np.testing.assert_allclose(store.matmul(theta), x @ theta, **close)
    np.testing.assert_allclose(store.rmatmul(grad), x.T @ grad, **close)
    # Curvature may be in single precision.
    rough = {"rtol": 1e-4, "atol": 1e-3}
    left, right = np.array([0, 3]), slice(1, 5)
    np.testing.assert_allclose(
        store.gram(weight, left, right), (x[:, left].T * weight) @ x[:, right], **rough
    )
    np.testing.assert_allclose(
        store.gram(weight, right, right), (x[:, right].T * weight) @ x[:, right], **rough
    )
    np.testing.assert_allclose(store.sums(grad, left), x[:, left].T @ grad, **rough)


def test_back_to_the_scale_of_x(share, rng):
    x, theta = values(), rng.normal(size=(P, M))
    design = standardize(as_design(x), share)
    original, offset = design.to_original(theta)
    np.testing.assert_allclose(x @ original + offset, design.matmul(theta), rtol=1e-10, atol=1e-10)
    alive = np.isfinite(design.scale)
    assert np.isfinite(original).all() and not original[~alive].any()
    np.testing.assert_allclose(original[alive] * design.scale[alive, None], theta[alive], rtol=1e-12)


@pytest.mark.parametrize("storage", ["c-order", "f-order", "rows-of-larger", "read-only", "memory-mapped"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dense_x_is_not_copied(storage, dtype, tmp_path):
    x = STORAGES[storage](values(dtype), tmp_path)
    design = as_design(x)
    assert isinstance(design, DenseDesign)
    assert np.shares_memory(design.x, x)
    assert np.shares_memory(standardize(design, np.full(N, 1 / N)).base.x, x)


@pytest.mark.parametrize("storage", ["csr-matrix", "csc-array"])
def test_sparse_x_is_not_copied(storage, tmp_path):
    x = STORAGES[storage](values(), tmp_path)
    design = as_design(x)
    assert isinstance(design, SparseDesign)
    assert np.shares_memory(design.x.data, x.data)


def wide_sparse(storage):
    """20,000 x 50,000 with 40,000 entries: 8 gigabytes if it were dense."""
    rng = np.random.default_rng(7)
    n, p, stored_entries = 20_000, 50_000, 40_000
    rows, columns = rng.integers(0, n, stored_entries), rng.integers(0, p, stored_entries)
    columns[:2000] = 0
    return storage(sparse.coo_array((rng.normal(size=stored_entries), (rows, columns)), shape=(n, p)))


@pytest.mark.parametrize("storage", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_x_is_never_made_dense(storage):
    x = wide_sparse(storage)
    y = (np.asarray(x[:, [0]].todense()).ravel() > 0.5).astype(int)
    model = MultinomialPULasso(scenario="fully-observed", lam=0.02)
    with peak_memory() as peak:
        model.fit(x, y)
    assert model.converged_
    assert model.coef_[0, 0] > 0
    assert peak.nbytes < 100e6


@pytest.mark.parametrize("dtype, order", [(np.float32, "C"), (np.float32, "F"), (np.float64, "C")])
def test_fitting_needs_little_memory_beyond_x(dtype, order):
    rng = np.random.default_rng(8)
    x = np.asarray(rng.normal(size=(20_000, 200)), dtype=dtype, order=order)
    y = (x[:, 0] + rng.logistic(size=len(x)) > 0).astype(int)
    model = MultinomialPULasso(scenario="fully-observed", lam=0.1, tol=1e-3)
    with peak_memory() as peak:
        model.fit(x, y)
    assert model.coef_[0, 0] > 0
    # No copy of X, and none in double precision: that would be 32 megabytes.
    assert peak.nbytes < 0.95 * 200 * 20_000 * 8
    if dtype == np.float64:
        assert peak.nbytes < 0.95 * x.nbytes


def test_single_precision_gives_single_precision_coefficients():
    rng = np.random.default_rng(9)
    x = rng.normal(size=(200, 4)).astype(np.float32)
    y = (x[:, 0] + rng.logistic(size=200) > 0).astype(int)
    single = MultinomialPULasso(scenario="fully-observed", lam=0.01, tol=1e-5).fit(x, y)
    double = MultinomialPULasso(scenario="fully-observed", lam=0.01, tol=1e-5).fit(x.astype(float), y)
    assert single.coef_.dtype == single.predict_proba(x).dtype == np.float32
    np.testing.assert_allclose(single.coef_, double.coef_, atol=1e-3)


@pytest.mark.parametrize("mean", [1e3, 1e5, 7e5])
def test_single_precision_far_from_zero_keeps_thresholds_apart(mean):
    rng = np.random.default_rng(0)
    centred = rng.normal(size=(300, 2))
    y = np.digitize(2.0 * centred[:, 0] + rng.logistic(size=300), [0.0, 0.02, 1.0])
    x = (centred + mean).astype(np.float32)
    model = OrdinalPULasso(lam=0.01, scenario="fully-observed").fit(x, y)
    assert (np.diff(model.thresholds_) > 0).all()
    np.testing.assert_allclose(model.predict_proba(x).sum(axis=1), 1.0, rtol=1e-5)


@stored
def test_every_storage_gives_the_same_model(storage, tmp_path):
    rng = np.random.default_rng(10)
    x = values()
    y = rng.integers(0, 3, N)
    model = MultinomialPULasso(lam=0.02, scenario="single-training-set", label_frequency=0.8, tol=1e-9)
    expected = model.fit(values(), y).predict_proba(values())
    found = model.fit(STORAGES[storage](x, tmp_path), y).predict_proba(values())
    np.testing.assert_allclose(found, expected, atol=1e-7)
