"""What every chunk of rows computes: its part of the loss, of the gradient and of the Hessian of some entries."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.design import DenseDesign, StandardizedDesign, as_design, as_slice, column_store
from pulasso.losses import Anchor, ObservedLoss
from pulasso.losses.anchor import bent
from pulasso.losses.observed import curvature_of
from pulasso.problem import Params
from pulasso.responses import Response
from pulasso.scenarios import LabelModel
from pulasso.solvers._quadratic import fill_hessian

__all__ = ["ChunkModel", "Evaluation", "evaluate_chunk"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The loss with its gradient and, where asked for, its Hessian: all of them sums over rows.

    Attributes
    ----------
    loss : float
    gradient : Params
    hessian : array of shape (n_offsets + n_entries,) * 2 or None
    shares : array of shape (K + 1,), optional
        Mean prediction.
    directions : tuple of Params
        Its gradients, where an anchor asks for them.
    params : Params, optional
        Where.
    objective : float, optional
        F there.
    """

    loss: float
    gradient: Params
    hessian: NDArray | None = None
    shares: NDArray | None = None
    directions: tuple[Params, ...] = ()
    params: Params | None = None
    objective: float = np.nan

    def __add__(self, other: "Evaluation") -> "Evaluation":
        both = self.hessian is not None and other.hessian is not None
        hessian = self.hessian + other.hessian if both else None  # type: ignore[operator]
        shares = None if self.shares is None or other.shares is None else self.shares + other.shares
        directions = tuple(a + b for a, b in zip(self.directions, other.directions, strict=True))
        return Evaluation(self.loss + other.loss, self.gradient + other.gradient, hessian, shares, directions)

    def anchored(self, anchor: Anchor, entries: tuple[NDArray, NDArray] | None) -> "Evaluation":
        """Return what the sums over all rows become with an anchor, which is no sum over rows itself."""
        assert self.shares is not None
        value, gradient, hessian = anchor.value(self.shares), self.gradient, self.hessian
        if not np.isfinite(value):  # a class has vanished: no step ends here
            return replace(self, loss=value, directions=())
        for pull, direction in zip(anchor.pull(self.shares), self.directions, strict=True):
            gradient = gradient + pull * direction
        if hessian is not None and entries is not None:
            rows = np.array([np.append(each.offsets, each.theta[entries]) for each in self.directions])
            hessian = hessian + rows.T * anchor.factors(self.shares) @ rows
        return Evaluation(self.loss + value, gradient, hessian, self.shares)


@dataclass(frozen=True, eq=False)
class ChunkModel:
    """Everything that a chunk must know besides its rows.

    Attributes
    ----------
    mean, scale : array of shape (n_features,)
    response : Response
    label_model : LabelModel or None
        None where every row has its own, beside it.
    total : float
        Weight of all rows.
    anchor : Anchor or None
        Without rows.
    only_unlabeled : bool
        Whether these rows alone are a sample of the population.
    pull : array of shape (K + 1,)
        The anchor's, at a point close by: only the curvature needs it before all rows were seen.
    """

    mean: NDArray
    scale: NDArray
    response: Response
    label_model: LabelModel | None
    total: float
    anchor: Anchor | None = None
    only_unlabeled: bool = False
    pull: NDArray = field(default_factory=lambda: np.empty(0))

    def anchor_of(self, codes: NDArray, weight: NDArray, population: NDArray | None) -> Anchor | None:
        """Return the anchor of a chunk of rows."""
        if self.anchor is None:
            return None
        if population is None:
            population = codes == 0 if self.only_unlabeled else np.ones(len(codes), dtype=bool)
        return replace(self.anchor, population=population, weight=weight)


def evaluate_chunk(
    x: Any,
    weight: NDArray,
    codes: NDArray,
    log_labeled: NDArray | None,
    log_hidden: NDArray | None,
    population: NDArray | None,
    model: ChunkModel,
    params: Params,
    entries: tuple[NDArray, NDArray] | None,
    mix: float,
) -> Evaluation:
    """Return this chunk's part of the loss, its gradient and the Hessian of some entries."""
    # Chunks are small: in double precision, columns far from zero lose nothing when they are centred.
    design = StandardizedDesign(as_design(x.astype(np.float64, copy=False)), model.mean, model.scale)
    label_model = model.label_model
    if label_model is None:
        assert log_labeled is not None and log_hidden is not None
        label_model = LabelModel(log_labeled, log_hidden)
    weight = np.broadcast_to(weight, codes.shape)
    loss = ObservedLoss(label_model, codes, weight, model.total)
    anchor = model.anchor_of(codes, weight, population)
    response, offsets = model.response, params.offsets
    linear = design.matmul(params.theta)
    eta = response.log_odds(linear, offsets)
    value, grad_eta = loss.value_and_grad(eta)
    proba = np.empty(0) if anchor is None else anchor.proba(eta)
    shares = None if anchor is None else anchor.sample_weight @ proba
    sums = [grad_eta, *(anchor.directions(proba) if anchor is not None and anchor.is_active else ())]
    gradient, *directions = (_gradient(design, response, linear, offsets, each) for each in sums)
    found = Evaluation(value, gradient, shares=shares, directions=tuple(directions))
    if entries is None:
        return found
    curvature = curvature_of(loss, eta, mix)
    if anchor is not None and anchor.is_active and mix == 1.0:
        curvature = anchor.add_rows(curvature, proba, model.pull, loss.sample_weight)
        grad_eta = grad_eta + anchor.sample_weight[:, None] * bent(proba, model.pull)
    second = response.second_order(linear, offsets, mix * grad_eta, curvature, loss.sample_weight)
    rows, outputs = entries
    n, (features, slots) = len(offsets), np.unique(rows, return_inverse=True)
    hessian = np.empty((n + len(rows),) * 2)
    hessian[:n, :n] = second.oo
    if len(rows):  # else only the offsets violate the certificate
        fill_hessian(hessian, _columns(design, features), second, slots, outputs, n)
    return replace(found, hessian=hessian)


def _gradient(
    design: StandardizedDesign, response: Response, linear: NDArray, offsets: NDArray, grad_eta: NDArray
) -> Params:
    by_linear, by_offsets = response.pullback(linear, offsets, grad_eta)
    return Params(design.rmatmul(by_linear), by_offsets)


class _FewColumns:
    """Some columns of a dense chunk, standardised in double and held in single precision, row by row."""

    def __init__(self, design: StandardizedDesign, features: NDArray):
        columns = design.base.x[:, as_slice(features)] - design.mean[features]
        columns /= design.scale[features]
        self.columns = columns.astype(np.float32)

    def gram(self, weight: NDArray, left: Any, right: Any) -> NDArray:
        """Return ``X_left.T @ diag(weight) @ X_right``."""
        scaled = self.columns[:, left] * weight.astype(np.float32)[:, None]
        return scaled.T @ self.columns[:, right]

    def sums(self, weights: NDArray, slots: Any) -> NDArray:
        """Return ``X_slots.T @ weights``."""
        return self.columns[:, slots].T @ weights.astype(np.float32)


def _columns(design: StandardizedDesign, features: NDArray) -> Any:
    if isinstance(design.base, DenseDesign):
        return _FewColumns(design, features)
    store = column_store(design)
    store.load(features)
    return store
