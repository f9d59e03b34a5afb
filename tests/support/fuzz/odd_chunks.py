"""Odd data in chunks: files, memory maps, tables, dask arrays and data frames."""

import datetime
from decimal import Decimal
from importlib.util import find_spec

import numpy as np
import pandas as pd
from scipy import sparse

from pulasso.data.chunks import ArraySource, LocalChunks, as_chunked
from support.fuzz.odd import INF, NAN, anything, odd_features, pick

NUMBERS = ("f4", "f2", ">f8", "i4", "u1", "?", "f16")
OTHERS = ("c16", "U8", "S8", "M8[D]", "m8[s]", "O")


def odd_numbers(rng, x):
    """Return an array like X with something odd about numbers, kind or shape."""
    x = x.copy()
    action = rng.random()
    if action < 0.1:
        x[tuple(int(rng.integers(size)) for size in x.shape)] = pick(rng, [NAN, INF, 1e308, 1e-310])
    elif action < 0.3:
        x = x.astype(int).astype(pick(rng, NUMBERS if rng.random() < 0.7 else OTHERS))
    elif action < 0.4:
        x = pick(rng, [x[0], x[None], x[:0], x[:, :0], x[:1], x[:, ::-1], np.asfortranarray(x), x[:-1]])
    return x


def _file(rng, x, folder):
    """Return chunks of a .npy file or a memory map."""
    path = folder / pick(rng, ["x.npy", "x.npy", "x.npy", "x.dat", "ß.npy"])
    with open(path, "wb") as stream:
        np.save(stream, odd_numbers(rng, x), allow_pickle=True)
    if rng.random() < 0.1:
        content = path.read_bytes()
        path.write_bytes(content[: int(rng.integers(len(content)))])
    if rng.random() < 0.2 and path.stat().st_size >= x.nbytes:
        return as_chunked(np.memmap(path, mode="r", dtype="f8", shape=x.shape))  # the header as numbers
    return as_chunked(path, pick(rng, [None, 1, 2]), by_workers=bool(rng.random() < 0.2))


def _columns(rng, x):
    """Return columns by name for a table, of which one may be odd."""
    n = len(x)
    columns = {f"c{j}": x[:, j] for j in range(x.shape[1])}
    odd = [
        lambda: [datetime.date(2020, 1, 1)] * n,
        lambda: [datetime.datetime(2020, 1, 1)] * n,
        lambda: [datetime.timedelta(1)] * n,
        lambda: [str(number) for number in range(n)],
        lambda: [None, *range(n - 1)],
        lambda: [None] * n,
        lambda: [True, None] * n,
        lambda: [Decimal("1.5")] * n,
        lambda: [[1.0]] * n,
        lambda: [{"a": 1}] * n,
        lambda: [b"1"] * n,
        lambda: [2**63 - 1] * n,
        lambda: range(n),
        lambda: np.arange(n, dtype=pick(rng, ["u1", "f2", "f4", "i8"])),
    ]
    if rng.random() < 0.3:
        columns[pick(rng, ["odd", "c0", "", "ß"])] = list(pick(rng, odd)())[:n]
    return columns


def _parquet(rng, x, folder):
    """Return chunks of one to three Parquet files, a dataset, or a table of pyarrow."""
    import pyarrow
    import pyarrow.dataset
    import pyarrow.parquet

    def table(rows):
        columns = _columns(rng, rows)
        arrays = [pyarrow.array(each) for each in columns.values()]
        if rng.random() < 0.05 and not pyarrow.types.is_nested(arrays[0].type):
            arrays[0] = arrays[0].dictionary_encode()
        names = list(columns) if rng.random() < 0.97 else ["a"] * len(columns)
        return pyarrow.table(arrays, names=names)

    if rng.random() < 0.2:
        return pick(
            rng, [table(x), table(x[:0]), table(x).select([]), pyarrow.array(x[:, 0]), pyarrow.schema([])]
        )
    parts = np.array_split(x, int(rng.integers(1, 4)))
    for number, part in enumerate(parts):
        pyarrow.parquet.write_table(table(part), folder / f"{number}.parquet", row_group_size=5)
    names = pyarrow.parquet.read_schema(folder / "0.parquet").names
    if (
        rng.random() < 0.2 and len(parts) == 1 and len(set(names)) == len(names)
    ):  # else pyarrow itself refuses
        return pyarrow.dataset.dataset(folder / "0.parquet", partitioning=None)
    if rng.random() < 0.1:
        file = folder / f"{len(parts) - 1}.parquet"
        content = file.read_bytes()
        file.write_bytes(content[: int(rng.integers(len(content)))])
    return as_chunked(pick(rng, [folder] * 8 + [folder / "0.parquet", folder / "none.parquet"]))


