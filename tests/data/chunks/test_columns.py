"""Columns that are no numbers are refused by name when data in chunks are opened, as they are in memory."""

import datetime
import decimal

import numpy as np
import pytest
from scipy import sparse

from pulasso import MultinomialPULasso, fit_path
from pulasso.data.chunks import ArraySource, as_chunked
from pulasso.exceptions import DataFileError

N = 40
WORDS = [str(number) for number in range(N)]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, 2))
    return x, (x[:, 0] + rng.logistic(size=N) > 0).astype(int)


# -- Parquet -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arrow():
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow
    import pyarrow.dataset
    import pyarrow.parquet

    return pyarrow


def odd_columns(arrow):
    days = [datetime.date(2020, 1, 1)] * N
    return {
        "timestamp": arrow.array([datetime.datetime(2020, 1, 1)] * N),
        "date32": arrow.array(days),
        "duration": arrow.array([datetime.timedelta(1)] * N),
        "dictionary": arrow.array(["a", "b"] * (N // 2)).dictionary_encode(),
        "string": arrow.array(WORDS),
        "list": arrow.array([[1.0]] * N),
        "null": arrow.nulls(N),
        "struct": arrow.array([{"a": 1}] * N),
    }


KINDS = ("timestamp", "date32", "duration", "dictionary", "string", "list", "null", "struct")


@pytest.mark.parametrize("kind", KINDS)
def test_odd_columns_of_parquet(data, arrow, tmp_path, kind):
    table = arrow.table({"a": data[0][:, 0], "odd one": odd_columns(arrow)[kind]})
    arrow.parquet.write_table(table, tmp_path / "x.parquet")
    words = rf"not numbers in column 'odd one' \({kind}.*\)\. Turn them into numbers first .* or drop them"
    for x in (lambda: as_chunked(tmp_path / "x.parquet"), lambda: as_chunked(table)):
        with pytest.raises(ValueError, match=words):
            x()


def test_columns_that_are_numbers_of_any_kind(data, arrow, tmp_path):
    x, z = data
    columns = {
        "float": arrow.array(x[:, 0], arrow.float32()),
        "int": arrow.array(np.arange(N), arrow.uint8()),
        "bool": arrow.array(x[:, 1] > 0),
        "decimal": arrow.array([decimal.Decimal(number) / 4 for number in range(N)]),
    }
    arrow.parquet.write_table(arrow.table(columns), tmp_path / "x.parquet")
    expected = np.column_stack([x[:, 0].astype("f4"), np.arange(N), x[:, 1] > 0, np.arange(N) / 4])
    chunks = as_chunked(tmp_path / "x.parquet")
    np.testing.assert_array_equal(chunks.map_concat(np.asarray), expected)
    path = fit_path(arrow.table(columns), z, scenario="fully-observed", n_lams=3)
    assert list(path.feature_names) == list(columns)


def test_files_with_their_columns_in_another_order(data, arrow, tmp_path):
    x, _ = data
    first, second = {"a": x[:20, 0], "b": x[:20, 1]}, {"b": x[20:, 1], "a": x[20:, 0], "c": x[20:, 0]}
    for name, columns in (("1", first), ("2", second)):
        arrow.parquet.write_table(arrow.table(columns), tmp_path / f"{name}.parquet")
    np.testing.assert_array_equal(as_chunked(tmp_path).map_concat(np.asarray), x)


def test_a_file_without_a_column_or_with_another_kind_of_it(data, arrow, tmp_path):
    x, _ = data
    arrow.parquet.write_table(arrow.table({"a": x[:, 0], "b": x[:, 1]}), tmp_path / "1.parquet")
    arrow.parquet.write_table(arrow.table({"a": x[:, 0]}), tmp_path / "2.parquet")
    with pytest.raises(DataFileError, match=r"2\.parquet lacks 'b', which other files"):
        as_chunked(tmp_path)
    arrow.parquet.write_table(arrow.table({"a": x[:, 0], "b": WORDS}), tmp_path / "2.parquet")
    with pytest.raises(
        DataFileError, match=r"2\.parquet has values that are not numbers in column 'b' \(str"
    ):
        as_chunked(tmp_path)
    twice = arrow.table([x[:, 0], x[:, 1], x[:, 1]], names=["a", "b", "b"])
    arrow.parquet.write_table(twice, tmp_path / "2.parquet")
    with pytest.raises(DataFileError, match=r"2\.parquet has more than one column named 'b'"):
        as_chunked(tmp_path)
    with pytest.raises(
        DataFileError, match=r"2\.parquet cannot be read as Parquet: .* duplicate field names"
    ):
        as_chunked(tmp_path / "2.parquet")
    with pytest.raises(ValueError, match="more than one column named 'b'"):
        as_chunked(twice)


def test_columns_that_are_names_of_folders(data, arrow, tmp_path):
    x, _ = data
    for year in (2001, 2002):
        folder = tmp_path / f"year={year}"
        folder.mkdir()
        arrow.parquet.write_table(arrow.table({"a": x[:3, 0]}), folder / "x.parquet")
    chunks = as_chunked(arrow.dataset.dataset(tmp_path, partitioning="hive"))
    expected = np.column_stack([np.tile(x[:3, 0], 2), np.repeat([2001, 2002], 3)])
    np.testing.assert_array_equal(chunks.map_concat(np.asarray), expected)


def test_a_parquet_file_that_was_replaced(data, arrow, tmp_path):
    x, _ = data
    arrow.parquet.write_table(arrow.table({"a": x[:, 0]}), tmp_path / "x.parquet")
    chunks = as_chunked(arrow.dataset.dataset(tmp_path))
    arrow.parquet.write_table(arrow.table({"a": x[:9, 0]}), tmp_path / "x.parquet")
    with pytest.raises(DataFileError, match=r"x\.parquet"):
        chunks.map_concat(np.asarray)


def test_a_table_without_rows_or_columns(arrow):
    with pytest.raises(ValueError, match=r"X has 0 feature\(s\)"):
        as_chunked(arrow.table([arrow.array(np.ones(3))], names=["a"]).select([]))
    with pytest.raises(ValueError, match=r"X has 0 sample\(s\) \(shape=\(0, 1\)\)"):
        as_chunked(arrow.table({"a": np.empty(0)}))
    with pytest.raises(TypeError, match="X is a DoubleArray of pyarrow; give a dataset or a table"):
        as_chunked(arrow.array([1.0, 2.0]))


# -- dask --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dd():
    return pytest.importorskip("dask.dataframe", reason="dask is not installed")


def test_odd_columns_of_dask_frames(data, dd):
    import pandas as pd

    x, z = data
    odd = {
        "datetime64": pd.date_range("2020", periods=N),
        "timedelta64": pd.to_timedelta(range(N)),
        "category": pd.Series(["a", "b"] * (N // 2), dtype="category"),
        "str": pd.Series(WORDS),
        "complex": x[:, 0] + 1j,
        "period": pd.period_range("2020", periods=N),
    }
    for kind, column in odd.items():
        for others in ({}, {"a": x[:, 0]}):
            frame = dd.from_pandas(pd.DataFrame({**others, "odd one": column}), npartitions=2)
            with pytest.raises(
                ValueError, match=rf"not numbers in column 'odd one' \({kind}.*\)\. Turn them"
            ):
                MultinomialPULasso(0.1, scenario="fully-observed").fit(frame, z)


def test_columns_of_pandas_own_kinds(data, dd):
    import pandas as pd

    x, z = data
    frame = pd.DataFrame({"a": x[:, 0], "b": pd.Series(range(N), dtype="Int64"), "c": x[:, 1] > 0})
    model = MultinomialPULasso(0.05, scenario="fully-observed", tol=1e-9)
    expected = model.fit(frame, z).coef_
    np.testing.assert_allclose(model.fit(dd.from_pandas(frame, npartitions=2), z).coef_, expected, atol=1e-6)
    frame.loc[3, "b"] = pd.NA
    with pytest.raises(ValueError, match="NaN or infinite values, in the columns 'b'"):
        model.fit(dd.from_pandas(frame, npartitions=2), z)


def test_frames_without_columns_and_with_two_of_a_name(data, dd):
    import pandas as pd

    frame = pd.DataFrame(data[0], columns=["a", "b"])
    with pytest.raises(ValueError, match=r"X has 0 feature\(s\)"):
        as_chunked(dd.from_pandas(frame, npartitions=2)[[]])
    with pytest.raises(ValueError, match=r"more than one column named 'a'\. Rename"):
        as_chunked(dd.from_pandas(frame.set_axis(["a", "a"], axis=1), npartitions=2))
    with pytest.raises(TypeError, match="X is a dask Series; give a dask array"):
        as_chunked(dd.from_pandas(frame, npartitions=2)["a"])


@pytest.mark.parametrize("kind", ["c16", "M8[D]", "U3", "O"])
def test_dask_arrays_of_odd_kinds(data, kind):
    da = pytest.importorskip("dask.array", reason="dask is not installed")
    x, z = data
    with pytest.raises(ValueError, match=r"X is a dask Array of dtype .*, which are not real numbers"):
        fit_path(da.from_array(x.astype("i8").astype(kind), chunks=(20, 2)), z, scenario="fully-observed")


def test_dask_arrays_that_are_not_what_they_say(data):
    dask = pytest.importorskip("dask", reason="dask is not installed")
    import dask.array as da

    x, z = data
    for block, words in (
        (x.astype(str), r"shape \(40, 2\) and dtype <U32, but dask was told that it holds numbers in 2"),
        (x[:, :1], r"shape \(40, 1\) and dtype float64, but dask was told that it holds numbers in 2"),
        (x[:9], "A chunk of X has 9 rows, but dask was told another number"),
    ):
        lying = da.from_delayed(dask.delayed(block), shape=x.shape, dtype=float)
        with pytest.raises(ValueError, match=words):
            fit_path(lying, z, scenario="fully-observed")


@pytest.mark.parametrize(
    ("shape", "words"), [((0, 2), "0 sample"), ((4, 0), "0 feature"), ((4,), "rows and columns")]
)
def test_dask_arrays_of_odd_shapes(shape, words):
    da = pytest.importorskip("dask.array", reason="dask is not installed")
    with pytest.raises(ValueError, match=words):
        as_chunked(da.zeros(shape))


def test_labels_for_rows_that_workers_read_are_aligned():
    pytest.importorskip("dask", reason="dask is not installed")
    from pulasso.data.chunks.dask import _Shared, _Span, _sum

    buffer = np.zeros(8 * N + 1, dtype=np.uint8)
    weight = buffer[1:].view(np.float64)  # as it may come over a network
    assert not weight.flags.aligned
    span = _Span(ArraySource(np.ones((N, 2)), 20), 0, 2)
    assert _sum(lambda block, own: int(own.flags.aligned), span, (weight,), _Shared((), np.float64, 2)) == 2


# -- other arrays ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "error", "words"),
    [
        (np.zeros(3), ValueError, r"rows and columns, but this ndarray has shape \(3,\)"),
        (np.zeros((2, 2, 2)), ValueError, "rows and columns"),
        (np.zeros((0, 2)), ValueError, r"0 sample\(s\)"),
        (np.zeros((2, 0)), ValueError, r"0 feature\(s\)"),
        (np.zeros((2, 2), dtype="M8[D]"), ValueError, r"ndarray of dtype datetime64\[D\], which are not real numbers"),
        (np.zeros((2, 2), dtype=complex), ValueError, "dtype complex128"),
        (np.array([["1", "2"]]), ValueError, "dtype <U1"),
        ([[1.0, 2.0]], TypeError, "X is a list, which is not read in chunks. What is in memory goes to fit"),
        (sparse.csr_array(np.eye(2)), TypeError, "X is a csr_array"),
        (None, TypeError, "X is a NoneType"),
    ],
)  # fmt: skip
def test_what_is_not_read_in_chunks(x, error, words):
    with pytest.raises(error, match=words):
        as_chunked(x)


def test_an_npy_file_without_rows(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((0, 3)))
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        as_chunked(tmp_path / "x.npy")


def test_rows_that_cannot_be_read_are_named():
    class Torn(np.ndarray):
        def __getitem__(self, rows):
            raise ValueError("checksum mismatch\nin chunk 0.0")

    with pytest.raises(
        DataFileError, match=r"rows 0 to 1 of Torn cannot be read: checksum mismatch\. A chunk is damaged"
    ):
        as_chunked(np.zeros((2, 2)).view(Torn), 1).map_concat(np.asarray)
