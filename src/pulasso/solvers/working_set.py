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
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pulasso.design import StandardizedDesign, column_store
from pulasso.problem import Params, Point, Problem
from pulasso.solvers._quadratic import QuadraticModel
from pulasso.solvers._result import Callback, History, SolverResult

__all__ = ["solve_working_set", "solve_working_set_path"]

EXACTNESS = (1.0, 0.5, 0.0)  # how much of the true Hessian the model keeps: less after every failure
INNER_ACCURACY = 0.05  # the model is minimised to this share of the current violation
MAX_SWEEPS = 200
# What steps cost, in products of numbers as a matrix product does them. Only ratios matter: a step reads the loaded
# columns twice, at the speed of memory; a new Hessian multiplies them in single precision; both have a fixed part.
STEP_PER_ENTRY, HESSIAN_PER_ENTRY, FIXED = 16.0, 0.6, 1e7
FRESH_RATE = 0.03  # what a step with a new Hessian usually leaves of the violation
STALL = 50  # steps after which the violation must have halved
SUFFICIENT = 1e-4  # Armijo: the share of the predicted decrease that must be real
SMALLEST_STEP = 1e-10
ROUNDING = 1e-12  # changes of F below this share of it are noise
# Solve the loaded set a little more tightly than asked, so that the certificate of all blocks holds too.
MARGIN = 0.9
IDLE_FACTOR, IDLE_ALWAYS = 2.0, 50  # the loaded set may be this many times the active one, plus this many blocks
# How gradients are expected to move as lam falls: growth seen last times FASTER, decay times SLOWER, plus DRIFT.
FASTER, SLOWER, DRIFT = 1.5, 0.5, 0.02
MAX_BATCH = 16  # lams that share one pass over X for their certificate,
BATCH_RATIO = 0.75  # as long as lam falls by no more than this: further ahead guesses fail too often


@dataclass(frozen=True, eq=False)
class Loaded:
    """The blocks that are looked at: their entries, one block after the other, as (slot, output) pairs."""

    blocks: NDArray
    slots: NDArray
    outputs: NDArray
    sizes: NDArray
    weights: NDArray

    @property
    def starts(self) -> NDArray:
        return np.cumsum(self.sizes) - self.sizes

    def norms(self, values: NDArray) -> NDArray:
        """Return the norm of every block, given the values of its entries."""
        if not len(self.sizes):
            return np.empty(0)
        return np.sqrt(np.add.reduceat(values**2, self.starts))


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
) -> Iterator[SolverResult]:
    """Solve for every lam in turn, keeping columns and Hessian; results come in the order of `lams`.

    Parameters are those of :func:`solve_working_set`, with one tolerance for all lams or one each.
    """
    path = _Path(problem, start, np.asarray(lams, dtype=float), np.broadcast_to(tol, len(lams)), max_iter, callback)
    done = 0
    while done < len(lams):
        results = path.next_batch(done)
        yield from results
        done += len(results)


