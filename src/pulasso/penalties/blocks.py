"""Blocks of the coefficient matrix, as the solvers use them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Blocks"]


@dataclass(frozen=True, eq=False, repr=False)
class Blocks:
    """Disjoint blocks that cover the coefficient matrix, with one penalty weight each.

    Parameters
    ----------
    index : ndarray of shape (n_features, n_outputs)
        Number of the block that each entry of theta belongs to, from 0 to n_blocks - 1.
    weights : ndarray of shape (n_blocks,)
        0 = not penalised, infinity = kept at zero.
    names : sequence of str, length n_blocks
    symmetric : bool
        Whether the norm of a block should be the one that treats class 0 like the others (see `Groups.rows`).
        `norms` gives the plain norm all the same.
    """

    index: NDArray[np.intp]
    weights: NDArray[np.floating]
    names: Sequence[str]
    symmetric: bool = False

    def __post_init__(self) -> None:
        for field in ("index", "weights"):
            array = np.asarray(getattr(self, field)).view()
            array.flags.writeable = False
            object.__setattr__(self, field, array)

    def __repr__(self) -> str:
        return f"Blocks({self.n_blocks} blocks of a {self.shape[0]} x {self.shape[1]} matrix)"

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.weights)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape (n_features, n_outputs) of the coefficient matrix."""
        return self.index.shape

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """Number of coefficients in each block."""
        return np.bincount(self._flat, minlength=self.n_blocks)

    @cached_property
    def layout(self) -> Literal["rows", "entries", "general"]:
        """Whether the blocks are exactly the rows, or exactly the entries, in order: both have shortcuts."""
        n_features = self.shape[0]
        if self.n_blocks == self.index.size and np.array_equal(self._flat, np.arange(self.n_blocks)):
            return "entries"
        if self.n_blocks == n_features and (self.index == np.arange(n_features)[:, None]).all():
            return "rows"
        return "general"

    @cached_property
    def _flat(self) -> NDArray[np.intp]:
        return self.index.ravel()

    @cached_property
    def _sorted_entries(self) -> NDArray[np.intp]:
        return np.argsort(self._flat, kind="stable")

    @cached_property
    def _ends(self) -> NDArray[np.intp]:
        return np.cumsum(self.sizes)

    def norms(self, theta: NDArray[np.floating]) -> NDArray[np.floating]:
        """Euclidean norm of every block of theta, shape (n_blocks,)."""
        if self.layout == "entries":
            return np.abs(theta).ravel()
        if self.layout == "rows":
            return np.sqrt(np.einsum("ij,ij->i", theta, theta))
        squares = np.bincount(self._flat, weights=np.square(theta).ravel(), minlength=self.n_blocks)
        # bincount answers in float64, whatever the precision of theta
        return np.sqrt(squares).astype(np.result_type(theta.dtype, np.float32), copy=False)

    def expand(self, values: NDArray) -> NDArray:
        """Spread one value per block over the entries of the matrix; the result may be a read-only view."""
        if self.layout == "entries":
            return values.reshape(self.shape)
        if self.layout == "rows":
            return np.broadcast_to(values[:, None], self.shape)
        return values[self.index]

    def members(self, block: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows and columns of the entries of one block, so that ``theta[blocks.members(j)]`` is the block."""
        end = self._ends[block]
        start = end - self.sizes[block]
        entries = np.arange(start, end) if self.layout != "general" else self._sorted_entries[start:end]
        return np.divmod(entries, self.shape[1])

    def entries(self, blocks: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows and columns of the entries of several blocks, one block after the other."""
        sizes, starts = self.sizes[blocks], self._ends[blocks] - self.sizes[blocks]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        entries = np.repeat(starts, sizes) + within
        return np.divmod(
            entries if self.layout != "general" else self._sorted_entries[entries], self.shape[1]
        )

    def with_weights(self, weights: NDArray[np.floating]) -> Blocks:
        """The same blocks under other weights."""
        return replace(self, weights=weights)
