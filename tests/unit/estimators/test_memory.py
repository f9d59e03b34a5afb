"""What fits need beyond X, in copies of X in double precision."""

import os

import numpy as np
import pandas as pd
import pytest

from pulasso import MultinomialPULasso, MultinomialPULassoCV
from support.memory import peak_memory, peak_of_processes

N, P = 12_000, 100
COPY, BUFFERS = 8 * N * P, 16 * N * 12  # the latter of loaded columns, in double and single precision
KNOWN = {"scenario": "single-training-set", "label_frequency": 0.5}
pytestmark = pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning")
has_processes = pytest.mark.skipif(
    not os.path.exists("/proc/self/smaps_rollup"), reason="needs /proc of Linux"
)


def draw(n=N):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, (n, P), dtype=np.int8)
    return x, (rng.random(n) < 0.5 / (1.0 + np.exp(1.0 - x[:, 0]))).astype(int)


def as_columns(x, *kinds):
    return pd.DataFrame({f"x{j}": pd.array(x[:, j], dtype=kinds[j % len(kinds)]) for j in range(P)})


CONTAINERS = {
    "int8": lambda x: x,
    "bool": lambda x: x > 0,
    "float16": lambda x: x.astype(np.float16),
    "frame of int8": lambda x: pd.DataFrame(x).add_prefix("x"),
    "frame of several kinds": lambda x: as_columns(x, "int8", "float64", "int32"),
    "frame of nullable numbers": lambda x: as_columns(x, "Int8"),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_numbers_are_converted_once(container):
    x, z = draw()
    held, model = CONTAINERS[container](x), MultinomialPULasso(0.05, **KNOWN)
    with peak_memory() as fitting:
        model.fit(held, z)
    with peak_memory() as predicting:
        model.predict(held)
    assert fitting.nbytes < 1.5 * COPY + BUFFERS
    assert predicting.nbytes < 1.5 * COPY


def test_frames_that_are_converted_in_parts_are_the_same_numbers():
    x, z = draw()
    mixed = as_columns(x, "int8", "Float32", "UInt16", "float64").rename(columns={"x3": "three"})
    model = MultinomialPULasso(0.02, **KNOWN).fit(mixed, z)
    array = np.asarray(mixed.astype(float), order="F")
    assert model.coef_.tobytes() == MultinomialPULasso(0.02, **KNOWN).fit(array, z).coef_.tobytes()
    assert model.feature_names_in_[3] == "three"
    mixed.loc[11_000, "x1"] = pd.NA
    with pytest.raises(ValueError, match="contains NaN, in column 'x1'"):
        model.predict(mixed)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(mixed.rename(columns={"three": "four"}))


def cross_validation(**more):
    return MultinomialPULassoCV(n_lams=4, lam_min_ratio=0.4, cv=3, random_state=0, **KNOWN, **more)


def test_cross_validation_holds_the_rows_of_one_fold():
    """The second start of the last fit, too, looks at the few columns that it needs."""
    x, z = draw()
    x = x.astype(float)
    with peak_memory() as peak:
        cross_validation().fit(x, z)
    assert peak.nbytes < 1.0 * COPY + BUFFERS


@has_processes
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["float64", "int8"])
def test_processes_share_what_they_read(kind):
    x, z = draw(8 * N)
    cross_validation(n_jobs=2).fit(x[:N].astype(kind), z[:N])  # starts the processes
    held = x.astype(kind)
    alone = cross_validation().fit(held, z)
    peaks = []
    for _ in range(2):  # how much of their peaks two processes have at the same moment is chance
        with peak_of_processes() as peak:
            model = cross_validation(n_jobs=2).fit(held, z)
        peaks.append(peak.nbytes)
    assert min(peaks) < 3.2 * 8 * COPY  # one copy that is shared, two thirds of it in each of two processes
    assert model.coef_.tobytes() == alone.coef_.tobytes()
