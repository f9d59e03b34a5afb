"""A problem is a design, a response, a loss and a penalty; it is the only thing a solver sees."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pulasso.design import Design
from pulasso.penalties import GroupLasso
from pulasso.responses import Response
from pulasso.scenarios import Loss

__all__ = ["Params", "Point", "Problem"]


@dataclass(frozen=True, eq=False)
class Params:
    """What is estimated, and also a gradient with respect to it.

    Attributes
    ----------
    theta : array of shape (n_features, n_outputs)
        Penalised coefficients.
    offsets : array of shape (n_offsets,)
        Free parameters: intercepts, or first cutpoint and gaps.
    """

    theta: NDArray
    offsets: NDArray

    def __add__(self, other: "Params") -> "Params":
        return Params(self.theta + other.theta, self.offsets + other.offsets)

    def __sub__(self, other: "Params") -> "Params":
        return Params(self.theta - other.theta, self.offsets - other.offsets)

    def __mul__(self, factor: float) -> "Params":
        return Params(self.theta * factor, self.offsets * factor)

    __rmul__ = __mul__

    def dot(self, other: "Params") -> float:
        """Return the inner product."""
        return float(np.vdot(self.theta, other.theta) + self.offsets @ other.offsets)


@dataclass(frozen=True, eq=False)
class Point:
    """Parameters with what was computed there on the way.

    ``linear = X @ theta`` is kept because points on a line through two points need no new pass over X.
    The gradients in the linear predictor and in offsets cost nothing once the loss is known.
    """

    params: Params
    linear: NDArray
    loss: float
    penalty: float
    grad_linear: NDArray
    grad_offsets: NDArray

    @property
    def objective(self) -> float:
        """F at this point."""
        return self.loss + self.penalty

    def change_of_slope(self, other: "Point") -> float:
        """Return ``<grad(self) - grad(other), self - other>`` of the loss, without a pass over X."""
        by_linear = np.vdot(self.grad_linear - other.grad_linear, self.linear - other.linear)
        by_offsets = (self.grad_offsets - other.grad_offsets) @ (self.params.offsets - other.params.offsets)
        return float(by_linear + by_offsets)


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise ``F = loss(X theta, offsets) + lam * penalty(theta)``.

    Attributes
    ----------
    design : Design
    response : Response
    loss : Loss
    penalty : GroupLasso
    lam : float
    lam_max : float
        The smallest lam at which the null model is stationary; 0 if no feature has any gradient there.
        The scale of the certificate: violations are reported relative to it.
    """

    design: Design
    response: Response
    loss: Loss
    penalty: GroupLasso
    lam: float = 0.0
    lam_max: float = 1.0

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of theta."""
        return self.design.shape[1], self.response.n_outputs

    @property
    def kkt_scale(self) -> float:
        """What violations are relative to: lam_max, or 1 where that is no scale."""
        return self.lam_max if self.lam_max > 0 else 1.0

    def at_lam(self, lam: float) -> "Problem":
        """Return the same problem at another lam."""
        return replace(self, lam=lam)

    def is_feasible(self, params: Params) -> bool:
        """Say whether the offsets lie in the model's domain."""
        return self.response.is_feasible(params.offsets)

    def at(self, params: Params, linear: NDArray | None = None) -> Point:
        """Evaluate the problem; one pass over X unless ``linear = X @ theta`` is known already."""
        if linear is None:
            linear = self.design.matmul(params.theta)
        loss, grad_eta = self.loss.value_and_grad(self.response.log_odds(linear, params.offsets))
        grad_linear, grad_offsets = self.response.pullback(linear, params.offsets, grad_eta)
        # An excluded block has an infinite weight and 0 * inf is not 0, hence no product at lam = 0.
        penalty = self.lam * self.penalty.value(params.theta) if self.lam > 0 else 0.0
        return Point(params, linear, loss, penalty, grad_linear, grad_offsets)

    def between(self, start: Point, end: Point, step: float) -> Point | None:
        """Return the point ``start + step * (end - start)``, or None outside the domain; no pass over X."""
        params = start.params + step * (end.params - start.params)
        if not self.is_feasible(params):
            return None
        return self.at(params, start.linear + step * (end.linear - start.linear))

    def gradient(self, point: Point) -> Params:
        """Return the gradient of the loss; one pass over X."""
        return Params(self.design.rmatmul(point.grad_linear), point.grad_offsets)

    def gradient_at(self, params: Params) -> Params:
        """Return the gradient of the loss; two passes over X."""
        return self.gradient(self.at(params))

    def offsets_information(self, point: Point) -> NDArray:
        """Return the Fisher information of the offsets, shape (n_offsets, n_offsets)."""
        linear, offsets = point.linear, point.params.offsets
        eta = self.response.log_odds(linear, offsets)
        fisher = self.loss.curvature(eta)
        return self.response.second_order(linear, offsets, np.zeros_like(eta), fisher, self.loss.share).aa

    def kkt_violation(self, params: Params, grad: Params) -> float:
        """Return the certificate: the largest violation of stationarity, relative to lam_max.

        Every solver stops on this number. It is zero exactly at the stationary points of F.
        """
        by_block = self.penalty.kkt_distances(params.theta, grad.theta, self.lam)
        worst = max(by_block.max(initial=0.0), np.abs(grad.offsets).max(initial=0.0))
        return float(worst / self.kkt_scale)
