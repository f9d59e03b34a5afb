"""A problem whose rows come in pieces: loss, gradient and Hessian are sums over the pieces."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.design import StandardizedDesign, as_design, column_store
from pulasso.penalties import GroupLasso
from pulasso.pieces import Pieces, split
from pulasso.problem import Params
from pulasso.responses import Response
from pulasso.scenarios import Labelling, ObservedLoss
from pulasso.solvers import Entries, QuadraticModel, Sums
from pulasso.words import listed

__all__ = ["MeasuredPieces", "PiecewiseProblem"]

FREE_RIDGE = 1e-6  # on the curvature of the free parameters, relative to its trace


@dataclass(frozen=True, eq=False)
class Moments:
    """Weight, mean and variance of columns; the sum of two is that of all their rows."""

    weight: float
    mean: NDArray
    variance: NDArray

    def __add__(self, other: "Moments") -> "Moments":
        weight = self.weight + other.weight
        if other.weight == 0:
            return self
        share = other.weight / weight
        apart = other.mean - self.mean
        mean = self.mean + share * apart
        variance = (1.0 - share) * self.variance + share * other.variance + share * (1.0 - share) * apart**2
        return Moments(weight, mean, variance)


def _moments_of_piece(x: Any, codes: NDArray, weight: NDArray) -> Moments:
    weight = np.broadcast_to(weight, codes.shape)
    total = float(weight.sum())
    if total == 0:
        return Moments(0.0, np.zeros(x.shape[1]), np.zeros(x.shape[1]))
    return Moments(total, *as_design(x).moments(weight / total))


class MeasuredPieces:
    """Pieces with their labels and weights, whose moments can be asked for like those of any design.

    Parameters
    ----------
    pieces : Pieces
    codes, weight : array of shape (n_samples,)
    """

    def __init__(self, pieces: Pieces, codes: NDArray, weight: NDArray):
        self.pieces, self.shape, self.dtype = pieces, pieces.shape, pieces.dtype
        small = codes.astype(np.int8) if codes.max(initial=0) < 128 else codes  # they travel
        is_uniform = weight.min() == weight.max()
        weights = weight[: len(pieces.lengths)] if is_uniform else split(weight, pieces.lengths)
        self.placed = pieces.place(list(zip(split(small, pieces.lengths), weights, strict=True)))

    def moments(self, share: NDArray) -> tuple[NDArray, NDArray]:
        """Return mean and variance of every column; one pass. The pieces have their weights already."""
        moments = self.pieces.total(_moments_of_piece, self.placed)
        bad = np.flatnonzero(~np.isfinite(moments.variance))
        if len(bad):
            names = self.pieces.feature_names
            columns = listed([int(j) if names is None else str(names[j]) for j in bad], limit=5)
            raise ValueError(
                f"X contains NaN or infinite values, in the columns {columns}. Impute or drop them first."
            )
        return moments.mean, moments.variance


@dataclass(frozen=True, eq=False)
class PieceModel:
    """Everything that a piece must know besides its rows.

    Attributes
    ----------
    mean, scale : array of shape (n_features,)
    response : Response
    labelling : Labelling
    total : float
        Weight of all rows.
    """

    mean: NDArray
    scale: NDArray
    response: Response
    labelling: Labelling
    total: float


def evaluate_piece(
    x: Any,
    codes: NDArray,
    weight: NDArray,
    model: PieceModel,
    params: Params,
    entries: Entries | None,
    exact: float,
) -> Sums:
    """Return this piece's part of the loss, its gradient and the Hessian of some entries."""
    # Pieces are small: in double precision, columns far from zero lose nothing when they are centred.
    design = StandardizedDesign(as_design(x.astype(np.float64, copy=False)), model.mean, model.scale)
    loss = ObservedLoss(model.labelling, codes, np.broadcast_to(weight, codes.shape), model.total)
    response, aux = model.response, params.aux
    linear = design.matmul(params.theta)
    eta = response.log_odds(linear, aux)
    value, grad_eta = loss.value_and_grad(eta)
    grad_linear, grad_aux = response.pullback(linear, aux, grad_eta)
    gradient = Params(design.rmatmul(grad_linear), grad_aux)
    if entries is None:
        return Sums(value, gradient)
    second = response.second_order(linear, aux, exact * grad_eta, loss.curvature(eta, exact), loss.share)
    features, slots = np.unique(entries.rows, return_inverse=True)
    store = column_store(design)
    store.load(features)
    quadratic = QuadraticModel(store, len(aux))
    quadratic.extend(slots, entries.outputs, entries.sizes)
    quadratic.refresh(second, FREE_RIDGE)
    return Sums(value, gradient, quadratic.hessian.astype(np.float64))


@dataclass(frozen=True, eq=False)
class PiecewiseProblem:
    """Minimise ``F`` over data in pieces; what the solver of sums sees.

    Attributes
    ----------
    design : StandardizedDesign
        Its base is `MeasuredPieces`.
    response : Response
    labelling : Labelling
    penalty : GroupLasso
    total : float
        Weight of all rows.
    lam, lam_max : float
        As in :class:`pulasso.problem.Problem`.
    """

    design: StandardizedDesign
    response: Response
    labelling: Labelling
    penalty: GroupLasso
    total: float
    lam: float = 0.0
    lam_max: float = 1.0

    @cached_property
    def _model(self) -> PieceModel:
        return PieceModel(self.design.mean, self.design.scale, self.response, self.labelling, self.total)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of theta."""
        return self.design.shape[1], self.response.n_outputs

    @property
    def kkt_scale(self) -> float:
        """What violations are relative to: lam_max, or 1 where that is no scale."""
        return self.lam_max if self.lam_max > 0 else 1.0

    def at_lam(self, lam: float) -> "PiecewiseProblem":
        """Return the same problem at another lam."""
        return replace(self, lam=lam)

    def evaluate(self, params: Params, entries: Entries | None = None, exact: float = 0.0) -> Sums:
        """Return loss and gradient and, if asked for, the Hessian of some entries; one pass over the data."""
        data = self.design.base
        assert isinstance(data, MeasuredPieces)
        return data.pieces.total(evaluate_piece, data.placed, self._model, params, entries, exact)

    def gradient_at(self, params: Params) -> Params:
        """Return the gradient of the loss."""
        return self.evaluate(params).gradient
