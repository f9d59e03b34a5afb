"""Gradients that are known from bounds: never trusted too far, and read where they are in doubt."""

import numpy as np
import pytest
from scipy import sparse

from pulasso import PUData, build_problem
from pulasso.design import DenseDesign
from pulasso.penalties import PENALTIES, GroupLasso
from pulasso.problem import Params
from pulasso.solvers import _certifying
from pulasso.solvers._certifying import Gradients
from pulasso.solvers.working_set import solve_working_set

STORAGES = {
    "dense": np.asfortranarray,
    "by rows": np.ascontiguousarray,
    "single": lambda x: x.astype(np.float32),
    "sparse": lambda x: sparse.csc_array(np.where(x > 0.5, x, 0.0)),
}


@pytest.fixture(autouse=True)
def bounds_for_small_problems(monkeypatch):
    monkeypatch.setattr(_certifying, "MANY", 0)


def problem_of(storage="dense", **settings):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 300))
    y = np.argmax(np.column_stack([np.zeros(200), 2.0 * x[:, :2]]) + rng.gumbel(size=(200, 3)), axis=1)
    weight = rng.integers(0, 3, size=200).astype(float)  # rows without weight move nothing
    data = PUData.read(STORAGES[storage](x), y, sample_weight=weight)
    return build_problem(data, scenario="single-training-set", label_frequency=0.9, **settings)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("far", [0.01, 0.3, 3.0])
def test_what_may_violate_the_certificate_is_exact(storage, penalty, far):
    problem, rng = problem_of(storage, penalty=penalty), np.random.default_rng(1)
    null, active = problem.at(problem.null), rng.permutation(300)[:20]
    gradients = Gradients(problem, null, problem.null_gradient)
    outside = np.ones(300, dtype=bool)
    outside[active] = False
    points, lams = [], problem.lam_max * np.array([0.7, 0.6, 0.5, 0.4, 0.3])
    for size in np.linspace(0.2, 1.0, 5):
        theta = np.zeros(problem.shape)
        theta[active] = far * size * rng.normal(size=(20, problem.shape[1]))
        points.append(problem.at(Params(theta, problem.null.offsets)))
    zero = np.zeros(problem.shape)
    for point, lam, found in zip(points, lams, gradients.at(points, lams, outside), strict=True):
        exact = problem.gradient(point).theta
        expected, violation = (problem.penalty.subdiff_distance(zero, each, lam) for each in (exact, found))
        atol = 1e-5 if storage == "single" else 1e-12
        np.testing.assert_allclose(violation[outside], expected[outside], rtol=1e-5, atol=atol)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("settings", [{}, {"groups": "entries"}, {"response": "ordinal"}, {"standardized": False},
                                      {"fit_intercept": False}, {"anchor": 1.0}], ids=str)  # fmt: skip
def test_a_path_is_certified_in_all_columns(storage, settings):
    problem = problem_of(storage, **settings)
    lams = problem.lam_max * np.geomspace(1.0, 0.3, 15)
    for lam, solution in zip(lams, solve_working_set(problem, problem.null, lams), strict=True):
        here = problem.at_lam(lam)
        found = here.kkt_violation(solution.params, here.gradient(here.at(solution.params)))
        assert solution.converged
        assert found <= 1e-6
        assert solution.kkt == pytest.approx(found, abs=1e-6 if storage == "single" else 1e-10)


def test_a_fine_grid_reads_fewer_columns_than_it_has_lams(monkeypatch):
    problem, read = problem_of(), []
    whole = DenseDesign.rmatmul
    monkeypatch.setattr(
        DenseDesign, "rmatmul", lambda self, grad: read.append(self.shape[1]) or whole(self, grad)
    )
    lams = problem.lam_max * np.geomspace(1.0, 0.5, 30)
    assert all(solution.converged for solution in solve_working_set(problem, problem.null, lams))
    assert sum(read) < 0.5 * 300 * len(lams)


def test_a_penalty_of_a_users_own_is_certified_without_bounds():
    class OneSided(GroupLasso):
        name = "one-sided"

    problem = problem_of()
    own = type(problem)(problem.design, problem.response, problem.loss, problem.penalty)
    assert Gradients(own, problem.at(problem.null), problem.null_gradient).bounds
    object.__setattr__(problem.penalty, "formula", OneSided())
    assert not Gradients(own, problem.at(problem.null), problem.null_gradient).bounds
