"""Sparse matrices whose parts do not fit together are refused before compiled code follows them."""

import numpy as np
import pytest
from scipy import sparse

from pulasso import MultinomialPULasso, MultinomialPULassoCV
from pulasso.data.chunks import LocalChunks
from pulasso.data.tables import read_table
from pulasso.exceptions import DataFileError, InputError

N, P = 40, 6
RNG = np.random.default_rng(4)
X = RNG.normal(size=(N, P)) * (RNG.random((N, P)) < 0.6)
Z = np.arange(N) % 3


def set_at(name, place, value):
    def damage(x):
        getattr(x, name)[place] = value

    return damage


def cut(name, by):
    def damage(x):
        setattr(x, name, getattr(x, name)[:by])

    return damage


DAMAGES = {
    "index beyond": (set_at("indices", 5, 10**6), "1000000"),
    "index one beyond": (lambda x: set_at("indices", 5, max(x.shape))(x), "an entry lies in"),
    "index negative": (set_at("indices", 5, -1), "-1"),
    "indptr falls": (set_at("indptr", 3, 10**6), "falls"),
    "indptr negative": (set_at("indptr", 3, -7), "falls"),
    "indptr ends below zero": (set_at("indptr", -1, -1), "falls"),
    "indptr ends beyond": (set_at("indptr", -1, 10**6), "ends at"),
    "indptr starts late": (set_at("indptr", 0, 1), "starts with"),
    "indptr short": (cut("indptr", -1), "indptr has"),
    "values short": (cut("data", -3), "values"),
    "indices short": (cut("indices", -3), "indices"),
    "indptr of floats": (lambda x: setattr(x, "indptr", x.indptr.astype(float)), "whole numbers"),
}
KINDS = (sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, sparse.csc_array)
each_damage = pytest.mark.parametrize("damage", DAMAGES)
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def damaged(damage, kind):
    x = kind(X)
    DAMAGES[damage][0](x)
    return x


@each_damage
@each_kind
def test_fits_and_predictions_say_what_is_wrong(damage, kind):
    x, words = damaged(damage, kind), DAMAGES[damage][1]
    with pytest.raises(InputError, match=words) as caught:
        MultinomialPULasso(0.05, scenario="fully-observed").fit(x, Z)
    assert caught.value.parameter == "X" and "Build it again" in caught.value.remedy
    with pytest.raises(InputError, match=words):
        MultinomialPULasso(0.05, scenario="fully-observed").fit(X, Z).predict_proba(x)
    with pytest.raises(InputError, match=words):
        MultinomialPULassoCV(scenario="fully-observed").fit(x, Z)


class FromMemory:
    """Rows that are in memory, as chunks of whatever form."""

    def __init__(self, *blocks):
        self.blocks, self.lengths = blocks, np.array([block.shape[0] for block in blocks])
        self.shape, self.dtype, self.feature_names = (self.lengths.sum(), P), np.dtype(float), None

    def read(self, number):
        return self.blocks[number]


@each_damage
def test_chunks_say_what_is_wrong(damage):
    chunks = LocalChunks(FromMemory(sparse.csr_matrix(X), damaged(damage, sparse.csr_matrix)))
    with pytest.raises(InputError, match=DAMAGES[damage][1]):
        MultinomialPULasso(0.05, scenario="fully-observed").fit(chunks, np.tile(Z, 2))
    model = MultinomialPULasso(0.05, scenario="fully-observed").fit(X, Z)
    with pytest.raises(InputError, match=DAMAGES[damage][1]):
        model.predict_proba(chunks)


def test_chunks_of_dask_say_what_is_wrong():
    blocks = pytest.importorskip("dask.array").from_array(X, chunks=(N, P))
    x = blocks.map_blocks(lambda block: damaged("index beyond", sparse.csr_matrix), dtype=float)
    with pytest.raises(InputError, match="an entry lies in column 1000000"):
        MultinomialPULasso(0.05, scenario="fully-observed").fit(x, Z)


# SciPy reads whole numbers that are stored as floats.
@pytest.mark.parametrize("damage", sorted(DAMAGES.keys() - {"indptr of floats"}))
def test_files_say_what_is_wrong(damage, tmp_path):
    x, path = damaged(damage, sparse.csr_matrix), tmp_path / "x.npz"
    parts = {"data": x.data, "indices": x.indices, "indptr": x.indptr, "shape": x.shape, "format": "csr"}
    np.savez(path, **parts, y=Z)
    with pytest.raises(DataFileError, match="x.npz"):
        read_table(path)


@pytest.mark.parametrize("name, value", [("row", N), ("row", -1), ("col", P), ("col", -2)])
def test_coordinates_outside_are_refused(name, value):
    x = sparse.coo_matrix(X)
    getattr(x, name)[3] = value
    with pytest.raises(InputError, match=f"{value}, but"):
        MultinomialPULasso(0.05, scenario="fully-observed").fit(x, Z)


def test_blocks_outside_are_refused():
    x = sparse.bsr_matrix(X, blocksize=(2, 2))
    x.indices[3] = 3
    with pytest.raises(InputError, match="column 3"):
        MultinomialPULasso(0.05, scenario="fully-observed").fit(x, Z)


def test_an_empty_matrix_is_not_damaged():
    model = MultinomialPULasso(0.05, scenario="fully-observed").fit(sparse.csr_array((N, P)), Z)
    assert not model.coef_.any()