def _dask(rng, x, folder):
    """Return a dask array, or another collection of dask."""
    import dask
    import dask.array as da

    odd = odd_numbers(rng, x)
    n = max(1, int(rng.integers(1, len(x) + 1)))
    if rng.random() < 0.15:
        return da.from_delayed(dask.delayed(odd), shape=x.shape, dtype=float)
    if rng.random() < 0.1:
        return pick(
            rng,
            [dask.delayed(odd), da.from_array(x[:, 0]), da.zeros((0, 2)), da.zeros(()), da.zeros((2, 2, 2))],
        )
    array = da.from_array(odd, chunks=n)
    if rng.random() < 0.2 and odd.dtype == np.float64 and odd.ndim == 2:
        array = array.rechunk({1: -1}).map_blocks(
            pick(rng, [sparse.csr_array, sparse.coo_array, sparse.csc_matrix])
        )
    elif rng.random() < 0.2 and odd.ndim == 2 and odd.shape[1]:
        array = array[array[:, 0] == array[:, 0]]  # of unknown length
    return array


def _frame(rng, x, folder):
    """Return a dask data frame, or one of its columns."""
    import dask.dataframe as dd

    frame = odd_features(rng, x) if rng.random() < 0.5 else None
    if not isinstance(frame, pd.DataFrame):
        frame = pd.DataFrame(_columns(rng, x))
    frame = dd.from_pandas(frame, npartitions=int(rng.integers(1, 4)))
    return pick(rng, [*[frame] * 8, frame[[]], frame.partitions[:1], frame.index, frame.map_partitions(len)])


def _array(rng, x, folder):
    """Return chunks of an array in memory, or of anything else."""
    odd = odd_numbers(rng, x)
    if rng.random() < 0.4:
        return as_chunked(
            pick(rng, [odd_features(rng, x), anything(rng), odd, str(folder), folder / "x.zarr"])
        )
    return LocalChunks(ArraySource(odd, pick(rng, [None, 1, 4, 100])), pick(rng, [1, 1, 2]))


def _zarr(rng, x, folder):
    """Return a Zarr array, chunks of one, or a group."""
    import zarr

    odd = odd_numbers(rng, x)
    if odd.dtype.kind not in "fiub" or odd.size == 0 or rng.random() < 0.1:
        return zarr.open_group(folder / "x.zarr", mode="w")
    odd = odd.astype("f8") if odd.dtype.itemsize > 8 else odd
    array = zarr.create_array(
        folder / "x.zarr", shape=odd.shape, chunks=(5, 2, 1)[: odd.ndim], dtype=odd.dtype
    )
    array[:] = odd
    return pick(rng, [array, array, as_chunked(folder / "x.zarr", by_workers=bool(rng.random() < 0.3))])


def odd_chunks(rng, x, folder):
    """Return X in chunks, odd or not; files lie in the folder."""
    forms = [_file, _parquet, _parquet, _dask, _frame, _array, _zarr]
    needs = {_parquet: "pyarrow", _dask: "dask", _frame: "dask", _zarr: "zarr"}
    return pick(rng, [form for form in forms if find_spec(needs.get(form, "numpy"))])(rng, x, folder)
