"""A problem whose rows come in pieces: loss, gradient and Hessian are sums over the pieces."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from pulasso.design import DenseDesign, StandardizedDesign, as_design, as_slice, column_store
from pulasso.penalties import GroupLasso
from pulasso.pieces import Pieces, split
from pulasso.problem import Params
from pulasso.responses import Response, SecondOrder
from pulasso.scenarios import Labelling, ObservedLoss
from pulasso.solvers import Entries, Sums
from pulasso.words import listed

__all__ = ["MeasuredPieces", "PiecewiseProblem"]


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
        with np.errstate(over="ignore", invalid="ignore"):  # whoever asks refuses what is not finite
            apart = other.mean - self.mean
            mean = self.mean + share * apart
            within = (1.0 - share) * self.variance + share * other.variance
            variance = within + share * (1.0 - share) * apart**2
        return Moments(weight, mean, variance)


def _moments_of_piece(x: Any, codes: NDArray, weight: NDArray) -> Moments:
    weight = np.broadcast_to(weight, codes.shape)
    total = float(weight.sum())
    if total == 0:
        return Moments(0.0, np.zeros(x.shape[1]), np.zeros(x.shape[1]))
    mean, variance = as_design(x).moments(weight / total)
    if issparse(x) and not np.isfinite(x.data).all():  # moments of sparse columns pass over NaN
        mean[x.tocoo().col[~np.isfinite(x.data)]] = np.nan
    return Moments(total, mean, variance)


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
        bad = np.flatnonzero(
            ~np.isfinite(moments.mean)
        )  # finite numbers that are too large are refused later
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
    return Sums(value, gradient, _hessian_of_piece(design, second, entries, len(aux)))


def _hessian_of_piece(
    design: StandardizedDesign, second: SecondOrder, entries: Entries, n_aux: int
) -> NDArray:
    """Return second derivatives in the free parameters and the entries; Gram matrices in single precision."""
    if not len(entries.rows):  # only the free parameters violate the certificate
        return second.aa
    features, slots = np.unique(entries.rows, return_inverse=True)
    columns = _columns(design, features)
    hessian = np.empty((n_aux + len(slots),) * 2)
    hessian[:n_aux, :n_aux] = second.aa
    by_output = {int(k): np.flatnonzero(entries.outputs == k) for k in np.unique(entries.outputs)}
    for k, left in by_output.items():
        rows = as_slice(n_aux + left)
        sums = columns.sums(second.ua(k), as_slice(slots[left])) if n_aux else np.empty((len(left), 0))
        hessian[rows, :n_aux], hessian[:n_aux, rows] = sums, sums.T
        for l, right in by_output.items():  # noqa: E741
            if l < k:
                continue
            both = slice(None) if len(left) == len(features) else as_slice(slots[left])
            other = both if np.array_equal(slots[left], slots[right]) else as_slice(slots[right])
            product = columns.gram(second.uu(k, l), both, other)
            across = as_slice(n_aux + right)
            if isinstance(rows, slice) and isinstance(across, slice):
                hessian[rows, across], hessian[across, rows] = product, product.T
            else:
                hessian[np.ix_(n_aux + left, n_aux + right)] = product
                hessian[np.ix_(n_aux + right, n_aux + left)] = product.T
    return hessian


class _FewColumns:
    """Some columns of a dense piece, standardised in double and kept in single precision, row by row."""

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
    seen : list of (Params, Sums)
        The point whose gradient was asked for last. Paths start where lam_max was found: that saves a pass.
    """

    design: StandardizedDesign
    response: Response
    labelling: Labelling
    penalty: GroupLasso
    total: float
    lam: float = 0.0
    lam_max: float = 1.0
    seen: list[tuple[Params, Sums]] = field(default_factory=list, repr=False)

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

    def evaluate(self, params: Params, entries: Entries | None = None, exact: float = 0.0) -> Sums:
        """Return loss and gradient and, if asked for, the Hessian of some entries; one pass over the data."""
        if entries is None and self.seen and self.seen[0][0] is params:
            return self.seen[0][1]
        data = self.design.base
        assert isinstance(data, MeasuredPieces)
        return data.pieces.total(evaluate_piece, data.placed, self._model, params, entries, exact)

    def gradient_at(self, params: Params) -> Params:
        """Return the gradient of the loss."""
        self.seen[:] = [(params, self.evaluate(params))]
        return self.seen[0][1].gradient
