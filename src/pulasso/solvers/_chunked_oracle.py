"""The oracle of data in chunks: every trial is one sum over the chunks, and no row ever comes to the solver.

A pass gives the loss, its whole gradient and, where asked for, the Hessian of chosen entries. The first trial of every
lam brings its Hessian along: it serves the later steps, and the first step at the next lam, which starts close by. What
that step misses by changes little from one lam to the next, and is made up for in advance.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.design import ChunkedDesign
from pulasso.losses import Anchor
from pulasso.penalties import Segments
from pulasso.problem import Params, Problem
from pulasso.solvers._chunk import ChunkModel, Evaluation, evaluate_chunk
from pulasso.solvers._descent import RIDGE
from pulasso.solvers._quadratic import Quadratic
from pulasso.solvers._screening import strong_rule
from pulasso.solvers.prox_newton import (
    HESSIAN_MIX,
    SMALLEST_STEP,
    Certificate,
    TooManyVariablesError,
    WorkingSet,
)

__all__ = ["ChunkedOracle"]

OFFSETS_RIDGE = 1e-6  # on the curvature of the offsets, relative to its trace
SLOW = 0.05  # after a step that leaves more than this of the violation, the next brings a new Hessian
MOST_FORMED = 6000  # variables of a Hessian, which every worker holds a few times: 300 MB each
LARGEST_RATIO = 1.5  # what a first step misses by grows from one lam to the next by this factor at most


class ChunkedOracle:
    """Answers by passes over the chunks; point, gradient and Hessian last from one lam to the next.

    Parameters
    ----------
    problem : Problem
        The base of its design is a `ChunkedDesign`.
    start : Params
    state : mapping, optional
        What `state` returned after some lam: the next one is solved as if there had been no interruption.
    """

    stall, inner_accuracy, inner_floor, max_sweeps, is_narrow = 30, 1e-3, 0.1, 500, False

    def __init__(self, problem: Problem, start: Params, state: Mapping[str, NDArray] | None = None):
        self.problem, blocks = problem, problem.blocks
        usable = np.flatnonzero(~blocks.is_excluded)
        segments = Segments(blocks.sizes[usable], blocks.weights[usable])
        self.working = WorkingSet(usable, *blocks.entries(usable), segments, problem.block_scales[usable])
        self.model = Quadratic(len(start.offsets))
        self.n_iter = 0
        self.aim: Params | None = None
        if state is not None:
            self._restore(state)
            return
        self.model_blocks = np.empty(0, dtype=np.intp)  # positions in the working set
        self.has_model, self.has_failed, self.mix = False, False, 0
        self.lam_before = np.inf
        self.missed: list[Params] = []  # what the first step missed by at the last two lams
        self.now = self._start(start)
        self.critical = self._critical()  # at lam_before, and how it grew
        self.growth = np.full_like(self.critical, np.inf)

    def _start(self, start: Params) -> Evaluation:
        """Evaluate the start; the gradient of the null model is known, and its loss needs no pass."""
        known = self.problem.null_gradient if start is self.problem.null else None
        if known is None:
            return replace(self.evaluate(start), params=start)
        point = self.problem.at(start)
        shares = self.problem.class_shares(point)
        return Evaluation(point.loss, Params(known, point.grad_offsets), shares=shares, params=start)

    # -- values and gradients --------------------------------------------------------------------------------------

    @property
    def params(self) -> Params:
        """Current parameters."""
        assert self.now.params is not None
        return self.now.params

    @property
    def objective(self) -> float:
        """F at the current point."""
        return self.now.objective

    @property
    def penalty(self) -> float:
        """The penalty at the current point."""
        return self.now.objective - self.now.loss

    def gradient(self, everywhere: bool = True) -> Params:
        """Return the gradient, which every pass gives."""
        return self.now.gradient

    def evaluate(self, params: Params, blocks: NDArray | None = None) -> Evaluation:
        """Return loss and gradient and, if asked for, the Hessian of some blocks; one pass over the data."""
        problem, base = self.problem, self.problem.design.base  # type: ignore[attr-defined]
        assert isinstance(base, ChunkedDesign)
        label_model = problem.loss.label_model  # type: ignore[attr-defined]
        entries = None if blocks is None else problem.blocks.entries(self.working.blocks[blocks])
        anchor = problem.anchor
        model = ChunkModel(
            problem.design.mean,  # type: ignore[attr-defined]
            problem.design.scale,  # type: ignore[attr-defined]
            problem.response,
            None if label_model.is_by_row else label_model,
            float(problem.loss.weight.sum()),  # type: ignore[attr-defined]
            **({} if anchor is None else self._anchor_parts(anchor)),
        )
        found = base.map_reduce(evaluate_chunk, model, params, entries, HESSIAN_MIX[self.mix])
        return found if anchor is None or not anchor.is_active else found.anchored(anchor, entries)

    def _anchor_parts(self, anchor: Anchor) -> dict[str, Any]:
        """Return what chunks must know of an anchor; its rows are with them already."""
        none, seen = np.empty(0), getattr(self, "now", None)
        return {
            "anchor": replace(
                anchor, population=none, weight=none, total=float(anchor.weight[anchor.population].sum())
            ),
            "only_unlabeled": not anchor.population.all(),
            "pull": anchor.pull(anchor.told if seen is None or seen.shares is None else seen.shares),
        }

    def _with_objective(self, found: Evaluation, params: Params) -> Evaluation:
        penalty = self.problem.penalty.value(params.theta, self.problem.lam)
        return replace(found, params=params, objective=found.loss + penalty)

    def candidates(self, change: Params) -> Iterator[tuple[Params, float]]:
        """Yield the first step of a lam with what first steps have missed by so far, then the step as it is."""
        if self.n_iter == 0:
            self.aim = self.params + change
            yield self._made_up(change), 1.0
        yield change, SMALLEST_STEP

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

    def along(self, change: Params) -> Callable[[float], Evaluation | None]:
        """Return a function of the step length that evaluates F there; every call is a pass over the data."""
        start, wanted = self.params, self.wanted

        def evaluate(step: float) -> Evaluation | None:
            params = start + step * change
            if not self.problem.is_feasible(params):
                return None
            self.n_iter += 1
            return self._with_objective(self.evaluate(params, wanted), params)

        return evaluate

    def change_of_slope(self, trial: Evaluation) -> float:
        """Return nothing: another point would be another pass over the data."""
        return 0.0

    def accept(self, trial: Evaluation, gradient: NDArray, change: NDArray, kkt: float) -> None:
        """Move to a point; the Hessian that it brought becomes the model's."""
        self.now = trial
        if trial.hessian is not None:
            self._take(self.wanted, trial.hessian)  # type: ignore[arg-type]
            self.now = replace(trial, hessian=None)

    # -- the model -------------------------------------------------------------------------------------------------

    def update_model(self, now: Certificate, kkt_before: float, tol: float) -> bool:
        """Decide whether the next trial brings a Hessian; build one at once only if the old one lacks a block."""
        n_variables = self._n_variables(now.needed)
        if n_variables > MOST_FORMED:
            raise TooManyVariablesError(
                f"{n_variables} coefficients are active or should be, and data in chunks form a Hessian of at most "
                f"{MOST_FORMED}: load the rows into memory, where many classes need none, or fit a sample of them"
            )
        brings_hessian = self.n_iter == 0 or now.kkt > SLOW * kkt_before
        self.wanted = self._likely(now.needed) if brings_hessian else None
        is_fresh = not self.has_model or not np.isin(np.flatnonzero(now.needed), self.model_blocks).all()
        if is_fresh:
            self._refresh(now)
        return is_fresh

    def refresh_model(self, now: Certificate) -> None:
        """Build the model anew at the current point, after a step that failed."""
        self.has_failed = True
        self._refresh(now)

    def _refresh(self, now: Certificate) -> None:
        blocks = np.flatnonzero(now.needed) if self.wanted is None else self.wanted
        self._take(blocks, self.evaluate(self.params, blocks).hessian)

    def _take(self, blocks: NDArray, hessian: NDArray | None) -> None:
        """Make the Hessian of some blocks the model's."""
        assert hessian is not None
        model, n = self.model, self.model.n_offsets
        model.clear()
        model.grow(self.working.segments.sizes[blocks])
        # Sums in single precision are symmetric up to rounding, which is not enough for the kernel.
        model.hessian[:] = 0.5 * (hessian + hessian.T)
        own = np.diagonal(model.hessian)[:n]
        ridge = RIDGE * np.abs(own) + np.finfo(np.float32).tiny + OFFSETS_RIDGE * own.sum()
        model.settle(0, ridge)
        self.model_blocks, self.modeled, self.has_model = blocks, self.working.select(blocks), True

    # -- from one lam to the next ----------------------------------------------------------------------------------

    def begin(self, lam: float, lam_next: float) -> None:
        """Take up another lam; `lam_next` is the one after it, for which a Hessian should serve, too."""
        self.problem = self.problem.at_lam(lam)
        self.now = self._with_objective(self.now, self.params)
        self.lam_next, self.n_iter, self.aim, self.wanted = lam_next, 0, None, None
        self.mix = self.mix if self.has_failed else max(self.mix - 1, 0)
        self.has_failed = False

    def end(self, lam: float) -> None:
        """Note what the next lam is judged by."""
        critical = self._critical()
        if lam < self.lam_before < np.inf:
            both = np.isfinite(critical) & np.isfinite(self.critical)
            grown = np.subtract(critical, self.critical, out=np.zeros_like(critical), where=both)
            self.growth = grown / (self.lam_before - lam)
        self.lam_before, self.critical = lam, critical
        self.missed = [] if self.aim is None else [*self.missed[-1:], self.params - self.aim]

    def _critical(self) -> NDArray:
        return self.problem.penalty.critical_lams(self.now.gradient.theta)[self.working.blocks]

    def _likely(self, needed: NDArray) -> NDArray:
        """Return the blocks that are needed, or may be at the next lam, judging by how gradients grew so far."""
        seen_at = self.lam_before if np.isfinite(self.lam_before) else self.lam_next
        likely = strong_rule(self.critical, self.growth, seen_at=seen_at, lam=self.lam_next)
        return np.flatnonzero(
            needed | likely if self._n_variables(needed | likely) <= MOST_FORMED else needed
        )

    def _n_variables(self, which: NDArray) -> int:
        return self.model.n_offsets + int(self.working.segments.sizes[which].sum())

    def state(self) -> dict[str, NDArray]:
        """Return all that the next lam depends on, as plain arrays."""
        numbers = (self.now.loss, self.lam_before, self.mix, self.has_failed, self.has_model)
        return {
            "theta": self.params.theta,
            "offsets": self.params.offsets,
            "gradient_theta": self.now.gradient.theta,
            "gradient_offsets": self.now.gradient.offsets,
            "numbers": np.array(numbers, dtype=np.float64),
            "hessian": self.model.hessian,
            "model_blocks": self.model_blocks,
            "critical": self.critical,
            "growth": self.growth,
            "shares": np.empty(0) if self.now.shares is None else self.now.shares,
            "missed_theta": np.array([each.theta for each in self.missed]),
            "missed_offsets": np.array([each.offsets for each in self.missed]),
        }

    def _restore(self, state: Mapping[str, NDArray]) -> None:
        loss, self.lam_before, mix, has_failed, has_model = state["numbers"].tolist()
        self.mix, self.has_failed, self.has_model = int(mix), bool(has_failed), bool(has_model)
        gradient = Params(state["gradient_theta"], state["gradient_offsets"])
        shares = state["shares"] if state["shares"].size else None
        params = Params(state["theta"], state["offsets"])
        self.now = Evaluation(loss, gradient, shares=shares, params=params)
        self.model_blocks, self.critical, self.growth = (
            state[name] for name in ("model_blocks", "critical", "growth")
        )
        self.missed = [
            Params(*each) for each in zip(state["missed_theta"], state["missed_offsets"], strict=True)
        ]
        if self.has_model:
            self.modeled = self.working.select(self.model_blocks)
            self.model.grow(self.modeled.segments.sizes)
            self.model.hessian[:] = state["hessian"]
            self.model.settle(int(self.model.size))  # nothing is new: no ridge is added twice
