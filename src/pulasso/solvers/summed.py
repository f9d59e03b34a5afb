"""The solver for data in chunks: every step is one sum over the chunks, and no row ever comes to the solver.

It sees the loss, its gradient in all coefficients, and the Hessian of chosen ones, each a sum over chunks of rows
that may lie on a disk or on other machines. With the whole gradient at hand the certificate costs nothing, so there
is no working set to guess: only the Hessian is kept to the blocks that matter.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pulasso.penalties import GroupLasso
from pulasso.problem import Params
from pulasso.responses import Response
from pulasso.solvers._quadratic import RIDGE, Quadratic
from pulasso.solvers._result import History, SolverResult
from pulasso.solvers._screening import strong_rule

__all__ = ["Entries", "SummedProblem", "SummedSteps", "Sums", "solve_summed_path"]

HESSIAN_MIX = (1.0, 0.5, 0.0)  # how much of the true Hessian the model keeps: less after every failure
INNER_ACCURACY = (
    1e-3  # the model is minimised to this share of the current violation: sweeps cost less than passes
)
MAX_SWEEPS = 500
FREE_RIDGE = 1e-6  # on the curvature of the free parameters, relative to its trace
SLOW = 0.05  # after a step that leaves more than this of the violation, the next brings a new Hessian
LARGEST_RATIO = 1.5  # what a first step misses by grows from one lam to the next by this factor at most
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
    hessian : array of shape (n_offsets + n_entries,) * 2 or None
    """

    loss: float
    gradient: Params
    hessian: NDArray | None = None

    def __add__(self, other: "Sums") -> "Sums":
        both = self.hessian is not None and other.hessian is not None
        hessian = self.hessian + other.hessian if both else None  # type: ignore[operator]
        return Sums(self.loss + other.loss, self.gradient + other.gradient, hessian)


class SummedProblem(Protocol):
    """A problem whose data come in chunks."""

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
) -> Iterator[SolverResult]:
    """Solve for every lam in turn; one pass for each step, and one more for a new Hessian at some lams.

    Parameters
    ----------
    problem : SummedProblem
    start : Params
    lams : array of shape (n_lams,)
    tol : float or array of shape (n_lams,)
        Stop when the KKT violation, relative to lam_max, is at most this: one for all lams, or one each.
    max_iter : int
        Passes over the data for each lam.
    """
    steps = SummedSteps(problem, start, max_iter=max_iter)
    ahead = np.append(lams[1:], lams[-1:])
    for lam, lam_ahead, accuracy in zip(lams, ahead, np.broadcast_to(tol, len(lams)), strict=True):
        yield steps.solve(float(lam), float(accuracy), lam_ahead=float(lam_ahead))


