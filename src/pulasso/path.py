"""From the null model down a grid of lam values, each solution the start of the next."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import arg, did_you_mean, listed
from pulasso.exceptions import InputError
from pulasso.problem import Params, Problem
from pulasso.runs import Run, how_to_resume
from pulasso.solvers import SOLVERS, ChunkedOracle, Solution, is_chunked_problem, solve_working_set

__all__ = ["lam_grid", "lams_down_to", "solve_path"]

# Neighbours on the way down to one lam differ by this factor; close enough to be good starts.
STEP_DOWN = 0.7


def lam_grid(lam_max: float, n_lams: int = 100, lam_min_ratio: float = 0.05) -> NDArray:
    """Return `n_lams` values from lam_max down to ``lam_min_ratio * lam_max``, equally spaced in logs."""
    return np.geomspace(lam_max, lam_min_ratio * lam_max, n_lams) if lam_max > 0 else np.zeros(n_lams)


def lams_down_to(lam: float, lam_max: float) -> NDArray:
    """Return the few values that lead from lam_max to one lam, the last of them."""
    if lam >= lam_max:
        return np.array([lam])
    lowest = max(lam, 1e-3 * lam_max)
    n_steps = int(np.ceil(np.log(lowest / lam_max) / np.log(STEP_DOWN)))
    way_down = np.geomspace(lam_max, lowest, n_steps + 1)[1:]
    return np.append(way_down[way_down > lam], lam)


def solve_path(
    problem: Problem,
    lams: NDArray,
    *,
    solver: str = "working-set",
    tol: NDArray | float = 1e-6,
    max_iter: int = 10_000,
    start: Params | None = None,
    run: Run | None = None,
) -> Iterator[Solution]:
    """Solve a problem for every lam in turn, each from the solution before it.

    Parameters
    ----------
    problem : Problem
        From :func:`pulasso.build_problem`.
    lams : array of shape (n_lams,)
        Usually decreasing.
    solver : {"working-set", "proximal-gradient", "em"}, default="working-set"
    tol : float or array of shape (n_lams,), default=1e-6
        Tolerance of the certificate, one for all or one each.
    max_iter : int, default=10000
        Iterations for each lam.
    start : Params, optional
        By default the null model.
    run : Run, optional
        Where finished lams are saved, and taken from if they are there.

    Yields
    ------
    Solution

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import PUData, build_problem, solve_path
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = (X[:, 0] + rng.logistic(size=200) > 0).astype(int)
    >>> problem = build_problem(PUData.read(X, y), scenario="fully-observed")
    >>> [solution.converged for solution in solve_path(problem, problem.lam_max * np.array([0.5, 0.1]))]
    [True, True]
    """
    if not isinstance(solver, str) or solver not in SOLVERS:
        raise InputError(
            f"solver={solver!r} is unknown.{did_you_mean(solver, SOLVERS)}",
            parameter="solver",
            remedy=f"Use one of {listed(SOLVERS)}.",
        )
    start = problem.null if start is None else start
    if start is None:
        raise InputError(f"The problem has no null model; give {arg('start')}.", parameter="start")
    settings = {"tol": tol, "max_iter": max_iter}
    if run is None:
        yield from SOLVERS[solver](problem, start, np.asarray(lams, dtype=float), **settings)
    else:
        yield from _resumed(problem, np.asarray(lams, dtype=float), solver, start, settings, run)


def _resumed(
    problem: Problem, lams: NDArray, solver: str, start: Params, settings: dict[str, Any], run: Run
) -> Iterator[Solution]:
    """Solve a path that is saved lam by lam; those that are there already are not solved again.

    An undisturbed run and one that was killed a hundred times do the same arithmetic: in memory every lam starts from
    the coefficients of the one before and from nothing else; in chunks, where that would cost a pass over the data, the
    state of the solver is saved beside the solutions.
    """
    tols = np.broadcast_to(settings.pop("tol"), len(lams))
    by_chunks = is_chunked_problem(problem) and solver == "working-set"
    in_chunks = _ChunkedPath(problem, start, lams, tols, settings, run) if by_chunks else None
    for i in range(len(lams)):
        arrays = run.load(f"lam {i + 1}")
        try:
            if arrays is None and in_chunks is not None:
                arrays = in_chunks.solve(i)
            elif arrays is None:
                more = {"lam_before": lams[i - 1] if i else None} if solver == "working-set" else {}
                solve = SOLVERS[solver](problem, start, lams[[i]], tol=tols[[i]], **settings, **more)
                arrays = run.save(f"lam {i + 1}", next(solve).to_arrays())
        except KeyboardInterrupt:
            raise KeyboardInterrupt(how_to_resume(i, len(lams), run, "lams")) from None
        # Even a solution of this very call comes from its arrays: the next lam must not see a difference.
        solution = Solution.from_arrays(arrays)
        start = solution.params
        yield solution


class _ChunkedPath:
    """Solves single lams of a path in chunks, with the state of the solver that led there."""

    def __init__(
        self,
        problem: Problem,
        start: Params,
        lams: NDArray,
        tols: NDArray,
        settings: dict[str, Any],
        run: Run,
    ):
        self.problem, self.start, self.lams, self.tols = problem, start, lams, tols
        self.settings, self.run = settings, run
        self.oracle: ChunkedOracle | None = None
        self.n_solved = 0  # lams that the oracle has behind it

    def solve(self, i: int) -> dict[str, NDArray]:
        """Return the solution of a lam as arrays, and save it; before it, the state that the next one needs."""
        if self.oracle is None or self.n_solved != i:
            self._restore(i)
        while self.n_solved < i:  # the state was lost: what led here is solved again, but saved already
            self._next()
        arrays = self._next().to_arrays()
        if i + 1 < len(self.lams):
            assert self.oracle is not None
            self.run.save(f"state {i + 1}", self.oracle.state())
        arrays = self.run.save(f"lam {i + 1}", arrays)
        self.run.remove(f"state {i}")
        return arrays

    def _restore(self, i: int) -> None:
        """Take up the last state up to a lam, or begin anew."""
        state = None
        while i and (state := self.run.load(f"state {i}")) is None:
            i -= 1
        self.oracle, self.n_solved = ChunkedOracle(self.problem, self.start, state), i

    def _next(self) -> Solution:
        upcoming = slice(self.n_solved, self.n_solved + 2)  # the solver looks one lam ahead
        self.n_solved += 1
        return next(
            solve_working_set(
                self.problem,
                self.start,
                self.lams[upcoming],
                tol=self.tols[upcoming],
                oracle=self.oracle,
                **self.settings,
            )
        )
