"""Proximal Newton: second-order steps on the blocks that matter, over an oracle that knows how the data are stored.

A step minimises a quadratic model of the loss plus the penalty (block coordinate descent on a small dense Hessian) and
searches along the way there by F itself. PU losses are not convex: the model takes the true Hessian first; where it is
not positive, or a step fails, the curvature of every row is made positive; at last comes the Fisher information.

The oracle answers for the current point: values, gradients, a quadratic model, and what lies along a line. Columns in
memory answer cheaply and often (`_memory_oracle`), chunks of rows in few passes over the data (`_chunked_oracle`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pulasso.losses.observed import CLIPPED, HALF_CLIPPED
from pulasso.penalties import Segments
from pulasso.problem import Params, Problem
from pulasso.solvers._solution import Callback, History, Solution

__all__ = [
    "HESSIAN_MIX",
    "Certificate",
    "Oracle",
    "ProxNewton",
    "TooManyVariablesError",
    "Trial",
    "WorkingSet",
]

# What the model takes, one after the other when a step fails: the true Hessian, the same made positive row by row, half
# and fully, the Fisher information.
HESSIAN_MIX = (1.0, HALF_CLIPPED, CLIPPED, 0.0)
CREEP, MOST_CREEPING = 0.9, 3  # the violation hardly changes if this part is left, and so often in turn
SUFFICIENT = 1e-4  # Armijo: the part of the predicted decrease that must be real
SMALLEST_STEP, LONGEST_STEP = 1e-10, 2.0**10
ROUNDING = 1e-12  # changes of F below this part of it are noise,
BLIND = 100.0  # and below so many times that they hardly say how far to go:
LOST = 0.01  # predicted changes below this part of the noise are noise
LONGEST_SECANT, NEAR_ENOUGH = 4.0, 0.3  # then the slope does, unless it says about as far as the model
GLANCE = 0.01  # blocks outside of the model are looked at again when this part of the violation is left


class TooManyVariablesError(Exception):
    """There is no model of so many variables; the words say what to do instead."""


@dataclass(frozen=True, eq=False)
class WorkingSet:
    """Blocks that are looked at, and their entries, one block after the other, as pairs (row, output).

    Attributes
    ----------
    blocks : array of int
        Numbers of the blocks.
    rows, outputs : array of shape (n_entries,)
        Where their entries are in the oracle's theta.
    segments : Segments
    scales : array of shape (n_blocks,)
        What their violations are relative to.
    """

    blocks: NDArray
    rows: NDArray
    outputs: NDArray
    segments: Segments
    scales: NDArray

    def values(self, theta: NDArray) -> NDArray:
        """Return the entries of a matrix, block after block."""
        return theta[self.rows, self.outputs]

    def select(self, which: NDArray) -> "WorkingSet":
        """Return some of the blocks, by their positions here."""
        entries = self.segments.entries_of(which)
        segments = self.segments.select(which)
        return WorkingSet(
            self.blocks[which], self.rows[entries], self.outputs[entries], segments, self.scales[which]
        )


class Trial(Protocol):
    """A point that was evaluated on the way."""

    @property
    def objective(self) -> float:
        """F at the point."""
        ...


class Oracle(Protocol):
    """What the driver asks about the data, always at the current point."""

    problem: Problem
    working: WorkingSet
    model: Any  # Quadratic or Kronecker
    modeled: WorkingSet  # the blocks of the model, in its order
    mix: int  # position in HESSIAN_MIX
    n_iter: int  # what the user's max_iter counts: steps in memory, passes over chunks
    stall: int  # steps after which the violation must have halved
    inner_floor: float  # the model is minimised to this part of the tolerance, or as inner_accuracy says,
    max_sweeps: int  # by so many sweeps at most

    @property
    def is_narrow(self) -> bool:
        """Whether the gradient in the blocks of the model alone costs much less than the whole."""
        ...

    @property
    def inner_accuracy(self) -> float:
        """What part of the current violation the minimiser of the model may leave."""
        ...

    @property
    def params(self) -> Params:
        """Current parameters; theta has the rows of the oracle."""
        ...

    @property
    def objective(self) -> float:
        """F at the current point."""
        ...

    @property
    def penalty(self) -> float:
        """The penalty at the current point."""
        ...

    def gradient(self, everywhere: bool) -> Params:
        """Return the gradient of the loss in the rows of the oracle and in the offsets.

        Unless it is asked for everywhere, it may be that of an earlier point in rows outside of the model.
        """
        ...

    def update_model(self, now: "Certificate", kkt_before: float, tol: float) -> bool:
        """Let the model cover all blocks that are needed; say whether it belongs to the current point.

        Raises TooManyVariablesError where it cannot.
        """
        ...

    def refresh_model(self, now: "Certificate") -> None:
        """Build the model anew at the current point."""
        ...

    def candidates(self, change: Params) -> Iterator[tuple[Params, float]]:
        """Yield steps to try in turn, each with the smallest part of it that is worth trying."""
        ...

    def along(self, change: Params) -> Callable[[float], Trial | None]:
        """Return a function of the step length that evaluates the point there; None outside the domain."""
        ...

    def change_of_slope(self, trial: Any) -> float:
        """Return how much the slope of the loss changes on the way to a trial point; 0 if that is not known."""
        ...

    def accept(self, trial: Any, gradient: NDArray, change: NDArray, kkt: float) -> None:
        """Move to a trial point; gradient before and change are in the variables of the model."""
        ...


class Certificate:
    """Gradient and violations of the working set at the current point.

    Attributes
    ----------
    gradient : Params
    violations : array of shape (n_blocks,)
        Of the blocks, relative to their scales.
    worst_offset : float
        The largest one of an offset.
    kkt : float
        The largest of all.
    needed : array of bool, shape (n_blocks,)
        Blocks that are not zero, or should not be.
    """

    def __init__(self, oracle: Oracle, lam: float, everywhere: bool = True):
        problem, working = oracle.problem, oracle.working
        self.gradient = oracle.gradient(everywhere)
        theta = working.values(oracle.params.theta)
        distance = problem.penalty.formula.subdiff_distance(
            theta, working.values(self.gradient.theta), working.segments, lam
        )
        self.violations = distance / working.scales
        self.worst_offset = float(np.abs(self.gradient.offsets).max(initial=0.0) / problem.kkt_scale)
        self.kkt = float(max(self.violations.max(initial=0.0), self.worst_offset))
        self.needed = (working.segments.norms(theta) > 0) | (distance > 0)


class ProxNewton:
    """Solves F on the working set of an oracle, at one lam after the other.

    Parameters
    ----------
    oracle : Oracle
    max_iter : int
    callback : callable, optional
    """

    def __init__(self, oracle: Oracle, max_iter: int, callback: Callback | None = None):
        self.oracle, self.max_iter, self.callback = oracle, max_iter, callback
        self.expected_bend: Callable[[], float] = lambda: 0.0  # of the slope along the last step
        self.kkt_seen = np.inf  # when all blocks were looked at
        self.is_slow = (
            False  # whether a bound of the Hessian left half of the violation, or several steps nearly all
        )

    def solve(self, lam: float, tol: float) -> Solution:
        """Step until the certificate of the working set holds; the oracle stands at this lam already."""
        oracle, history = self.oracle, History(self.callback)
        n_steps, n_creeping, message, kkt_before, kkt_at_check = 0, 0, "", np.inf, np.inf
        while True:
            must_end = bool(message) or oracle.n_iter >= self.max_iter
            now = self._certificate(lam, tol, everywhere=must_end or n_steps == 0)
            history.add(oracle.n_iter, oracle.objective, now.kkt)
            if now.kkt <= tol or must_end:
                break
            if n_steps % oracle.stall == 0:
                if now.kkt > 0.5 * kkt_at_check:
                    message = (
                        f"the violation has hardly changed over {oracle.stall} steps: "
                        "the limit of floating-point accuracy, or there is no minimum"
                    )
                    now = self._certificate(lam, tol, everywhere=True)
                    break
                kkt_at_check = now.kkt
            n_creeping = n_creeping + 1 if CREEP < now.kkt / kkt_before < 1.0 / CREEP else 0
            self.is_slow = (oracle.mix > 0 and now.kkt > 0.5 * kkt_before) or n_creeping >= MOST_CREEPING
            message = self._step(now, lam, tol, kkt_before)
            kkt_before = now.kkt
            n_steps += 1
        converged = now.kkt <= tol
        stopped = message or f"stopped after max_iter={self.max_iter} iterations"
        return Solution(
            lam=lam,
            params=oracle.params,
            objective=oracle.objective,
            kkt=now.kkt,
            n_iter=oracle.n_iter,
            converged=converged,
            history=tuple(history.records),
            message="converged" if converged else stopped,
        )

    def _certificate(self, lam: float, tol: float, everywhere: bool) -> Certificate:
        """Look at the blocks of the model; at all where these are done, or far better than when all were seen."""
        if self.oracle.is_narrow and not everywhere:
            now = Certificate(self.oracle, lam, everywhere=False)
            if now.kkt > max(tol, GLANCE * self.kkt_seen):
                return now
        now = Certificate(self.oracle, lam)
        self.kkt_seen = now.kkt
        return now

    def _step(self, now: Certificate, lam: float, tol: float, kkt_before: float) -> str:
        """Take one step; return why there is none, or nothing."""
        oracle = self.oracle
        try:
            is_fresh = oracle.update_model(now, kkt_before, tol)
        except TooManyVariablesError as reason:
            return str(reason)
        while not (oracle.model.is_positive and self._try(now, lam, tol)):
            if is_fresh and oracle.mix == len(HESSIAN_MIX) - 1:
                return "no step decreases the objective any more: the limit of floating-point accuracy"
            # A stale model may only be too old; a fresh one is not positive enough.
            oracle.mix += is_fresh
            oracle.refresh_model(now)
            is_fresh = True
        return ""

    def _try(self, now: Certificate, lam: float, tol: float) -> bool:
        """Minimise the model and search along the way to its minimiser; say whether F decreased."""
        oracle, model, here = self.oracle, self.oracle.model, self.oracle.params
        at = oracle.modeled.rows, oracle.modeled.outputs
        gradient = np.append(now.gradient.offsets, now.gradient.theta[at])
        beta = np.append(here.offsets, here.theta[at])
        best = self._minimize_model(gradient, beta, now.kkt, lam, tol)
        if best is None:
            return False
        step = best - beta
        self.expected_bend = lambda: float(step @ model.apply(step))
        change = Params(np.zeros_like(here.theta), step[: model.n_offsets])
        change.theta[at] = step[model.n_offsets :]
        for candidate, smallest in oracle.candidates(change):
            length, trial = self._search(now, lam, candidate, smallest)
            if trial is not None:
                oracle.accept(trial, gradient, length * step, now.kkt)
                return True
        return False

    def _minimize_model(
        self, gradient: NDArray, beta: NDArray, kkt: float, lam: float, tol: float
    ) -> NDArray | None:
        oracle, model, problem = self.oracle, self.oracle.model, self.oracle.problem
        segments, scales = oracle.modeled.segments, oracle.modeled.scales
        if model.n_offsets:
            scales = np.append(problem.kkt_scale, scales)
        tols = max(oracle.inner_accuracy * kkt, oracle.inner_floor * tol) * scales
        penalty = problem.penalty.formula
        bound = penalty.thresholds(beta[model.n_offsets :], segments, lam)
        if bound is None:
            return model.descend_by_prox(
                gradient, beta, penalty, segments, lam, tols=tols, max_sweeps=oracle.max_sweeps
            )
        return model.descend(gradient, beta, bound, tols=tols, max_sweeps=oracle.max_sweeps)

    def _search(
        self, now: Certificate, lam: float, change: Params, smallest: float
    ) -> tuple[float, Trial | None]:
        """Return the largest of 1, 1/2, ... by which F decreases enough, with the point there."""
        oracle, working = self.oracle, self.oracle.working
        there = working.values(oracle.params.theta + change.theta)
        penalty = oracle.problem.penalty.formula.value(there, working.segments, lam)
        predicted = now.gradient.dot(change) + penalty - oracle.penalty
        here = oracle.objective
        noise = ROUNDING * abs(here)
        if not np.isfinite(predicted) or predicted > noise:
            return 0.0, None
        evaluate, step = oracle.along(change), 1.0
        while step >= smallest:
            trial = evaluate(step)
            if trial is not None and trial.objective <= here + SUFFICIENT * step * predicted + noise:
                if step < 1.0:
                    return step, trial
                if -predicted < BLIND * noise:
                    return self._by_slope(evaluate, trial, predicted, noise)
                return self._further(evaluate, step, trial) if self.is_slow else (step, trial)
            step *= 0.5
        return 0.0, None

    def _by_slope(
        self, evaluate: Callable, trial: Trial, predicted: float, noise: float
    ) -> tuple[float, Trial]:
        """Return where the slope along the way vanishes: F itself no longer tells points apart."""
        bend = self.oracle.change_of_slope(trial)
        if (
            -predicted < LOST * noise
        ):  # so is what was predicted; the model still knows what it expects of the slope
            predicted = -self.expected_bend()
        step = min(-predicted / bend, LONGEST_SECANT) if bend > 0 else 1.0
        if abs(step - 1.0) > NEAR_ENOUGH:
            there = evaluate(step)
            if there is not None and there.objective <= self.oracle.objective + noise:
                return step, there
        return 1.0, trial

    def _further(self, evaluate: Callable, step: float, trial: Trial) -> tuple[float, Trial]:
        """Double a step while F decreases: along a direction of no curvature the model is far too cautious."""
        while step < LONGEST_STEP:
            beyond = evaluate(2.0 * step)
            if beyond is None or not beyond.objective < trial.objective:
                break
            step, trial = 2.0 * step, beyond
        return step, trial
