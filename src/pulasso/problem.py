"""A problem is a design, a response, a loss, an anchor and a penalty; it is the only thing a solver sees."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.design import Design
from pulasso.losses import Anchor, Loss
from pulasso.losses.observed import curvature_of
from pulasso.penalties import BlockPenalty, Blocks
from pulasso.responses import Response, SecondOrder

__all__ = ["Coupling", "Params", "Point", "Problem"]


@dataclass(frozen=True, eq=False)
class Params:
    """What is estimated, and also a gradient with respect to it.

    Attributes
    ----------
    theta : array of shape (n_features, n_outputs)
        Penalised coefficients.
    offsets : array of shape (n_offsets,)
        Unpenalised parameters: intercepts, or first cutpoint and gaps.
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

    ``linear = X @ theta`` is held because points on a line through two points need no new pass over X.
    The gradients in the linear predictor and in the offsets cost nothing once the loss is known.
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
    """Minimise ``F = loss(X theta, offsets) + anchor(X theta, offsets) + penalty(theta, lam)``.

    Attributes
    ----------
    design : Design
    response : Response
    loss : Loss
    penalty : BlockPenalty
    anchor : Anchor, optional
        What holds the mean prediction to the shares that were told; wherever a method speaks of the loss, it is in it.
    lam : float
    lam_max : float
        The smallest lam at which the null model is stationary; 0 if no feature has any gradient there.
    kkt_scale : float
        What violations are relative to: lam_max under the usual weights, for columns of unit spread. It does not
        depend on the weights and units that a user chooses.
    null : Params, optional
        The null model, where every path starts.
    null_gradient : array of shape (n_features, n_outputs), optional
        Gradient of the loss in theta there.
    told_shares : array of shape (K + 1,), optional
        Class shares that the scenario implies, class 0 first; its own share is negative where labels ask for too much.
    data, scenario, warnings
        Where the problem comes from, for those who report about it: see :func:`pulasso.build_problem`.
    """

    design: Design
    response: Response
    loss: Loss
    penalty: BlockPenalty
    anchor: Anchor | None = None
    lam: float = 0.0
    lam_max: float = 1.0
    kkt_scale: float = 1.0
    null: Params | None = None
    null_gradient: NDArray | None = None
    told_shares: NDArray | None = None
    data: Any = field(default=None, repr=False)
    scenario: Any = None
    warnings: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of theta."""
        return self.design.shape[1], self.response.n_outputs

    @property
    def blocks(self) -> Blocks:
        """The blocks of theta."""
        return self.penalty.blocks

    @cached_property
    def block_scales(self) -> NDArray:
        """What the violation of each block is relative to, shape (n_blocks,)."""
        spread = getattr(self.design, "spread", None)
        if spread is None:
            return np.full(self.blocks.n_blocks, self.kkt_scale)
        by_entry = self.blocks.flat(np.broadcast_to(spread[:, None], self.shape))
        return self.kkt_scale * self.blocks.segments.norms(by_entry) / np.sqrt(self.blocks.sizes)

    def at_lam(self, lam: float) -> "Problem":
        """Return the same problem at another lam."""
        return replace(self, lam=lam)

    def is_feasible(self, params: Params, linear: NDArray | None = None) -> bool:
        """Say whether the parameters lie in the model's domain."""
        return self.response.is_feasible(params.offsets, linear)

    def at(self, params: Params, linear: NDArray | None = None) -> Point:
        """Evaluate the problem; one pass over X unless ``linear = X @ theta`` is known already."""
        if linear is None:
            linear = self.design.matmul(params.theta)
        return self.at_linear(params, linear, self.penalty.value(params.theta, self.lam))

    def at_linear(self, params: Params, linear: NDArray, penalty: float) -> Point:
        """Evaluate the loss, given the linear predictor and the penalty."""
        loss, grad_eta = self.value_and_grad(self.response.log_odds(linear, params.offsets))
        grad_linear, grad_offsets = self.response.pullback(linear, params.offsets, grad_eta)
        return Point(params, linear, loss, penalty, grad_linear, grad_offsets)

    def value_and_grad(self, eta: NDArray) -> tuple[float, NDArray]:
        """Return loss and anchor together, with their gradient in eta."""
        loss, grad_eta = self.loss.value_and_grad(eta)
        if self.anchor is not None and self.anchor.is_active:
            more, grad_more = self.anchor.value_and_grad(eta)
            loss, grad_eta = loss + more, grad_eta + grad_more
        return loss, grad_eta

    def class_shares(self, point: Point) -> NDArray | None:
        """Return the mean prediction over the rows that are a sample of the population; None where none are."""
        if self.anchor is None:
            return None
        return self.anchor.shares(self.response.log_odds(point.linear, point.params.offsets))

    def between(self, start: Point, end: Point, step: float) -> Point | None:
        """Return the point ``start + step * (end - start)``, or None outside the domain; no pass over X."""
        params = start.params + step * (end.params - start.params)
        linear = start.linear + step * (end.linear - start.linear)
        return self.at(params, linear) if self.is_feasible(params, linear) else None

    def gradient(self, point: Point) -> Params:
        """Return the gradient of the loss; one pass over X."""
        return Params(self.design.rmatmul(point.grad_linear), point.grad_offsets)

    def second_order(self, point: Point, mix: float = 1.0) -> SecondOrder:
        """Return second derivatives in linear predictor and offsets, but for what couples rows.

        Parameters
        ----------
        point : Point
        mix : float, default=1.0
            How much of the true Hessian is in it, the rest being the Fisher information; or one of the numbers that
            stand for the true one made positive row by row.
        """
        linear, offsets = point.linear, point.params.offsets
        eta = self.response.log_odds(linear, offsets)
        # The gradient carries the bend of eta itself, which the Fisher information leaves out, too.
        grad_eta = mix * self.value_and_grad(eta)[1] if mix else np.zeros_like(eta)
        curvature, weight = curvature_of(self.loss, eta, mix), self.loss.sample_weight
        if mix == 1.0 and self.anchor is not None and self.anchor.is_active:
            proba = self.anchor.proba(eta)
            pull = self.anchor.pull(self.anchor.sample_weight @ proba)
            curvature = self.anchor.add_rows(curvature, proba, pull, weight)
        return self.response.second_order(linear, offsets, grad_eta, curvature, weight)

    def coupling(self, point: Point) -> "Coupling | None":
        """Return what couples rows in the second derivatives: a product of few directions, or nothing."""
        if self.anchor is None or not self.anchor.is_active:
            return None
        eta = self.response.log_odds(point.linear, point.params.offsets)
        return Coupling(
            self.response, self.anchor, point.linear, point.params.offsets, self.anchor.proba(eta)
        )

    def offsets_information(self, point: Point) -> NDArray:
        """Return the Fisher information of the offsets, and the anchor's, shape (n_offsets, n_offsets)."""
        own, coupling = self.second_order(point, mix=0.0).oo, self.coupling(point)
        return own if coupling is None else own + coupling.offsets @ coupling.offsets.T

    def kkt_violation(self, params: Params, grad: Params) -> float:
        """Return the certificate: the largest violation of stationarity, each relative to its scale.

        Every solver stops on this number. It is zero exactly at the stationary points of F.
        """
        by_block = self.penalty.subdiff_distance(params.theta, grad.theta, self.lam) / self.block_scales
        by_offset = np.abs(grad.offsets) / self.kkt_scale
        return float(max(by_block.max(initial=0.0), by_offset.max(initial=0.0)))


