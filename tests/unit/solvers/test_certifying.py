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
    monkeypatch.setattr(_certifying, "WIDE", 0)


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


def exact_gradient(problem, grad_linear):
    """Return the gradient as double precision reads it."""
    design, x = problem.design, problem.design.base.x
    x = (x.toarray() if sparse.issparse(x) else x).astype(np.float64)
    return ((x - design.mean) / design.scale).T @ grad_linear


@pytest.mark.parametrize("storage", ["single", "single sparse"])
@pytest.mark.parametrize("known", ["apart", "nearly equal", "identical"])
def test_single_precision_far_from_zero_is_not_trusted_too_far(storage, known):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(400, 300)) + np.repeat([0.0, 30.0, 1000.0], 100)
    y = np.argmax(np.column_stack([np.zeros(400), 2.0 * x[:, :2]]) + rng.gumbel(size=(400, 3)), axis=1)
    x = x.astype(np.float32)
    data = PUData.read(sparse.csc_array(x) if "sparse" in storage else x, y)
    problem = build_problem(data, scenario="single-training-set", label_frequency=0.9)

    def away(step):
        theta = np.zeros(problem.shape)
        theta[:2] = step
        return problem.at(Params(theta, problem.null.offsets))

    gradients = Gradients(problem, problem.at(problem.null), problem.null_gradient)
    assert gradients.bounds
    gradients._read([away({"apart": 0.3, "nearly equal": 1e-7, "identical": 0.0}[known]), away(0.0)])
    penalty, outside, n_certain = problem.penalty, np.arange(300) >= 2, 0
    for step in (0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.1, 0.31):
        point = away(step)
        exact = exact_gradient(problem, point.grad_linear)
        critical = penalty.critical_lams(exact)
        for j in range(2, 300, 11):  # just below the lam at which block j enters
            lam = float(critical[j]) * (1.0 - 1e-9)
            certain = outside.copy()
            certain[gradients._bounded(point, lam, outside)[1]] = False
            n_certain += certain.sum()
            assert not (penalty.subdiff_distance(np.zeros(problem.shape), exact, lam)[certain] > 0).any()
    assert n_certain > 0.05 * 7 * 28 * 300


def test_a_plane_through_nearly_equal_points_is_not_followed_far():
    problem = problem_of()
    points = [problem.null.theta.copy() for _ in range(3)]
    for theta, step in zip(points, (0.0, 1e-4, 0.5), strict=True):
        theta[:2] = step
    null, near, far = (problem.at(Params(theta, problem.null.offsets)) for theta in points)
    gradients = Gradients(problem, near, problem.gradient(near).theta)
    gradients._read([null])
    found, _ = gradients._nearest(far.grad_linear)
    np.testing.assert_array_equal(found, gradients._known[-1][1])
    assert found is not gradients._known[-1][1]  # what is read goes into a copy


@pytest.mark.parametrize(("storage", "bounds"), [
    (np.asfortranarray, True), (np.ascontiguousarray, True), (sparse.csc_array, True), (sparse.csr_array, False),
])  # fmt: skip
def test_sparse_rows_are_read_as_they_lie(storage, bounds):
    data = PUData.read(storage(np.random.default_rng(0).normal(size=(90, 2))), np.arange(90) % 2)
    problem = build_problem(data, scenario="single-training-set", label_frequency=0.9)
    assert Gradients(problem, problem.at(problem.null), problem.null_gradient).bounds == bounds


@pytest.mark.parametrize("n", [1, 2, 3, 4, 16])
@pytest.mark.parametrize("few", [1e-9, 0.2, 1.0])
def test_every_point_gets_its_own_gradient(n, few):
    problem, rng = problem_of(), np.random.default_rng(3)
    gradients = Gradients(problem, problem.at(problem.null), problem.null_gradient)
    gradients._few, theta, points = few, np.zeros(problem.shape), []
    for _ in range(n):
        theta[:5] += 0.1 * rng.normal(size=(5, 2))
        points.append(problem.at(Params(theta.copy(), problem.null.offsets)))
    lams, outside = np.full(n, 1e-9), np.arange(300) >= 5  # all of them are in doubt
    for point, found in zip(points, gradients.at(points, lams, outside), strict=True):
        np.testing.assert_allclose(
            found[outside], problem.gradient(point).theta[outside], rtol=1e-9, atol=1e-15
        )
