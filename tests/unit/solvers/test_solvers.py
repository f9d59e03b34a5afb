"""Solvers where their answer is known or their way there matters."""

from dataclasses import replace

import numpy as np
import pytest

from pulasso import Groups, MultinomialPULasso, fit_path
from pulasso.exceptions import ConvergenceWarning
from pulasso.problem import Params
from pulasso.responses import Multinomial
from pulasso.scenarios import FullyObserved
from pulasso.solvers import SOLVERS, solve_em, solve_proximal_gradient
from support.cases import BY_SCENARIO, LabelSample
from support.groups import rows
from support.problems import make_problem, random_problem, solve_at_lam

every_solver = pytest.mark.parametrize("solver", SOLVERS)


@every_solver
def test_one_binary_feature_has_a_closed_form(solver):
    # Two cells and two parameters: without penalty the log odds are those of the cells.
    x = np.repeat([0.0, 0.0, 1.0, 1.0], [30, 10, 15, 45])[:, None]
    codes = np.repeat([0, 1, 0, 1], [30, 10, 15, 45])
    sample = LabelSample.of(FullyObserved(), codes, np.ones(100), 1)
    problem, null = make_problem(x, sample, Multinomial(1), Groups.rows())
    result = solve_at_lam(solver, problem.at_lam(0.0), null, tol=1e-10)
    theta, offset = problem.design.to_original(result.params.theta)
    assert theta[0, 0] == pytest.approx(np.log(45 / 15) - np.log(10 / 30), abs=1e-7)
    assert result.params.offsets[0] + offset[0] == pytest.approx(np.log(10 / 30), abs=1e-7)


@every_solver
@pytest.mark.parametrize("response", ["multinomial", "ordinal"])
def test_a_start_far_from_the_null_model_is_no_obstacle(solver, response):
    problem, null = random_problem(response, BY_SCENARIO[2], rows, n=80, p=6, n_positive=2, seed=1)
    far = Params(null.theta + 3.0, 2.0 * null.offsets)
    near = solve_at_lam(solver, problem, null, tol=1e-8)
    found = solve_at_lam(solver, problem, far, tol=1e-8)
    assert near.converged and found.converged
    assert found.objective == pytest.approx(near.objective, abs=1e-8)


@every_solver
def test_without_intercept(solver):
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 3, 60)
    sample = LabelSample.of(FullyObserved(), codes, np.ones(60), 2)
    response = Multinomial(2, fit_intercept=False)
    problem, null = make_problem(rng.normal(size=(60, 4)), sample, response, Groups.rows())
    result = solve_at_lam(solver, problem.at_lam(0.1 * problem.lam_max), null, tol=1e-8)
    assert result.converged and result.params.offsets.shape == (0,)


@every_solver
def test_an_unreachable_tolerance_ends_with_a_word_about_it(solver):
    problem, null = random_problem("ordinal", BY_SCENARIO[1], rows, n=80, p=6, n_positive=2, seed=3)
    result = solve_at_lam(solver, problem, null, tol=1e-300, max_iter=150)
    assert not result.converged
    assert result.kkt <= 1e-9
    assert "accuracy" in result.message or "max_iter" in result.message


def test_acceleration_saves_iterations_and_changes_nothing_else():
    problem, null = random_problem(
        "multinomial", BY_SCENARIO[0], rows, n=100, p=40, n_positive=2, seed=4, lam_ratio=0.1
    )
    fast = solve_proximal_gradient(problem, null, tol=1e-7)
    plain = solve_proximal_gradient(problem, null, tol=1e-7, accelerated=False)
    assert fast.n_iter < plain.n_iter
    assert fast.objective == pytest.approx(plain.objective, abs=1e-8)


@pytest.mark.parametrize("response", ["multinomial", "ordinal"])
def test_the_iterations_of_the_paper_end_where_ours_do(response):
    problem, null = random_problem(
        response, BY_SCENARIO[1], rows, n=200, p=6, n_positive=2, seed=6, lam_ratio=0.3
    )
    ours = solve_proximal_gradient(problem, null, tol=1e-6)
    paper = solve_proximal_gradient(problem, null, tol=1e-6, accelerated=False, preconditioned=False)
    assert paper.converged
    assert paper.n_iter > ours.n_iter
    assert paper.objective == pytest.approx(ours.objective, abs=1e-9)
    objectives = [record.objective for record in paper.history]
    assert all(np.diff(objectives) <= 1e-12)


