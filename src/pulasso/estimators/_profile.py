"""The objective of classes and labelling together, as a function of the labelling.

With ``F(theta, gamma) = L(theta, gamma) + P(theta) + lam_labelling * sum |effects|`` what is minimised is the profile
``min_theta F(theta, gamma)``: at every gamma the classes are fitted by the solver of the estimator, down to its
certificate, and the gradient of the profile is that of F in gamma. Effects are split into positive and negative parts,
so that a quasi-Newton method with bounds serves the lasso.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from pulasso.estimators._row_labelling import STEP, RowLabelling
from pulasso.losses import ObservedLoss, PULoss
from pulasso.path import lams_down_to, solve_path
from pulasso.problem import Params, Problem

__all__ = ["JointObjective", "JointPoint", "Profile"]

# The profile is only as smooth as its classes are solved; on the way down to their lam that matters little.
SHARPER, TOL_ON_THE_WAY = 0.1, 1e-3
MAX_STEPS = 300


@dataclass(frozen=True, eq=False)
class JointPoint:
    """Labelling, classes fitted to it, and what they give together.

    Attributes
    ----------
    gamma : array of shape (n_parameters,)
        Labelling: intercepts, effects of columns of unit variance, shifts.
    params : Params
        Of the classes; of several species a tuple.
    loss : float
        With the anchor.
    penalty : float
        Of the classes.
    grad : array of the shape of gamma
        Of the loss.
    """

    gamma: NDArray
    params: Any
    loss: float
    penalty: float
    grad: NDArray


class JointObjective:
    """What is stationary in the labelling, where classes follow it: certificate, minimiser and standard errors.

    Subclasses have `labelling`, which says what gamma holds, and fit the classes.
    """

    labelling: Any

    @property
    def kkt_scale(self) -> float:
        """What violations are relative to."""
        raise NotImplementedError

    @property
    def n_rows(self) -> int:
        """How many rows tell of the labelling."""
        raise NotImplementedError

    def down_the_path(self, gamma: NDArray) -> Any:
        """Return the classes as the estimator will find them, from the null model down."""
        raise NotImplementedError

    def at(self, gamma: NDArray, start: Any) -> JointPoint:
        """Fit the classes, and differentiate in the labelling."""
        raise NotImplementedError

    def n_selected(self, params: Any) -> int:
        """Return how many coefficients of the classes are not zero."""
        raise NotImplementedError

    def bic(self, at: JointPoint) -> float:
        """Return the Bayesian information criterion of classes and labelling."""
        n_effects = np.count_nonzero(self.effects(at)) + self.n_selected(at.params)
        return float(2.0 * self.n_rows * at.loss + np.log(self.n_rows) * n_effects)

    def largest_gradient(self, at: JointPoint) -> float:
        """Return the smallest lam at which no effect would move from zero."""
        return float(np.abs(at.grad[self.labelling.is_penalized]).max(initial=0.0))

    def effects(self, at: JointPoint) -> NDArray:
        """Return what the lasso acts on."""
        return at.gamma[self.labelling.is_penalized]

    def kkt(self, at: JointPoint, lam: float) -> float:
        """Return the largest violation of stationarity, relative as that of the classes is."""
        limit = np.where(self.labelling.is_penalized, lam, 0.0)
        moved = np.abs(at.grad + np.copysign(limit, at.gamma))
        distance = np.where(at.gamma != 0, moved, np.maximum(np.abs(at.grad) - limit, 0.0))
        return float(distance.max() / self.kkt_scale)

    def losses(self, at: JointPoint) -> NDArray:
        """Return what each row adds to the loss."""
        raise NotImplementedError

    def levels(self, at: JointPoint) -> Iterator[tuple[NDArray, NDArray, NDArray]]:
        """Yield records, what each adds by chance to the level that they tell, and how its gradient goes with it."""
        raise NotImplementedError

    def steps(self, at: JointPoint) -> NDArray:
        """Return steps of one standard error, shape (n, n_parameters): their outer products sum to the covariance.

        With the curvature H of the profile, in which the classes follow the labelling, and the sum J of outer products
        of what rows add to its gradient, it is ``H^-1 J H^-1``. A row counts once whatever it is a row of, and the
        level of a case-control sample, which its records tell, is one of the things that chance moves. Entries that
        are zero are taken as known. All nan where the profile has no minimum in some direction.
        """
        free = np.flatnonzero(self.labelling.has_effect & (~self.labelling.is_penalized | (at.gamma != 0)))
        hessian, by_row = [], []
        for entry in free:
            step = STEP * (np.arange(len(at.gamma)) == entry)
            ends = [self.at(at.gamma + side * step, at.params) for side in (1, -1)]
            hessian.append((ends[0].grad[free] - ends[1].grad[free]) / (2 * STEP))
            by_row.append((self.losses(ends[0]) - self.losses(ends[1])) / (2 * STEP))
        steps = np.zeros((len(free), len(at.gamma)))
        if not len(free):
            return steps
        scores = np.column_stack(by_row)
        for rows, by_chance, slope in self.levels(at):
            scores[rows] += np.outer(by_chance, slope[free])
        values, vectors = np.linalg.eigh(0.5 * (np.array(hessian) + np.transpose(hessian)))
        if not (values > 0).all():
            steps[:, free] = np.nan
            return steps
        inverse = (vectors / values) @ vectors.T
        # As many steps as there are entries, by the singular values of what all rows add.
        _, size, directions = np.linalg.svd(self._centred(scores) @ inverse, full_matrices=False)
        steps[: len(size), free] = size[:, None] * directions
        return steps

    def _centred(self, scores: NDArray) -> NDArray:
        """Return scores less the mean of the rows that were sampled together; rows without weight add nothing."""
        counts = np.asarray(scores.any(axis=1))
        _, strata = np.unique(self.labelling.strata, return_inverse=True)
        n_rows = np.maximum(np.bincount(strata, weights=counts), 1.0)
        means = np.column_stack([np.bincount(strata, weights=each) / n_rows for each in scores.T])
        return np.where(counts[:, None], scores - means[strata], 0.0)

    def minimize(
        self, at: JointPoint, lam: float, tol: float, constant: bool
    ) -> tuple[JointPoint, list[float]]:
        """Return a stationary point of the profile, and the objective after every step."""
        is_effect = self.labelling.is_penalized
        last = best = at
        history = [at.loss + at.penalty + lam * float(np.abs(self.effects(at)).sum())]

        def evaluate(split: NDArray) -> tuple[float, NDArray]:
            nonlocal last
            gamma, parts = _joined(split, is_effect)
            last = self.at(gamma, best.params)
            value = last.loss + last.penalty + lam * float(parts.sum())
            own = last.grad[is_effect]
            return value, np.concatenate([last.grad[~is_effect], lam + own, lam - own])

        def accept(split: NDArray) -> None:
            nonlocal best
            gamma, parts = _joined(split, is_effect)
            best = last if np.array_equal(gamma, last.gamma) else self.at(gamma, best.params)
            history.append(best.loss + best.penalty + lam * float(parts.sum()))

        effects = self.effects(at)
        start = np.concatenate([at.gamma[~is_effect], np.maximum(effects, 0.0), np.maximum(-effects, 0.0)])
        most = 0.0 if constant else np.inf
        bounds = [(-np.inf, np.inf)] * np.count_nonzero(~is_effect) + [(0.0, most)] * (2 * len(effects))
        options = {"maxiter": MAX_STEPS, "ftol": 0.0, "gtol": SHARPER * tol * self.kkt_scale}
        minimize(
            evaluate, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options, callback=accept
        )
        return best, history


@dataclass(frozen=True, eq=False)
class Profile(JointObjective):
    """The objective of one problem as a function of its labelling."""

    problem: Problem
    labelling: RowLabelling
    solver: str
    tol: float
    max_iter: int

    @property
    def kkt_scale(self) -> float:
        """What violations are relative to: the same as for the classes."""
        return self.problem.kkt_scale

    @property
    def n_rows(self) -> int:
        """How many rows count."""
        return int(np.count_nonzero(self.problem.data.weight))

    def n_selected(self, params: Params) -> int:
        """Return how many coefficients of the classes are not zero."""
        return int(np.count_nonzero(params.theta))

    def with_labelling(self, gamma: NDArray) -> Problem:
        """Return the problem of the classes, given the labelling."""
        data = self.problem.data
        loss = ObservedLoss(self.labelling.model(gamma), data.codes, data.weight)
        return replace(self.problem, loss=loss, null_gradient=None)  # the null model has another gradient now

    def down_the_path(self, gamma: NDArray) -> Params:
        """Return the classes as the estimator will find them, from the null model down."""
        problem = self.with_labelling(gamma)
        lams = lams_down_to(problem.lam, problem.lam_max)
        tols = np.append(np.full(len(lams) - 1, TOL_ON_THE_WAY), SHARPER * self.tol)
        *_, last = solve_path(problem, lams, solver=self.solver, tol=tols, max_iter=self.max_iter)
        return last.params

    def at(self, gamma: NDArray, start: Params) -> JointPoint:
        """Fit the classes, and differentiate in the labelling."""
        problem = self.with_labelling(gamma)
        how: dict[str, Any] = {"solver": self.solver, "tol": SHARPER * self.tol, "max_iter": self.max_iter}
        params = next(solve_path(problem, np.array([problem.lam]), start=start, **how)).params
        point = problem.at(params)
        eta = problem.response.log_odds(point.linear, params.offsets)
        grad = self.labelling.gradient(gamma, problem.loss.label_model, eta)  # type: ignore[attr-defined]
        return JointPoint(gamma, params, point.loss, point.penalty, grad)

    def losses(self, at: JointPoint) -> NDArray:
        """Return what each row adds to the loss; the anchor, which all rows make, is left out."""
        problem = self.with_labelling(at.gamma)
        eta = problem.response.log_odds(problem.at(at.params).linear, at.params.offsets)
        weight = problem.data.weight / problem.data.weight.sum()
        return weight * PULoss(problem.loss.label_model).loss(eta, problem.data.codes)  # type: ignore[attr-defined]

    def levels(self, at: JointPoint) -> Iterator[tuple[NDArray, NDArray, NDArray]]:
        """Yield records, what each adds by chance to the level that they tell, and how the gradient goes with it."""
        for rows, by_chance, *ends in self.labelling.levels(at.gamma):
            grads = [replace(self, labelling=each).at(at.gamma, at.params).grad for each in ends]
            yield rows, by_chance, (grads[0] - grads[1]) / (2 * STEP)


def _joined(split: NDArray, is_effect: NDArray) -> tuple[NDArray, NDArray]:
    """Return gamma from what is free, positive and negative parts, and both parts as they are."""
    n_free = np.count_nonzero(~is_effect)
    parts = split[n_free:].reshape(2, -1)
    gamma = np.empty(len(is_effect))
    gamma[~is_effect], gamma[is_effect] = split[:n_free], parts[0] - parts[1]
    return gamma, parts
