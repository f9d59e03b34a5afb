"""Columns far from zero: used, or said to be left out, but never dropped without a word."""

import numpy as np
import pytest
from scipy import sparse

from pulasso import MultinomialPULasso, MultinomialPULassoCV, fit_path
from pulasso.data.chunks import ArraySource, LocalChunks
from pulasso.design import as_design, standardize
from pulasso.exceptions import ConvergenceWarning, NearlyConstantWarning

N = 200
RNG = np.random.default_rng(0)
U = RNG.normal(size=(N, 3))
Z = np.where(RNG.random(N) < 0.5, 0, U[:, 0] + RNG.logistic(size=N) > 0).astype(int)
STORAGES = {
    "dense": np.asarray,
    "fortran": np.asfortranarray,
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "chunks": lambda x: LocalChunks(ArraySource(x, 30)),
}
stored = pytest.mark.parametrize("storage", STORAGES)


def model():
    return MultinomialPULasso(0.01, scenario="fully-observed")


@stored
@pytest.mark.parametrize("dtype, mean", [(np.float32, 1e6), (np.float64, 1e15)])
def test_columns_that_rounding_hides_are_named(storage, dtype, mean):
    x = (U + [mean, 0.0, 0.0]).astype(dtype)
    with pytest.warns(NearlyConstantWarning, match="Column 0 .* precision of float") as caught:
        found = model().fit(STORAGES[storage](x), Z)
    assert len(caught) == 1
    assert found.coef_[0, 0] == 0 and found.warnings_ == [str(caught[0].message)]


@stored
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("constant", [0.1, 1e6, 1e15])
def test_constant_columns_are_left_out_without_a_word(storage, dtype, constant):
    x = U.astype(dtype)
    x[:, 0] = constant
    x[U[:, 1] > 1.5, 0] = -constant  # in rows without weight, or in none
    weight = np.where(U[:, 1] > 1.5, 0.0, RNG.random(N))
    found = model().fit(STORAGES[storage](x), Z, sample_weight=weight)
    assert found.coef_[0, 0] == 0 and found.feature_scale_[0] == 0 and not found.warnings_


@pytest.mark.parametrize("storage", ["dense", "fortran"])
@pytest.mark.parametrize("dtype, mean, atol", [(np.float32, 1e4, 1e-3), (np.float64, 1e12, 1e-3)])
def test_columns_that_can_be_used_are_used(storage, dtype, mean, atol):
    x = (U + [mean, 0.0, 0.0]).astype(dtype)
    found = model().fit(STORAGES[storage](x), Z)
    centred = model().fit(x.astype(float) - [mean, 0.0, 0.0], Z)
    np.testing.assert_allclose(found.coef_, centred.coef_, atol=atol)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_moments_of_sparse_columns_are_those_of_dense_ones(kind):
    x = (U * (RNG.random(U.shape) < 0.5)).astype(np.float32)
    x[:, 1] = U[:, 1] + 1e4
    weight = RNG.random(N)
    weight /= weight.sum()
    found, expected = (standardize(as_design(each), weight) for each in (kind(x), x.astype(float)))
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-6)
    np.testing.assert_allclose(found.scale, expected.scale, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning")
def test_folds_do_not_repeat_what_was_said_of_all_rows():
    x = (U + [1e15, 0.0, 0.0])[:100]
    with pytest.warns(NearlyConstantWarning) as caught:
        MultinomialPULassoCV(scenario="fully-observed", lams=[0.05, 0.03], cv=3, random_state=0).fit(
            x, Z[:100]
        )
    assert sum(issubclass(each.category, NearlyConstantWarning) for each in caught) == 1


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_a_sparse_column_far_from_zero_is_named_where_a_fit_does_not_converge(kind):
    x = (U + [0.0, 2e4, 0.0]).astype(np.float32)
    thin = kind(x)
    how = {"scenario": "fully-observed", "max_iter": 60}
    with pytest.warns(ConvergenceWarning, match="X is sparse, and column 1 lies far from zero") as caught:
        MultinomialPULasso(0.01, **how).fit(thin, Z)
    assert "Subtract the mean before making it sparse" in str(caught[0].message)
    with pytest.warns(ConvergenceWarning, match="column 1 lies far from zero"):
        fit_path(thin, Z, lams=[0.02, 0.01], **how)
    for remedy in (x, thin.astype(float), sparse.csr_array(U)):
        assert MultinomialPULasso(0.01, **how).fit(remedy, Z).converged_


def test_other_reasons_are_not_blamed_on_sparse_columns():
    with pytest.warns(ConvergenceWarning) as caught:
        MultinomialPULasso(0.01, scenario="fully-observed", max_iter=1, tol=1e-12).fit(sparse.csr_array(U), Z)
    assert "sparse" not in str(caught[0].message)
