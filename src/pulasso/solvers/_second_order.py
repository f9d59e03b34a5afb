"""Second-order steps on a loaded set of blocks, at one lam after the other."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pulasso.problem import Params, Problem
from pulasso.solvers._loaded import Certificate, LoadedSet
from pulasso.solvers._quadratic import QuadraticModel
from pulasso.solvers._result import Callback, History, SolverResult

__all__ = ["SecondOrderSteps"]

HESSIAN_MIX = (1.0, 0.5, 0.0)  # how much of the true Hessian the model keeps: less after every failure
INNER_ACCURACY = 0.05  # the model is minimised to this share of the current violation
MAX_SWEEPS = 200
# What steps cost, in products of numbers as a matrix product does them. Only ratios matter: a step reads the loaded
# columns twice, at the speed of memory; a new Hessian multiplies them in single precision; both have a fixed part.
STEP_PER_ENTRY, HESSIAN_PER_ENTRY, FIXED = 16.0, 0.4, 1e7
FRESH_RATE = 0.03  # what a step with a new Hessian usually leaves of the violation
FREE_RIDGE, LESS_RIDGE = 1e-4, 0.01  # ridge on the free parameters, and its factor when a new Hessian is slow
STALL = 50  # steps after which the violation must have halved
SUFFICIENT = 1e-4  # Armijo: the share of the predicted decrease that must be real
SMALLEST_STEP = 1e-10
NOISY = 1e3  # violations below so many units of rounding
ROUNDING = 1e-12  # changes of F below this share of it are noise


class SecondOrderSteps:
    """Solves F on a loaded set; keeps the quadratic model and the last solution between calls.

    Parameters
    ----------
    where : LoadedSet
        What is looked at; its current point is moved.
    max_iter : int
        Steps for each lam.
    callback : callable, optional
    """

    def __init__(self, where: LoadedSet, max_iter: int, callback: Callback | None):
        self.where, self.max_iter, self.callback = where, max_iter, callback
        self.hessian_mix = 0
        self.forget()

    def forget(self) -> None:
        """Drop the model and the last solution: the loaded set has begun anew."""
        self.model = QuadraticModel(self.where.store, len(self.where.point.params.offsets))
        self.model_blocks = np.empty(0, dtype=np.intp)
        self.before: tuple[float, NDArray, NDArray] | None = None
        self.taken: tuple[NDArray, NDArray] | None = None  # the gradient before the last step, and the step

    def solve(self, lam: float, tol: float) -> SolverResult:
        """Step until the certificate of the loaded blocks holds."""
        where, problem = self.where, self.where.problem.at_lam(lam)
        history = History(self.callback)
        where.point = replace(where.point, penalty=lam * where.penalty(where.theta))
        self._extrapolate(problem)
        self.taken, self.learns = None, True
        self.free_ridge = FREE_RIDGE
        n_iter, message, kkt_before, kkt_at_check, was_fresh = 0, "", np.inf, np.inf, False
        while True:
            now = Certificate(where, lam)
            history.add(n_iter, where.point.objective, now.kkt)
            if now.kkt <= tol or n_iter == self.max_iter or message:
                break
            if n_iter % STALL == 0:
                if now.kkt > 0.5 * kkt_at_check:
                    message = (
                        f"the violation has hardly changed over {STALL} steps: "
                        "the limit of floating-point accuracy, or there is no minimum"
                    )
                    break
                kkt_at_check = now.kkt
            if was_fresh and now.kkt > 0.5 * kkt_before:
                self.free_ridge *= LESS_RIDGE
            elif now.kkt > kkt_before:
                self.learns = False  # along a nearly flat direction what was seen does not hold further on
            was_fresh = self._pays_to_refresh(now, kkt_before, tol)
            message = self._step(problem, now, tol, was_fresh)
            kkt_before = now.kkt
            n_iter += 1
        converged = now.kkt <= tol
        message = (
            "converged" if converged else message or f"stopped after max_iter={self.max_iter} iterations"
        )
        params = where.full_params()
        where.point = replace(where.point, params=params)
        objective, records = where.point.objective, tuple(history.records)
        return SolverResult(params, objective, now.kkt, n_iter, converged, records, message)

    def _extrapolate(self, problem: Problem) -> None:
        """Start as far ahead as the last solution was behind, if F is lower there."""
        where, offsets = self.where, self.where.point.params.offsets
        before, self.before = self.before, (problem.lam, where.theta.copy(), offsets)
        if before is None or not problem.lam < before[0]:
            return
        change = np.where(where.theta != 0, where.theta - where.grown(before[1]), 0.0)
        params = Params(where.theta + change, 2.0 * offsets - before[2])
        if problem.is_feasible(params):
            ahead = where.evaluate(problem, params, where.point.linear + where.store.matmul(change))
            if ahead.objective < where.point.objective:
                where.theta, where.point = params.theta, ahead

    # -- one step -----------------------------------------------------------------------------------------

    def _step(self, problem: Problem, now: Certificate, tol: float, is_fresh: bool) -> str:
        """Take one step; return why there is none, or nothing."""
        if is_fresh:
            # Closer to the solution the true Hessian may be positive again.
            self.hessian_mix = max(self.hessian_mix - 1, 0)
            self._refresh(now)
        else:
            self._correct(now)
            in_model = np.zeros(len(now.needed), dtype=bool)
            in_model[self.model_blocks] = True
            self._extend(np.flatnonzero(now.needed & ~in_model))
        while not (self.model.is_positive and self._try(problem, now, tol)):
            if is_fresh and self.hessian_mix == len(HESSIAN_MIX) - 1:
                return "no step decreases the objective any more: the limit of floating-point accuracy"
            # A stale model may only be too old; a fresh one is not positive enough.
            self.hessian_mix += is_fresh
            self._refresh(now)
            is_fresh = True
        return ""

    def _pays_to_refresh(self, now: Certificate, kkt_before: float, tol: float) -> bool:
        """Say whether a new Hessian costs less than the steps it saves, judging by the last step."""
        if self.model.second is None or not self.model.is_positive:
            return True
        if not np.isfinite(kkt_before):
            return False  # the first step at a new lam: nothing is known about the old Hessian yet
        reachable = max(tol, np.finfo(np.float64).eps)
        to_go, rate = np.log(now.kkt / reachable), min(now.kkt / kkt_before, 0.95)
        if rate <= FRESH_RATE:
            return False
        saved = to_go / -np.log(rate) - max(1.0, to_go / -np.log(FRESH_RATE))
        n = self.where.problem.design.shape[0]
        n_variables = float(self.where.loaded.sizes[now.needed].sum())
        step = STEP_PER_ENTRY * n * self.where.theta.size + FIXED
        return saved * step > HESSIAN_PER_ENTRY * n * n_variables**2 + FIXED

    def _refresh(self, now: Certificate) -> None:
        """Build the model anew at the current point, of active and violating blocks only."""
        problem, point = self.where.problem, self.where.point
        offsets, exact = point.params.offsets, HESSIAN_MIX[self.hessian_mix]
        eta = problem.response.log_odds(point.linear, offsets)
        _, grad_eta = problem.loss.value_and_grad(eta)
        curvature = problem.loss.curvature(eta, exact)
        # The gradient carries the bend of eta itself, which the Fisher information leaves out, too.
        second = problem.response.second_order(
            point.linear, offsets, exact * grad_eta, curvature, problem.loss.share
        )
        self.taken = None
        self.model.clear()
        self.model_blocks = self.model_blocks[:0]
        self._extend(np.flatnonzero(now.needed))
        self.model.refresh(second, self.free_ridge)

    def _extend(self, which: NDArray) -> None:
        """Add loaded blocks to the model."""
        if len(which):
            loaded = self.where.loaded
            entries = loaded.entries_of(which)
            self.model.extend(loaded.slots[entries], loaded.outputs[entries], loaded.sizes[which])
            self.model_blocks = np.append(self.model_blocks, which)

    def _correct(self, now: Certificate) -> None:
        """Let the model learn from how the last step changed the gradient."""
        if self.taken is not None and self.learns:
            before, change = self.taken
            self.model.correct(change, self._gradient(now) - before)
        self.taken = None

    def _gradient(self, now: Certificate) -> NDArray:
        """Return the gradient in the variables of the model."""
        return np.append(self.where.point.grad_offsets, now.gradient[self.model.slots, self.model.outputs])

    def _try(self, problem: Problem, now: Certificate, tol: float) -> bool:
        """Minimise the model and search along the way to its minimiser; say whether F decreased."""
        model, where = self.model, self.where
        gradient = self._gradient(now)
        beta = np.append(where.point.params.offsets, where.theta[model.slots, model.outputs])
        free = [0.0] if model.n_offsets else []
        thresholds = np.append(free, problem.lam * where.loaded.weights[self.model_blocks])
        accuracy = max(INNER_ACCURACY * now.kkt, 0.3 * tol) * problem.kkt_scale
        best = model.descend(gradient, beta, thresholds, tol=accuracy, max_sweeps=MAX_SWEEPS)
        if best is None:
            return False
        change = best - beta
        theta_change = np.zeros_like(where.theta)
        theta_change[model.slots, model.outputs] = change[model.n_offsets :]
        step = self._search(problem, gradient @ change, Params(theta_change, change[: model.n_offsets]))
        # Gradients that differ by rounding alone say nothing about curvature.
        is_seen = now.kkt > NOISY * np.finfo(where.design.dtype).eps
        self.taken = (gradient, step * change) if step and is_seen else None
        return step > 0.0

    def _search(self, problem: Problem, slope: float, change: Params) -> float:
        """Return the largest of 1, 1/2, ... by which F decreases enough, or 0; one pass over the loaded columns."""
        where, point = self.where, self.where.point
        here = Params(where.theta, point.params.offsets)
        predicted = slope + problem.lam * where.penalty(here.theta + change.theta) - point.penalty
        noise = ROUNDING * abs(point.objective)
        if not np.isfinite(predicted) or predicted > noise:
            return 0.0
        linear_change = where.store.matmul(change.theta)
        step = 1.0
        while step > SMALLEST_STEP:
            params = here + step * change
            if problem.is_feasible(params):
                new = where.evaluate(problem, params, point.linear + step * linear_change)
                if new.objective <= point.objective + SUFFICIENT * step * predicted + noise:
                    where.theta, where.point = params.theta, new
                    return step
            step *= 0.5
        return 0.0
