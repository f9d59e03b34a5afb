"""The fast solver: second-order steps on the few blocks that matter, certified on all of them.

At every lam only a *loaded* set of blocks is looked at. On it, steps minimise a quadratic model of the loss plus
the penalty (block coordinate descent on a small dense Hessian), with a line search on F, until the certificate
holds there. The blocks left out are certified afterwards, for several lams in a single pass over X; whatever
violates the certificate is loaded and the lams in question are solved again. So screening is only ever a guess
about work, never about the answer.

PU losses are not convex. The model takes the true Hessian first; where it is not positive, or a step fails, it
moves towards the Fisher information, which always is.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pulasso.problem import Params, Point, Problem
from pulasso.solvers._loaded import LoadedSet
from pulasso.solvers._result import Callback, SolverResult
from pulasso.solvers._screening import strong_rule
from pulasso.solvers._second_order import SecondOrderSteps

__all__ = ["solve_working_set", "solve_working_set_path"]

# Solve the loaded set a little more tightly than asked, so that the certificate of all blocks holds too.
MARGIN = 0.9
MAX_BATCH = 16  # lams that share one pass over X for their certificate,
BATCH_RATIO = 0.75  # as long as lam falls by no more than this: further ahead guesses fail too often
IDLE_FACTOR, IDLE_ALWAYS = (
    2.0,
    50,
)  # the loaded set may be this many times the likely one, plus so many blocks


def solve_working_set(
    problem: Problem,
    start: Params,
    *,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    callback: Callback | None = None,
) -> SolverResult:
    """Minimise F on a growing working set, by steps of second order that never increase it.

    Parameters
    ----------
    problem : Problem
    start : Params
    tol : float
        Stop when the KKT violation of all blocks, relative to lam_max, is at most this.
    max_iter : int
        Number of second-order steps.
    callback : callable, optional
        Called with a `Record` after every iteration.
    """
    lams = np.array([problem.lam])
    return next(solve_working_set_path(problem, start, lams, tol=tol, max_iter=max_iter, callback=callback))


def solve_working_set_path(
    problem: Problem,
    start: Params,
    lams: NDArray,
    *,
    tol: NDArray | float = 1e-6,
    max_iter: int = 10_000,
    callback: Callback | None = None,
    lam_before: float | None = None,
) -> Iterator[SolverResult]:
    """Solve for every lam in turn, keeping columns and Hessian; results come in the order of `lams`.

    Parameters are those of :func:`solve_working_set`, with one tolerance for all lams or one each. `lam_before` is the
    lam that `start` solves, by which blocks are screened: the null model solves lam_max.
    """
    where = LoadedSet(problem, problem.at(start))
    steps = SecondOrderSteps(where, max_iter, callback)
    batches = _Batches(where, steps, np.asarray(lams, dtype=float), np.broadcast_to(tol, len(lams)))
    batches.lam_seen = problem.lam_max if lam_before is None else lam_before
    done = 0
    while done < len(lams):
        results = batches.next(done)
        yield from results
        done += len(results)


class _Batches:
    """Solves a few lams at a time on the loaded set and certifies them together."""

    def __init__(self, where: LoadedSet, steps: SecondOrderSteps, lams: NDArray, tols: NDArray):
        self.where, self.steps, self.lams, self.tols = where, steps, lams, tols
        self.problem = where.problem
        self.weights = where.blocks.weights
        self.batch = 1
        # The last certified gradient, as block norms, and how it changed as lam fell.
        self.seen_at = where.point
        self.seen = self._block_gradients([where.point])[0]
        self.slope = np.full_like(self.seen, np.inf)
        self.lam_seen = self.problem.lam_max
        self.spent: dict[int, int] = {}  # steps on solutions that did not pass, by lam

    def next(self, first: int) -> list[SolverResult]:
        """Return the results for the next lams: those of the next batch that pass, at least one."""
        near = int(np.sum(self.lams[first:] >= BATCH_RATIO * self.lams[first]))
        upcoming = range(first, first + max(1, min(self.batch, near)))
        self._load_likely(self.lams[upcoming[-1]])
        while True:
            solved: list[tuple[SolverResult, Point]] = []
            for i in upcoming:
                result = self.steps.solve(self.lams[i], MARGIN * self.tols[i])
                solved.append((result, self.where.point))
            points = [point for _, point in solved]
            gradients = self._gradients(points)
            passed = self._certify(first, solved, gradients)
            whole = len(passed) == len(solved)
            self.batch = min(2 * self.batch, MAX_BATCH) if whole else max(1, self.batch // 2)
            if passed:
                last = len(passed) - 1
                self._remember(self.lams[first + last], points[last], gradients[last])
                return passed
            # What the first lam lacked is loaded now; it is solved again.
            upcoming = upcoming[:1]

    def _gradients(self, points: list[Point]) -> NDArray:
        """Return the norms of all blocks of the gradient; points that have not moved need no pass."""
        if all(point.grad_linear is self.seen_at.grad_linear for point in points):
            return np.tile(self.seen, (len(points), 1))
        return self._block_gradients(points)

    def _block_gradients(self, points: list[Point]) -> NDArray:
        """Return the norms of all blocks of the gradient at several points, in one pass over X."""
        m = self.problem.shape[1]
        stacked = self.problem.design.rmatmul(np.hstack([point.grad_linear for point in points]))
        norms = self.problem.penalty.blocks.norms
        return np.array([norms(stacked[:, i * m : (i + 1) * m]) for i in range(len(points))])

    def _load_likely(self, lam: float) -> None:
        """Load the blocks that may be needed at lam, judging by the last certificates."""
        where = self.where
        likely = strong_rule(self.seen, self.slope, self.weights, seen_at=self.lam_seen, lam=lam)
        active = where.loaded.norms(where.entries(where.theta)) > 0
        likely[where.loaded.blocks[active]] = True
        if len(where.loaded.blocks) > IDLE_FACTOR * likely.sum() + IDLE_ALWAYS:
            where.unload()
            self.steps.forget()
        likely[where.loaded.blocks] = False
        where.load(np.flatnonzero(likely))
        where.return_to(where.point)

    def _certify(
        self, first: int, solved: list[tuple[SolverResult, Point]], gradients: NDArray
    ) -> list[SolverResult]:
        """Return the results that pass, with their certificates; load what the next one lacks."""
        outside = np.isfinite(self.weights)
        outside[self.where.loaded.blocks] = False
        weights = np.where(outside, self.weights, 0.0)
        passed = []
        for i, (result, point) in enumerate(solved):
            violations = np.where(outside, gradients[i] - self.lams[first + i] * weights, 0.0)
            worst, tol = violations.max(initial=0.0) / self.problem.kkt_scale, self.tols[first + i]
            if worst > tol:
                # What violates at this lam is needed now; what does at the end of the batch is needed soon.
                at_end = gradients[-1] >= self.lams[first + len(solved) - 1] * weights
                self.where.load(np.flatnonzero(outside & ((violations > 0) | at_end)))
                self.where.return_to(point)
                self.steps.before = None
                for later, (lost, _) in enumerate(solved[i:], start=first + i):
                    self.spent[later] = self.spent.get(later, 0) + lost.n_iter
                break
            kkt = max(result.kkt, worst)
            message = "converged" if kkt <= tol else result.message
            n_iter = result.n_iter + self.spent.pop(first + i, 0)
            converged = bool(kkt <= tol)
            passed.append(replace(result, kkt=kkt, converged=converged, message=message, n_iter=n_iter))
        return passed

    def _remember(self, lam: float, point: Point, gradient: NDArray) -> None:
        if lam < self.lam_seen:
            self.slope = (gradient - self.seen) / (self.lam_seen - lam)
        self.seen_at, self.seen, self.lam_seen = point, gradient, lam
