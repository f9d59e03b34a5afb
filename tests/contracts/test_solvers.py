"""Every solver: one certificate on 24 random problems, one objective where the problem is convex."""

from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise

import numpy as np
import pytest

from pulasso.problem import Params
from pulasso.responses import Ordinal
from pulasso.solvers import SOLVERS, along_path, solve_proximal_gradient
from support.brute_force import kkt_violation
from support.cases import BY_SCENARIO, Case
from support.groups import MULTINOMIAL_GROUPS, ORDINAL_GROUPS
from support.problems import random_problem

TOL = 1e-7
ROUNDING = 1e-12  # relative increase of F that is not an increase

# Samples, features and positive classes: more and fewer samples than features, one class to six.
SIZES = [
    (50, 5, 1),
    (300, 20, 2),
    (80, 200, 3),
    (500, 30, 4),
    (120, 60, 6),
    (150, 100, 1),
    (400, 10, 5),
    (60, 150, 2),
]
LAM_RATIOS = [0.5, 0.25, 0.12]

PLAIN = along_path(partial(solve_proximal_gradient, accelerated=False))
ALL_SOLVERS = {**SOLVERS, "plain-proximal-gradient": PLAIN}


def solve(solver, problem, start, **settings):
    """Solve one problem at its own lam."""
    settings = {"tol": 1e-6, "max_iter": 10_000, **settings}
    return next(ALL_SOLVERS[solver](problem, start, np.array([problem.lam]), **settings))


@dataclass(frozen=True)
class Setting:
    """A random problem by its ingredients."""

    number: int
    response: str
    case: Case
    groups: object

    def __repr__(self):
        return f"{self.response}-{self.case}-{self.groups.__name__}"

    @cache  # noqa: B019 - a handful of settings, alive as long as the tests
    def build(self):
        n, p, n_positive = SIZES[5 * self.number % len(SIZES)]
        return random_problem(
            self.response,
            self.case,
            self.groups,
            n=n,
            p=p,
            n_positive=n_positive,
            seed=self.number,
            lam_ratio=LAM_RATIOS[self.number % len(LAM_RATIOS)],
        )

    @cache  # noqa: B019
    def solve(self, solver):
        problem, null = self.build()
        return solve(solver, problem, null, tol=TOL, max_iter=2_000)


INGREDIENTS = [
    (response, case, groups)
    for response, kinds in (("multinomial", MULTINOMIAL_GROUPS), ("ordinal", ORDINAL_GROUPS))
    for case in BY_SCENARIO
    for groups in kinds
]
SETTINGS = [Setting(number, *each) for number, each in enumerate(INGREDIENTS)]
CONVEX = [setting for setting in SETTINGS if setting.case.name == "fully-observed"]
SOME = SETTINGS[::5]

on_all = pytest.mark.parametrize("setting", SETTINGS, ids=repr)
on_convex = pytest.mark.parametrize("setting", CONVEX, ids=repr)
on_some = pytest.mark.parametrize("setting", SOME, ids=repr)
by_every_solver = pytest.mark.parametrize("solver", ALL_SOLVERS)


def test_there_are_enough_problems():
    assert len(SETTINGS) >= 24
    shapes = {
        (*setting.build()[0].design.shape, setting.build()[0].response.n_positive) for setting in SETTINGS
    }
    assert shapes == set(SIZES)


@by_every_solver
@on_all
def test_certificate(setting, solver):
    problem, _ = setting.build()
    result = setting.solve(solver)
    assert result.converged and result.message == "converged"
    violation = kkt_violation(problem, result.params)
    assert violation <= TOL * (1 + 1e-6)
    assert result.kkt == pytest.approx(violation, rel=1e-4, abs=1e-12)


@by_every_solver
@on_all
def test_objective_never_increases(setting, solver):
    objectives = np.array([record.objective for record in setting.solve(solver).history])
    assert np.isfinite(objectives).all()
    assert (np.diff(objectives) <= ROUNDING * np.abs(objectives[:-1])).all()


@by_every_solver
@on_all
def test_result_tells_the_truth(setting, solver):
    problem, null = setting.build()
    result = setting.solve(solver)
    point = problem.at(result.params)
    assert result.objective == pytest.approx(point.objective, rel=1e-12)
    assert result.history[-1].objective == pytest.approx(result.objective, rel=1e-12)
    assert result.history[0].objective == pytest.approx(problem.at(null).objective, rel=1e-12)
    assert result.objective < problem.at(null).objective
    assert result.n_iter == result.history[-1].n_iter > 0
    excluded = np.isinf(problem.penalty.blocks.weights)[problem.penalty.blocks.index]
    assert not result.params.theta[excluded].any()


@on_convex
def test_solvers_agree_where_the_problem_is_convex(setting):
    objectives = [setting.solve(solver).objective for solver in ALL_SOLVERS]
    assert np.ptp(objectives) <= 1e-8


@by_every_solver
@pytest.mark.parametrize("setting", [s for s in SETTINGS if s.response == "ordinal"][::3], ids=repr)
def test_cutpoints_increase_at_every_iterate(setting, solver, monkeypatch):
    problem, null = setting.build()
    evaluated, log_odds = [], Ordinal.log_odds

    def spy(self, u, offsets):
        evaluated.append(offsets)
        return log_odds(self, u, offsets)

    monkeypatch.setattr(Ordinal, "log_odds", spy)
    result = solve(solver, problem, null, tol=TOL)
    assert len(evaluated) > 2
    assert all((offsets[1:] > 0).all() for offsets in evaluated)
    assert (np.diff(problem.response.cutpoints(result.params.offsets)) > 0).all()


@by_every_solver
@on_some
def test_running_out_of_iterations_is_said(setting, solver):
    problem, null = setting.build()
    result = solve(solver, problem, null, tol=1e-12, max_iter=2)
    assert not result.converged
    assert result.n_iter == 2
    assert "max_iter=2" in result.message
    assert result.kkt > 1e-12
    assert result.kkt == pytest.approx(kkt_violation(problem, result.params), rel=1e-6)


@by_every_solver
@on_some
def test_a_solution_needs_no_further_iteration(setting, solver):
    problem, _ = setting.build()
    solved = setting.solve(solver)
    again = solve(solver, problem, solved.params, tol=2 * TOL)
    assert again.converged and again.n_iter == 0
    np.testing.assert_array_equal(again.params.theta, solved.params.theta)


@by_every_solver
@on_some
def test_the_callback_sees_every_record_and_the_start_is_left_alone(setting, solver):
    problem, null = setting.build()
    start = Params(null.theta.copy(), null.offsets.copy())
    start.theta.flags.writeable = start.offsets.flags.writeable = False
    seen = []
    result = solve(solver, problem, start, tol=1e-4, callback=seen.append)
    # What a lam was solved by at last: before, blocks may have been missing.
    assert tuple(seen[-len(result.history) :]) == result.history
    steps = [record.n_iter for record in result.history]
    assert steps == sorted(steps)
    assert all(0.0 <= a.seconds <= b.seconds for a, b in pairwise(result.history))


@by_every_solver
@on_some
def test_at_lam_max_the_null_model_is_the_answer(setting, solver):
    problem, null = setting.build()
    at_the_top = solve(solver, problem.at_lam(problem.lam_max * (1 + 1e-9)), null, tol=TOL)
    assert at_the_top.converged and at_the_top.n_iter == 0
    below = solve(solver, problem.at_lam(0.999 * problem.lam_max), null, tol=1e-9)
    penalized = (problem.penalty.blocks.weights > 0)[problem.penalty.blocks.index]
    assert below.converged
    assert below.params.theta[penalized].any()
