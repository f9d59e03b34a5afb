"""Files that are cut short, damaged, or not what they seem are named; nothing is overwritten."""

import errno
import os
import subprocess

import numpy as np
import pytest

from pulasso import fit_path
from pulasso.data.chunks import ArraySource, LocalChunks, NpySource, as_chunked
from pulasso.exceptions import CheckpointError, CheckpointWarning, DataFileError

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


# -- checkpoints of a path ---------------------------------------------------------------------------------


@pytest.fixture(params=["in memory", "in chunks"])
def form(request):
    return (lambda x: x) if request.param == "in memory" else (lambda x: LocalChunks(ArraySource(x, 100)))


def interrupted_after(monkeypatch, number, folder, *arguments):
    """Follow a path until the solution of a lam is on the disk."""
    from pulasso.runs import Checkpoint

    save = Checkpoint.save

    def then_stop(self, name, result):
        save(self, name, result)
        if name == f"lam {number}":
            raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoint, "save", then_stop)
    with pytest.raises(
        KeyboardInterrupt, match=r"of 4 lams\. What is finished lies in .* goes on from there"
    ):
        fit_path(*arguments, checkpoint=folder, **SETTINGS)
    monkeypatch.undo()


@pytest.mark.parametrize("number", [1, 3])
def test_a_path_goes_on_with_the_same_bits(data, form, tmp_path, monkeypatch, number):
    x, z = data
    expected = fit_path(form(x), z, checkpoint=tmp_path / "undisturbed", **SETTINGS)
    plain = fit_path(form(x), z, **SETTINGS)
    np.testing.assert_allclose(expected.objective, plain.objective, rtol=1e-9)
    interrupted_after(monkeypatch, number, tmp_path / "kept", form(x), z)
    found = (tmp_path / "kept" / f"lam {number}.npz").stat().st_mtime_ns
    path = fit_path(form(x), z, checkpoint=tmp_path / "kept", **SETTINGS)
    np.testing.assert_array_equal(path.coefs, expected.coefs)
    np.testing.assert_array_equal(path.objective, expected.objective)
    np.testing.assert_array_equal(path.n_iter, expected.n_iter)
    assert (tmp_path / "kept" / f"lam {number}.npz").stat().st_mtime_ns == found


def test_a_path_of_something_else_is_refused(data, form, tmp_path):
    x, z = data
    fit_path(form(x), z, checkpoint=tmp_path, **SETTINGS)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    for other, words in (
        ({"X": form(x + 1)}, "X differs"),
        ({"z": 1 - z}, "y differs"),
        ({"tol": 1e-4}, "tol was 1e-06 and is 0.0001 now"),
        ({"lams": [0.1, 0.05]}, "lams differs"),
        ({"sample_weight": np.arange(600)}, "sample_weight differs"),
    ):
        with pytest.raises(CheckpointError, match=f"holds steps of another run: .*{words}"):
            fit_path(**{"X": form(x), "z": z, **SETTINGS, "checkpoint": tmp_path, **other})
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_damaged_solutions_and_states_are_computed_again(data, form, tmp_path, monkeypatch):
    x, z = data
    interrupted_after(monkeypatch, 3, tmp_path, form(x), z)
    expected = fit_path(form(x), z, checkpoint=tmp_path / "other", **SETTINGS)
    states = list(tmp_path.glob("state *.npz"))
    for file in states or [tmp_path / "lam 2.npz"]:
        file.write_bytes(file.read_bytes()[:-30])
    with pytest.warns(CheckpointWarning, match="is damaged"):
        path = fit_path(form(x), z, checkpoint=tmp_path, **SETTINGS)
    np.testing.assert_array_equal(path.coefs, expected.coefs)


@pytest.mark.parametrize("number", [2, 4])
def test_states_of_a_run_that_was_killed_before_it_forgot_them(data, tmp_path, monkeypatch, number):
    from pulasso.runs import Checkpoint

    x, z = data
    expected = fit_path(LocalChunks(ArraySource(x, 100)), z, checkpoint=tmp_path / "other", **SETTINGS)
    with monkeypatch.context() as never:
        never.setattr(Checkpoint, "remove", lambda self, name: None)
        interrupted_after(never, number, tmp_path / "kept", LocalChunks(ArraySource(x, 100)), z)
    assert (tmp_path / "kept" / f"state {number - 1}.npz").exists()
    path = fit_path(LocalChunks(ArraySource(x, 100)), z, checkpoint=tmp_path / "kept", **SETTINGS)
    assert not list((tmp_path / "kept").glob("state *"))
    np.testing.assert_array_equal(path.coefs, expected.coefs)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount a small disk"
)
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
        assert not list(disk.glob("*.part"))
        kept = {file.name for file in disk.glob("lam *.npz")}
    finally:
        subprocess.run(["umount", disk], check=True)
    assert kept


def test_a_disk_that_becomes_read_only(data, form, tmp_path, monkeypatch):
    x, z = data
    interrupted_after(monkeypatch, 2, tmp_path, form(x), z)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    def refuse(*arguments, **settings):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("pathlib.Path.write_bytes", refuse)
    with pytest.raises(CheckpointError, match="cannot be used: Read-only file system"):
        fit_path(form(x), z, checkpoint=tmp_path, **SETTINGS)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
