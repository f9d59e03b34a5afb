"""The objective of classes and labelling together, as a function of the labelling.

With ``F(theta, gamma) = L(theta, gamma) + P(theta) + lam_labelling * sum |effects|`` what is minimised is the profile
``min_theta F(theta, gamma)``: at every gamma the classes are fitted by the solver of the estimator, down to its
certificate, and the gradient of the profile is that of F in gamma. Effects are split into positive and negative parts,
so that a quasi-Newton method with bounds serves the lasso.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from pulasso.estimators._row_labelling import RowLabelling
from pulasso.losses import ObservedLoss
from pulasso.path import lams_down_to, solve_path
from pulasso.problem import Params, Problem

__all__ = ["JointObjective", "JointPoint", "Profile"]

# The profile is only as smooth as its classes are solved; on the way down to their lam that matters little.
SHARPER, TOL_ON_THE_WAY = 0.1, 1e-3
MAX_STEPS = 300
# Of differences by which the curvature is found, in log odds.
STEP = 0.02


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

    def steps(self, at: JointPoint) -> NDArray:
        """Return steps of one standard error, shape (n, n_parameters): their outer products sum to the covariance.

        By the curvature of the profile, in which the classes follow the labelling; entries that are zero are taken as
        known. All nan where it has no minimum in some direction.
        """
        free = np.flatnonzero(self.labelling.has_effect & (~self.labelling.is_penalized | (at.gamma != 0)))
        hessian = np.empty((len(free), len(free)))
        for j, entry in enumerate(free):
            step = np.zeros_like(at.gamma)
            step[entry] = STEP
            ends = [self.at(at.gamma + side * step, at.params).grad[free] for side in (1, -1)]
            hessian[j] = (ends[0] - ends[1]) / (2 * STEP)
        steps = np.zeros((len(free), len(at.gamma)))
        values, vectors = np.linalg.eigh(0.5 * (hessian + hessian.T))
        with np.errstate(invalid="ignore", divide="ignore"):
            steps[:, free] = (vectors / np.sqrt(self.n_rows * np.where(values > 0, values, np.nan))).T
        return steps

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
        return replace(self.problem, loss=ObservedLoss(self.labelling.model(gamma), data.codes, data.weight))

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


def _joined(split: NDArray, is_effect: NDArray) -> tuple[NDArray, NDArray]:
    """Return gamma from what is free, positive and negative parts, and both parts as they are."""
    n_free = np.count_nonzero(~is_effect)
    parts = split[n_free:].reshape(2, -1)
    gamma = np.empty(len(is_effect))
    gamma[~is_effect], gamma[is_effect] = split[:n_free], parts[0] - parts[1]
    return gamma, parts
