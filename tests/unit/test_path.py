"""Paths: the grid, the exact lam_max, warm starts, and free groups that the null model fits."""

from dataclasses import replace

import numpy as np
import pytest

from pulasso import Groups, MultinomialPULasso, fit_path
from pulasso.build import scale_by_null
from pulasso.path import lam_grid, lams_down_to, solve_path
from pulasso.solvers import SOLVERS, along_path, solve_proximal_gradient
from support.brute_force import kkt_violation
from support.cases import BY_SCENARIO
from support.groups import entries, rows, weighted_column_sets
from support.problems import random_problem

every_solver = pytest.mark.parametrize("solver", SOLVERS)
every_case = pytest.mark.parametrize("case", BY_SCENARIO, ids=repr)
every_response = pytest.mark.parametrize("response", ["multinomial", "ordinal"])


# -- grids -------------------------------------------------------------------------------------------------


def test_grid_is_geometric_from_the_top():
    grid = lam_grid(2.0, 5, 0.01)
    assert grid[0] == 2.0 and grid[-1] == pytest.approx(0.02)
    np.testing.assert_allclose(grid[1:] / grid[:-1], 0.01**0.25)


def test_grid_without_a_scale_is_zero():
    np.testing.assert_array_equal(lam_grid(0.0, 3), np.zeros(3))


def test_grid_of_one():
    np.testing.assert_allclose(lam_grid(0.7, 1), [0.7])


@pytest.mark.parametrize("ratio", [0.999, 0.7, 0.5, 0.01, 1e-5, 0.0])
def test_the_way_down_ends_at_lam_in_small_steps(ratio):
    lam_max = 0.3
    way = lams_down_to(ratio * lam_max, lam_max)
    assert way[-1] == ratio * lam_max
    assert (np.diff(way) < 0).all()
    assert way[0] < lam_max and way[0] >= 0.5 * lam_max * min(1.0, ratio / 0.5)
    above = way[way >= 1e-3 * lam_max]
    assert (above[1:] / above[:-1] > 0.6).all()


@pytest.mark.parametrize("lam", [0.3, 0.4, 100.0])
def test_above_lam_max_there_is_no_way_down(lam):
    np.testing.assert_array_equal(lams_down_to(lam, 0.3), [lam])


# -- lam_max -----------------------------------------------------------------------------------------------


@every_case
@every_response
@pytest.mark.parametrize("groups", [rows, entries], ids=lambda groups: groups.__name__)
def test_lam_max_is_exact(response, case, groups):
    problem, null = random_problem(response, case, groups, n=100, p=10, n_positive=2, seed=4)
    lams = problem.lam_max * np.array([1.0, 0.999])
    top, below = solve_path(problem, lams, tol=1e-8, max_iter=1000)
    assert not top.params.theta.any() and top.converged
    assert below.params.theta.any() and below.converged


def test_data_without_signal_have_no_lam_max():
    # Constant columns have no gradient at all: nothing to scale by, nothing to fit.
    model = MultinomialPULasso(lam=0.0, scenario="fully-observed").fit(np.ones((6, 2)), [0, 1, 0, 1, 0, 1])
    assert model.lam_max_ == 0.0 and model.converged_
    assert not model.coef_.any()


def test_weights_divide_lam_max():
    case = BY_SCENARIO[0]
    problem, _ = random_problem("ordinal", case, rows, n=100, p=6, n_positive=2, seed=5)
    heavy, _ = random_problem(
        "ordinal", case, lambda rng, p, m: Groups.rows(weights=2.0), n=100, p=6, n_positive=2, seed=5
    )
    assert heavy.lam_max == pytest.approx(problem.lam_max / 2.0, rel=1e-12)


# -- free groups -------------------------------------------------------------------------------------------


@every_case
@every_response
def test_the_null_model_fits_unpenalised_groups(response, case):
    problem, null = random_problem(response, case, weighted_column_sets, n=150, p=12, n_positive=2, seed=6)
    weights, index = problem.penalty.blocks.weights, problem.penalty.blocks.index
    assert null.theta[(weights == 0)[index]].all()
    assert not null.theta[(weights > 0)[index]].any()
    assert kkt_violation(problem.at_lam(problem.lam_max), null) <= 1e-6
    just_below = next(solve_path(problem, [0.999 * problem.lam_max], tol=1e-8, max_iter=1000))
    assert just_below.params.theta[(weights > 0)[index]].any()


