"""The solver for data in pieces: every step is one sum over the pieces, and no row ever comes to the solver.

It sees the loss, its gradient in all coefficients, and the Hessian of chosen ones, each a sum over pieces of rows
that may lie on a disk or on other machines. With the whole gradient at hand the certificate costs nothing, so there
is no working set to guess: only the Hessian is kept to the blocks that matter.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pulasso.penalties import GroupLasso
from pulasso.problem import Params
from pulasso.responses import Response
from pulasso.solvers._quadratic import Quadratic
from pulasso.solvers._result import Callback, History, SolverResult

__all__ = ["Entries", "SummedProblem", "Sums", "solve_summed_path"]

EXACTNESS = (1.0, 0.5, 0.0)  # how much of the true Hessian the model keeps: less after every failure
INNER_ACCURACY = 0.02  # the model is minimised to this share of the current violation
MAX_SWEEPS = 500
SLOW = 0.05  # a step that leaves more than this of the violation asks for a new Hessian
SUFFICIENT = 1e-4  # Armijo: the share of the predicted decrease that must be real
SMALLEST_STEP = 1e-10
ROUNDING = 1e-12  # changes of F below this share of it are noise
STALL = 30  # steps after which the violation must have halved


@dataclass(frozen=True, eq=False)
class Entries:
    """Entries of theta, block after block, whose second derivatives are wanted.

    Attributes
    ----------
    rows, outputs : array of shape (n_entries,)
    sizes : array of shape (n_blocks,)
    """

    rows: NDArray
    outputs: NDArray
    sizes: NDArray


@dataclass(frozen=True, eq=False)
class Sums:
    """The loss at a point with its gradient and, where asked for, its Hessian: all of them sums over rows.

    Attributes
    ----------
    loss : float
    gradient : Params
    hessian : array of shape (n_aux + n_entries,) * 2 or None
    """

    loss: float
    gradient: Params
    hessian: NDArray | None = None

    def __add__(self, other: "Sums") -> "Sums":
        both = self.hessian is not None and other.hessian is not None
        hessian = self.hessian + other.hessian if both else None  # type: ignore[operator]
        return Sums(self.loss + other.loss, self.gradient + other.gradient, hessian)


class SummedProblem(Protocol):
    """A problem whose data come in pieces."""

    @property
    def response(self) -> Response:
        """The response model."""
        ...

    @property
    def penalty(self) -> GroupLasso:
        """The penalty."""
        ...

    @property
    def kkt_scale(self) -> float:
        """What violations are relative to."""
        ...

    def evaluate(self, params: Params, entries: Entries | None = None, exact: float = 0.0) -> Sums:
        """Return loss and gradient and, for these entries, the Hessian: one pass over the data."""
        ...


def solve_summed_path(
    problem: SummedProblem,
    start: Params,
    lams: NDArray,
    *,
    tol: NDArray | float = 1e-6,
    max_iter: int = 10_000,
    callback: Callback | None = None,
) -> Iterator[SolverResult]:
    """Solve for every lam in turn; one pass for each step, and one more for a new Hessian at most lams.

    Parameters are those of :func:`pulasso.solvers.solve_working_set_path`.
    """
    steps = _SummedSteps(problem, start, max_iter, callback)
    for lam, accuracy in zip(lams, np.broadcast_to(tol, len(lams)), strict=True):
        yield steps.solve(float(lam), float(accuracy))


class _SummedSteps:
    """Second-order steps on F; keeps point, sums and Hessian from one lam to the next."""

    def __init__(self, problem: SummedProblem, start: Params, max_iter: int, callback: Callback | None):
        self.problem, self.max_iter, self.callback = problem, max_iter, callback
        self.blocks = problem.penalty.blocks
        self.params, self.now = start, problem.evaluate(start)
        self.quadratic: Quadratic | None = None
        self.chosen = np.empty(0, dtype=np.intp)  # blocks of the quadratic
        self.exactness = 0
        self.lam_before = np.inf

    def solve(self, lam: float, tol: float) -> SolverResult:
        """Step until the certificate holds."""
        history = History(self.callback)
        n_iter, message, kkt_before, kkt_at_check = 0, "", np.inf, np.inf
        while True:
            distances = self.problem.penalty.kkt_distances(self.params.theta, self.now.gradient.theta, lam)
            kkt = self._kkt(distances)
            history.add(n_iter, self._objective(lam), kkt)
            if kkt <= tol or n_iter == self.max_iter or message:
                break
            if n_iter % STALL == 0:
                if kkt > 0.5 * kkt_at_check:
                    message = f"the violation has hardly changed over {STALL} steps"
                    break
                kkt_at_check = kkt
            needed = (self.blocks.norms(self.params.theta) > 0) | (distances > 0)
            is_fresh = kkt > SLOW * kkt_before or not np.isin(np.flatnonzero(needed), self.chosen).all()
            message = self._step(lam, needed, kkt, tol, is_fresh or self.quadratic is None)
            kkt_before = kkt
            n_iter += 1
        self.lam_before = lam
        converged = kkt <= tol
        message = (
            "converged" if converged else message or f"stopped after max_iter={self.max_iter} iterations"
        )
        records = tuple(history.records)
        return SolverResult(self.params, self._objective(lam), kkt, n_iter, converged, records, message)

    def _kkt(self, distances: NDArray) -> float:
        free = np.abs(self.now.gradient.aux).max(initial=0.0)
        return float(max(distances.max(initial=0.0), free) / self.problem.kkt_scale)

    def _objective(self, lam: float) -> float:
        return self.now.loss + (lam * self.problem.penalty.value(self.params.theta) if lam > 0 else 0.0)

    # -- one step -----------------------------------------------------------------------------------------

    def _step(self, lam: float, needed: NDArray, kkt: float, tol: float, is_fresh: bool) -> str:
        """Take one step; return why there is none, or nothing."""
        if is_fresh:
            self.exactness = max(self.exactness - 1, 0)
            self._refresh(lam, needed)
        while not (self.quadratic and self.quadratic.is_positive and self._try(lam, kkt, tol)):
            if is_fresh and self.exactness == len(EXACTNESS) - 1:
                return "no step decreases the objective any more: the limit of floating-point accuracy"
            self.exactness += is_fresh
            self._refresh(lam, needed)
            is_fresh = True
        return ""

    def _refresh(self, lam: float, needed: NDArray) -> None:
        """Ask for the Hessian of the blocks that are needed, or likely to be soon (the strong rule)."""
        limit = max(2.0 * lam - self.lam_before, 0.0) if np.isfinite(self.lam_before) else lam
        weights = self.blocks.weights
        with np.errstate(invalid="ignore"):
            likely = self.blocks.norms(self.now.gradient.theta) >= limit * weights
        self.chosen = np.flatnonzero(needed | (likely & np.isfinite(weights)))
        rows, outputs = self.blocks.entries(self.chosen)
        self.entries = Entries(rows, outputs, self.blocks.sizes[self.chosen])
        sums = self.problem.evaluate(self.params, self.entries, EXACTNESS[self.exactness])
        assert sums.hessian is not None
        n_aux = len(self.params.aux)
        self.quadratic = Quadratic(sums.hessian.astype(np.float32), self.entries.sizes, n_aux)

    def _try(self, lam: float, kkt: float, tol: float) -> bool:
        """Minimise the model and search along the way to its minimiser; say whether F decreased."""
        assert self.quadratic is not None
        at, n_aux = (self.entries.rows, self.entries.outputs), len(self.params.aux)
        gradient = np.append(self.now.gradient.aux, self.now.gradient.theta[at])
        beta = np.append(self.params.aux, self.params.theta[at])
        thresholds = np.append([0.0] if n_aux else [], lam * self.blocks.weights[self.chosen])
        accuracy = max(INNER_ACCURACY * kkt, 0.2 * tol) * self.problem.kkt_scale
        best = self.quadratic.descend(gradient, beta, thresholds, tol=accuracy, max_sweeps=MAX_SWEEPS)
        if best is None:
            return False
        change = Params(np.zeros_like(self.params.theta), best[:n_aux] - beta[:n_aux])
        change.theta[at] = best[n_aux:] - beta[n_aux:]
        return self._search(lam, gradient @ (best - beta), change)

    def _search(self, lam: float, slope: float, change: Params) -> bool:
        """Halve the step until F decreases enough; every trial is a pass over the data."""
        penalty, here = self.problem.penalty, self._objective(lam)
        predicted = slope + lam * (
            penalty.value(self.params.theta + change.theta) - penalty.value(self.params.theta)
        )
        noise = ROUNDING * abs(here)
        if not np.isfinite(predicted) or predicted > noise:
            return False
        step, before = 1.0, (self.params, self.now)
        while step > SMALLEST_STEP:
            self.params = before[0] + step * change
            if self.problem.response.is_feasible(self.params.aux):
                self.now = self.problem.evaluate(self.params)
                if self._objective(lam) <= here + SUFFICIENT * step * predicted + noise:
                    return True
            step *= 0.5
        self.params, self.now = before
        return False
