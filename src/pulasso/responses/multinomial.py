"""Unordered classes: ``eta = Theta^T x + b``."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from pulasso.curvature import Curvature
from pulasso.numerics import log_normalize

__all__ = ["Multinomial"]


@dataclass(frozen=True)
class Multinomial:
    """Multinomial logistic model with class 0 as reference.

    Parameters
    ----------
    n_positive : int
        K, the number of classes besides class 0.
    fit_intercept : bool, default=True
        Without intercepts there are no offsets and ``offsets`` is empty.
    symmetric : bool, default=False
        Measure the coefficients of one feature in a way that treats all K + 1 classes alike. With
        ``M = I - 11^T / (K + 1)`` the solver's coefficients are ``phi = M^{1/2} gamma``, whose plain norm
        is ``||gamma||_M``: the norm of the K + 1 coefficients that sum to zero (glmnet's).
    """

    n_positive: int
    fit_intercept: bool = True
    symmetric: bool = False

    name: ClassVar[str] = "multinomial"
    is_ordered: ClassVar[bool] = False
    offsets_name: ClassVar[str] = "intercept_"

    @classmethod
    def build(cls, n_positive: int, *, fit_intercept: bool = True, symmetric: bool = False) -> "Multinomial":
        """Return the model for K = `n_positive` classes besides class 0."""
        return cls(n_positive, fit_intercept, symmetric)

    @property
    def n_outputs(self) -> int:
        """One column of theta for every positive class."""
        return self.n_positive

    @cached_property
    def contrast(self) -> NDArray:
        """The matrix ``M^{-1/2} = I + (sqrt(K + 1) - 1) / K * 11^T`` from phi to gamma, or the identity."""
        k = self.n_positive
        return np.eye(k) + (np.sqrt(k + 1.0) - 1.0) / k if self.symmetric else np.eye(k)

    def log_odds(self, u: NDArray, offsets: NDArray) -> NDArray:
        """Return eta, shape (n_samples, K)."""
        eta = u @ self.contrast if self.symmetric else u
        return eta + offsets if self.fit_intercept else eta

    def pullback(self, u: NDArray, offsets: NDArray, grad_eta: NDArray) -> tuple[NDArray, NDArray]:
        """Return the gradients in u and in offsets."""
        grad_u = grad_eta @ self.contrast if self.symmetric else grad_eta
        return grad_u, grad_eta.sum(axis=0) if self.fit_intercept else np.empty(0)

    def second_order(
        self, u: NDArray, offsets: NDArray, grad_eta: NDArray, curvature: Curvature, sample_weight: NDArray
    ) -> "MultinomialSecondOrder":
        """Return second derivatives in (u, offsets); eta is linear in both, so the gradient does not matter."""
        return MultinomialSecondOrder(self, curvature, sample_weight)

    def log_proba(self, u: NDArray, offsets: NDArray) -> NDArray:
        """Return log P(y | x), shape (n_samples, K + 1)."""
        eta = self.log_odds(u, offsets)
        scores = np.hstack([np.zeros((len(eta), 1), dtype=eta.dtype), eta])
        return scores - log_normalize(scores)[0][:, None]

    def null_offsets(self, log_odds: NDArray) -> NDArray:
        """Return the intercepts of the null model."""
        return log_odds.copy() if self.fit_intercept else np.empty(0)

    def is_feasible(self, offsets: NDArray, u: NDArray | None = None) -> bool:
        """Any finite intercept will do."""
        return bool(np.isfinite(offsets).all())

    def shift(self, offsets: NDArray, constant: NDArray) -> NDArray:
        """Return intercepts that absorb a constant added to u."""
        return offsets - constant @ self.contrast if self.fit_intercept else offsets

    def moved_proba(self, proba: NDArray, change: NDArray) -> NDArray:
        """Return probabilities after a change of the intercepts."""
        return log_normalize(_log(proba) + np.append(0.0, change))[1]

    def move_to_shares(self, proba: NDArray, weight: NDArray, shares: NDArray) -> NDArray:
        """Return the change of the intercepts after which the mean probabilities are these shares.

        It minimises ``sum_i w_i log sum_k P_ik exp(d_k) - sum_k shares_k d_k``, which is convex, by Newton steps.

        Parameters
        ----------
        proba : array of shape (n_samples, K + 1)
        weight : array of shape (n_samples,)
            With sum one.
        shares : array of shape (K + 1,)
        """
        log_proba = _log(proba)

        def loss(change: NDArray) -> tuple[float, NDArray]:
            log_n, moved = log_normalize(log_proba + np.append(0.0, change))
            return float(weight @ log_n - shares[1:] @ change), weight @ moved[:, 1:] - shares[1:]

        def hessian(change: NDArray) -> NDArray:
            own = log_normalize(log_proba + np.append(0.0, change))[1][:, 1:]
            return np.diag(weight @ own) - (own * weight[:, None]).T @ own

        start = np.zeros(self.n_positive)
        return minimize(loss, start, jac=True, hess=hessian, method="trust-exact", options={"gtol": 1e-10}).x

    def output_names(self, classes: Sequence[Any]) -> list[Any]:
        """One for each positive class."""
        return list(classes[1:])

    def to_public(self, theta: NDArray, offsets: NDArray) -> dict[str, NDArray]:
        """Return ``coef_`` (K, n_features) and ``intercept_`` (K,), zero where none was fitted."""
        gamma = theta @ self.contrast.astype(theta.dtype) if self.symmetric else theta
        intercept = offsets if self.fit_intercept else np.zeros(self.n_positive, theta.dtype)
        return {"coef_": np.ascontiguousarray(gamma.T), "intercept_": intercept}

    @classmethod
    def from_public(cls, fitted: Any) -> tuple["Multinomial", NDArray, NDArray]:
        """Return response, theta and intercepts."""
        return cls(len(fitted.coef_)), fitted.coef_.T, fitted.intercept_


class MultinomialSecondOrder:
    """``A W A``, ``A W`` and ``W`` for the contrast A and the curvature W of every sample, never as matrices.

    With ``W = diag(s) + sum_t f_t v_t v_t^T`` and ``A = I + c 11^T`` the diagonal part of ``A W A`` is
    ``diag(s) + c (s 1^T + 1 s^T) + c^2 sum(s) 11^T``.
    """

    def __init__(self, response: Multinomial, curvature: Curvature, sample_weight: NDArray):
        self.sample_weight, self.s = sample_weight, curvature.diagonal
        self.c = response.contrast[0, 0] - 1.0
        self.total = self.s.sum(axis=1) if self.c else None
        # Factor, vector, and the vector times the contrast.
        self.terms = [(f, v, v @ response.contrast if self.c else v) for f, v in curvature.terms]
        self.n_offsets = response.n_positive if response.fit_intercept else 0

    @cached_property
    def oo(self) -> NDArray:
        """Return the derivatives in the intercepts."""
        full = np.diag(self.sample_weight @ self.s)
        for factor, vector, _ in self.terms:
            full += (vector * (self.sample_weight * factor)[:, None]).T @ vector
        return full[: self.n_offsets, : self.n_offsets]

    def uu(self, k: int, l: int) -> NDArray:  # noqa: E741
        """Return the derivatives in outputs k and l of u."""
        weight = sum(factor * vector[:, k] * vector[:, l] for factor, _, vector in self.terms)
        if k == l:
            weight += self.s[:, k]
        if self.c:
            weight += self.c * (self.s[:, k] + self.s[:, l]) + self.c**2 * self.total
        return self.sample_weight * weight

    def uo(self, k: int) -> NDArray:
        """Return the derivatives in output k of u and the intercepts."""
        weight = sum((factor * by_u[:, k])[:, None] * vector for factor, vector, by_u in self.terms)
        weight[:, k] += self.s[:, k]
        if self.c:
            weight += self.c * self.s
        return (self.sample_weight[:, None] * weight)[:, : self.n_offsets]


def _log(proba: NDArray) -> NDArray:
    with np.errstate(divide="ignore"):  # a class may have underflowed
        return np.log(proba)
