"""Minimising an estimate of the risk of true classes: non-negative PU learning with a linear model."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from pulasso._messages import arg, listed, plain, warn
from pulasso.baselines._base import BaseBaseline
from pulasso.baselines._population import population_weights, posterior
from pulasso.data.inputs import check_flag, check_number
from pulasso.data.pu_data import PUData
from pulasso.design import StandardizedDesign, as_design, standardize
from pulasso.design.sparse import SparseDesign
from pulasso.exceptions import ConvergenceWarning, ScenarioError
from pulasso.responses import Multinomial
from pulasso.scenarios import PerClass, Scenario

__all__ = ["NonNegativePU", "Risk"]

# How far t moves for a unit of T, and how often it is moved at most.
REACH, MOVES = 10.0, 50
# The first solve only has to find about where t lies; every further one is so much more exact.
FIRST_TOL, FINER = 1e-3, 0.1
# With at most so many rows, and so many times as many columns, the search is over what the rows span.
FEW_ROWS, WIDE = 1_000, 4
# Directions in which rows differ by less than this, next to the most, are rounding (of doubles).
THIN = 1e-6
AT_ONCE = 16  # rows whose products with all of X are held
# SciPy's word for a run of L-BFGS-B that was cut off; and gradients that rounding explains, where it got stuck.
OUT_OF_STEPS, ROUNDING = 1, 1e-4


@dataclass(frozen=True, eq=False)
class Risk:
    r"""The estimated risk of a linear model, as a function of its parameters.

    With the logistic loss :math:`\ell(k, \eta) = A(\eta) - \eta_k`, where :math:`A = \log(1 + \sum_k e^{\eta_k})`
    and :math:`\eta_0 = 0`, and :math:`m_{ik}, u_i` (`members`, `everyone`) from `population_weights`,

    .. math::

       S = \sum_{ik} m_{ik}\, \ell(k, \eta_i) \approx \sum_{k>0} P(y=k) E[\ell(k, \eta) | y=k], \qquad
       T = \sum_i u_i A(\eta_i) - \sum_{ik} m_{ik} A(\eta_i) \approx P(y=0) E[\ell(0, \eta) | y=0] .

    The risk is S + T. T cannot be negative, but its estimate becomes so when the model overfits.
    """

    design: "StandardizedDesign | RowSpace"
    everyone: NDArray  # (n,)
    members: NDArray  # (n, K), classes 1..K
    lam: float  # of the ridge penalty, lam / 2 * ||Theta||^2

    def unpack(self, parameters: NDArray) -> tuple[NDArray, NDArray]:
        """Return theta (n_features, K) and intercepts (K,)."""
        k = self.members.shape[1]
        return parameters[:-k].reshape(-1, k), parameters[-k:]

    @cached_property
    def of_positives(self) -> NDArray:
        """Weight of every row in the mean over positive classes."""
        return self.members.sum(axis=1)

    @cached_property
    def of_negatives(self) -> NDArray:
        """Weight of every row in the mean over class 0; some are negative."""
        return self.everyone - self.of_positives

    def mixed(self, parameters: NDArray, mixture: float, reach: float = 0.0) -> tuple[float, NDArray]:
        """Return ``S + t T - (t - mixture)^2 / (2 reach)`` with the penalty, and its gradient.

        Here t is `moved` from the mixture by T, and without reach the mixture itself. It is convex and smooth.
        """
        theta, intercept = self.unpack(parameters)
        eta = self.design.matmul(theta) + intercept
        log_total, q = posterior(eta)
        negative = float(self.of_negatives @ log_total)
        t = moved(mixture, negative, reach)
        value = self.of_positives @ log_total - np.einsum("ij,ij->", self.members, eta) + t * negative
        value -= 0.5 * (t - mixture) ** 2 / reach if reach else 0.0
        grad_eta = (self.of_positives + t * self.of_negatives)[:, None] * q - self.members
        grad_theta = self.design.rmatmul(grad_eta) + self.lam * theta
        penalty = 0.5 * self.lam * np.vdot(theta, theta)
        return float(value + penalty), np.append(grad_theta.ravel(), grad_eta.sum(axis=0))

    def negative_part(self, parameters: NDArray) -> float:
        """Return T, the estimated risk of class 0."""
        theta, intercept = self.unpack(parameters)
        return float(self.of_negatives @ posterior(self.design.matmul(theta) + intercept)[0])


@dataclass(frozen=True, eq=False)
class RowSpace:
    r"""A wide design in orthonormal coordinates of what its rows span.

    A ridge keeps :math:`\theta` in the span of the rows, :math:`X = F B^T` with :math:`B^T B = I`. So
    :math:`\theta = B w`, :math:`X \theta = F w` and :math:`\|\theta\| = \|w\|`, with at most n numbers w for each class
    instead of p.
    """

    design: StandardizedDesign
    basis: NDArray  # of columns U_r / s_r, such that B = X^T basis
    coordinates: NDArray  # F, (n, rank)

    @classmethod
    def of(cls, design: StandardizedDesign) -> "RowSpace":
        """Return the coordinates, from products of rows with rows."""
        one_each = np.eye(design.shape[0])
        # Some rows at a time: their products with X have its length, and are many times as large as they.
        parts = [
            design.matmul(design.rmatmul(one_each[:, first : first + AT_ONCE]))
            for first in range(0, design.shape[0], AT_ONCE)
        ]
        gram = np.hstack(parts)
        squares, vectors = np.linalg.eigh((gram + gram.T) / 2)
        lengths = np.sqrt(np.maximum(squares, 0.0))
        kept = lengths > THIN * lengths[-1]
        return cls(design, vectors[:, kept] / lengths[kept], vectors[:, kept] * lengths[kept])

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of coordinates."""
        return self.coordinates.shape[0], self.coordinates.shape[1]

    def matmul(self, w: NDArray) -> NDArray:
        """Return ``F @ w``."""
        return self.coordinates @ w

    def rmatmul(self, grad: NDArray) -> NDArray:
        """Return ``F.T @ grad``."""
        return self.coordinates.T @ grad

    def to_original(self, w: NDArray) -> tuple[NDArray, NDArray]:
        """Return coefficients on the scale of X, and the constant that centring adds to u."""
        return self.design.to_original(self.design.rmatmul(self.basis @ w))


