"""The same numbers in another container, storage or precision give the same model and the same predictions."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from pulasso import MultinomialPULasso, OrdinalPULasso
from pulasso.exceptions import InputError

N, P = 90, 4
MODELS = {"multinomial": MultinomialPULasso, "ordinal": OrdinalPULasso}
NAMES = [f"feature {j}" for j in range(P)]


def make_x():
    """Eighths of whole numbers, half of them zero, which every precision holds without rounding."""
    rng = np.random.default_rng(8)
    return np.round(8 * rng.normal(size=(N, P))) / 8 * (rng.random((N, P)) < 0.5)


X = make_x()
LATENT = 3 * X[:, 0] - X[:, 1] + np.random.default_rng(9).logistic(size=N)
Z = np.where(np.random.default_rng(10).random(N) < 0.6, np.digitize(LATENT, [0.0, 1.5]), 0)


# --- NumPy ----------------------------------------------------------------------------------------------------------


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def memory_mapped(x, folder):
    np.save(folder / "x.npy", x)
    return np.load(folder / "x.npy", mmap_mode="r")


def unaligned(x):
    buffer = np.zeros(x.nbytes + 1, dtype=np.uint8)
    view = buffer[1:].view(np.float64).reshape(x.shape)
    view[:] = x
    return view


DENSE = {
    "list": lambda x, _: x.tolist(),
    "fortran": lambda x, _: np.asfortranarray(x),
    "strided": lambda x, _: np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda x, _: x[::-1, ::-1].copy()[::-1, ::-1],
    "big-endian": lambda x, _: x.astype(">f8"),
    "big-endian single": lambda x, _: x.astype(">f4"),
    "read-only": lambda x, _: read_only(x),
    "unaligned": lambda x, _: unaligned(x),
    "memory-mapped": memory_mapped,
    "half precision": lambda x, _: x.astype(np.float16),
    "single precision": lambda x, _: x.astype(np.float32),
    "long double": lambda x, _: x.astype(np.longdouble),
    "objects": lambda x, _: x.astype(object),
    "masked, nothing hidden": lambda x, _: np.ma.masked_array(x, mask=np.zeros(x.shape, dtype=bool)),
    "masked, no mask": lambda x, _: np.ma.masked_array(x),
}


# --- SciPy ----------------------------------------------------------------------------------------------------------


def with_duplicates(x, kind=sparse.csr_matrix):
    """Every entry stored as two parts, the second ones behind all first ones of its row (CSR) or column (CSC)."""
    rows = x if kind(np.eye(1)).format == "csr" else x.T
    parts = [
        (np.r_[0.25 * row[at], 0.75 * row[at]], np.r_[at, at]) for row in rows for at in [np.flatnonzero(row)]
    ]
    indptr = np.cumsum([0, *(len(values) for values, _ in parts)])
    return kind(
        (np.concatenate([v for v, _ in parts]), np.concatenate([i for _, i in parts]), indptr), shape=x.shape
    )


def unsorted(x, kind):
    found = kind(x)
    for first, last in zip(found.indptr[:-1], found.indptr[1:], strict=True):
        found.data[first:last] = found.data[first:last][::-1].copy()
        found.indices[first:last] = found.indices[first:last][::-1].copy()
    found.has_sorted_indices = False
    return found


def with_zeros(x):
    row, col = np.indices(x.shape)
    return sparse.coo_matrix((x.ravel(), (row.ravel(), col.ravel())), shape=x.shape).tocsr()


def with_long_indices(x, kind):
    found = kind(x)
    found.indices, found.indptr = found.indices.astype(np.int64), found.indptr.astype(np.int64)
    return found


def with_other_parts(x, **dtypes):
    found = sparse.csr_matrix(x)
    for name, dtype in dtypes.items():
        setattr(found, name, getattr(found, name).astype(dtype))
    return found


def said_to_be_canonical(x):
    """What an object believes of itself may be out of date."""
    found = with_duplicates(x)
    found.has_canonical_format = True
    return found


SPARSE = {
    **{f"{kind.__name__}": lambda x, _, kind=kind: kind(x) for kind in (sparse.csr_array, sparse.csc_array)},
    **{
        f"{name}, {kind.__name__}": lambda x, _, make=make, kind=kind: make(x, kind)
        for kind in (sparse.csr_matrix, sparse.csc_matrix)
        for name, make in {
            "duplicates": with_duplicates,
            "unsorted": unsorted,
            "long indices": with_long_indices,
        }.items()
    },
    "said to be canonical": lambda x, _: said_to_be_canonical(x),
    "explicit zeros": lambda x, _: with_zeros(x),
    "duplicates, coo": lambda x, _: sparse.coo_matrix(
        (np.r_[x[x != 0] / 4, 3 * x[x != 0] / 4], np.tile(np.nonzero(x), 2)), shape=x.shape
    ),
    "bsr": lambda x, _: sparse.bsr_matrix(x, blocksize=(2, 2)),
    "dia": lambda x, _: sparse.dia_matrix(x),
    "lil": lambda x, _: sparse.lil_matrix(x),
    "dok": lambda x, _: sparse.dok_matrix(x),
    "single precision csr": lambda x, _: sparse.csr_matrix(x.astype(np.float32)),
    "big-endian csr": lambda x, _: with_other_parts(x, data=">f8", indices=">i4"),
    "half precision csr": lambda x, _: with_other_parts(x, data=np.float16),
    "unsigned indices": lambda x, _: with_other_parts(x, indices=np.uint32),
}


# --- data frames ----------------------------------------------------------------------------------------------------


def in_polars(x, _):
    return pytest.importorskip("polars").DataFrame(dict(zip(NAMES, x.T, strict=True)))


def in_arrow_columns(x, _):
    pytest.importorskip("pyarrow")
    return pd.DataFrame(x, columns=NAMES).astype("float64[pyarrow]")


FRAMES = {
    "pandas": lambda x, _: pd.DataFrame(x, columns=NAMES),
    "pandas, nullable": lambda x, _: pd.DataFrame(x, columns=NAMES).astype("Float64"),
    "pandas, nullable single": lambda x, _: pd.DataFrame(x, columns=NAMES).astype("Float32"),
    "pandas, half precision": lambda x, _: pd.DataFrame(x.astype(np.float16), columns=NAMES),
    "pandas, pyarrow": in_arrow_columns,
    "pandas, objects": lambda x, _: pd.DataFrame(x, columns=NAMES).astype(object),
    "pandas, sparse": lambda x, _: pd.DataFrame.sparse.from_spmatrix(sparse.csc_matrix(x), columns=NAMES),
    "pandas, other index": lambda x, _: pd.DataFrame(x, columns=NAMES, index=np.arange(N)[::-1]),
    "polars": in_polars,
}


# --- chunks ---------------------------------------------------------------------------------------------------------


def in_zarr(x, folder):
    array = pytest.importorskip("zarr").create_array(
        folder / "x.zarr", shape=x.shape, chunks=(40, P), dtype="f8"
    )
    array[:] = x
    return array


def in_parquet(x, folder):
    pytest.importorskip("pyarrow")
    from pulasso.data.chunks import as_chunked

    pd.DataFrame(x, columns=NAMES).to_parquet(folder / "x.parquet", row_group_size=40)
    return as_chunked(folder / "x.parquet")


def in_npy(x, folder):
    from pulasso.data.chunks import as_chunked

    np.save(folder / "big.npy", x.astype(">f8"))
    return as_chunked(folder / "big.npy")


def in_arrow_table(x, _):
    return pytest.importorskip("pyarrow").table(dict(zip(NAMES, x.T, strict=True)))


def in_dask(make):
    def chunks(x, _):
        blocks = pytest.importorskip("dask.array").from_array(x, chunks=(30, P))
        return blocks.map_blocks(make, dtype=x.dtype)

    return chunks


def in_dask_frame(x, _):
    frame = pytest.importorskip("dask.dataframe")
    return frame.from_pandas(pd.DataFrame(x, columns=NAMES).astype("Float64"), npartitions=3)


CHUNKED = {
    "zarr": in_zarr,
    "parquet": in_parquet,
    "npy": in_npy,
    "pyarrow table": in_arrow_table,
    "dask": in_dask(np.asarray),
    "dask, csr": in_dask(sparse.csr_matrix),
    "dask, duplicates in csr": in_dask(with_duplicates),
    "dask, duplicates in csc": in_dask(lambda x: with_duplicates(x, sparse.csc_matrix)),
    "dask, masked": in_dask(np.ma.masked_array),
    "dask frame, nullable": in_dask_frame,
}

FORMS = {**DENSE, **SPARSE, **FRAMES, **CHUNKED}
SINGLE = {name for name in FORMS if "single" in name}


@pytest.fixture(scope="module")
def expected():
    found = {}
    for name, model in MODELS.items():
        fitted = model(0.02, scenario="fully-observed", tol=1e-7).fit(X, Z)
        found[name] = fitted.coef_, fitted.predict_proba(X)
    assert all(np.abs(coef).max() > 0.1 for coef, _ in found.values())
    return found


@pytest.mark.parametrize("response", MODELS)
@pytest.mark.parametrize("form", FORMS)
def test_same_fit_and_same_predictions(form, response, expected, tmp_path):
    coef, proba = expected[response]
    x = FORMS[form](X, tmp_path)
    before = [np.copy(part) for part in (x.data, x.indices, x.indptr)] if hasattr(x, "indptr") else None
    model = MODELS[response](0.02, scenario="fully-observed", tol=1e-7)
    model.fit(x, Z)
    atol = 1e-5 if form in SINGLE else 1e-6
    np.testing.assert_allclose(model.coef_, coef, atol=atol)
    np.testing.assert_allclose(model.predict_proba(x), proba, atol=atol)
    if before is not None:  # the matrix of the user stays as it is
        for part, was in zip((x.data, x.indices, x.indptr), before, strict=True):
            np.testing.assert_array_equal(part, was)


# --- missing values, however they are written, are refused by the name of their column ------------------------------


def with_gap(make):
    def gap(folder):
        x = X.copy()
        x[3, 2] = np.nan
        return make(x, folder)

    return gap


def masked(x, _=None):
    return np.ma.masked_array(np.nan_to_num(x), mask=np.isnan(x))


MISSING = {
    **{f"NaN in {name}": with_gap(FORMS[name]) for name in ("list", "half precision", "csr_array", "polars")},
    **{
        f"NA in {name}": with_gap(make)
        for name, make in FRAMES.items()
        if "nullable" in name or "pyarrow" in name
    },
    "masked array": with_gap(masked),
    "masked whole numbers": with_gap(lambda x, _: masked(x).astype(int)),
    "list of masked rows": with_gap(lambda x, _: list(masked(x))),
    "masked array in chunks": with_gap(in_dask(masked)),
    "null in pyarrow": with_gap(
        lambda x, _: pytest.importorskip("pyarrow").Table.from_pandas(pd.DataFrame(x))
    ),
    "NaN in zarr": with_gap(in_zarr),
    "NaN in dask, csr": with_gap(in_dask(sparse.csr_matrix)),
}


@pytest.mark.parametrize("form", MISSING)
def test_missing_values_are_refused(form, tmp_path):
    model = MultinomialPULasso(0.02, scenario="fully-observed")
    with pytest.raises(InputError, match=r"columns? .*2\b") as caught:
        model.fit(MISSING[form](tmp_path), Z)
    assert caught.value.parameter == "X"


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("form", MISSING)
def test_missing_values_are_refused_in_predictions(form, tmp_path):
    model = MultinomialPULasso(0.02, scenario="fully-observed").fit(X, Z)
    (tmp_path / "other").mkdir()
    with pytest.raises(InputError), np.errstate(invalid="ignore"):
        model.predict_proba(MISSING[form](tmp_path / "other"))


def test_masked_labels_are_missing_labels():
    hidden = np.ma.masked_array(Z, mask=Z == 0)
    given = np.where(Z == 0, np.nan, Z)
    found, expected = (
        MultinomialPULasso(0.02, scenario="fully-observed", unlabeled=np.nan).fit(X, y)
        for y in (hidden, given)
    )
    np.testing.assert_array_equal(found.coef_, expected.coef_)
    with pytest.raises(InputError, match="missing"):
        MultinomialPULasso(0.02, scenario="fully-observed").fit(X, hidden)


def test_masked_weights_are_refused():
    weight = np.ma.masked_array(np.ones(N), mask=np.arange(N) == 7)
    with pytest.raises(InputError, match="row 7") as caught:
        MultinomialPULasso(0.02, scenario="fully-observed").fit(X, Z, sample_weight=weight)
    assert caught.value.parameter == "sample_weight"


def test_lazy_frames_are_told_to_be_collected():
    polars = pytest.importorskip("polars")
    model = MultinomialPULasso(0.02, scenario="fully-observed")
    with pytest.raises(InputError, match=r"X\.collect\(\)"):
        model.fit(polars.DataFrame(X).lazy(), Z)
    with pytest.raises(InputError, match=r"y\.collect\(\)"):
        model.fit(X, polars.DataFrame({"z": Z}).lazy())


# --- labels ---------------------------------------------------------------------------------------------------------

LARGE = [0, 2**63 + 1, 2**63 + 2]
LABEL_FORMS = {
    "uint64": lambda z: np.array(LARGE, dtype=np.uint64)[z],
    "list": lambda z: [LARGE[code] for code in z],
    "objects": lambda z: np.array(LARGE, dtype=object)[z],
    "pandas": lambda z: pd.Series([LARGE[code] for code in z], dtype="uint64"),
    "nullable": lambda z: pd.Series([LARGE[code] for code in z], dtype="UInt64"),
}


@pytest.mark.parametrize("form", LABEL_FORMS)
def test_labels_beyond_all_floats_stay_apart(form, expected):
    model = MultinomialPULasso(0.02, scenario="fully-observed", tol=1e-7).fit(X, LABEL_FORMS[form](Z))
    assert model.classes_.tolist() == LARGE
    np.testing.assert_array_equal(model.coef_, expected["multinomial"][0])


@pytest.mark.parametrize(
    "labels", [[-1, 2**63 + 1, 2**63 + 2], [0.5, 2**53 + 1, 2**53 + 2], [0, 2**80, 2**80 + 1]]
)
def test_labels_that_no_array_keeps_apart_are_refused(labels):
    for make in (list, lambda y: np.array(y, dtype=object)):
        with pytest.raises(InputError, match="as text"):
            MultinomialPULasso(0.02, scenario="fully-observed").fit(X, make([labels[code] for code in Z]))