def test_no_penalty_at_all():
    problem, null = random_problem(
        "multinomial",
        BY_SCENARIO[2],
        lambda rng, p, m: Groups.rows(weights=0.0),
        n=200,
        p=3,
        n_positive=2,
        seed=7,
    )
    assert problem.lam_max == 0.0 and problem.kkt_scale == 1.0
    assert kkt_violation(problem, null) <= 1e-8


# -- along the path ----------------------------------------------------------------------------------------


@every_solver
@every_response
def test_every_solution_is_certified(response, solver):
    problem, null = random_problem(response, BY_SCENARIO[1], entries, n=90, p=12, n_positive=2, seed=8)
    lams = lam_grid(problem.lam_max, 4, 0.1)
    results = list(solve_path(problem, lams, solver=solver, tol=1e-6, max_iter=5000))
    assert len(results) == 4
    for lam, result in zip(lams, results, strict=True):
        assert result.converged
        assert kkt_violation(problem.at_lam(lam), result.params) <= 1e-6 * (1 + 1e-6)
        assert result.objective == pytest.approx(problem.at_lam(lam).at(result.params).objective, rel=1e-10)
    objectives = [result.objective for result in results]
    assert (np.diff(objectives) < 0).all()  # a smaller lam makes every model cheaper


@every_solver
def test_tolerances_may_differ(solver):
    problem, null = random_problem("multinomial", BY_SCENARIO[2], rows, n=100, p=10, n_positive=2, seed=9)
    lams, tols = lam_grid(problem.lam_max, 3, 0.2), [1e-2, 1e-3, 1e-9]
    results = list(solve_path(problem, lams, solver=solver, tol=tols, max_iter=5000))
    for result, tol in zip(results, tols, strict=True):
        assert result.kkt <= tol


def test_each_solution_is_the_start_of_the_next():
    problem, null = random_problem("multinomial", BY_SCENARIO[0], rows, n=60, p=5, n_positive=1, seed=10)
    starts = []

    def spy(at_lam, start, **settings):
        starts.append(start)
        return solve_proximal_gradient(at_lam, start, **settings)

    lams = lam_grid(problem.lam_max, 4, 0.3)
    results = list(along_path(spy)(problem, null, lams, tol=1e-6, max_iter=1000))
    assert starts[0] is null
    assert all(start is result.params for start, result in zip(starts[1:], results, strict=False))


def test_a_wrong_lam_max_is_not_used():
    problem, null = random_problem("ordinal", BY_SCENARIO[1], rows, n=60, p=5, n_positive=2, seed=11)
    wrong = replace(problem, lam=123.0, lam_max=456.0)
    log_odds = problem.response.log_odds(np.zeros((1, 1)), null.offsets)[0]
    again = scale_by_null(wrong, log_odds)
    assert again.lam_max == pytest.approx(problem.lam_max, rel=1e-9)
    np.testing.assert_allclose(again.null.offsets, null.offsets, rtol=1e-9)


@every_solver
def test_fit_path_and_single_fits_agree(solver):
    rng = np.random.default_rng(12)
    x = rng.normal(size=(150, 8))
    y = np.where(rng.random(150) < 0.6, np.digitize(x[:, 0] + rng.logistic(size=150), [0.0, 1.0]), 0)
    settings = {"scenario": "single-training-set", "label_frequency": 0.7, "solver": solver, "tol": 1e-8}
    path = fit_path(x, y, n_lams=5, lam_min_ratio=0.3, **settings)
    assert path.n_active[0] == 0 and path.n_active[-1] > 0
    for i, lam in enumerate(path.lams):
        model = MultinomialPULasso(lam=lam, **settings).fit(x, y)
        assert model.objective_ == pytest.approx(path.objective[i], rel=1e-8)
        np.testing.assert_allclose(model.coef_, path.coefs[i], atol=1e-4)
