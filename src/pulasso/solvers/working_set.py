"""The default solver: proximal Newton down a path, on the few blocks that matter, certified on all of them.

In memory only a *working set* of blocks is looked at. The blocks left out are certified afterwards, several lams at a
time, by a bound or by reading their columns; whatever violates the certificate is loaded and the lams in question are
solved again. So screening is only ever a guess about work, never about the answer. In chunks every pass gives the whole
gradient, and there is nothing to guess.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pulasso.design import ChunkedDesign
from pulasso.problem import Params, Point, Problem
from pulasso.solvers._certifying import Gradients
from pulasso.solvers._chunked_oracle import ChunkedOracle
from pulasso.solvers._memory_oracle import STEP_FIXED, STEP_PER_ENTRY, MemoryOracle
from pulasso.solvers._screening import strong_rule
from pulasso.solvers._solution import Callback, Solution
from pulasso.solvers.prox_newton import ProxNewton

__all__ = ["is_chunked_problem", "solve_working_set"]

# Solve the working set a little more tightly than asked, so that the certificate of all blocks holds too.
MARGIN = 0.9
MAX_BATCH = 16  # lams that are certified together, so that one pass over X serves them all,
BATCH_RATIO = 0.75  # as long as lam falls by no more than this: further ahead guesses fail too often,
BATCH_SHARE = 0.15  # and until their part of the pass costs this part of their steps: a failure loses these
# Where a guess has failed, all that may not be zero at this part of lam is loaded: solutions that jump need ever more.
LOOK_AHEAD = 0.85
# The working set may be this many times the likely one, plus so many blocks.
IDLE_FACTOR, IDLE_ALWAYS = 2.0, 50


def solve_working_set(
    problem: Problem,
    start: Params,
    lams: NDArray,
    *,
    tol: NDArray | float = 1e-6,
    max_iter: int = 10_000,
    callback: Callback | None = None,
    lam_before: float | None = None,
    oracle: ChunkedOracle | None = None,
) -> Iterator[Solution]:
    """Solve for every lam in turn, by steps of second order that never increase F.

    Parameters
    ----------
    problem : Problem
    start : Params
    lams : array of shape (n_lams,)
        Usually decreasing.
    tol : float or array of shape (n_lams,)
        Stop when the KKT violation of all blocks, relative to their scales, is at most this.
    max_iter : int
        Steps, or passes over data in chunks, for each lam.
    callback : callable, optional
        Called with a `Record` after every iteration.
    lam_before : float, optional
        The lam that `start` solves, by which blocks are screened. By default lam_max for the null model, and the first
        lam for any other start: a lam far away would have all blocks loaded.
    oracle : ChunkedOracle, optional
        Of data in chunks: goes on where it stands, instead of at `start`.
    """
    lams, tols = np.asarray(lams, dtype=float), np.broadcast_to(tol, len(lams))
    if is_chunked_problem(problem):
        oracle = ChunkedOracle(problem, start) if oracle is None else oracle
        newton = ProxNewton(oracle, max_iter, callback)
        for lam, lam_next, accuracy in zip(lams, np.append(lams[1:], lams[-1:]), tols, strict=True):
            oracle.begin(float(lam), float(lam_next))
            solution = newton.solve(float(lam), float(accuracy))
            oracle.end(float(lam))
            yield replace(solution, class_shares=oracle.now.shares)
        return
    batches = _Batches(problem, start, lams, tols, max_iter, callback)
    if lam_before is None:
        lam_before = problem.lam_max if start is problem.null else float(lams[0])
    batches.lam_seen = lam_before
    done = 0
    while done < len(lams):
        solutions = batches.next(done)
        yield from solutions
        done += len(solutions)


def is_chunked_problem(problem: Problem) -> bool:
    """Say whether the rows of a problem come in chunks."""
    return isinstance(getattr(problem.design, "base", None), ChunkedDesign)


class _Batches:
    """Solves a few lams at a time on the working set and certifies them together."""

    def __init__(
        self,
        problem: Problem,
        start: Params,
        lams: NDArray,
        tols: NDArray,
        max_iter: int,
        callback: Callback | None,
    ):
        self.problem, self.lams, self.tols = problem, lams, tols
        point = problem.at(start)
        self.oracle = MemoryOracle(problem, point)
        self.newton = ProxNewton(self.oracle, max_iter, callback)
        self.batch = 1
        # The last certified gradient, as critical lams of the blocks, and how they grew as lam fell.
        self.lam_seen = problem.lam_max
        known = problem.null_gradient if start is problem.null else None
        gradient = problem.design.rmatmul(point.grad_linear) if known is None else known
        self.gradients = Gradients(problem, point, gradient)
        self.critical = problem.penalty.critical_lams(gradient)
        self.growth = np.full_like(self.critical, np.inf)
        self.spent: dict[int, int] = {}  # steps on solutions that did not pass, by lam

    def next(self, first: int) -> list[Solution]:
        """Return the solutions for the next lams: those of the next batch that pass, at least one."""
        near = int(np.sum(self.lams[first:] >= BATCH_RATIO * self.lams[first]))
        upcoming = range(first, first + max(1, min(self.batch, near)))
        self._load_likely(self.lams[upcoming[-1]])
        while True:
            solved = [self._solve(i) for i in upcoming]
            points = [point for _, point in solved]
            lams = self.lams[upcoming[0] : upcoming[-1] + 1]
            gradients = self.gradients.at(points, lams, self._outside())
            passed = self._certify(first, solved, gradients)
            whole = len(passed) == len(solved)
            largest = self._largest_batch(solved) if whole else self.batch // 2
            self.batch = max(1, min(2 * self.batch, largest))
            if passed:
                last = len(passed) - 1
                self._remember(self.lams[first + last], gradients[last])
                return passed
            # What the first lam lacked is loaded now; it is solved again.
            upcoming = upcoming[:1]

    def _solve(self, i: int) -> tuple[Solution, Point]:
        self.oracle.begin(self.lams[i])
        solution = self.newton.solve(float(self.lams[i]), MARGIN * self.tols[i])
        self.oracle.point = point = self.oracle.all_features()
        shares = self.problem.class_shares(point)
        return replace(solution, params=point.params, class_shares=shares), point

    def _largest_batch(self, solved: list[tuple[Solution, Point]]) -> int:
        """Return how many lams to certify together, so that passes over X cost little beside the steps."""
        n_samples, (n_features, n_outputs) = self.problem.design.shape[0], self.problem.shape
        n_steps = sum(solution.n_iter for solution, _ in solved) / len(solved)
        step = STEP_PER_ENTRY * n_samples * self.oracle.theta.size + STEP_FIXED
        # A step reads its columns twice, a pass reads all of them once.
        one_pass = 0.5 * STEP_PER_ENTRY * n_samples * n_features * n_outputs + STEP_FIXED
        return int(np.clip(one_pass / (BATCH_SHARE * max(n_steps, 1.0) * step), 1, MAX_BATCH))

    def _outside(self) -> NDArray:
        """Say which blocks are not looked at, and may not be zero all the same."""
        outside = ~self.problem.blocks.is_excluded
        outside[self.oracle.working.blocks] = False
        return outside

    def _load_likely(self, lam: float) -> None:
        """Load the blocks that may be needed at lam, judging by the last certificates."""
        oracle, working = self.oracle, self.oracle.working
        likely = strong_rule(self.critical, self.growth, seen_at=self.lam_seen, lam=lam)
        likely[working.blocks[working.segments.norms(working.values(oracle.theta)) > 0]] = True
        if len(working.blocks) > IDLE_FACTOR * likely.sum() + IDLE_ALWAYS:
            oracle.unload()
        likely[oracle.working.blocks] = False
        oracle.load(np.flatnonzero(likely))
        oracle.return_to(oracle.point)

    def _certify(
        self, first: int, solved: list[tuple[Solution, Point]], gradients: list[NDArray]
    ) -> list[Solution]:
        """Return the solutions that pass, with their certificates; load what the next one lacks."""
        penalty, scales = self.problem.penalty, self.problem.block_scales
        outside, passed = self._outside(), []
        for i, (solution, point) in enumerate(solved):
            violations = penalty.subdiff_distance(point.params.theta, gradients[i], self.lams[first + i])
            violations = np.where(outside, violations, 0.0) / scales
            worst, tol = violations.max(initial=0.0), self.tols[first + i]
            if worst > tol:
                # What violates at this lam is needed now; what nearly does at the end of the batch is needed soon.
                ahead = LOOK_AHEAD * self.lams[first + len(solved) - 1]
                soon = penalty.critical_lams(gradients[-1]) >= ahead
                self.oracle.load(np.flatnonzero(outside & ((violations > 0) | soon)))
                self.oracle.return_to(point)
                self.oracle.before = None
                for later, (lost, _) in enumerate(solved[i:], start=first + i):
                    self.spent[later] = self.spent.get(later, 0) + lost.n_iter
                break
            kkt = max(solution.kkt, worst)
            message = "converged" if kkt <= tol else solution.message
            n_iter = solution.n_iter + self.spent.pop(first + i, 0)
            passed.append(
                replace(solution, kkt=float(kkt), converged=bool(kkt <= tol), message=message, n_iter=n_iter)
            )
        return passed

    def _remember(self, lam: float, gradient: NDArray) -> None:
        critical = self.problem.penalty.critical_lams(gradient)
        # Where nothing has moved yet, a lam next to lam_max, say, nothing is known about growth either.
        if lam < self.lam_seen and not np.array_equal(critical, self.critical):
            both = np.isfinite(critical) & np.isfinite(self.critical)
            grown = np.subtract(critical, self.critical, out=np.zeros_like(critical), where=both)
            self.growth = grown / (self.lam_seen - lam)
        self.critical, self.lam_seen = critical, lam
