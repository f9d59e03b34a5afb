"""Columns that hold only 0 and 1 are found in every storage, and left on their own scale if asked for."""

import numpy as np
import pytest
from scipy import sparse

from pulasso.data.chunks import ArraySource, LocalChunks
from pulasso.design import ChunkedDesign, as_design, standardize

N = 60
RNG = np.random.default_rng(0)
BESIDE = (1.0 + np.sqrt(2.0)) / 2.0  # with as many halves it has the mean of its squares, as an indicator has


def a_table(dtype=float):
    """Return a table, and which of its columns are indicators."""
    late = np.arange(N) >= 50  # beyond the first chunk
    columns = {
        "often": RNG.random(N) < 0.4,
        "once": np.arange(N) == 7,
        "all but once": np.arange(N) != 7,
        "never": np.zeros(N),
        "always": np.ones(N),
    }
    others = {
        "normal": RNG.normal(size=N),
        "counts": RNG.integers(0, 3, size=N),
        "a two, late": np.where(late, 2.0, RNG.random(N) < 0.5),
        "minus one": -(RNG.random(N) < 0.3).astype(float),
        "ones and twos": 1.0 + (RNG.random(N) < 0.3),
        "beside": np.where(np.arange(N) % 2, 0.5, BESIDE),
        "huge": 1e10 * RNG.normal(size=N),
    }
    x = np.column_stack([*columns.values(), *others.values()]).astype(dtype)
    return x, np.arange(x.shape[1]) < len(columns)


def chunked(x):
    return ChunkedDesign(LocalChunks(ArraySource(x, 25)), np.ones(len(x)))


STORAGES = {
    "C": lambda x: as_design(np.ascontiguousarray(x)),
    "Fortran": lambda x: as_design(np.asfortranarray(x)),
    "CSR": lambda x: as_design(sparse.csr_array(x)),
    "CSC": lambda x: as_design(sparse.csc_array(x)),
    "chunks": chunked,
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("storage", STORAGES)
def test_indicators_are_found(storage, dtype):
    x, expected = a_table(dtype)
    found = STORAGES[storage](x).moments(np.full(N, 1 / N)).is_indicator
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("storage", ["C", "Fortran", "CSR", "CSC"])
def test_rows_of_weight_zero_are_no_rows(storage):
    x = (RNG.random((N, 2)) < 0.5).astype(float)
    x[3] = [5.0, 0.0]
    weight = np.ones(N)
    for there, expected in ((1.0, [False, True]), (0.0, [True, True])):
        weight[3] = there
        found = STORAGES[storage](x).moments(weight / weight.sum()).is_indicator
        assert found.tolist() == expected


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_zeros_that_are_stored_are_zeros(kind):
    x = kind(np.array([[1.0, 3.0], [1.0, 2.0], [1.0, 1.0]]))
    x.data[x.data == 2.0] = 0.0
    x.data[x.data == 3.0] = 1.0
    assert as_design(x).moments(np.full(3, 1 / 3)).is_indicator.all()


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("storage", STORAGES)
def test_only_the_others_are_scaled(storage, center):
    x, is_indicator = a_table()
    share = np.full(N, 1 / N)
    auto, scaled, plain = (
        standardize(STORAGES[storage](x), share, center=center, scale=scale)
        for scale in ("auto", True, False)
    )
    np.testing.assert_array_equal(auto.scale, np.where(is_indicator, plain.scale, scaled.scale))
    np.testing.assert_array_equal(auto.mean, scaled.mean)
    rest = 1.0 if scaled.spread is None else scaled.spread
    np.testing.assert_array_equal(auto.spread, np.where(is_indicator, plain.spread, rest))


def test_without_indicators_nothing_changes():
    x, share = RNG.normal(size=(N, 3)), np.full(N, 1 / N)
    auto, scaled = (standardize(as_design(x), share, scale=scale) for scale in ("auto", True))
    np.testing.assert_array_equal(auto.scale, scaled.scale)
    assert auto.spread is scaled.spread is None


def test_chosen_columns_keep_their_spread():
    x = np.column_stack([np.arange(8.0), np.arange(8) % 2])
    design = standardize(as_design(x), np.full(8, 1 / 8), scale="auto")
    np.testing.assert_array_equal(design.select(np.array([1])).spread, design.spread[[1]])
    assert standardize(as_design(x), np.full(8, 1 / 8)).select(np.array([1])).spread is None
