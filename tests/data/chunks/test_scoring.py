"""Cross-validation in chunks scores held-out rows, and nothing but them."""

import numpy as np
import pytest

from pulasso import MultinomialPULasso, MultinomialPULassoCV
from pulasso.data.chunks import ArraySource, LocalChunks
from pulasso.metrics import make_pu_scorer
from pulasso.prevalence import sensitivity_sweep

pytestmark = pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning")

SETTINGS = {
    "scenario": "single-training-set",
    "label_frequency": 0.7,
    "cv": 3,
    "n_lams": 6,
    "tol": 1e-8,
    "random_state": 0,
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(240, 8))
    y = np.searchsorted([0.0, 1.5], x[:, 0] - x[:, 1] + rng.logistic(size=240))
    return x, np.where(rng.random(240) < 0.7, y, 0), rng.integers(0, 3, 240).astype(float)


def in_chunks(x):
    return LocalChunks(ArraySource(x, 50))


def by_dask(x):
    return pytest.importorskip("dask.array", reason="dask is not installed").from_array(x, chunks=(100, 8))


def mean_probability(model, X, y, sample_weight=None):
    """Score by predictions, as users' own scorers do."""
    return float(np.average(model.predict_proba(X)[:, 0] * (np.asarray(y) == 0), weights=sample_weight))


SCORINGS = [
    "pu_neg_log_loss",
    "accuracy",
    "neg_log_loss",
    make_pu_scorer("observed_log_likelihood"),
    mean_probability,
]


@pytest.mark.parametrize("scoring", SCORINGS, ids=lambda each: getattr(each, "__name__", str(each)))
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_data_in_memory(data, scoring, weighted):
    x, z, weight = data
    weight = weight if weighted else None
    expected = MultinomialPULassoCV(scoring=scoring, **SETTINGS).fit(x, z, sample_weight=weight)
    for form in (in_chunks, by_dask) if scoring == "pu_neg_log_loss" else (in_chunks,):
        model = MultinomialPULassoCV(scoring=scoring, **SETTINGS).fit(form(x), z, sample_weight=weight)
        np.testing.assert_allclose(model.cv_loss_, expected.cv_loss_, rtol=1e-5)
        assert model.lam_ == pytest.approx(expected.lam_, rel=1e-9)


@pytest.mark.parametrize(
    "read", [np.asarray, lambda x: x[0], lambda x: x[:, 0], list], ids=["array", "row", "column", "list"]
)
def test_a_scorer_that_reads_the_rows_itself_is_refused(data, read):
    x, z, _ = data
    model = MultinomialPULassoCV(scoring=lambda model, X, y: float(np.sum(read(X))), **SETTINGS)
    model.fit(x, z)
    with pytest.raises(
        TypeError, match=r"rows lie in chunks: a scorer may give them to the model.* Use scoring=None"
    ):
        model.fit(in_chunks(x), z)


@pytest.mark.parametrize("form", [in_chunks, by_dask])
def test_a_sweep_over_data_in_chunks_is_kept(data, form, tmp_path):
    x, z, _ = data
    model = MultinomialPULasso(0.05, scenario="single-training-set", label_frequency=0.7)
    expected = sensitivity_sweep(model, x, z, [0.7, 0.8], progress=False)
    for _ in range(2):
        sweep = sensitivity_sweep(model, form(x), z, [0.7, 0.8], checkpoint=tmp_path, progress=False)
        np.testing.assert_allclose(sweep.coefs, expected.coefs, atol=1e-5)


def test_names_of_columns_are_part_of_the_fingerprint(data):
    dd = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    import pandas as pd

    from pulasso.runs import fingerprint

    frames = [pd.DataFrame(data[0][:, :2], columns=names) for names in (["a", "b"], ["a", "b"], ["a", "c"])]
    first, same, other = (fingerprint(dd.from_pandas(frame, npartitions=2)) for frame in frames)
    assert first == same != other
