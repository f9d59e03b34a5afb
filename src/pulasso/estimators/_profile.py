"""The objective of classes and labelling together, as a function of the labelling.

With ``F(theta, gamma) = L(theta, gamma) + P(theta) + lam_labelling * sum |effects|`` what is minimised is the profile
``min_theta F(theta, gamma)``: at every gamma the classes are fitted by the solver of the estimator, down to its
certificate, and the gradient of the profile is that of F in gamma. Effects are split into positive and negative parts,
so that a quasi-Newton method with bounds serves the lasso.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from pulasso.losses import ObservedLoss
from pulasso.losses.propensity import labelling_gradient
from pulasso.path import lams_down_to, solve_path
from pulasso.problem import Params, Problem
from pulasso.scenarios import LabelModel, SelectedLabelling
from pulasso.scenarios.propensity import label_rows

__all__ = ["JointPoint", "Profile"]

# The profile is only as smooth as its classes are solved; on the way down to their lam that matters little.
SHARPER, TOL_ON_THE_WAY = 0.1, 1e-3
MAX_STEPS = 300


@dataclass(frozen=True, eq=False)
class JointPoint:
    """Labelling, classes fitted to it, and what they give together.

    Attributes
    ----------
    gamma : array of shape (1 or K, 1 + n_columns)
        Log odds of labelling: intercept and effects of columns of unit variance.
    params : Params
        Of the classes.
    loss : float
        With the anchor.
    penalty : float
        Of the classes.
    grad : array of the shape of gamma
        Of the loss.
    """

    gamma: NDArray
    params: Params
    loss: float
    penalty: float
    grad: NDArray


@dataclass(frozen=True, eq=False)
class Profile:
    """The objective as a function of the labelling: gamma, one row for each propensity, intercept first."""

    problem: Problem
    scenario: SelectedLabelling
    solver: str
    tol: float
    max_iter: int

    @cached_property
    def _effort(self) -> tuple[NDArray, NDArray]:
        return self.scenario.effort(self.problem.data.x, self.problem.data.feature_names)

    @cached_property
    def moments(self) -> tuple[NDArray, NDArray]:
        """Mean and standard deviation of the columns."""
        w, weight = self._effort[0], self.problem.loss.sample_weight
        mean = weight @ w
        return mean, np.sqrt(weight @ np.square(w - mean))

    @cached_property
    def design(self) -> NDArray:
        """Ones, and the columns with mean zero and unit variance."""
        mean, scale = self.moments
        return np.column_stack([np.ones(len(self._effort[0])), (self._effort[0] - mean) / scale])

    @cached_property
    def negative_frequency(self) -> float:
        """How often class 0 is confirmed."""
        return self.scenario.negative_frequency(self.problem.data.counts)

    def label_model(self, gamma: NDArray) -> LabelModel:
        """Return the arrays a and c of every row."""
        logits = self.design @ gamma.T + self._effort[1][:, None]
        n_positive = len(self.problem.data.classes) - 1
        return label_rows(np.broadcast_to(logits, (len(logits), n_positive)), self.negative_frequency)

    def with_labelling(self, gamma: NDArray) -> Problem:
        """Return the problem of the classes, given the labelling."""
        data = self.problem.data
        return replace(self.problem, loss=ObservedLoss(self.label_model(gamma), data.codes, data.weight))

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
        loss: Any = problem.loss
        by_row = loss.sample_weight[:, None] * labelling_gradient(loss.label_model, eta, loss.codes)
        if len(gamma) == 1:
            by_row = by_row.sum(axis=1, keepdims=True)
        return JointPoint(gamma, params, point.loss, point.penalty, by_row.T @ self.design)

    def kkt(self, at: JointPoint, lam: float) -> float:
        """Return the largest violation in intercepts and effects, relative as that of the classes is."""
        effects, grad = at.gamma[:, 1:], at.grad[:, 1:]
        moved = np.abs(grad + np.copysign(lam, effects))
        distance = np.where(effects != 0, moved, np.maximum(np.abs(grad) - lam, 0.0))
        worst = max(np.abs(at.grad[:, 0]).max(), distance.max(initial=0.0))
        return float(worst / self.problem.kkt_scale)

    def minimize(
        self, at: JointPoint, lam: float, tol: float, constant: bool
    ) -> tuple[JointPoint, list[float]]:
        """Return a stationary point of the profile, and the objective after every step."""
        shape, size = at.gamma.shape, at.gamma[:, 1:].size
        last = best = at
        history = [at.loss + at.penalty + lam * float(np.abs(at.gamma[:, 1:]).sum())]

        def evaluate(split: NDArray) -> tuple[float, NDArray]:
            nonlocal last
            gamma, parts = _joined(split, shape)
            last = self.at(gamma, best.params)
            grad = last.grad[:, 1:].ravel()
            value = last.loss + last.penalty + lam * float(parts.sum())
            return value, np.concatenate([last.grad[:, 0], lam + grad, lam - grad])

        def accept(split: NDArray) -> None:
            nonlocal best
            gamma, parts = _joined(split, shape)
            best = last if np.array_equal(gamma, last.gamma) else self.at(gamma, best.params)
            history.append(best.loss + best.penalty + lam * float(parts.sum()))

        effects = at.gamma[:, 1:].ravel()
        start = np.concatenate([at.gamma[:, 0], np.maximum(effects, 0.0), np.maximum(-effects, 0.0)])
        bounds = [(None, None)] * shape[0] + [(0.0, 0.0 if constant else None)] * (2 * size)
        options = {"maxiter": MAX_STEPS, "ftol": 0.0, "gtol": SHARPER * tol * self.problem.kkt_scale}
        minimize(
            evaluate, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options, callback=accept
        )
        return best, history


def _joined(split: NDArray, shape: tuple[int, int]) -> tuple[NDArray, NDArray]:
    """Return gamma from intercepts, positive and negative parts, and both parts as they are."""
    intercepts, parts = split[: shape[0]], split[shape[0] :].reshape(2, shape[0], shape[1] - 1)
    return np.column_stack([intercepts, parts[0] - parts[1]]), parts