def test_one_iteration_of_the_paper_is_one_step_for_all_parameters():
    """Its step is a power of one half, the same for coefficients and intercepts (eq. pgd-MN)."""
    problem, null = random_problem(
        "multinomial", BY_SCENARIO[1], rows, n=200, p=6, n_positive=2, seed=6, lam_ratio=0.3
    )
    start = Params(null.theta, null.offsets + 0.3)
    once = solve_proximal_gradient(problem, start, max_iter=1, accelerated=False, preconditioned=False)
    grad = problem.gradient(problem.at(start))
    steps = (start.offsets - once.params.offsets) / grad.offsets
    np.testing.assert_allclose(steps, steps[0])
    assert np.log2(steps[0]) == pytest.approx(round(np.log2(steps[0])))
    expected = problem.penalty.prox(start.theta - steps[0] * grad.theta, float(steps[0]), problem.lam)
    np.testing.assert_allclose(once.params.theta, expected, atol=1e-12)


@pytest.mark.parametrize("response", ["multinomial", "ordinal"])
def test_em_is_one_m_step_where_nothing_is_hidden(response):
    problem, null = random_problem(response, BY_SCENARIO[2], rows, n=80, p=6, n_positive=2, seed=5)
    em = solve_em(problem, null, tol=1e-8)
    direct = solve_proximal_gradient(problem, null, tol=1e-8)
    assert em.n_iter <= 10
    assert em.objective == pytest.approx(direct.objective, abs=1e-10)


@pytest.mark.parametrize("response", ["multinomial", "ordinal"])
@pytest.mark.parametrize("case", BY_SCENARIO[:2], ids=repr)
def test_em_and_gradient_agree_on_presence_only_data(case, response):
    problem, null = random_problem(response, case, rows, n=200, p=6, n_positive=2, seed=6, lam_ratio=0.3)
    em = solve_em(problem, null, tol=1e-7)
    direct = solve_proximal_gradient(problem, null, tol=1e-7)
    assert em.objective == pytest.approx(direct.objective, abs=1e-9)
    np.testing.assert_allclose(em.params.theta, direct.params.theta, atol=1e-4)


def test_em_with_solved_m_steps_takes_fewer_e_steps_to_the_same_point():
    problem, null = random_problem("multinomial", BY_SCENARIO[0], rows, n=200, p=6, n_positive=2, seed=6)
    early = solve_em(problem, null, tol=1e-7)
    solved = solve_em(problem, null, tol=1e-7, m_step_tol=1e-8)
    assert solved.converged
    assert solved.n_iter < early.n_iter
    np.testing.assert_allclose(solved.params.theta, early.params.theta, atol=1e-4)
    one = solve_em(problem, null, max_iter=1, m_step_tol=1e-8).params
    m_step = replace(problem, loss=problem.loss.complete(problem.response.log_odds(*_linear(problem, null))))
    assert m_step.kkt_violation(one, m_step.gradient(m_step.at(one))) <= 1e-8


def _linear(problem, params):
    point = problem.at(params)
    return point.linear, point.params.offsets


@pytest.mark.slow
def test_em_goes_on_when_an_m_step_ran_out_of_iterations(monkeypatch):
    monkeypatch.setattr("pulasso.solvers.em.M_STEP_ITERATIONS", 3)
    rng = np.random.default_rng(2)
    x, codes = rng.normal(size=(80, 4)) * 10.0 ** np.arange(4), rng.integers(0, 3, 80)
    how = {"scenario": "single-training-set", "label_frequency": 0.8, "lam": 1e-3, "standardize": False}
    with pytest.warns(ConvergenceWarning, match="max_iter=60"):
        MultinomialPULasso(solver="em", max_iter=60, **how).fit(x, codes)


@pytest.mark.parametrize("total", [0.7, 0.9])
def test_niches_in_a_correlated_climate_do_not_stall_the_default(total):
    """Five species, raw quadratic features far from zero, and assumed shares that leave little room for class 0."""
    rng = np.random.default_rng(0)
    climate = 8.0 + rng.normal(size=(6_000, 1)) + 0.3 * rng.normal(size=(6_000, 6))
    x = np.hstack([climate, climate**2, climate[:, :5] * climate[:, 1:]])
    niches = np.exp(-((climate[:, :1] - np.linspace(6.0, 10.0, 5)) ** 2))
    species = np.argmax(niches / niches.max(axis=0) + 0.5 * rng.random(niches.shape), axis=1)
    is_record = rng.random(len(x)) < 0.6 * niches[np.arange(len(x)), species]
    y = np.where(is_record, 1 + species, 0)
    share = np.bincount(species, minlength=5) / len(x)
    known = {"scenario": "case-control", "prevalence": total * share}
    path = fit_path(x, y, n_lams=8, **known)
    assert path.converged.all()
    assert path.n_iter.max() < 60 and path.n_iter.sum() < 150