class _Path:
    """State that lives from one lam to the next."""

    def __init__(self, problem, start, lams, tols, max_iter, callback):
        self.problem, self.lams, self.tols = problem, lams, tols
        self.max_iter, self.callback = max_iter, callback
        self.blocks = problem.penalty.blocks
        design = problem.design
        assert isinstance(design, StandardizedDesign)
        self.exactness = 0
        self.batch = 1
        self.slot_of = np.full(design.shape[1], -1, dtype=np.intp)
        self.before: tuple | None = None  # lam, theta and aux of the solution before the current one
        self.point = problem.at(start)
        self._unload_all()
        self._load(np.flatnonzero(self.blocks.norms(start.theta) > 0))
        self._return_to(self.point)
        # The last certified gradient, as block norms, and how it changed as lam fell.
        self.seen = self._block_gradients([self.point])[0]
        self.slope = np.full_like(self.seen, np.inf)
        self.lam_seen = problem.lam_max

    # -- which blocks to look at --------------------------------------------------------------------------

    def _load(self, blocks: NDArray) -> None:
        """Add blocks, and the columns of their features, to what is looked at."""
        rows, outputs = self.blocks.entries(blocks)
        new = np.unique(rows[self.slot_of[rows] < 0])
        if len(new):
            self.slot_of[new] = len(self.store.features) + np.arange(len(new))
            self.store.load(new)
            self.theta = np.vstack([self.theta, np.zeros((len(new), self.theta.shape[1]))])
        old = self.loaded
        self.loaded = Loaded(
            np.append(old.blocks, blocks),
            np.append(old.slots, self.slot_of[rows]),
            np.append(old.outputs, outputs),
            np.append(old.sizes, self.blocks.sizes[blocks]),
            np.append(old.weights, self.blocks.weights[blocks]),
        )
        self.in_model = np.append(self.in_model, np.zeros(len(blocks), dtype=bool))

    def _load_likely(self, lam: float) -> None:
        """Load the blocks whose gradient may exceed lam times its weight, judging by the last certificates.

        The sequential strong rule assumes that gradients grow by at most w for each unit by which lam falls.
        Most grow far more slowly, or shrink: what was seen last, with a margin, is the better guess.
        """
        weights = self.blocks.weights
        finite = np.where(np.isinf(weights), 0.0, weights)
        growth = np.where(self.slope > 0, FASTER * self.slope, SLOWER * self.slope) + DRIFT * finite
        guess = self.seen + np.minimum(growth, finite) * max(self.lam_seen - lam, 0.0)
        likely = (guess >= lam * weights) & np.isfinite(weights)
        active = self.loaded.norms(self._entries()) > 0
        likely[self.loaded.blocks[active]] = True
        if len(self.loaded.blocks) > IDLE_FACTOR * likely.sum() + IDLE_ALWAYS:
            self._unload_all()
        likely[self.loaded.blocks] = False
        self._load(np.flatnonzero(likely))
        self._return_to(self.point)

    def _unload_all(self) -> None:
        self.store = column_store(self.problem.design)
        self.model = QuadraticModel(self.store, len(self.point.params.aux))
        self.slot_of[:] = -1
        self.in_model = np.empty(0, dtype=bool)
        self.model_blocks = np.empty(0, dtype=np.intp)
        self.theta = np.empty((0, self.problem.shape[1]))
        self.loaded = Loaded(*(np.empty(0, dtype=np.intp) for _ in range(4)), np.empty(0))
        self.before = None

    def _block_gradients(self, points: list[Point]) -> NDArray:
        """Return the norms of all blocks of the gradient at several points, in one pass over X."""
        m = self.theta.shape[1]
        stacked = self.problem.design.rmatmul(np.hstack([point.grad_linear for point in points]))
        return np.array([self.blocks.norms(stacked[:, i * m : (i + 1) * m]) for i in range(len(points))])

    # -- several lams, one certificate --------------------------------------------------------------------

    def next_batch(self, first: int) -> list[SolverResult]:
        """Solve the next few lams on the loaded set, certify them together, keep those that pass."""
        near = int(np.sum(self.lams[first:] >= BATCH_RATIO * self.lams[first]))
        upcoming = range(first, first + max(1, min(self.batch, near)))
        self._load_likely(self.lams[upcoming[-1]])
        solved: list[tuple[SolverResult, Point]] = []
        while True:
            for i in upcoming[len(solved) :]:
                result = self._solve(self.lams[i], MARGIN * self.tols[i])
                solved.append((result, self.point))
            gradients = self._block_gradients([point for _, point in solved])
            passed = self._certify(first, solved, gradients)
            if passed == len(solved):
                self.batch = min(2 * self.batch, MAX_BATCH)
            else:
                self.batch = max(1, self.batch // 2)
            if passed:
                self._remember(first, passed, gradients)
                return [result for result, _ in solved[:passed]]
            # Nothing passed: the violating blocks are loaded now; the first lam is solved again.
            upcoming, solved = upcoming[:1], []

    def _certify(self, first: int, solved: list, gradients: NDArray) -> int:
        """Set the certificates of the results; return how many pass, having loaded what the next one lacks."""
        outside = np.isfinite(self.blocks.weights)
        outside[self.loaded.blocks] = False
        weights = np.where(outside, self.blocks.weights, 0.0)
        for i, (result, _) in enumerate(solved):
            violations = np.where(outside, gradients[i] - self.lams[first + i] * weights, 0.0)
            worst = violations.max(initial=0.0) / self.problem.lam_max
            if worst > self.tols[first + i]:
                # What violates at this lam is needed now; what will at the end of the batch is needed soon.
                last = gradients[-1] >= self.lams[first + len(solved) - 1] * weights
                self._load(np.flatnonzero(outside & ((violations > 0) | last)))
                self._return_to(solved[i][1])
                self.before = None
                return i
            kkt = max(result.kkt, worst)
            solved[i] = (replace(result, kkt=kkt, converged=kkt <= self.tols[first + i]), solved[i][1])
        return len(solved)

    def _return_to(self, point: Point) -> None:
        """Make a point with the parameters of all features the current one."""
        self.point = point
        self.theta[:] = point.params.theta[self.store.features]

    def _remember(self, first: int, passed: int, gradients: NDArray) -> None:
        lam = self.lams[first + passed - 1]
        if lam < self.lam_seen:
            self.slope = (gradients[passed - 1] - self.seen) / (self.lam_seen - lam)
        self.seen, self.lam_seen = gradients[passed - 1], lam

    # -- one lam on the loaded set ------------------------------------------------------------------------

    def _solve(self, lam: float, tol: float) -> SolverResult:
        problem = self.problem.at_lam(lam)
        history = History(self.callback)
        self.point = replace(self.point, penalty=lam * self._penalty(self._entries()))
        self._extrapolate(problem)
        n_iter, message, kkt_before, kkt_at_check = 0, "", np.inf, np.inf
        while True:
            state = _State(self, lam)
            history.add(n_iter, self.point.objective, state.kkt)
            if state.kkt <= tol or n_iter == self.max_iter or message:
                break
            if n_iter % STALL == 0:
                if state.kkt > 0.5 * kkt_at_check:
                    message = f"the violation has hardly changed over {STALL} steps"
                    break
                kkt_at_check = state.kkt
            is_fresh = self._pays_to_refresh(state, kkt_before, tol)
            if is_fresh:
                # Closer to the solution the true Hessian may be positive again.
                self.exactness = max(self.exactness - 1, 0)
                self._refresh(state)
            self._add_to_model(np.flatnonzero(state.needed & ~self.in_model))
            message = self._step(problem, state, is_fresh, tol)
            kkt_before = state.kkt
            n_iter += 1
        converged = state.kkt <= tol
        message = "converged" if converged else message or f"stopped after max_iter={self.max_iter} iterations"
        params = self._full_params()
        self.point = replace(self.point, params=params)
        return SolverResult(
            params, self.point.objective, state.kkt, n_iter, converged, tuple(history.records), message
        )

    def _extrapolate(self, problem: Problem) -> None:
        """Start from where the last two solutions point to, in log lam, if F is lower there."""
        here = (problem.lam, self.theta.copy(), self.point.params.aux)
        before, self.before = self.before, here
        if before is None or not problem.lam < before[0]:
            return
        lam_before, theta_before, aux_before = before
        theta_before = np.vstack([theta_before, np.zeros((len(self.theta) - len(theta_before), self.theta.shape[1]))])
        theta_change = np.where(self.theta != 0, self.theta - theta_before, 0.0)
        aux = self.point.params.aux + (self.point.params.aux - aux_before)
        params = Params(self.theta + theta_change, aux)
        if problem.is_feasible(params):
            linear = self.point.linear + self.store.matmul(theta_change)
            ahead = self._evaluate(problem, params, linear)
            if ahead.objective < self.point.objective:
                self.theta, self.point = params.theta, ahead

    def _step(self, problem: Problem, state: "_State", is_fresh: bool, tol: float) -> str:
        """Take one step; return why there is none, or nothing."""
        while True:
            if self.model.is_positive and self._try_step(problem, state, tol):
                return ""
            if is_fresh and self.exactness == len(EXACTNESS) - 1:
                return "no step decreases the objective any more: the limit of floating-point accuracy"
            # A stale model may only be too old; a fresh one is not positive enough.
            if is_fresh:
                self.exactness += 1
            self._refresh(state)
            is_fresh = True

    def _pays_to_refresh(self, state: "_State", kkt_before: float, tol: float) -> bool:
        """Say whether a new Hessian costs less than the steps it saves, judging by the last step."""
        if self.model.second is None or not self.model.is_positive:
            return True
        if not np.isfinite(kkt_before):
            return False  # the first step at a new lam: nothing is known about the old Hessian yet
        to_go = np.log(state.kkt / tol)
        rate = min(state.kkt / kkt_before, 0.95)
        saved = to_go / -np.log(rate) - max(1.0, to_go / -np.log(FRESH_RATE)) if rate > FRESH_RATE else 0.0
        n = self.problem.design.shape[0]
        n_variables = float(self.loaded.sizes[state.needed].sum())
        step = STEP_PER_ENTRY * n * self.theta.size + FIXED
        return saved * step > HESSIAN_PER_ENTRY * n * n_variables**2 + FIXED

    def _refresh(self, state: "_State") -> None:
        """Build the model anew at the current point, of active and violating blocks only."""
        problem, point = self.problem, self.point
        aux = point.params.aux
        eta = problem.response.log_odds(point.linear, aux)
        _, grad_eta = problem.loss.value_and_grad(eta)
        exact = EXACTNESS[self.exactness]
        curvature = problem.loss.curvature(eta, exact)
        # The gradient carries the bend of eta itself, which the Fisher information leaves out, too.
        second = problem.response.second_order(point.linear, aux, exact * grad_eta, curvature, problem.loss.share)
        self.model.clear()
        self.model.second = None
        self.in_model[:] = False
        self.model_blocks = self.model_blocks[:0]
        self._add_to_model(np.flatnonzero(state.needed))
        self.model.refresh(second)

    def _add_to_model(self, which: NDArray) -> None:
        if not len(which):
            return
        loaded = self.loaded
        sizes = loaded.sizes[which]
        entries = np.repeat(loaded.starts[which] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        self.model.extend(loaded.slots[entries], loaded.outputs[entries], sizes)
        self.model_blocks = np.append(self.model_blocks, which)
        self.in_model[which] = True

    def _try_step(self, problem: Problem, state: "_State", tol: float) -> bool:
        """Minimise the model and search along the way to its minimiser; say whether F decreased."""
        model, point = self.model, self.point
        grad_entries = state.gradient[model.slots, model.outputs]
        theta_entries = self.theta[model.slots, model.outputs]
        gradient = np.concatenate([point.grad_aux, grad_entries])
        beta = np.concatenate([point.params.aux, theta_entries])
        free = [0.0] if model.n_aux else []
        thresholds = np.append(free, problem.lam * self.loaded.weights[self.model_blocks])
        accuracy = max(INNER_ACCURACY * state.kkt, 0.3 * tol) * problem.lam_max
        best = model.descend(gradient, beta, thresholds, tol=accuracy, max_sweeps=MAX_SWEEPS)
        if best is None:
            return False
        change = best - beta
        theta_change = np.zeros_like(self.theta)
        theta_change[model.slots, model.outputs] = change[model.n_aux :]
        return self._search(problem, gradient @ change, theta_change, change[: model.n_aux])

    def _search(self, problem: Problem, slope: float, theta_change: NDArray, aux_change: NDArray) -> bool:
        """Halve the step until F decreases enough; no pass over X but one over the loaded columns."""
        point, lam = self.point, problem.lam
        target = self._penalty(self._entries(self.theta + theta_change))
        predicted = slope + lam * target - point.penalty
        noise = ROUNDING * abs(point.objective)
        if not np.isfinite(predicted) or predicted > noise:
            return False
        linear_change = self.store.matmul(theta_change)
        step = 1.0
        while step > SMALLEST_STEP:
            params = Params(self.theta + step * theta_change, point.params.aux + step * aux_change)
            if problem.is_feasible(params):
                new = self._evaluate(problem, params, point.linear + step * linear_change)
                if new.objective <= point.objective + SUFFICIENT * step * predicted + noise:
                    self.theta, self.point = params.theta, new
                    return True
            step *= 0.5
        return False

    # -- small things -------------------------------------------------------------------------------------

    def _evaluate(self, problem: Problem, params: Params, linear: NDArray) -> Point:
        """Evaluate loss and gradients; `params.theta` holds the loaded rows only."""
        loss, grad_eta = problem.loss.value_and_grad(problem.response.log_odds(linear, params.aux))
        grad_linear, grad_aux = problem.response.pullback(linear, params.aux, grad_eta)
        penalty = problem.lam * self._penalty(self._entries(params.theta))
        return Point(params, linear, loss, penalty, grad_linear, grad_aux)

    def _entries(self, theta: NDArray | None = None) -> NDArray:
        return (self.theta if theta is None else theta)[self.loaded.slots, self.loaded.outputs]

    def _penalty(self, entries: NDArray) -> float:
        return float(self.loaded.weights @ self.loaded.norms(entries))

    def _full_params(self) -> Params:
        theta = np.zeros(self.problem.shape)
        theta[self.store.features] = self.theta
        return Params(theta, self.point.params.aux)


class _State:
    """Gradient, certificate and violating blocks of the loaded set at the current point."""

    def __init__(self, path: _Path, lam: float):
        loaded, point = path.loaded, path.point
        self.gradient = path.store.rmatmul(point.grad_linear)
        entries = self.gradient[loaded.slots, loaded.outputs]
        theta = path._entries()
        norms = loaded.norms(theta)
        active = norms > 0
        slope = np.divide(lam * loaded.weights, norms, out=np.zeros_like(norms), where=active)
        residual = loaded.norms(entries + np.repeat(slope, loaded.sizes) * theta)
        violation = np.where(active, residual, np.maximum(0.0, residual - lam * loaded.weights))
        worst = max(violation.max(initial=0.0), np.abs(point.grad_aux).max(initial=0.0))
        self.kkt = float(worst / path.problem.lam_max)
        self.needed = active | (violation > 0)
