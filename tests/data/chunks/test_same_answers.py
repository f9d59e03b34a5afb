"""Data in chunks give the answers of data in memory, whatever the chunks."""

import numpy as np
import pytest
from scipy import sparse

import pulasso
from pulasso import Groups, MultinomialPULasso, MultinomialPULassoCV, OrdinalPULasso, fit_path
from pulasso.data.chunks import ArraySource, LocalChunks, as_chunked
from pulasso.datasets import simulate_multinomial

N, P = 700, 12
SCENARIOS = {
    "case-control": {"scenario": "case-control", "prevalence": [0.2, 0.3]},
    "single-training-set": {"scenario": "single-training-set", "label_frequency": 0.7},
    "fully-observed": {"scenario": "fully-observed"},
}
RESPONSES = ("multinomial", "ordinal")


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(N, P)) * np.geomspace(0.1, 10.0, P) + rng.normal(size=P)
    x[:, 5] = 3.0  # constant
    latent = (x[:, 0] - x[:, 0].mean()) / 0.1 + rng.logistic(size=N)
    z = np.searchsorted([0.0, 1.5], latent)
    return x, np.where(rng.random(N) < 0.5, z, 0), rng.integers(0, 4, N).astype(float)


def in_chunks(x, rows, n_threads=1):
    return LocalChunks(ArraySource(x, rows), n_threads)


def assert_same(path, expected):
    np.testing.assert_allclose(path.objective, expected.objective, rtol=1e-9)
    np.testing.assert_allclose(path.coefs, expected.coefs, atol=1e-6 * np.abs(expected.coefs).max())
    np.testing.assert_allclose(path.lam_max, expected.lam_max, rtol=1e-10)
    assert path.converged.all()


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("response", RESPONSES)
def test_local_pieces(data, response, scenario):
    x, z, weight = data
    settings = {
        "response": response,
        "n_lams": 5,
        "tol": 1e-8,
        "sample_weight": weight,
        **SCENARIOS[scenario],
    }
    expected = fit_path(x, z, **settings)
    for rows in (1, 97, N):
        if rows > 1 or response == "ordinal":  # chunks of one row take a while; once is enough
            assert_same(fit_path(in_chunks(x, rows), z, **settings), expected)


def test_threads_change_nothing(data):
    x, z, _ = data
    fits = [fit_path(in_chunks(x, 50, n), z, n_lams=4, scenario="fully-observed") for n in (1, 3)]
    np.testing.assert_array_equal(fits[0].coefs, fits[1].coefs)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_without_centring_or_scaling(data, standardize, fit_intercept):
    x, z, _ = data
    settings = {"standardize": standardize, "fit_intercept": fit_intercept, "n_lams": 3, "tol": 1e-8}
    settings |= SCENARIOS["single-training-set"]
    assert_same(fit_path(in_chunks(x, 200), z, **settings), fit_path(x, z, **settings))


def test_groups_of_all_kinds(data):
    x, z, _ = data
    sets = [[0, 1], [2, 3, 4], [5], [6, 7, 8, 9, 10, 11]]
    for groups in (
        Groups.from_columns(sets, weights=[0.0, 1.0, 1.0, np.inf]),
        Groups.rows(symmetric=True),
        "entries",
    ):
        settings = {"groups": groups, "n_lams": 3, "tol": 1e-8, **SCENARIOS["case-control"]}
        assert_same(fit_path(in_chunks(x, 200), z, **settings), fit_path(x, z, **settings))