@dataclass(frozen=True, eq=False)
class Coupling:
    """The part ``J J^T`` of the anchor's curvature, J being the scaled gradients of the K + 1 mean predictions.

    Attributes
    ----------
    response : Response
    anchor : Anchor
    linear, offsets
        Where.
    proba : array of shape (n_samples, K + 1)
        The anchor's probabilities there.
    """

    response: Response
    anchor: Anchor
    linear: NDArray
    offsets_at: NDArray
    proba: NDArray

    @cached_property
    def _scales(self) -> NDArray:
        return np.sqrt(self.anchor.factors(self.anchor.sample_weight @ self.proba))

    @cached_property
    def offsets(self) -> NDArray:
        """The rows of J that belong to the offsets, shape (n_offsets, K + 1)."""
        return np.array([by_offsets for _, by_offsets in self._pulled()]).T

    def entries(self, columns: Any, slots: NDArray, outputs: NDArray) -> NDArray:
        """Return the rows of J that belong to entries of theta, shape (n_entries, K + 1).

        Parameters
        ----------
        columns : ColumnStore
            With `sums` of its columns.
        slots, outputs : array of shape (n_entries,)
            Column of `columns` and output of every entry.
        """
        used, at = np.unique(slots, return_inverse=True)
        return np.stack(
            [columns.sums(by_linear, used)[at, outputs] for by_linear, _ in self._pulled()], axis=1
        )

    def _pulled(self) -> Iterator[tuple[NDArray, NDArray]]:
        """Yield the columns of J as gradients in linear predictor and offsets."""
        for scale, direction in zip(self._scales, self.anchor.directions(self.proba), strict=True):
            by_linear, by_offsets = self.response.pullback(self.linear, self.offsets_at, direction)
            yield scale * by_linear, scale * by_offsets
