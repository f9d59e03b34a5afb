"""The oracle of columns in memory: a working set of loaded columns, and a model that is extended and corrected."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pulasso.design import StandardizedDesign, column_store
from pulasso.penalties import Segments
from pulasso.problem import Coupling, Params, Point, Problem
from pulasso.responses import SecondOrder
from pulasso.solvers._kronecker import Kronecker, MeanCurvature, intercepts_of
from pulasso.solvers._near import NearColumns, near_columns
from pulasso.solvers._quadratic import Quadratic, fill_hessian
from pulasso.solvers.prox_newton import HESSIAN_MIX, SMALLEST_STEP, Certificate, WorkingSet

__all__ = ["STEP_FIXED", "STEP_PER_ENTRY", "MemoryOracle"]

# What steps cost, in products of numbers as a matrix product does them. Only ratios matter: a step reads the loaded
# columns twice, at the speed of memory; a new Hessian multiplies them in single precision; both have a fixed part.
STEP_PER_ENTRY, HESSIAN_PER_ENTRY, STEP_FIXED = 16.0, 0.4, 1e7
FRESH_RATE = 0.03  # what a step with a new Hessian usually leaves of the violation in its blocks
OFFSETS_RIDGE, LESS_RIDGE = 1e-4, 0.01  # ridge on the offsets, and its factor when a new Hessian is slow
LEAST_RIDGE = 1e-6  # of the offsets, relative to their own curvature: enough for a vanishing class
# A Hessian of more variables, or of more pairs of outputs, is not formed: classes are modelled by their mean.
MOST_FORMED, MOST_OUTPUTS = 1200, 6
MOST_IN_NEED = 4000  # variables whose Hessian is formed all the same where the mean is slow:
# where so many steps (the first time, and after several) leave more than this part of the violation.
PATIENCE, LEAST_PATIENCE, EXPECTED = 40, 10, 0.03
LEAST_DROPPING = 0.25  # shorter steps do not make blocks zero: there is no jump in the limit
NOISY = 1e3  # violations below so many units of rounding


class MemoryOracle:
    """Answers for columns in memory; theta holds the loaded features only, all others are zero.

    Parameters
    ----------
    problem : Problem
    start : Point
        Its theta holds all features.
    """

    stall, inner_floor, max_sweeps = 50, 0.3, 200

    def __init__(self, problem: Problem, start: Point):
        assert isinstance(problem.design, StandardizedDesign)
        self.problem, self.design = problem, problem.design
        self.slot_of = np.full(problem.shape[0], -1, dtype=np.intp)
        n_offsets = len(start.params.offsets)
        self.intercepts = intercepts_of(problem.response, n_offsets) if problem.penalty.is_bounded else None
        self.mix, self.n_iter, self.patience = 0, 0, PATIENCE
        self.watched, self.is_impatient = (0, np.inf), False  # when, and the violation then
        self.point = start
        self.unload()
        self.load(np.flatnonzero(problem.blocks.norms(start.params.theta) > 0))
        self.return_to(start)

    # -- what is loaded --------------------------------------------------------------------------------------------

    def unload(self) -> None:
        """Forget all blocks, the model and the last solution."""
        none = np.empty(0, dtype=np.intp)
        empty = Segments(none, np.empty(0))
        self.working = WorkingSet(none, none, none, empty, np.empty(0))
        self.store = column_store(self.design)
        self.near: NearColumns | None = None
        self.slot_of[:] = -1
        self.theta = self.gradient_seen = np.empty((0, self.problem.shape[1]))
        self.model: Quadratic | Kronecker = Quadratic(len(self.point.params.offsets))
        self.second: SecondOrder | None = None  # what the model was made from,
        self.coupling: Coupling | None = None  # and what couples rows in it
        self.model_blocks, self.modeled = none, self.working
        self.before: tuple[float, NDArray, NDArray] | None = None  # the last lam and its solution
        self.taken: tuple[NDArray, NDArray] | None = None  # the gradient before the last step, and the step

    def load(self, blocks: NDArray) -> None:
        """Add blocks, and the columns of their features, to what is looked at."""
        all_blocks, old = self.problem.blocks, self.working
        rows, outputs = all_blocks.entries(blocks)
        new = np.unique(rows[self.slot_of[rows] < 0])
        if len(new):
            self.slot_of[new] = len(self.store.features) + np.arange(len(new))
            self.store.load(new)
            self.theta = self._grown(self.theta)
        self.working = WorkingSet(
            np.append(old.blocks, blocks),
            np.append(old.rows, self.slot_of[rows]),
            np.append(old.outputs, outputs),
            Segments(
                np.append(old.segments.sizes, all_blocks.sizes[blocks]),
                np.append(old.segments.weights, all_blocks.weights[blocks]),
            ),
            np.append(old.scales, self.problem.block_scales[blocks]),
        )

    def _grown(self, theta: NDArray) -> NDArray:
        """Return coefficients of fewer slots with zeros for those loaded since."""
        missing = len(self.store.features) - len(theta)
        return np.vstack([theta, np.zeros((missing, theta.shape[1]))])

    def return_to(self, point: Point) -> None:
        """Make a point that holds the coefficients of all features the current one."""
        self.point = point
        self.theta[:] = point.params.theta[self.store.features]

    def all_features(self) -> Point:
        """Return the current point with the coefficients of all features."""
        theta = np.zeros(self.problem.shape)
        theta[self.store.features] = self.theta
        return replace(self.point, params=Params(theta, self.point.params.offsets))

    # -- values and gradients --------------------------------------------------------------------------------------

    @property
    def params(self) -> Params:
        """Coefficients of the loaded features, and offsets."""
        return Params(self.theta, self.point.params.offsets)

    @property
    def objective(self) -> float:
        """F at the current point."""
        return self.point.objective

    @property
    def penalty(self) -> float:
        """The penalty at the current point."""
        return self.point.penalty

    @property
    def is_narrow(self) -> bool:
        """Whether the model has few of the loaded columns."""
        return self.near is not None

    def gradient(self, everywhere: bool) -> Params:
        """Return the gradient in the loaded features and in the offsets; one pass over the columns that are asked for.

        Where it is not everywhere, other features have that of when they were last looked at: then it was too small.
        """
        if everywhere or self.near is None:
            self.gradient_seen = self.store.rmatmul(self.point.grad_linear)
        else:
            self.gradient_seen = self.near.renew(self.gradient_seen, self.point.grad_linear)
        return Params(self.gradient_seen, self.point.grad_offsets)

    def begin(self, lam: float) -> None:
        """Take up another lam; start as far ahead as the last solution was behind, if F is lower there."""
        self.problem = self.problem.at_lam(lam)
        self.n_iter, self.taken, self.learns, self.was_fresh = 0, None, True, False
        self.offsets_ridge, self.is_impatient = OFFSETS_RIDGE, False
        self.point = replace(self.point, penalty=self._penalty(self.theta))
        offsets = self.point.params.offsets
        before, self.before = self.before, (lam, self.theta.copy(), offsets)
        if before is None or not lam < before[0]:
            return
        change = np.where(self.theta != 0, self.theta - self._grown(before[1]), 0.0)
        params = Params(self.theta + change, 2.0 * offsets - before[2])
        linear = self.point.linear + self.store.matmul(change)
        if self.problem.is_feasible(params, linear):
            ahead = self.problem.at_linear(params, linear, self._penalty(params.theta))
            if ahead.objective < self.objective:
                self.theta, self.point = params.theta, ahead

    def _penalty(self, theta: NDArray) -> float:
        working, penalty = self.working, self.problem.penalty.formula
        return penalty.value(working.values(theta), working.segments, self.problem.lam)

    def candidates(self, change: Params) -> Iterator[tuple[Params, float]]:
        """Yield the step of the model."""
        yield change, SMALLEST_STEP

    def along(self, change: Params) -> Callable[[float], Point | None]:
        """Return a function of the step length that evaluates F there; one pass over the loaded columns for all.

        Blocks that the whole step makes zero are zero at other lengths, too, unless these are short: otherwise they
        would come closer for ever.
        """
        start, linear, columns = self.params, self.point.linear, self.near or self.store
        linear_change = columns.matmul(change.theta)
        dropped = self._dropped(change)
        if dropped is not None:
            linear_dropped = columns.matmul(dropped.theta)

        def evaluate(step: float) -> Point | None:
            params, moved = start + step * change, linear + step * linear_change
            if dropped is not None and step != 1.0 and step >= LEAST_DROPPING:
                params, moved = params + (1.0 - step) * dropped, moved + (1.0 - step) * linear_dropped
                params.theta[dropped.theta != 0] = 0.0
            if not self.problem.is_feasible(params, moved):
                return None
            return self.problem.at_linear(params, moved, self._penalty(params.theta))

        return evaluate

    def _dropped(self, change: Params) -> Params | None:
        """Return what of a step makes blocks zero, if there are any."""
        working, after = self.working, self.theta + change.theta
        is_dropped = (working.segments.norms(working.values(self.theta)) > 0) & (
            working.segments.norms(working.values(after)) == 0
        )
        if not is_dropped.any():
            return None
        entries = working.segments.entries_of(np.flatnonzero(is_dropped))
        at, theta = (working.rows[entries], working.outputs[entries]), np.zeros_like(change.theta)
        theta[at] = change.theta[at]
        return Params(theta, np.zeros_like(change.offsets))

    def change_of_slope(self, trial: Point) -> float:
        """Return how much the slope of the loss changes on the way to a trial point."""
        return trial.change_of_slope(self.point)

    def accept(self, trial: Point, gradient: NDArray, change: NDArray, kkt: float) -> None:
        """Move to a point, and remember the step for the model to learn from."""
        self.theta, self.point = trial.params.theta, trial
        self.n_iter += 1
        # Gradients that differ by rounding alone say nothing about curvature.
        is_seen = kkt > NOISY * np.finfo(self.design.dtype).eps
        self.taken = (gradient, change) if is_seen else None

    # -- the model -------------------------------------------------------------------------------------------------

    @property
    def inner_accuracy(self) -> float:
        """What of the violation the minimiser of the model may leave: no less than the model itself does."""
        return 0.2 if isinstance(self.model, Kronecker) else 0.05

    def update_model(self, now: Certificate, kkt_before: float, tol: float) -> bool:
        """Build the model anew where that pays, else correct and extend it."""
        self._watch(now.kkt)
        if self.was_fresh and now.kkt > 0.5 * kkt_before:
            self.offsets_ridge *= LESS_RIDGE
        elif now.kkt > kkt_before and isinstance(self.model, Quadratic):
            self.learns = False  # along a nearly flat direction what was seen does not hold further on
        self.was_fresh = self._pays_to_refresh(now, kkt_before, tol)
        if self.was_fresh:
            self.mix = max(self.mix - 1, 0)  # closer to the solution the true Hessian may be positive again
            self.refresh_model(now)
            return True
        self._correct(now)
        in_model = np.zeros(len(now.needed), dtype=bool)
        in_model[self.model_blocks] = True
        self._extend(np.flatnonzero(now.needed & ~in_model))
        return False

    def _watch(self, kkt: float) -> None:
        """Lose patience with the mean where many steps have brought little."""
        if self.n_iter and self.n_iter < self.watched[0] + self.patience:
            return
        self.is_impatient |= self.n_iter > 0 and kkt > EXPECTED * self.watched[1]
        self.watched = self.n_iter, kkt

    def _pays_to_refresh(self, now: Certificate, kkt_before: float, tol: float) -> bool:
        """Say whether a new Hessian costs less than the steps it saves, judging by the last step."""
        if self.second is None or not self.model.is_positive:
            return True
        if isinstance(self.model, Kronecker):
            return self.model.is_worn or not self._models_by_mean(np.flatnonzero(now.needed))
        if self._models_by_mean(np.flatnonzero(now.needed)):
            return True
        if not np.isfinite(kkt_before):
            return False  # the first step at a new lam: nothing is known about the old Hessian yet
        reachable = max(tol, np.finfo(np.float64).eps)
        # Blocks that were not in the model violate whatever its age; to add them it need not be new.
        left = max(now.worst_offset, now.violations[self.model_blocks].max(initial=0.0))
        to_go, rate = np.log(now.kkt / reachable), min(left / kkt_before, 0.95)
        if rate <= FRESH_RATE:
            return False
        saved = to_go / -np.log(rate) - max(1.0, to_go / -np.log(FRESH_RATE))
        n = self.design.shape[0]
        n_variables = float(self.working.segments.sizes[now.needed].sum())
        step = STEP_PER_ENTRY * n * self.theta.size + STEP_FIXED
        return saved * step > HESSIAN_PER_ENTRY * n * n_variables**2 + STEP_FIXED

    def refresh_model(self, now: Certificate) -> None:
        """Build the model anew at the current point, of active and violating blocks only."""
        self.second = self.problem.second_order(self.point, HESSIAN_MIX[self.mix])
        self.coupling = self.problem.coupling(self.point)
        self.taken = None
        self.model_blocks = self.model_blocks[:0]
        needed = np.flatnonzero(now.needed)
        if self._models_by_mean(needed):
            assert self.intercepts is not None
            self.model = Kronecker(MeanCurvature.of(self.second, self.intercepts, self.problem.shape[1]))
            self._extend(needed, always=True)
            return
        if self.is_impatient:
            self.patience = max(self.patience // 2, LEAST_PATIENCE)
        own = self.second.oo
        self.model = Quadratic(len(own))
        self.model.hessian[:] = own
        # A vanishing class has next to no curvature, and a gradient that is rounding must not send it to infinity.
        ridge = self.offsets_ridge * np.trace(own) + LEAST_RIDGE * np.abs(np.diagonal(own))
        self._extend(needed, ridge, always=True)

    def _models_by_mean(self, needed: NDArray) -> bool:
        """Say whether to model pairs of classes by their mean instead of forming the Hessian.

        Where the true Hessian is not positive, too: a bound of it is slow at every step, the mean learns.
        """
        n_outputs, sizes = self.problem.shape[1], self.working.segments.sizes[needed]
        if self.intercepts is None or n_outputs == 1:
            return False
        n_variables = len(self.point.params.offsets) + sizes.sum()
        if self.is_impatient and n_variables <= MOST_IN_NEED:
            return False
        return self.mix > 0 or n_outputs > MOST_OUTPUTS or n_variables > MOST_FORMED

    def _extend(self, which: NDArray, offsets_ridge: NDArray | float = 0.0, always: bool = False) -> None:
        """Add blocks of the working set to the model, at the point that it belongs to."""
        if not len(which) and not always:
            return
        assert self.second is not None
        self.model_blocks = np.append(self.model_blocks, which)
        self.modeled = self.working.select(self.model_blocks)
        self.near = near_columns(self.store, self.modeled.rows)
        at, coupled = (self.modeled.rows, self.modeled.outputs), None
        if self.coupling is not None:
            coupled = np.vstack([self.coupling.offsets, self.coupling.entries(self.store, *at)])
        if isinstance(self.model, Kronecker):
            self.model.cover(self.store, *at, self.modeled.segments.sizes, coupled)
            return
        first = self.model.grow(self.working.segments.sizes[which])
        fill_hessian(self.model.hessian, self.store, self.second, *at, self.model.n_offsets, first)
        if coupled is not None:
            self.model.couple(coupled, first)
        self.model.settle(first, offsets_ridge)

    def _correct(self, now: Certificate) -> None:
        """Let the model learn from how the last step changed the gradient."""
        if self.taken is not None and self.learns:
            before, change = self.taken
            gradient = np.append(now.gradient.offsets, self.modeled.values(now.gradient.theta))
            self.model.correct(change, gradient - before)
        self.taken = None