def spans_less(design: StandardizedDesign) -> bool:
    """Say whether few rows span far less than there are columns, and are exact enough to find out what."""
    n_samples, n_features = design.shape
    is_sparse = isinstance(design.base, SparseDesign)
    is_double = design.dtype == np.float64
    return WIDE * n_samples <= n_features and n_samples <= FEW_ROWS and is_double and not is_sparse


def moved(mixture: float, negative: float, reach: float) -> float:
    """Return the t in [0, 1] that maximises ``t T - (t - mixture)^2 / (2 reach)``."""
    return min(max(mixture + reach * negative, 0.0), 1.0)


class NonNegativePU(BaseBaseline):
    r"""Linear model that minimises the non-negative risk of positive and unlabeled data.

    .. math:: \min_{\Theta, b}\ S(\Theta, b) + \max(0, T(\Theta, b)) + \tfrac{\lambda}{2} \|\Theta\|^2

    with S the risk of the positive classes and T that of class 0, both estimated without its members
    (:class:`Risk`). With one positive class this is Kiryo et al.'s nnPU, and du Plessis et al.'s unbiased risk if
    ``non_negative=False``; with several, their sum over classes.

    With the logistic loss and a linear model the problem is convex: it is the maximum of S and S + T, both
    convex. By the minimax theorem its solution minimises ``S + t T`` for one t in [0, 1]: 1 if T is positive
    there, else the t that makes T zero. So it is solved exactly, by L-BFGS and the method of multipliers (t is the
    multiplier of the bound), instead of by stochastic steps. Where a dense X has many more columns than rows,
    the search is over what the rows span: the ridge keeps the solution there.

    Parameters
    ----------
    lam : float, default=0.01
        Strength of the ridge penalty on coefficients of unit-variance columns.
    non_negative : bool, default=True
    scenario : {"case-control", "single-training-set"} or object, default="case-control"
    prevalence, label_frequency, unlabeled, negative
        As for :class:`MultinomialPULasso`.
    tol : float, default=1e-6
        Of L-BFGS, for the gradient.
    max_iter : int, default=1000

    Attributes
    ----------
    classes_ : array of shape (K + 1,)
    coef_ : array of shape (K, n_features)
        Log odds against class 0, per unit of X.
    intercept_ : array of shape (K,)
    mixture_ : float
        The t above; below 1 the bound T >= 0 was active.
    negative_risk_ : float
        T at the solution.
    objective_ : float
    n_iter_ : int
        Steps of L-BFGS in all.
    converged_ : bool
        Whether its last run ended before `max_iter`, at a small gradient.

    References
    ----------
    M. C. du Plessis, G. Niu and M. Sugiyama (2015), Convex formulation for learning from positive and unlabeled
    data, ICML.

    R. Kiryo, G. Niu, M. C. du Plessis and M. Sugiyama (2017), Positive-unlabeled learning with non-negative risk
    estimator, NeurIPS.

    Examples
    --------
    >>> from pulasso.baselines import NonNegativePU
    >>> from pulasso.datasets import simulate_multinomial
    >>> data = simulate_multinomial(600, 5, random_state=0)
    >>> model = NonNegativePU(**data.scenario_params).fit(data.X, data.z)
    >>> model.coef_.shape, bool(model.negative_risk_ >= -1e-3)
    ((2, 5), True)
    """

    def __init__(
        self,
        lam: float = 0.01,
        *,
        non_negative: bool = True,
        scenario: str | Scenario = "case-control",
        prevalence: PerClass | None = None,
        label_frequency: PerClass | None = None,
        tol: float = 1e-6,
        max_iter: int = 1000,
        unlabeled: Any = None,
        negative: Any = None,
    ):
        self.lam = lam
        self.non_negative = non_negative
        self.scenario = scenario
        self.prevalence = prevalence
        self.label_frequency = label_frequency
        self.tol = tol
        self.max_iter = max_iter
        self.unlabeled = unlabeled
        self.negative = negative

    def _fit(self, data: PUData) -> None:
        check_number("lam", self.lam, above=0.0)
        check_number("tol", self.tol, above=0.0)
        check_number("max_iter", self.max_iter, least=1, whole=True)
        check_flag("non_negative", self.non_negative)
        everyone, members = population_weights(data, self.label_model_)
        share = members[:, 1:].sum()
        if share >= 1.0:
            raise ScenarioError(
                f"The classes {listed(data.classes[1:])} would make up {100 * share:.0f} % of the population, which "
                f"leaves nothing for class {plain(data.classes[0])!r} and the risk without a minimum.",
                parameter="label_frequency",
                remedy=f"Give a larger {arg('label_frequency')}.",
            )
        design = standardize(as_design(data.x), data.weight / data.weight.sum())
        space: StandardizedDesign | RowSpace = RowSpace.of(design) if spans_less(design) else design
        risk = Risk(space, everyone, members[:, 1:], float(self.lam))
        parameters = self._minimize(risk)
        if not self.converged_:
            warn(
                f"NonNegativePU: L-BFGS (max_iter={self.max_iter}) stopped before its gradient was below "
                f"tol={self.tol:g}. Try a larger {arg('max_iter')}, {arg('tol')} or {arg('lam')}.",
                ConvergenceWarning,
            )
        theta, intercept = risk.unpack(parameters)
        coef, offset = space.to_original(theta)
        self.coef_, self.intercept_ = coef.T.astype(design.dtype), intercept + offset
        self.negative_risk_ = risk.negative_part(parameters)
        if self.non_negative:
            self.objective_ = risk.mixed(parameters, 0.0)[0] + max(self.negative_risk_, 0.0)
        else:
            self.objective_ = risk.mixed(parameters, 1.0)[0]

    def _minimize(self, risk: Risk) -> NDArray:
        n_features, k = risk.design.shape[1], risk.members.shape[1]
        share = risk.members.sum(axis=0)
        best = np.append(np.zeros(n_features * k), np.log(share / (1.0 - share.sum())))  # the null model
        reach = REACH if self.non_negative else 0.0
        self.mixture_, self.n_iter_, self.converged_ = 1.0, 0, False
        for tol in np.maximum(FIRST_TOL * FINER ** np.arange(MOVES), self.tol) if reach else [self.tol]:
            options = {"maxiter": self.max_iter, "gtol": tol, "ftol": 0.0, "maxcor": 20}
            start = {"x0": best, "args": (self.mixture_, reach)}  # every solution is the start of the next
            found = minimize(risk.mixed, **start, jac=True, method="L-BFGS-B", options=options)
            best = found.x
            self.n_iter_ += max(int(found.nit), 1)
            before, self.mixture_ = self.mixture_, moved(self.mixture_, risk.negative_part(best), reach)
            if found.status == OUT_OF_STEPS:
                break
            # T is zero, or t at an end of its range.
            if tol <= self.tol and abs(self.mixture_ - before) <= reach * self.tol:
                self.converged_ = bool(np.abs(found.jac).max() <= max(ROUNDING, tol))
                break
        return best

    def _proba(self, x: Any) -> NDArray:
        linear = np.asarray(x @ self.coef_.T)
        log_proba = Multinomial.build(len(self.intercept_)).log_proba(linear, self.intercept_)
        return np.exp(log_proba).astype(self.coef_.dtype, copy=False)