def test_one_lam_and_predictions(data):
    x, z, _ = data
    for estimator in (MultinomialPULasso, OrdinalPULasso):
        model = estimator(lam=0.02, tol=1e-8, **SCENARIOS["single-training-set"])
        whole, parts = model.fit(x, z).predict_proba(x), model.fit(in_chunks(x, 99), z)
        np.testing.assert_allclose(parts.predict_proba(in_chunks(x, 50)), whole, atol=1e-6)
        assert parts.n_features_in_ == P


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.LabelFrequencyWarning")
@pytest.mark.parametrize("estimator", [MultinomialPULasso, OrdinalPULasso])
def test_label_frequencies_too_low_for_a_null_model(estimator):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 6))
    y = np.searchsorted([-1.0, 0.3], x[:, 0] + rng.logistic(size=200))  # two of three rows are labelled
    for lam in (0.005, 0.3):  # at the larger one no block is ever wanted
        model = estimator(lam, scenario="single-training-set", label_frequency=0.5)
        expected = model.fit(x, y).objective_
        assert model.fit(in_chunks(x, 60), y).objective_ == pytest.approx(expected, abs=1e-5)
        assert model.converged_


@pytest.mark.parametrize("kind", ["local", "dask"])
def test_cross_validation(data, kind, tmp_path):
    x, z, weight = data
    settings = {"cv": 3, "n_lams": 6, "tol": 1e-8, "random_state": 0, **SCENARIOS["single-training-set"]}
    expected = MultinomialPULassoCV(**settings).fit(x, z, sample_weight=weight)
    if kind == "local":
        parts = in_chunks(x, 150)
    else:
        parts = pytest.importorskip("dask.array").from_array(x, chunks=(200, 12))
    with pulasso.checkpoint(tmp_path):
        model = MultinomialPULassoCV(**settings).fit(parts, z, sample_weight=weight)
    np.testing.assert_allclose(model.cv_loss_, expected.cv_loss_, rtol=1e-6)
    assert model.lam_ == pytest.approx(expected.lam_, rel=1e-9)
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-5)
    if kind == "local":
        with pulasso.checkpoint(tmp_path):
            again = MultinomialPULassoCV(**settings).fit(in_chunks(x, 150), z, sample_weight=weight)
            other = MultinomialPULassoCV(**settings).fit(in_chunks(2 * x, 150), z, sample_weight=weight)
        np.testing.assert_array_equal(again.coef_, model.coef_)
        np.testing.assert_allclose(2 * other.coef_, model.coef_, atol=1e-5)
        assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("kind", ["npy", "zarr", "parquet"])
def test_files(data, tmp_path, kind):
    x, z, _ = data
    names = [f"feature {j}" for j in range(P)]
    file = tmp_path / f"x.{kind}"
    if kind == "npy":
        np.save(file, x)
    elif kind == "zarr":
        zarr = pytest.importorskip("zarr", reason="zarr is not installed")
        zarr.open(str(file), mode="w", shape=x.shape, chunks=(100, 5), dtype=x.dtype)[:] = x
    else:
        arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        import pyarrow.parquet

        table = arrow.table({name: x[:, j] for j, name in enumerate(names)})
        pyarrow.parquet.write_table(table, file, row_group_size=150)
    settings = {"n_lams": 4, "tol": 1e-8, **SCENARIOS["single-training-set"]}
    path = fit_path(as_chunked(file), z, **settings)
    assert_same(path, fit_path(x, z, **settings))
    if kind == "parquet":
        assert list(path.feature_names) == names


def test_single_precision_stays(data):
    x, z, _ = data
    single = x.astype(np.float32)
    path = fit_path(in_chunks(single, 100), z, n_lams=4, tol=1e-5, **SCENARIOS["fully-observed"])
    assert path.coefs.dtype == np.float32
    expected = fit_path(x, z, n_lams=4, **SCENARIOS["fully-observed"])
    np.testing.assert_allclose(path.objective, expected.objective, rtol=1e-4)


# -- dask ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def da():
    return pytest.importorskip("dask.array", reason="dask is not installed")


@pytest.mark.parametrize("chunks", [(700, 12), (123, 5), ((1, 399, 300), 12)], ids=str)
def test_dask_arrays(data, da, chunks):
    x, z, weight = data
    settings = {"n_lams": 4, "tol": 1e-8, "sample_weight": weight, **SCENARIOS["single-training-set"]}
    assert_same(fit_path(da.from_array(x, chunks=chunks), z, **settings), fit_path(x, z, **settings))