class SummedSteps:
    """Second-order steps on F; keeps point, sums and Hessian from one lam to the next.

    The first trial of every lam brings its Hessian along: it serves the later steps, and the first step at the next
    lam, which starts close by. What that step misses by changes little from one lam to the next, and is made up
    for in advance.

    Parameters
    ----------
    problem : SummedProblem
    start : Params
    max_iter : int
        Trials, which are passes over the data, for each lam.
    state : mapping, optional
        What `state` returned after some lam: the next one is solved as if there had been no interruption.
    """

    def __init__(
        self,
        problem: SummedProblem,
        start: Params,
        *,
        max_iter: int = 10_000,
        state: Mapping[str, NDArray] | None = None,
    ):
        self.problem, self.max_iter = problem, max_iter
        self.blocks = problem.penalty.blocks
        self.quadratic: Quadratic | None = None
        self.aim: Params | None = None
        if state is not None:
            self._restore(state)
            return
        self.params, self.now = start, problem.evaluate(start)
        self.chosen = np.empty(0, dtype=np.intp)  # blocks of the quadratic
        self.hessian_mix, self.has_failed = 0, False
        self.lam_before = np.inf
        self.norms = self.blocks.norms(self.now.gradient.theta)  # at lam_before, and how they grew
        self.growth = np.full_like(self.norms, np.inf)
        self.missed: list[Params] = []  # what the first step missed by at the last two lams

    def state(self) -> dict[str, NDArray]:
        """Return all that the next lam depends on, as plain arrays."""
        hessian = np.empty((0, 0), dtype=np.float32) if self.quadratic is None else self.quadratic.hessian
        numbers = (self.now.loss, self.lam_before, self.hessian_mix, self.has_failed)
        return {
            "theta": self.params.theta,
            "offsets": self.params.offsets,
            "gradient_theta": self.now.gradient.theta,
            "gradient_offsets": self.now.gradient.offsets,
            "numbers": np.array(numbers, dtype=np.float64),
            "hessian": hessian,
            "chosen": self.chosen,
            "norms": self.norms,
            "growth": self.growth,
            "missed_theta": np.array([each.theta for each in self.missed]),
            "missed_offsets": np.array([each.offsets for each in self.missed]),
        }

    def _restore(self, state: Mapping[str, NDArray]) -> None:
        loss, self.lam_before, hessian_mix, has_failed = state["numbers"].tolist()
        self.hessian_mix, self.has_failed = int(hessian_mix), bool(has_failed)
        self.params = Params(state["theta"], state["offsets"])
        self.now = Sums(loss, Params(state["gradient_theta"], state["gradient_offsets"]))
        self.chosen, self.norms, self.growth = state["chosen"], state["norms"], state["growth"]
        self.missed = [
            Params(*each) for each in zip(state["missed_theta"], state["missed_offsets"], strict=True)
        ]
        if len(state["hessian"]):
            sizes = self.blocks.sizes[self.chosen]
            self.quadratic = Quadratic(state["hessian"], sizes, len(self.params.offsets))

    def solve(self, lam: float, tol: float, *, lam_ahead: float) -> SolverResult:
        """Step until the certificate holds; `lam_ahead` is the next one, for which a Hessian should serve."""
        history = History()
        self.n_trials, self.aim = 0, None
        self.hessian_mix = self.hessian_mix if self.has_failed else max(self.hessian_mix - 1, 0)
        self.has_failed = False
        message, kkt_before, kkt_at_check, steps = "", np.inf, np.inf, 0
        while True:
            distances = self.problem.penalty.kkt_distances(self.params.theta, self.now.gradient.theta, lam)
            kkt = self._kkt(distances)
            history.add(self.n_trials, self._objective(lam), kkt)
            if kkt <= tol or self.n_trials >= self.max_iter or message:
                break
            if steps % STALL == 0:
                if kkt > 0.5 * kkt_at_check:
                    message = f"the violation has hardly changed over {STALL} steps"
                    break
                kkt_at_check = kkt
            needed = (self.blocks.norms(self.params.theta) > 0) | (distances > 0)
            brings_hessian = steps == 0 or kkt > SLOW * kkt_before
            wanted = self._likely(needed, lam_ahead) if brings_hessian else None
            message = self._step(lam, needed, wanted, max(INNER_ACCURACY * kkt, 0.1 * tol))
            kkt_before = kkt
            steps += 1
        self._remember(lam)
        converged = kkt <= tol
        message = (
            "converged" if converged else message or f"stopped after max_iter={self.max_iter} iterations"
        )
        records = tuple(history.records)
        return SolverResult(
            self.params, self._objective(lam), kkt, self.n_trials, converged, records, message
        )

    def _kkt(self, distances: NDArray) -> float:
        free = np.abs(self.now.gradient.offsets).max(initial=0.0)
        return float(max(distances.max(initial=0.0), free) / self.problem.kkt_scale)

    def _objective(self, lam: float) -> float:
        return self.now.loss + (lam * self.problem.penalty.value(self.params.theta) if lam > 0 else 0.0)

    # -- from one lam to the next ---------------------------------------------------------------------------

    def _likely(self, needed: NDArray, lam_ahead: float) -> NDArray:
        """Return the blocks that are needed, or may be at the next lam, judging by how gradients grew so far."""
        seen_at = self.lam_before if np.isfinite(self.lam_before) else lam_ahead
        weights = self.blocks.weights
        likely = strong_rule(self.norms, self.growth, weights, seen_at=seen_at, lam=lam_ahead)
        return np.flatnonzero(needed | likely)

    def _remember(self, lam: float) -> None:
        """Note what the next lam is judged by."""
        norms = self.blocks.norms(self.now.gradient.theta)
        if lam < self.lam_before < np.inf:
            self.growth = (norms - self.norms) / (self.lam_before - lam)
        self.lam_before, self.norms = lam, norms
        self.missed = [] if self.aim is None else [*self.missed[-1:], self.params - self.aim]

    def _made_up(self, change: Params) -> Params:
        """Return a first step with what first steps have missed by so far; what it leaves at zero stays there."""
        if not self.missed:
            return change
        last, before = self.missed[-1], self.missed[0]
        size = before.dot(before)
        ratio = last.dot(before) / size if size > 0 and last is not before else 0.0
        extra = float(np.clip(ratio, 0.0, LARGEST_RATIO)) * last
        stays = self.params.theta + change.theta == 0
        return change + Params(np.where(stays, 0.0, extra.theta), extra.offsets)

    # -- one step -----------------------------------------------------------------------------------------

    def _step(self, lam: float, needed: NDArray, wanted: NDArray | None, accuracy: float) -> str:
        """Take one step; return why there is none, or nothing."""
        is_fresh = self.quadratic is None or not np.isin(np.flatnonzero(needed), self.chosen).all()
        if is_fresh:
            self._refresh(np.flatnonzero(needed) if wanted is None else wanted)
        while not (self.quadratic and self.quadratic.is_positive and self._try(lam, wanted, accuracy)):
            if is_fresh and self.hessian_mix == len(HESSIAN_MIX) - 1:
                return "no step decreases the objective any more: the limit of floating-point accuracy"
            self.hessian_mix += is_fresh
            self.has_failed = True
            self._refresh(np.flatnonzero(needed) if wanted is None else wanted)
            is_fresh = True
        return ""

    def _refresh(self, blocks: NDArray) -> None:
        """Ask for the Hessian of some blocks where we stand; a pass over the data."""
        self._take(blocks, self.problem.evaluate(self.params, *self._asked(blocks)))

    def _asked(self, blocks: NDArray) -> tuple[Entries, float]:
        rows, outputs = self.blocks.entries(blocks)
        return Entries(rows, outputs, self.blocks.sizes[blocks]), HESSIAN_MIX[self.hessian_mix]

    def _take(self, blocks: NDArray, sums: Sums) -> None:
        """Make the Hessian in these sums the model's."""
        assert sums.hessian is not None
        n_offsets = len(self.params.offsets)
        # Sums in single precision are symmetric up to rounding, which is not enough for the kernel.
        hessian = (0.5 * (sums.hessian + sums.hessian.T)).astype(np.float32)
        diagonal = np.einsum("ii->i", hessian)
        free = FREE_RIDGE * diagonal[:n_offsets].sum()
        diagonal += RIDGE * np.abs(diagonal) + np.finfo(np.float32).tiny
        diagonal[:n_offsets] += free
        self.chosen, self.quadratic = blocks, Quadratic(hessian, self.blocks.sizes[blocks], n_offsets)

    def _try(self, lam: float, wanted: NDArray | None, accuracy: float) -> bool:
        """Minimise the model and search along the way to its minimiser; say whether F decreased."""
        assert self.quadratic is not None
        at, n_offsets = self.blocks.entries(self.chosen), len(self.params.offsets)
        gradient = np.append(self.now.gradient.offsets, self.now.gradient.theta[at])
        beta = np.append(self.params.offsets, self.params.theta[at])
        thresholds = np.append([0.0] if n_offsets else [], lam * self.blocks.weights[self.chosen])
        best = self.quadratic.descend(
            gradient, beta, thresholds, tol=accuracy * self.problem.kkt_scale, max_sweeps=MAX_SWEEPS
        )
        if best is None:
            return False
        change = Params(np.zeros_like(self.params.theta), best[:n_offsets] - beta[:n_offsets])
        change.theta[at] = best[n_offsets:] - beta[n_offsets:]
        if self.n_trials == 0:
            self.aim = self.params + change
            if self._search(lam, self._made_up(change), wanted, smallest=1.0):
                return True
        return self._search(lam, change, wanted)

    def _search(
        self, lam: float, change: Params, wanted: NDArray | None, smallest: float = SMALLEST_STEP
    ) -> bool:
        """Halve the step until F decreases enough; every trial is a pass over the data."""
        penalty, here = self.problem.penalty, self._objective(lam)
        slope = self.now.gradient.dot(change)
        rise = penalty.value(self.params.theta + change.theta) - penalty.value(self.params.theta)
        predicted, noise = slope + lam * rise, ROUNDING * abs(here)
        if not np.isfinite(predicted) or predicted > noise:
            return False
        asked = () if wanted is None else self._asked(wanted)
        step, before = 1.0, (self.params, self.now)
        while step >= smallest:
            self.params = before[0] + step * change
            if self.problem.response.is_feasible(self.params.offsets):
                self.n_trials += 1
                self.now = self.problem.evaluate(self.params, *asked)
                if self._objective(lam) <= here + SUFFICIENT * step * predicted + noise:
                    if wanted is not None:
                        self._take(wanted, self.now)
                    return True
            step *= 0.5
        self.params, self.now = before
        return False
