"""What every chunk of rows computes: its part of the loss, of the gradient and of the Hessian of some entries."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.design import DenseDesign, StandardizedDesign, as_design, as_slice, column_store
from pulasso.losses import ObservedLoss
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
    params : Params, optional
        Where.
    objective : float, optional
        F there.
    """

    loss: float
    gradient: Params
    hessian: NDArray | None = None
    params: Params | None = None
    objective: float = np.nan

    def __add__(self, other: "Evaluation") -> "Evaluation":
        both = self.hessian is not None and other.hessian is not None
        hessian = self.hessian + other.hessian if both else None  # type: ignore[operator]
        return Evaluation(self.loss + other.loss, self.gradient + other.gradient, hessian)


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
    """

    mean: NDArray
    scale: NDArray
    response: Response
    label_model: LabelModel | None
    total: float


def evaluate_chunk(
    x: Any,
    weight: NDArray,
    codes: NDArray,
    log_labeled: NDArray | None,
    log_hidden: NDArray | None,
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
    loss = ObservedLoss(label_model, codes, np.broadcast_to(weight, codes.shape), model.total)
    response, offsets = model.response, params.offsets
    linear = design.matmul(params.theta)
    eta = response.log_odds(linear, offsets)
    value, grad_eta = loss.value_and_grad(eta)
    grad_linear, grad_offsets = response.pullback(linear, offsets, grad_eta)
    gradient = Params(design.rmatmul(grad_linear), grad_offsets)
    if entries is None:
        return Evaluation(value, gradient)
    second = response.second_order(
        linear, offsets, mix * grad_eta, loss.curvature(eta, mix), loss.sample_weight
    )
    rows, outputs = entries
    n, (features, slots) = len(offsets), np.unique(rows, return_inverse=True)
    hessian = np.empty((n + len(rows),) * 2)
    hessian[:n, :n] = second.oo
    if len(rows):  # else only the offsets violate the certificate
        fill_hessian(hessian, _columns(design, features), second, slots, outputs, n)
    return Evaluation(value, gradient, hessian)


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