def test_dask_sparse_blocks(da):
    simulation = simulate_multinomial(300, 20, random_state=0)
    x = sparse.csr_matrix(np.where(np.abs(simulation.X) > 0.8, simulation.X, 0.0))
    blocks = da.from_array(x.toarray(), chunks=(100, 20)).map_blocks(sparse.csr_matrix)
    settings = {"scenario": "fully-observed", "n_lams": 3, "tol": 1e-8}
    assert_same(fit_path(blocks, simulation.y, **settings), fit_path(x, simulation.y, **settings))


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_missing_values_in_sparse_blocks_are_named(data, da, kind):
    x, z, _ = data
    broken = np.where(np.abs(x) > 1.0, x, 0.0)
    broken[300, 7] = np.nan
    blocks = da.from_array(broken, chunks=(100, P)).map_blocks(kind)
    with pytest.raises(ValueError, match=r"NaN or infinite values, in the columns 7\."):
        fit_path(blocks, z, **SCENARIOS["fully-observed"])


def test_dask_data_frames(data):
    dd = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    import pandas as pd

    x, z, _ = data
    frame = pd.DataFrame(x, columns=[f"feature {j}" for j in range(P)])
    model = MultinomialPULasso(lam=0.02, tol=1e-8, **SCENARIOS["single-training-set"])
    expected = model.fit(frame, z).predict_proba(frame)
    parts = model.fit(dd.from_pandas(frame, npartitions=3), z)
    assert list(parts.feature_names_in_) == list(frame.columns)
    np.testing.assert_allclose(parts.predict_proba(dd.from_pandas(frame, npartitions=2)), expected, atol=1e-6)


# -- wrong turns --------------------------------------------------------------------------------------------


def test_missing_values_are_named(data):
    x, z, _ = data
    broken = x.copy()
    broken[3, 7] = np.nan
    with pytest.raises(ValueError, match=r"NaN or infinite values, in the columns 7\. Impute"):
        fit_path(in_chunks(broken, 100), z, **SCENARIOS["fully-observed"])


def test_huge_values_are_named(data):
    x, z, _ = data
    broken = x.copy()
    broken[3, 7] = 1e308
    with pytest.raises(
        ValueError, match=r"X holds values beyond 1e\+150 in column 7: their squares overflow"
    ):
        fit_path(in_chunks(broken, 100), z, **SCENARIOS["fully-observed"])


def test_missing_values_in_new_rows_are_named(data):
    x, z, _ = data
    model = MultinomialPULasso(lam=0.1, **SCENARIOS["fully-observed"]).fit(in_chunks(x, 100), z)
    broken = x.copy()
    broken[130, 7] = np.nan
    with pytest.raises(
        ValueError, match="Row 130 of X holds missing or infinite values, or numbers so large"
    ):
        model.predict(in_chunks(broken, 100))


def test_columns_must_be_those_of_fit(data):
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    x, z, _ = data
    frame = pd.DataFrame(x[:, :3], columns=["a", "b", "c"])
    model = MultinomialPULasso(lam=0.1, scenario="fully-observed").fit(
        dd.from_pandas(frame, npartitions=2), z
    )
    with pytest.raises(ValueError, match="another order"):
        model.predict(dd.from_pandas(frame[["b", "a", "c"]], npartitions=2))


@pytest.mark.parametrize("solver", ["em", "proximal-gradient"])
def test_other_solvers(data, solver):
    x, z, _ = data
    settings = {"n_lams": 3, "lam_min_ratio": 0.3, "tol": 1e-6, **SCENARIOS["single-training-set"]}
    chunked = fit_path(in_chunks(x, 100), z, solver=solver, **settings)
    np.testing.assert_allclose(chunked.coefs, fit_path(x, z, **settings).coefs, atol=1e-4)


def test_labels_must_be_one_for_each_row(data):
    x, z, _ = data
    with pytest.raises(ValueError, match="X has 700 rows but y has 699 labels"):
        fit_path(in_chunks(x, 100), z[:-1], **SCENARIOS["fully-observed"])
