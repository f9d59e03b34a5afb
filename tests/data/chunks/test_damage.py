"""Files that are cut short, damaged, or not what they seem are named; nothing is overwritten."""

import os
import subprocess

import numpy as np
import pytest

from pulasso import fit_path
from pulasso.data.chunks import ArraySource, LocalChunks, NpySource, as_chunked
from pulasso.exceptions import CheckpointError, DataFileError

SETTINGS = {"scenario": "fully-observed", "n_lams": 4}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 5))
    return x, (x[:, 0] + rng.logistic(size=600) > 0).astype(int)


def cut(file, n_bytes):
    whole = file.read_bytes()
    file.write_bytes(whole[:-n_bytes])
    return file


# -- .npy --------------------------------------------------------------------------------------------------


def test_a_short_npy_file(data, tmp_path):
    np.save(tmp_path / "x.npy", data[0])
    with pytest.raises(DataFileError, match=r"x\.npy is cut short: .* 600 rows of 5 numbers, but 100 bytes"):
        as_chunked(cut(tmp_path / "x.npy", 100))


def test_an_npy_file_that_is_cut_while_it_is_read(data, tmp_path):
    np.save(tmp_path / "x.npy", data[0])
    chunks = as_chunked(tmp_path / "x.npy")
    cut(tmp_path / "x.npy", 100)
    with pytest.raises(DataFileError, match=r"x\.npy ended in the middle of the rows 0 to 599"):
        fit_path(chunks, data[1], **SETTINGS)
    (tmp_path / "x.npy").unlink()
    with pytest.raises(DataFileError, match=r"x\.npy cannot be read: No such file"):
        fit_path(chunks, data[1], **SETTINGS)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros(3), "shape \\(3,\\)"),
        (np.asfortranarray(np.ones((3, 2))), "in Fortran order"),
        (np.array([["a", "b"]]), "dtype <U1"),
    ],
)
def test_other_arrays_are_refused(tmp_path, array, words):
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(DataFileError, match=f"{words}.* Save it again with numpy.save"):
        as_chunked(tmp_path / "x.npy")


def test_something_else_by_that_name(tmp_path):
    (tmp_path / "x.npy").write_text("a,b\n1,2\n")
    with pytest.raises(DataFileError, match=r"x\.npy is not a \.npy file"):
        as_chunked(tmp_path / "x.npy")
    with pytest.raises(DataFileError, match="cannot be read: No such file"):
        NpySource(tmp_path / "y.npy")


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "i2", "u1", "bool"])
def test_numbers_of_every_kind_are_read(tmp_path, dtype):
    x = np.random.default_rng(1).integers(0, 2, size=(7, 3)).astype(dtype)
    np.save(tmp_path / "x.npy", x)
    source = NpySource(tmp_path / "x.npy", rows=2)
    read = np.concatenate([source.read(i) for i in range(len(source.lengths))])
    np.testing.assert_array_equal(read, x.astype(float))
    assert read.dtype == source.dtype == (np.float32 if dtype == "<f4" else np.float64)


# -- Parquet and Zarr --------------------------------------------------------------------------------------


def test_a_short_parquet_file(data, tmp_path):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow.parquet

    table = arrow.table({f"c{j}": data[0][:, j] for j in range(5)})
    for part in ("a", "b"):
        pyarrow.parquet.write_table(table, tmp_path / f"{part}.parquet")
    cut(tmp_path / "b.parquet", 50)
    with pytest.raises(DataFileError, match=r"b\.parquet cannot be read: .* write it again"):
        as_chunked(tmp_path)
    with pytest.raises(DataFileError, match=r"b\.parquet cannot be read as Parquet"):
        as_chunked(tmp_path / "b.parquet")
    with pytest.raises(DataFileError, match=r"c\.parquet cannot be read as Parquet: there is no such file"):
        as_chunked(tmp_path / "c.parquet")


def test_a_parquet_file_with_a_hole(data, tmp_path):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow.parquet

    file = tmp_path / "x.parquet"
    pyarrow.parquet.write_table(arrow.table({f"c{j}": data[0][:, j] for j in range(5)}), file)
    whole = bytearray(file.read_bytes())
    whole[4:400] = bytes(396)  # the first page and its header
    file.write_bytes(whole)
    with pytest.raises(DataFileError, match=r"x\.parquet cannot be read: .* damaged"):
        fit_path(as_chunked(file), data[1], **SETTINGS)


def test_a_short_zarr_chunk(data, tmp_path):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    folder = tmp_path / "x.zarr"
    zarr.open(str(folder), mode="w", shape=data[0].shape, chunks=(200, 5), dtype="f8")[:] = data[0]
    chunk = sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix != ".json")[1]
    cut(chunk, 40)
    with pytest.raises(DataFileError, match=r"The rows \d+ to \d+ of .*x\.zarr cannot be read"):
        fit_path(as_chunked(folder), data[1], **SETTINGS)
    with pytest.raises(DataFileError, match="cannot be read as a Zarr array"):
        as_chunked(tmp_path / "y.zarr")


# -- a disk without room ------------------------------------------------------------------------------------


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount a small disk"
)
@pytest.mark.parametrize("form", [np.asarray, lambda x: LocalChunks(ArraySource(x, 100))])
def test_a_small_disk_that_is_full(data, form, tmp_path):
    x, z = data
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], capture_output=True)
    if mounted.returncode:
        pytest.skip("this container may not mount")
    try:
        with pytest.raises(CheckpointError, match="No space left on device.* room on its disk"):
            fit_path(form(x), z, checkpoint=disk, scenario="fully-observed", n_lams=30)
        names = {file.name for file in disk.rglob("*.*")}
    finally:
        subprocess.run(["umount", disk], check=True)
    assert names and all(name.endswith(".npz") for name in names)
