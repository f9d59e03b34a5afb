"""The two oracles of proximal Newton: chunks of rows give the answers of columns in memory."""

from dataclasses import replace

import numpy as np
import pytest

from pulasso.data.chunks import ArraySource, LocalChunks
from pulasso.design import ChunkedDesign
from pulasso.penalties import PENALTIES
from pulasso.problem import Params
from pulasso.solvers import SOLVERS, solve_working_set
from pulasso.solvers._chunked_oracle import ChunkedOracle
from pulasso.solvers.prox_newton import HESSIAN_MIX
from support.brute_force import kkt_violation
from support.cases import BY_SCENARIO
from support.groups import MULTINOMIAL_GROUPS, ORDINAL_GROUPS, rows
from support.problems import random_problem

TOL = 1e-7
KINDS = [("multinomial", each) for each in MULTINOMIAL_GROUPS]
KINDS += [("ordinal", each) for each in ORDINAL_GROUPS]
CONVEX = next(each for each in BY_SCENARIO if each.name == "fully-observed")  # there is one answer


def in_chunks(problem, n_rows=50):
    """Return the same problem, its rows in chunks."""
    loss, chunks = problem.loss, LocalChunks(ArraySource(problem.design.base.x, n_rows))
    model = loss.label_model
    by_row = (model.log_labeled, model.log_hidden) if model.is_by_row else (None, None)
    population = None if problem.anchor is None else problem.anchor.population
    base = ChunkedDesign(chunks, loss.weight, loss.codes, *by_row, population)
    return replace(problem, design=replace(problem.design, base=base))


@pytest.mark.parametrize(("response", "groups"), KINDS, ids=lambda each: getattr(each, "__name__", each))
def test_the_answers_are_those_of_memory(response, groups):
    problem, null = random_problem(response, CONVEX, groups, n=120, p=15, n_positive=2, seed=1)
    lams = problem.lam_max * np.array([0.7, 0.4, 0.2])
    expected = list(solve_working_set(problem, null, lams, tol=TOL))
    for ours, theirs in zip(
        solve_working_set(in_chunks(problem), null, lams, tol=TOL), expected, strict=True
    ):
        assert ours.converged and ours.message == "converged"
        assert ours.objective == pytest.approx(theirs.objective, rel=1e-9)
        assert kkt_violation(problem.at_lam(ours.lam), ours.params) <= TOL * (1 + 1e-6)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_every_penalty(penalty):
    problem, null = random_problem(
        "multinomial", BY_SCENARIO[1], rows, n=120, p=15, n_positive=2, seed=1, penalty=penalty
    )
    lams = problem.lam_max * np.geomspace(1.0, 0.3, 5)
    for solution in solve_working_set(in_chunks(problem), null, lams, tol=TOL):
        at_lam = problem.at_lam(solution.lam)
        gradient = at_lam.gradient(at_lam.at(solution.params))
        assert solution.converged and at_lam.kkt_violation(solution.params, gradient) <= 1.1 * TOL


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver(solver):
    """A chunked design is a design like any other."""
    problem, null = random_problem("ordinal", CONVEX, rows, n=80, p=6, n_positive=2, seed=1)
    lams = np.array([0.3 * problem.lam_max])
    expected = next(SOLVERS[solver](problem, null, lams, tol=TOL, max_iter=5000))
    found = next(SOLVERS[solver](in_chunks(problem), null, lams, tol=TOL, max_iter=5000))
    assert found.converged and found.objective == pytest.approx(expected.objective, rel=1e-9)


@pytest.mark.parametrize("response", ["multinomial", "ordinal"])
@pytest.mark.parametrize("mix", range(len(HESSIAN_MIX)))
def test_the_hessian_of_chunks_is_that_of_all_rows(response, mix):
    problem, null = random_problem(response, BY_SCENARIO[0], rows, n=120, p=6, n_positive=2, seed=2)
    oracle = ChunkedOracle(in_chunks(problem), null)
    oracle.mix = mix
    rng = np.random.default_rng(0)
    params = Params(0.3 * rng.normal(size=problem.shape), 1.1 * null.offsets)
    found = oracle.evaluate(params, np.arange(problem.blocks.n_blocks)).hessian
    second = problem.second_order(problem.at(params), HESSIAN_MIX[mix])
    x, n = problem.design.matmul(np.eye(problem.shape[0])), len(params.offsets)
    entries = [(j, k) for j in range(problem.shape[0]) for k in range(problem.shape[1])]
    for i, (j, k) in enumerate(entries, start=n):
        np.testing.assert_allclose(found[i, :n], x[:, j] @ second.uo(k), atol=1e-6)
        for i2, (j2, k2) in enumerate(entries, start=n):
            expected = x[:, j] @ (second.uu(min(k, k2), max(k, k2)) * x[:, j2])
            assert found[i, i2] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("response", ["multinomial", "ordinal"])
def test_no_block_is_needed_where_only_offsets_are_off(response):
    problem, null = random_problem(response, BY_SCENARIO[0], rows, n=120, p=15, n_positive=2, seed=1)
    lams, start = problem.lam_max * np.array([10.0]), Params(null.theta, null.offsets + 0.3)
    found = next(solve_working_set(in_chunks(problem), start, lams, tol=TOL))
    expected = next(solve_working_set(problem, start, lams, tol=TOL))
    assert found.converged and not found.params.theta.any()
    assert found.objective == pytest.approx(expected.objective, rel=1e-10)
    np.testing.assert_allclose(found.params.offsets, null.offsets, atol=1e-5)


def test_a_hessian_that_is_too_large_is_not_formed(monkeypatch):
    """The path goes on, with what to do in the words of every lam that cannot be solved."""
    problem, null = random_problem("multinomial", CONVEX, rows, n=120, p=15, n_positive=3, seed=1)
    lams = problem.lam_max * np.array([0.7, 0.4, 0.05])
    several = list(solve_working_set(in_chunks(problem), null, lams, tol=TOL))
    most = problem.response.n_positive * (2 + np.count_nonzero(several[1].params.theta.any(axis=1)))
    monkeypatch.setattr("pulasso.solvers._chunked_oracle.MOST_FORMED", most)
    found = list(solve_working_set(in_chunks(problem), null, lams, tol=TOL))
    assert found[1].converged
    np.testing.assert_allclose(found[1].params.theta, several[1].params.theta, atol=1e-6)
    assert not found[-1].converged
    assert "load the rows into memory" in found[-1].message
