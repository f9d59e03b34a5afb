"""Loaders: where files come from, what they hold, and what is said when something is wrong."""

import gzip
import hashlib
import http.server
import os
import sys
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from pulasso import Groups
from pulasso.datasets import (
    Dataset,
    _fetch,
    load_colposcopy,
    load_mfeat,
    load_rocker,
    load_swiss_trees,
    load_wine_quality,
)
from pulasso.datasets._fetch import checksums, find, read_table
from pulasso.exceptions import DataFileError, InputError

CONTENT = b"a;b\n1;x\n2;\n"
FILE = "things/thing.csv"


@pytest.fixture(autouse=True)
def known(monkeypatch):
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    monkeypatch.setattr(_fetch, "checksums", lambda: {**checksums(), FILE: sha256})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PULASSO_DATA", str(tmp_path))
    (tmp_path / "things").mkdir()
    return tmp_path / "things"


def test_a_local_file_comes_first_and_may_be_gzipped(folder):
    (folder / "thing.csv.gz").write_bytes(gzip.compress(CONTENT))
    table = read_table(find(FILE), delimiter=";")
    assert table["a"].tolist() == ["1", "2"] and table["b"].tolist() == ["x", ""]
    (folder / "thing.csv").write_bytes(CONTENT)
    assert find(FILE, "http://nowhere.invalid") == folder / "thing.csv"


def test_a_damaged_local_file_is_named(folder):
    (folder / "thing.csv").write_bytes(CONTENT + b"3;z\n")
    with pytest.raises(DataFileError, match=r"things/thing\.csv is damaged or another version"):
        find(FILE)


def test_missing_packages_are_named_with_their_extra(tmp_path, monkeypatch):
    monkeypatch.delenv("PULASSO_DATA", raising=False)
    for package in ("pooch", "rdata"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=r'pip install "pulasso\[data\]".*things/thing.csv'):
        find(FILE)
    with pytest.raises(ImportError, match=r"table.rds is a file of R.*pulasso\[data\]"):
        read_table(tmp_path / "table.rds")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture
def server(tmp_path):
    served = tmp_path / "served"
    served.mkdir()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=served)) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield served, f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    pooch = pytest.importorskip("pooch", reason="downloads need pooch")
    monkeypatch.delenv("PULASSO_DATA", raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    return tmp_path / "cache" / "pulasso"


def test_a_download_is_checked_and_cached(server, cache):
    served, address = server
    (served / "thing.csv").write_bytes(CONTENT)
    assert find(FILE, address).read_bytes() == CONTENT
    (served / "thing.csv").unlink()
    assert find(FILE, address) == cache / "things" / "thing.csv"


def test_a_wrong_download_is_refused_and_the_next_address_tried(server, cache):
    served, address = server
    for name, content in (("wrong", b"<html>moved</html>"), ("right", CONTENT)):
        (served / name).mkdir()
        (served / name / "thing.csv").write_bytes(content)
    with pytest.raises(OSError, match=r"thing.csv could not be downloaded.*wrong/thing.csv.*by hand"):
        find(FILE, f"{address}/wrong", f"{address}/missing")
    assert find(FILE, f"{address}/wrong", f"{address}/right").read_bytes() == CONTENT


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_frames_have_names_and_sparse_ones_stay_sparse(make):
    data = Dataset(make(np.eye(2)), np.array([0, 1]), ("a", "b"), (0, 1), "two rows")
    assert data.frame["b"].tolist() == [0.0, 1.0]
    assert hasattr(data.frame, "sparse") == (make is sparse.csr_array)
    assert repr(data) == "Dataset(2 samples, 2 features, 2 classes)"


def test_tables_of_r_are_read(tmp_path):
    rdata, pd = pytest.importorskip("rdata", reason="files of R need rdata"), pytest.importorskip("pandas")
    frame = pd.DataFrame({"n": [1.0, 2.0], "name": pd.Series(["fir", "oak"], dtype=object)})
    rdata.write_rds(tmp_path / "table.rds", frame)
    rdata.write_rda(tmp_path / "table.rda", {"table": frame})
    for name in ("table.rds", "table.rda"):
        table = read_table(tmp_path / name)
        assert table["n"].tolist() == [1.0, 2.0] and table["name"].tolist() == ["fir", "oak"]


@pytest.mark.parametrize(
    ("load", "parameter"),
    [
        (lambda: load_mfeat(["pixels"]), "views"),
        (lambda: load_mfeat([]), "views"),
        (lambda: load_wine_quality("rose"), "color"),
    ],
)
def test_wrong_names_are_refused(load, parameter):
    with pytest.raises(InputError) as refused:
        load()
    assert refused.value.parameter == parameter


def test_every_file_has_a_checksum():
    assert len(checksums()) == 21
    assert all(len(sha256) == 64 and name.count("/") == 1 for name, sha256 in checksums().items())


# --- the real data ------------------------------------------------------------------------------------------

real_data = pytest.mark.skipif(
    not Path(os.environ.get("PULASSO_DATA", "/nowhere"), "mfeat").is_dir(),
    reason="PULASSO_DATA does not name the folder of the data sets",
)


@real_data
def test_mfeat():
    data = load_mfeat()
    assert data.X.shape == (2000, 649) and np.bincount(data.y).tolist() == [200] * 10
    assert Groups.from_columns(data.groups).resolve(649, 9, data.feature_names, range(1, 10)).n_blocks == 6
    pixels = load_mfeat(["pix"])
    np.testing.assert_array_equal(pixels.X, data.X[:, data.feature_names.index("pix0") :][:, :240])


@real_data
def test_colposcopy():
    data = load_colposcopy()
    assert data.X.shape == (287, 62) and np.bincount(data.y).tolist() == [17, 18, 36, 33, 47, 57, 79]
    assert [len(names) for names in data.groups.values()] == [15, 12, 12, 6, 6, 9, 2]
    thin = load_colposcopy(drop_redundant=True).X
    assert thin.shape == (287, 50) and np.linalg.matrix_rank(thin - thin.mean(axis=0)) == 50


@real_data
def test_wine_quality():
    assert np.bincount(load_wine_quality("red").y).tolist() == [744, 638, 217]
    assert load_wine_quality("white", levels=None).class_names == (3, 4, 5, 6, 7, 8, 9)


@real_data
def test_swiss_trees():
    data = load_swiss_trees()
    assert data.X.shape == (14567, 13) and data.test.X.shape == (10013, 13)
    assert dict(zip(*np.unique(data.y, return_counts=True), strict=True))["swi08"] == 1452
    assert data.prevalence.shape == (5,) and data.prevalence.sum() < 0.3
    assert data.places.shape == (14567, 2) and data.test.places.shape == (10013, 2)
    visited = load_swiss_trees(background="target-group")
    assert (
        np.sum(visited.y == "background")
        == len(np.unique(visited.places[visited.y == "background"], axis=0))
        == 11429
    )
    np.testing.assert_array_equal(visited.X[visited.y != "background"], data.X[data.y != "background"])
    with pytest.raises(InputError, match="species holds 'oak'"):
        load_swiss_trees(["oak"])
    with pytest.raises(InputError, match="background"):
        load_swiss_trees(background="everything")


@real_data
def test_rocker():
    data = load_rocker()
    assert data.X.shape == (83778, 490) and len(data.groups) == 25
    assert data.sample_weight[data.y == 1].sum() == 703_030
    assert data.sample_weight[data.y == 0].sum() == 1_287_155
    assert set(np.diff(data.X.indptr)) == {1, 2}  # single and double mutants
    wild_type = "MYYKEIAHALFSALFALSELYIAVRY*"
    assert all(wild_type[int(name[1:-1]) - 1] == name[0] != name[-1] for name in data.feature_names)
