"""Passes over data in chunks are few, and counted."""

import numpy as np
import pytest

from pulasso import fit_path
from pulasso.data.chunks import ArraySource, LocalChunks, as_chunked

SETUP = 3  # moments of the columns, gradient of the null model, and where there are groups without penalty its fit
CASES = {
    "multinomial": {"scenario": "single-training-set", "label_frequency": 0.5},
    "ordinal": {"scenario": "single-training-set", "label_frequency": 0.5, "response": "ordinal"},
    "case-control": {"scenario": "case-control", "prevalence": [0.3, 0.2]},
    "entries": {"scenario": "fully-observed", "groups": "entries"},
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(4000, 15))
    y = np.searchsorted([0.0, 1.0], x[:, 0] - 0.5 * x[:, 1] + rng.logistic(size=len(x)))
    return x, np.where(rng.random(len(x)) < 0.5, y, 0)


@pytest.mark.parametrize("case", CASES)
def test_one_trip_for_each_step_and_one_for_each_lam(data, case):
    da = pytest.importorskip("dask.array", reason="dask is not installed")
    x, z = data
    chunks = as_chunked(da.from_array(x, chunks=(1500, 15)))
    path = fit_path(chunks, z, n_lams=12, **CASES[case])
    assert chunks.n_passes <= path.n_iter.sum() + len(path) + SETUP


def test_a_path_takes_three_passes_for_each_lam_at_most(data):
    x, z = data
    chunks = LocalChunks(ArraySource(x, 1000))
    path = fit_path(chunks, z, n_lams=20, **CASES["multinomial"])
    assert path.converged.all()
    assert chunks.n_passes <= 3 * len(path)
