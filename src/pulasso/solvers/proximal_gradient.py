r"""Proximal gradient, the paper's eq. (pgd-MN) and (pgd-ON), with backtracking and monotone acceleration.

One step from a point y with gradient g minimises the model

.. math::

   \langle g, d \rangle + \frac{1}{2 t} \|d_\theta\|^2 + \frac{1}{2 s} d_{offsets}^T S\, d_{offsets}
   + \lambda P(\theta + d_\theta)

where S is the Fisher information of the few offsets. The paper uses the same step size for both, which
``preconditioned=False`` does; the intercepts of rare classes and narrow gaps between cutpoints are so badly scaled that
S is worth its price.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pulasso.problem import Params, Point, Problem
from pulasso.solvers._solution import Callback, History, Solution

__all__ = ["solve_proximal_gradient"]

SHRINK = 0.5  # a rejected step is halved
GROW = 1.5  # and may grow again after PATIENCE accepted ones: F is often smoother further on
PATIENCE = 10
METRIC_EVERY = 20  # iterations between updates of S, which costs about as much as K evaluations of the loss
RIDGE = 1e-4  # added to S, relative to its trace
CERTIFY_EVERY = 50  # iterations between certificates when nothing suggests convergence
# Below this relative change of the loss, function values only show rounding; slopes are compared instead.
ROUNDING = 1e-9
SMALLEST_STEP = 1e-20


@dataclass(frozen=True)
class Metric:
    """Step sizes: t for theta, s in the metric S for the offsets."""

    step: float
    offsets_step: float
    information: NDArray
    inverse: NDArray
    is_plain: bool = False  # S is the identity, and s is t

    @classmethod
    def plain(cls, n_offsets: int) -> "Metric":
        """Return the metric of the paper: one step size for all parameters."""
        return cls(1.0, 1.0, np.eye(n_offsets), np.eye(n_offsets), is_plain=True)

    @classmethod
    def at(cls, problem: Problem, point: Point, step: float = 1.0) -> "Metric":
        """Return the metric with the Fisher information at this point."""
        information = problem.offsets_information(point)
        # A vanishing class has a vanishing information. The ridge keeps its parameter from running off to
        # infinity on a gradient that is mere rounding.
        values, vectors = np.linalg.eigh(information)
        # Rounding may leave eigenvalues below zero, where there is no information at all.
        values = np.maximum(values, 0.0) + RIDGE * (values.clip(0.0).sum() or 1.0)
        return cls(step, 1.0, vectors * values @ vectors.T, vectors / values @ vectors.T)

    def smaller(self) -> "Metric":
        return replace(self, step=self.step * SHRINK, offsets_step=self.offsets_step * SHRINK)

    def larger(self) -> "Metric":
        grown = self.offsets_step * GROW
        return replace(self, step=self.step * GROW, offsets_step=grown if self.is_plain else min(1.0, grown))

    def move(self, problem: Problem, params: Params, grad: Params) -> Params:
        """Return the minimiser of the model around `params`."""
        theta = problem.penalty.prox(params.theta - self.step * grad.theta, self.step, problem.lam)
        if not len(params.offsets):
            return Params(theta, params.offsets)
        return Params(theta, params.offsets - self.offsets_step * (self.inverse @ grad.offsets))

    def square(self, change: Params) -> float:
        """Return the squared length of a change."""
        by_theta = np.vdot(change.theta, change.theta) / self.step
        return float(by_theta + change.offsets @ self.information @ change.offsets / self.offsets_step)

    def residual(self, problem: Problem, change: Params) -> float:
        """Return the largest gradient that would explain a step this long, relative to its scale."""
        by_block = problem.blocks.norms(change.theta) / self.step / problem.block_scales
        by_offset = np.abs(self.information @ change.offsets) / self.offsets_step / problem.kkt_scale
        return float(max(by_block.max(initial=0.0), by_offset.max(initial=0.0)))


def solve_proximal_gradient(
    problem: Problem,
    start: Params,
    *,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    accelerated: bool = True,
    preconditioned: bool = True,
    callback: Callback | None = None,
) -> Solution:
    """Minimise F by proximal gradient steps that never increase it.

    ``accelerated=False, preconditioned=False`` are the paper's own iterations, with a step size by backtracking.

    Parameters
    ----------
    problem : Problem
    start : Params
    tol : float
        Stop when the KKT violation, relative to its scale, is at most this.
    max_iter : int
    accelerated : bool
        Extrapolate along the last step (Nesterov), and take a plain step instead whenever that would
        increase F.
    preconditioned : bool
        Scale the steps of intercepts or cutpoints by their Fisher information; else they are as long as those of the
        coefficients, and intercepts stay near the null model for a long time.
    callback : callable, optional
        Called with a `Record` after every iteration.
    """
    history = History(callback)
    current = previous = problem.at(start)
    known: Params | None = (grad := problem.gradient(current))  # the gradient at `current`, where it is known
    kkt = problem.kkt_violation(current.params, grad)
    history.add(0, current.objective, kkt)
    metric = Metric.at(problem, current) if preconditioned else Metric.plain(len(start.offsets))
    momentum, accepted = 1.0, 0
    n_iter, message = 0, ""
    while kkt > tol and n_iter < max_iter and not message:
        n_iter += 1
        if preconditioned and n_iter % METRIC_EVERY == 0:
            metric = replace(Metric.at(problem, current, metric.step), offsets_step=metric.offsets_step)
        base, momentum = _extrapolate(problem, current, previous, momentum) if accelerated else (current, 1.0)
        grad = known if base is current and known is not None else problem.gradient(base)
        new, used = _backtrack(problem, base, grad, metric)
        if base is not current and (new is None or _increases(new, current)):
            # Momentum overshot: forget it and take the plain step, which cannot go up.
            base, momentum, grad = current, 1.0, problem.gradient(current)
            new, used = _backtrack(problem, base, grad, metric)
        if new is None:
            message = "no step decreases the objective any more: the limit of floating-point accuracy"
            kkt = problem.kkt_violation(current.params, problem.gradient(current))
            break
        accepted = accepted + 1 if used.step == metric.step else 0
        metric = used.larger() if accepted and accepted % PATIENCE == 0 else used
        promising = used.residual(problem, new.params - base.params) <= tol
        previous, current, known = current, new, None
        if promising or n_iter % CERTIFY_EVERY == 0 or not accelerated or n_iter == max_iter:
            known = problem.gradient(current)
            kkt = problem.kkt_violation(current.params, known)
            history.add(n_iter, current.objective, kkt)
        else:
            history.add(n_iter, current.objective)
    converged = kkt <= tol
    message = "converged" if converged else message or f"stopped after max_iter={max_iter} iterations"
    records, shares = tuple(history.records), problem.class_shares(current)
    return Solution(
        problem.lam, current.params, current.objective, kkt, n_iter, converged, records, message, shares
    )


def _extrapolate(problem: Problem, current: Point, previous: Point, momentum: float) -> tuple[Point, float]:
    """Return the point ahead of the last step (FISTA's sequence of weights) and the next weight."""
    following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
    if previous is current or momentum <= 1.0:
        return current, following
    ahead = problem.between(previous, current, 1.0 + (momentum - 1.0) / following)
    return (current, 1.0) if ahead is None else (ahead, following)


def _backtrack(problem: Problem, base: Point, grad: Params, metric: Metric) -> tuple[Point | None, Metric]:
    """Shrink the step until the quadratic model lies above the loss; None if no step is short enough."""
    while metric.step > SMALLEST_STEP:
        params = metric.move(problem, base.params, grad)
        if problem.is_feasible(params):
            new = problem.at(params)
            if _is_majorized(new, base, grad, metric):
                return new, metric
        metric = metric.smaller()
    return None, metric


def _is_majorized(new: Point, base: Point, grad: Params, metric: Metric) -> bool:
    change = new.params - base.params
    square = metric.square(change)
    if not np.isfinite(new.loss):
        return False
    if square > ROUNDING * abs(base.loss):
        return new.loss <= base.loss + grad.dot(change) + 0.5 * square
    # The same statement by the trapezoidal rule, free of cancellation.
    return new.change_of_slope(base) <= square


def _increases(new: Point, current: Point) -> bool:
    return bool(
        new.objective > current.objective + 4.0 * np.finfo(float).eps * max(1.0, abs(current.objective))
    )
