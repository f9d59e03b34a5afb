"""The path of all rows in a cross-validation: beside the folds where a process would be idle, else after them."""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import arg
from pulasso.estimators._base import BasePULasso
from pulasso.path import solve_path
from pulasso.problem import Problem
from pulasso.restarts import MERGE_OBJECTIVE, naive_start
from pulasso.runs import n_processes, run_steps
from pulasso.solvers import Solution

__all__ = ["AllRows", "call"]


def call(function: Callable[..., dict[str, NDArray]], *arguments: Any) -> dict[str, NDArray]:
    """Return what a function returns: steps of several kinds are one kind."""
    return function(*arguments)


class AllRows:
    """The path of all rows down a grid, to a lam that is chosen later.

    Parameters
    ----------
    template : BasePULasso
        How the problem is solved.
    problem : Problem
    lams : array of shape (n_lams,)
        The grid as it is at first.
    n_folds : int
    n_jobs : int, optional
    """

    def __init__(
        self, template: BasePULasso, problem: Problem, lams: NDArray, n_folds: int, n_jobs: int | None
    ):
        self.template, self.problem, self.lams = template, problem, lams
        n = n_processes(n_jobs)
        rounds = -(-n_folds // n), -(-(n_folds + 1) // n)
        is_beside = n > 1 and rounds[0] == rounds[1] and not problem.data.is_chunked
        # The longest step comes first.
        self.beside = {"all rows": (_follow, template, problem, lams, len(lams))} if is_beside else {}
        self._found: Mapping[str, NDArray] | None = None

    def take(self, results: list[dict[str, NDArray]]) -> list[dict[str, NDArray]]:
        """Keep what is ours of the results of all steps; return the others."""
        if self.beside:
            self._found = results[0]
        return results[len(self.beside) :]

    def solutions(self, lams: NDArray, n_solved: int, **how: Any) -> tuple[list[Solution], str]:
        """Return the first solutions down a grid that begins as the one at first, and may go on.

        The last one is the better of where the path ends and of where the naive reading (unlabeled means class 0)
        leads; words come with it if it is the latter.

        Parameters
        ----------
        lams : array of shape (n_lams,)
        n_solved : int
        **how
            For :func:`run_steps`: run, progress.
        """
        n = min(n_solved, len(self.lams))
        if self._found is None:
            self._found = self._followed(self.lams, n, None, **how)
        solutions = _solutions(self._found)[:n]
        if n < n_solved:
            more = self._followed(lams[n:], n_solved - n, solutions[-1].to_arrays(), **how)
            solutions += _solutions(more)
        solutions[-1], words = self._better_end(solutions[-1], **how)
        return solutions, words

    def _better_end(self, end: Solution, **how: Any) -> tuple[Solution, str]:
        label_model = self.problem.loss.label_model  # type: ignore[attr-defined]
        if self.problem.data.is_chunked or not label_model.hides_positives:
            return end, ""
        steps = {f"second start at {end.lam:.6g}": (self.template, self.problem, end.lam)}
        other = Solution.from_arrays(run_steps(_from_naive_start, steps, title="second start", **how)[0])
        gain, least = end.objective - other.objective, max(MERGE_OBJECTIVE, self.template.tol)
        if not other.converged or gain <= least * (1.0 + abs(end.objective)):
            return end, ""
        return other, (
            "At the chosen lam the path ended at a stationary point whose objective is "
            f"{gain:.2g} above another one, to which the naive reading (unlabeled means class 0) leads; that one was "
            f"taken. Check the assumed numbers, and try {arg('n_restarts', '10')} in a fit at this lam."
        )

    def _followed(self, lams: NDArray, n_solved: int, before: Any, **how: Any) -> dict[str, NDArray]:
        name = f"all rows, {n_solved} of {len(lams)} lams from {lams[0]:.6g}"
        steps = {name: (self.template, self.problem, lams, n_solved, before)}
        return run_steps(_follow, steps, title="refit", **how)[0]


def _follow(
    template: BasePULasso,
    problem: Problem,
    lams: NDArray,
    n_solved: int,
    before: Mapping[str, NDArray] | None = None,
) -> dict[str, NDArray]:
    """Return the first solutions of a path as arrays.

    How lams are certified together depends on the whole grid: a path that stops early has the bits of one that does
    not.
    """
    start = None if before is None else Solution.from_arrays(before).params
    solutions = islice(solve_path(problem, lams, start=start, **_settings(template)), n_solved)
    by_lam = enumerate(each.to_arrays() for each in solutions)
    return {f"{i} {name}": each for i, arrays in by_lam for name, each in arrays.items()}


def _solutions(arrays: Mapping[str, NDArray]) -> list[Solution]:
    n_lams = sum(name.endswith(" numbers") for name in arrays)
    by_lam: list[dict[str, NDArray]] = [{} for _ in range(n_lams)]
    for name, array in arrays.items():
        number, _, part = name.partition(" ")
        by_lam[int(number)][part] = array
    return [Solution.from_arrays(each) for each in by_lam]


def _from_naive_start(template: BasePULasso, problem: Problem, lam: float) -> dict[str, NDArray]:
    """Return the solution that the naive reading leads to: where the scenario is wrong, it may be the better one."""
    start = naive_start(problem.at_lam(lam))
    return next(solve_path(problem, np.array([lam]), start=start, **_settings(template))).to_arrays()


def _settings(template: BasePULasso) -> dict[str, Any]:
    return {"solver": template.solver, "tol": template.tol, "max_iter": template.max_iter}
