"""The columns that every step reads: their products, and certificates that look at the others, too."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from pulasso import PUData, build_problem
from pulasso.design import as_design, column_store, standardize
from pulasso.solvers import _near
from pulasso.solvers._near import near_columns
from pulasso.solvers.prox_newton import ProxNewton
from pulasso.solvers.working_set import solve_working_set

N_SAMPLES, LOADED, SLOTS = 30, np.array([3, 8, 1, 6, 5]), np.array([4, 1, 4])


@pytest.fixture(params=["dense", "single", "sparse"])
def store(request, monkeypatch):
    monkeypatch.setattr(_near, "MANY", 0)
    x = np.random.default_rng(0).normal(size=(N_SAMPLES, 10))
    kinds = {"dense": x, "single": x.astype(np.float32), "sparse": sparse.csc_array(x * (x > 0))}
    store = column_store(standardize(as_design(kinds[request.param]), np.full(N_SAMPLES, 1.0 / N_SAMPLES)))
    store.load(LOADED)
    return store


def test_products_are_those_of_all_loaded_columns(store):
    near, rng = near_columns(store, SLOTS), np.random.default_rng(1)
    theta, grad = np.zeros((len(LOADED), 2)), np.asfortranarray(rng.normal(size=(N_SAMPLES, 2)))
    theta[SLOTS] = rng.normal(size=(3, 2))
    rtol = 1e-4 if store.design.dtype == np.float32 else 1e-12
    assert_allclose(near.matmul(theta), store.matmul(theta), rtol=rtol, atol=rtol)
    stale = rng.normal(size=theta.shape)
    renewed, whole = near.renew(stale, grad), store.rmatmul(grad)
    assert_allclose(renewed[[1, 4]], whole[[1, 4]], rtol=rtol, atol=rtol)
    assert np.array_equal(renewed[[0, 2, 3]], stale[[0, 2, 3]])


def test_most_of_the_columns_are_not_copied(store):
    assert near_columns(store, np.arange(3)) is None


@pytest.mark.parametrize("groups", ["rows", "entries"])
def test_solutions_are_certified_in_all_columns(groups, monkeypatch):
    narrow = []
    look = ProxNewton._certificate

    def noted(self, lam, tol, everywhere):
        narrow.append(self.oracle.is_narrow and not everywhere)
        return look(self, lam, tol, everywhere)

    monkeypatch.setattr(ProxNewton, "_certificate", noted)
    rng = np.random.default_rng(2)
    x = rng.normal(size=(400, 900)) + rng.normal(size=(400, 1))
    theta = np.zeros((900, 8))
    theta[:10] = rng.normal(size=(10, 8))
    y = np.argmax(np.column_stack([np.zeros(400), x @ theta]) + rng.gumbel(size=(400, 9)), axis=1)
    problem = build_problem(PUData.read(x, y), scenario="fully-observed", groups=groups)
    lams = problem.lam_max * np.geomspace(1.0, 0.2, 12)
    for lam, solution in zip(lams, solve_working_set(problem, problem.null, lams, tol=1e-7), strict=True):
        here = problem.at_lam(lam)
        found = here.kkt_violation(solution.params, here.gradient(here.at(solution.params)))
        assert solution.converged
        assert found <= 1e-7
        assert solution.kkt == pytest.approx(found, abs=1e-10)
    assert any(narrow)
