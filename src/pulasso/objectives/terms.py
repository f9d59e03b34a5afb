"""The objective of some rows as a function of raw scores and offsets: likelihood plus anchor, through a response."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pulasso.curvature import Curvature
from pulasso.losses import Anchor, ObservedLoss
from pulasso.responses import Response

__all__ = ["Terms"]

SMALLEST_STEP = 1e-8
LEAST_CURVATURE = 1e-16


@dataclass(frozen=True, eq=False)
class Terms:
    """Mean loss of observed labels plus the anchor.

    Attributes
    ----------
    response : Response
        Without intercepts of its own, if it is the multinomial one.
    loss : ObservedLoss
    anchor : Anchor or None
    """

    response: Response
    loss: ObservedLoss
    anchor: Anchor | None

    @property
    def _held(self) -> Anchor | None:
        return self.anchor if self.anchor is not None and self.anchor.is_active else None

    def in_eta(self, eta: NDArray) -> tuple[float, NDArray]:
        """Return value and gradient in class log odds."""
        value, grad = self.loss.value_and_grad(eta)
        if self._held is None:
            return value, grad
        more, by_anchor = self._held.value_and_grad(eta)
        return value + more, grad + by_anchor

    def value(self, u: NDArray, offsets: NDArray) -> float:
        """Return the value."""
        return self.in_eta(self.response.log_odds(u, offsets))[0]

    def value_and_grads(self, u: NDArray, offsets: NDArray) -> tuple[float, NDArray, NDArray]:
        """Return the value and its gradients in scores and offsets."""
        value, grad = self.in_eta(self.response.log_odds(u, offsets))
        return value, *self.response.pullback(u, offsets, grad)

    def grad_and_curvature(self, u: NDArray, offsets: NDArray) -> tuple[NDArray, NDArray]:
        r"""Return the gradient in the scores, and positive curvatures in every score, both of the shape of `u`.

        Of the likelihood the curvature is that of the EM surrogate, ``q (1 - q)``. Of the anchor it is a bound that is
        a sum over rows: with weights v that sum to one, :math:`(\sum_i v_i d_i)^2 \le \sum_i v_i d_i^2`, whatever rows
        a leaf holds.
        """
        eta, weight = self.response.log_odds(u, offsets), self.loss.sample_weight
        grad, q = self.loss.grad_and_posterior(eta)
        if self._held is not None:
            grad = grad + self._held.value_and_grad(eta)[1]
        if eta is u:  # scores that are the log odds themselves
            found = weight[:, None] * (q * (1.0 - q))
        else:
            surrogate = Curvature(q, np.zeros(len(q)), np.zeros_like(q))
            second = self.response.second_order(u, offsets, np.zeros_like(eta), surrogate, weight)
            found = np.stack([second.uu(k, k) for k in range(u.shape[1])], axis=1)
        if self._held is not None:
            held, proba = self._held, self._held.proba(eta)
            factors, share = held.factors(held.sample_weight @ proba), held.sample_weight[:, None]
            for factor, direction in zip(factors, held.directions(proba), strict=True):
                slope = self.response.pullback(u, offsets, direction)[0]  # times v
                found += factor * np.divide(slope**2, share, out=np.zeros_like(slope), where=share > 0)
        least = LEAST_CURVATURE * weight[:, None]
        return self.response.pullback(u, offsets, grad)[0], np.maximum(found, least)

    def fit_offsets(self, u: NDArray, offsets: NDArray, max_steps: int, tol: float) -> NDArray:
        """Return offsets after some damped Newton steps with the scores held: the value never grows."""
        value, _, grad = self.value_and_grads(u, offsets)
        for _ in range(max_steps):
            step = np.linalg.lstsq(self._information(u, offsets), -grad, rcond=None)[0]
            length, moved = 1.0, offsets + step
            while not (self.response.is_feasible(moved) and self.value(u, moved) <= value):
                length *= 0.5
                if length < SMALLEST_STEP:
                    return offsets
                moved = offsets + length * step
            offsets = moved
            value, _, grad = self.value_and_grads(u, offsets)
            if np.abs(length * step).max() <= tol:
                break
        return offsets

    def _information(self, u: NDArray, offsets: NDArray) -> NDArray:
        """Return Fisher information in the offsets, with the Gauss-Newton part of the anchor."""
        eta, weight = self.response.log_odds(u, offsets), self.loss.sample_weight
        fisher: Curvature = self.loss.curvature(eta)
        information = self.response.second_order(u, offsets, np.zeros_like(eta), fisher, weight).oo
        if self._held is not None:
            held, proba = self._held, self._held.proba(eta)
            factors = held.factors(held.sample_weight @ proba)
            for factor, direction in zip(factors, held.directions(proba), strict=True):
                slope = self.response.pullback(u, offsets, direction)[1]
                information = information + factor * np.outer(slope, slope)
        return information
