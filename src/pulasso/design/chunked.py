"""Rows in chunks, on a disk or on other machines: every product is a sum, or a list, over the chunks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from pulasso._messages import listed
from pulasso.design._protocol import Moments
from pulasso.design.dense import DenseDesign
from pulasso.design.sparse import SparseDesign
from pulasso.exceptions import InputError

__all__ = ["ChunkedDesign", "Chunks", "split"]

T = TypeVar("T")


class Chunks(Protocol):
    """A matrix with n_samples rows in chunks, each a dense or CSR/CSC block of consecutive rows."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns of all chunks together."""
        ...

    @property
    def dtype(self) -> np.dtype:
        """Precision of the numbers."""
        ...

    @property
    def lengths(self) -> NDArray[np.intp]:
        """Rows of every chunk."""
        ...

    @property
    def feature_names(self) -> NDArray | None:
        """Names of the columns, if they have any."""
        ...

    def scatter(self, own: Sequence[tuple]) -> Any:
        """Bring what belongs to each chunk (labels, weights) to where the chunk is; return how to name it."""
        ...

    def map_reduce(self, function: Callable[..., T], scattered: Any, *shared: Any) -> T:
        """Return the sum over chunks of ``function(block, *own, *shared)``, in the order of the chunks.

        The function must not change its arguments: a chunk may be computed again if a machine is lost.
        """
        ...

    def map_concat(self, function: Callable[..., NDArray], *shared: Any) -> NDArray:
        """Return ``function(block, *shared)`` of all chunks, one below the other."""
        ...


def split(array: NDArray, lengths: NDArray[np.intp]) -> list[NDArray]:
    """Cut what has one entry for each row into the parts of the chunks."""
    return np.split(array, np.cumsum(lengths)[:-1])


class ChunkedDesign:
    """A design whose rows come in chunks, with what belongs to each row (labels, weights) beside them.

    Parameters
    ----------
    chunks : Chunks
    weight : array of shape (n_samples,)
        Sample weights.
    *by_row : array with one entry for each row, or None
        Whatever else functions of a chunk shall see, in this order: codes of labels, for example.
    """

    def __init__(self, chunks: Chunks, weight: NDArray, *by_row: NDArray | None):
        self.chunks, self.shape, self.dtype = chunks, chunks.shape, chunks.dtype
        n_chunks = len(chunks.lengths)
        is_uniform = weight.min() == weight.max()  # one number travels faster than many
        parts: list[Any] = [weight[:n_chunks] if is_uniform else split(weight, chunks.lengths)]
        parts += [n_chunks * [None] if each is None else split(each, chunks.lengths) for each in by_row]
        self._scattered = chunks.scatter(list(zip(*parts, strict=True)))

    def map_reduce(self, function: Callable[..., T], *shared: Any) -> T:
        """Return the sum over chunks of ``function(block, weight, *by_row, *shared)``: one pass over the data."""
        return self.chunks.map_reduce(function, self._scattered, *shared)

    def matmul(self, theta: NDArray) -> NDArray:
        """Return ``X @ theta``; one pass."""
        return np.asfortranarray(self.chunks.map_concat(_matmul, theta))

    def rmatmul(self, grad: NDArray) -> NDArray:
        """Return ``X.T @ grad``; one pass."""
        parts = self.chunks.scatter([(each,) for each in split(grad, self.chunks.lengths)])
        return self.chunks.map_reduce(_rmatmul, parts)

    def moments(self, sample_weight: NDArray) -> Moments:
        """Return what is measured of every column, under the weights that the chunks have; one pass."""
        moments = self.map_reduce(_moments)
        bad = np.flatnonzero(
            ~np.isfinite(moments.mean)
        )  # finite numbers that are too large are refused later
        if len(bad):
            names = self.chunks.feature_names
            columns = listed([int(j) if names is None else str(names[j]) for j in bad], limit=5)
            raise InputError(
                f"X contains NaN or infinite values, in the columns {columns}.",
                parameter="X",
                remedy="Impute or drop them first.",
            )
        return Moments(moments.mean, moments.variance, moments.is_indicator)


def _stored(x: Any) -> DenseDesign | SparseDesign:
    return SparseDesign(x) if issparse(x) else DenseDesign(x)


def _matmul(x: Any, theta: NDArray) -> NDArray:
    return _stored(x).matmul(theta)


def _rmatmul(x: Any, grad: NDArray) -> NDArray:
    return _stored(x).rmatmul(grad)


@dataclass(frozen=True, eq=False)
class _Weighted:
    """Weight of rows and moments of their columns; the sum of two is that of all their rows."""

    weight: float
    mean: NDArray
    variance: NDArray
    is_indicator: NDArray

    def __add__(self, other: "_Weighted") -> "_Weighted":
        weight = self.weight + other.weight
        if other.weight == 0:
            return self
        part = other.weight / weight
        with np.errstate(over="ignore", invalid="ignore"):  # whoever asks refuses what is not finite
            apart = other.mean - self.mean
            mean = self.mean + part * apart
            within = (1.0 - part) * self.variance + part * other.variance
            variance = within + part * (1.0 - part) * apart**2
        return _Weighted(weight, mean, variance, self.is_indicator & other.is_indicator)


def _moments(x: Any, weight: NDArray, *_: Any) -> _Weighted:
    weight = np.broadcast_to(weight, x.shape[0])
    total = float(weight.sum())
    if total == 0:
        none = np.zeros(x.shape[1])
        return _Weighted(0.0, none, none, np.ones(x.shape[1], dtype=bool))
    mean, variance, is_indicator = _stored(x).moments(weight / total)
    if issparse(x) and not np.isfinite(x.data).all():  # moments of sparse columns pass over NaN
        mean[x.tocoo().col[~np.isfinite(x.data)]] = np.nan
    return _Weighted(total, mean, variance, is_indicator)
