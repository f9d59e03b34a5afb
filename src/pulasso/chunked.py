"""A problem whose rows come in chunks: loss, gradient and Hessian are sums over the chunks."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from pulasso._messages import listed
from pulasso.data.chunks import Chunks, split
from pulasso.design import DenseDesign, StandardizedDesign, as_design, as_slice, column_store
from pulasso.penalties import GroupLasso
from pulasso.problem import Params
from pulasso.responses import Response, SecondOrder
from pulasso.scenarios import LabelModel, ObservedLoss
from pulasso.solvers import Entries, Sums

__all__ = ["ChunkedProblem", "MeasuredChunks"]


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


def _moments_of_chunk(x: Any, codes: NDArray, weight: NDArray) -> Moments:
    weight = np.broadcast_to(weight, codes.shape)
    total = float(weight.sum())
    if total == 0:
        return Moments(0.0, np.zeros(x.shape[1]), np.zeros(x.shape[1]))
    mean, variance = as_design(x).moments(weight / total)
    if issparse(x) and not np.isfinite(x.data).all():  # moments of sparse columns pass over NaN
        mean[x.tocoo().col[~np.isfinite(x.data)]] = np.nan
    return Moments(total, mean, variance)


class MeasuredChunks:
    """Chunks with their labels and weights, whose moments can be asked for like those of any design.

    Parameters
    ----------
    chunks : Chunks
    codes, weight : array of shape (n_samples,)
    """

    def __init__(self, chunks: Chunks, codes: NDArray, weight: NDArray):
        self.chunks, self.shape, self.dtype = chunks, chunks.shape, chunks.dtype
        small = codes.astype(np.int8) if codes.max(initial=0) < 128 else codes  # they travel
        is_uniform = weight.min() == weight.max()
        weights = weight[: len(chunks.lengths)] if is_uniform else split(weight, chunks.lengths)
        self.placed = chunks.scatter(list(zip(split(small, chunks.lengths), weights, strict=True)))

    def moments(self, share: NDArray) -> tuple[NDArray, NDArray]:
        """Return mean and variance of every column; one pass. The chunks have their weights already."""
        moments = self.chunks.map_reduce(_moments_of_chunk, self.placed)
        bad = np.flatnonzero(
            ~np.isfinite(moments.mean)
        )  # finite numbers that are too large are refused later
        if len(bad):
            names = self.chunks.feature_names
            columns = listed([int(j) if names is None else str(names[j]) for j in bad], limit=5)
            raise ValueError(
                f"X contains NaN or infinite values, in the columns {columns}. Impute or drop them first."
            )
        return moments.mean, moments.variance


@dataclass(frozen=True, eq=False)
class ChunkModel:
    """Everything that a chunk must know besides its rows.

    Attributes
    ----------
    mean, scale : array of shape (n_features,)
    response : Response
    labelling : LabelModel
    total : float
        Weight of all rows.
    """

    mean: NDArray
    scale: NDArray
    response: Response
    label_model: LabelModel
    total: float


def evaluate_chunk(
    x: Any,
    codes: NDArray,
    weight: NDArray,
    model: ChunkModel,
    params: Params,
    entries: Entries | None,
    exact: float,
) -> Sums:
    """Return this chunk's part of the loss, its gradient and the Hessian of some entries."""
    # Chunks are small: in double precision, columns far from zero lose nothing when they are centred.
    design = StandardizedDesign(as_design(x.astype(np.float64, copy=False)), model.mean, model.scale)
    loss = ObservedLoss(model.label_model, codes, np.broadcast_to(weight, codes.shape), model.total)
    response, offsets = model.response, params.offsets
    linear = design.matmul(params.theta)
    eta = response.log_odds(linear, offsets)
    value, grad_eta = loss.value_and_grad(eta)
    grad_linear, grad_offsets = response.pullback(linear, offsets, grad_eta)
    gradient = Params(design.rmatmul(grad_linear), grad_offsets)
    if entries is None:
        return Sums(value, gradient)
    second = response.second_order(linear, offsets, exact * grad_eta, loss.curvature(eta, exact), loss.share)
    return Sums(value, gradient, _hessian_of_chunk(design, second, entries, len(offsets)))


def _hessian_of_chunk(
    design: StandardizedDesign, second: SecondOrder, entries: Entries, n_offsets: int
) -> NDArray:
    """Return second derivatives in the offsets and the entries; Gram matrices in single precision."""
    if not len(entries.rows):  # only the free parameters violate the certificate
        return second.aa
    features, slots = np.unique(entries.rows, return_inverse=True)
    columns = _columns(design, features)
    hessian = np.empty((n_offsets + len(slots),) * 2)
    hessian[:n_offsets, :n_offsets] = second.aa
    by_output = {int(k): np.flatnonzero(entries.outputs == k) for k in np.unique(entries.outputs)}
    for k, left in by_output.items():
        rows = as_slice(n_offsets + left)
        sums = columns.sums(second.ua(k), as_slice(slots[left])) if n_offsets else np.empty((len(left), 0))
        hessian[rows, :n_offsets], hessian[:n_offsets, rows] = sums, sums.T
        for l, right in by_output.items():  # noqa: E741
            if l < k:
                continue
            both = slice(None) if len(left) == len(features) else as_slice(slots[left])
            other = both if np.array_equal(slots[left], slots[right]) else as_slice(slots[right])
            product = columns.gram(second.uu(k, l), both, other)
            across = as_slice(n_offsets + right)
            if isinstance(rows, slice) and isinstance(across, slice):
                hessian[rows, across], hessian[across, rows] = product, product.T
            else:
                hessian[np.ix_(n_offsets + left, n_offsets + right)] = product
                hessian[np.ix_(n_offsets + right, n_offsets + left)] = product.T
    return hessian


class _FewColumns:
    """Some columns of a dense chunk, standardised in double and kept in single precision, row by row."""

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
class ChunkedProblem:
    """Minimise ``F`` over data in chunks; what the solver of sums sees.

    Attributes
    ----------
    design : StandardizedDesign
        Its base is `MeasuredChunks`.
    response : Response
    labelling : LabelModel
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
    label_model: LabelModel
    penalty: GroupLasso
    total: float
    lam: float = 0.0
    lam_max: float = 1.0
    seen: list[tuple[Params, Sums]] = field(default_factory=list, repr=False)

    @cached_property
    def _model(self) -> ChunkModel:
        return ChunkModel(self.design.mean, self.design.scale, self.response, self.label_model, self.total)

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
        assert isinstance(data, MeasuredChunks)
        return data.chunks.map_reduce(evaluate_chunk, data.placed, self._model, params, entries, exact)

    def gradient_at(self, params: Params) -> Params:
        """Return the gradient of the loss."""
        self.seen[:] = [(params, self.evaluate(params))]
        return self.seen[0][1].gradient
