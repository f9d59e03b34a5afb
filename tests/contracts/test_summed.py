"""The solver of sums, on its own: it sees sums only, and its answers are those of the working set."""

import numpy as np
import pytest
from pulasso.chunked import ChunkedProblem, MeasuredChunks

from pulasso.data.chunks import ArraySource, LocalChunks
from pulasso.design import StandardizedDesign
from pulasso.problem import Params
from pulasso.solvers import Sums, solve_summed_path, solve_working_set_path
from support.brute_force import kkt_violation
from support.cases import BY_SCENARIO
from support.groups import MULTINOMIAL_GROUPS, ORDINAL_GROUPS, rows
from support.problems import random_problem

TOL = 1e-7
KINDS = [("multinomial", each) for each in MULTINOMIAL_GROUPS]
KINDS += [("ordinal", each) for each in ORDINAL_GROUPS]


class SummedByHand:
    """The sums of a problem in memory, by their definitions."""

    def __init__(self, problem):
        self.problem, self.response, self.penalty = problem, problem.response, problem.penalty
        self.kkt_scale = problem.kkt_scale

    def evaluate(self, params, entries=None, exact=0.0):
        point = self.problem.at(params)
        sums = Sums(point.loss, self.problem.gradient(point))
        if entries is None:
            return sums
        return Sums(sums.loss, sums.gradient, self._hessian(point, entries, exact))

    def _hessian(self, point, entries, exact):
        loss, response = self.problem.loss, self.response
        eta = response.log_odds(point.linear, point.params.offsets)
        grad_eta = exact * loss.value_and_grad(eta)[1]
        args = (point.linear, point.params.offsets, grad_eta, loss.curvature(eta, exact), loss.share)
        second, n_offsets = response.second_order(*args), len(point.params.offsets)
        design = self.problem.design
        x = (design.base.x - design.mean) / design.scale
        hessian = np.empty((n_offsets + len(entries.rows),) * 2)
        hessian[:n_offsets, :n_offsets] = second.oo
        for i, (j, k) in enumerate(zip(entries.rows, entries.outputs, strict=True), start=n_offsets):
            hessian[i, :n_offsets] = hessian[:n_offsets, i] = x[:, j] @ second.uo(k)
            for i2, (j2, k2) in enumerate(zip(entries.rows, entries.outputs, strict=True), start=n_offsets):
                hessian[i, i2] = x[:, j] @ (second.uu(min(k, k2), max(k, k2)) * x[:, j2])
        return hessian


def in_chunks(problem):
    """Return the same problem, its rows in chunks."""
    design, loss = problem.design, problem.loss
    measured = MeasuredChunks(LocalChunks(ArraySource(design.base.x, 50)), loss.codes, loss.weight)
    parts = StandardizedDesign(measured, design.mean, design.scale), problem.response, loss.label_model
    return ChunkedProblem(*parts, problem.penalty, float(loss.weight.sum()), lam_max=problem.lam_max)


@pytest.mark.parametrize(("response", "groups"), KINDS, ids=lambda each: getattr(each, "__name__", each))
def test_the_answers_are_those_of_the_working_set(response, groups):
    case = next(each for each in BY_SCENARIO if each.name == "fully-observed")  # convex: there is one answer
    problem, null = random_problem(response, case, groups, n=120, p=15, n_positive=2, seed=1)
    lams = problem.lam_max * np.array([0.7, 0.4, 0.2])
    expected = list(solve_working_set_path(problem, null, lams, tol=TOL))
    found = list(solve_summed_path(SummedByHand(problem), null, lams, tol=TOL))
    for lam, ours, theirs in zip(lams, found, expected, strict=True):
        assert ours.converged and ours.message == "converged"
        assert ours.objective == pytest.approx(theirs.objective, rel=1e-9)
        assert kkt_violation(problem.at_lam(lam), ours.params) <= TOL * (1 + 1e-6)


@pytest.mark.parametrize("by", [SummedByHand, in_chunks])
@pytest.mark.parametrize("response", ["multinomial", "ordinal"])
def test_no_block_is_needed_where_only_free_parameters_are_off(response, by):
    problem, null = random_problem(response, BY_SCENARIO[0], rows, n=120, p=15, n_positive=2, seed=1)
    summed, lams = by(problem), problem.lam_max * np.array([10.0])
    asked, evaluate = [], summed.evaluate

    def spy(params, entries=None, exact=0.0):
        asked.append(None if entries is None else len(entries.rows))
        return evaluate(params, entries, exact)

    object.__setattr__(summed, "evaluate", spy)  # one of the two is frozen
    start = Params(null.theta, null.offsets + 0.3)
    found = next(solve_summed_path(summed, start, lams, tol=TOL))
    expected = next(solve_working_set_path(problem, start, lams, tol=TOL))
    assert 0 in asked and set(asked) <= {0, None}
    assert found.converged and not found.params.theta.any()
    assert found.objective == pytest.approx(expected.objective, rel=1e-10)
    np.testing.assert_allclose(found.params.offsets, null.offsets, atol=1e-5)
