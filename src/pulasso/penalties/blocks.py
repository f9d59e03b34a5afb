"""Blocks of the coefficient matrix, and blocks laid one after the other in a flat vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pulasso.exceptions import GroupError

__all__ = ["Blocks", "Segments"]


@dataclass(frozen=True, eq=False)
class Segments:
    """Blocks that lie one after the other in a flat vector, with one weight each.

    Attributes
    ----------
    sizes : array of shape (n_blocks,)
    weights : array of shape (n_blocks,)
    """

    sizes: NDArray[np.integer]
    weights: NDArray[np.floating]

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where each block begins."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def _size(self) -> int:
        """The size that all blocks have, or 0 if they differ: equal blocks have shortcuts."""
        return int(self.sizes[0]) if len(self) and (self.sizes == self.sizes[0]).all() else 0

    def norms(self, values: NDArray) -> NDArray:
        """Return the Euclidean norm of every block, shape (n_blocks,)."""
        if self._size == 1:
            return np.abs(values)
        if self._size:
            table = values.reshape(-1, self._size)
            return np.sqrt(np.einsum("ij,ij->i", table, table))
        return np.sqrt(np.add.reduceat(np.square(values), self.starts)) if len(self) else np.empty(0)

    def expand(self, by_block: NDArray) -> NDArray:
        """Return one value per entry from one per block."""
        return by_block if self._size == 1 else np.repeat(by_block, self.sizes)

    def entries_of(self, which: NDArray) -> NDArray[np.intp]:
        """Return the positions of the entries of some of the blocks."""
        sizes = self.sizes[which]
        return np.repeat(self.starts[which] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())

    def select(self, which: NDArray) -> Segments:
        """Return some of the blocks."""
        return Segments(self.sizes[which], self.weights[which])


@dataclass(frozen=True, eq=False, repr=False)
class Blocks:
    """Disjoint blocks that cover the coefficient matrix, with one penalty weight each.

    Parameters
    ----------
    index : ndarray of shape (n_features, n_outputs)
        Number of the block that each entry of theta belongs to, from 0 to n_blocks - 1.
    weights : ndarray of shape (n_blocks,)
        0 = not penalised, infinity = excluded: always zero.
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
    def is_excluded(self) -> NDArray[np.bool_]:
        """Which blocks are kept at zero."""
        return np.isinf(self.weights)

    @cached_property
    def is_penalized(self) -> NDArray[np.bool_]:
        """Which blocks may be zero or not, as the penalty decides."""
        return (self.weights > 0) & ~self.is_excluded

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """Number of coefficients in each block."""
        return np.bincount(self.index.ravel(), minlength=self.n_blocks)

    @cached_property
    def segments(self) -> Segments:
        """All blocks as they lie in `flat`; excluded ones have weight 0 there."""
        return Segments(self.sizes, np.where(self.is_excluded, 0.0, self.weights))

    @cached_property
    def layout(self) -> Literal["rows", "entries", "general"]:
        """Whether the blocks are exactly the rows, or exactly the entries, in order: both have shortcuts."""
        n_features = self.shape[0]
        if self.n_blocks == self.index.size and np.array_equal(self.index.ravel(), np.arange(self.n_blocks)):
            return "entries"
        if self.n_blocks == n_features and (self.index == np.arange(n_features)[:, None]).all():
            return "rows"
        return "general"

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        """Positions in the raveled matrix, block after block."""
        return np.argsort(self.index.ravel(), kind="stable")

    def flat(self, matrix: NDArray) -> NDArray:
        """Return the entries of a matrix block after block."""
        return matrix.ravel() if self.layout != "general" else matrix.ravel()[self._order]

    def matrix(self, values: NDArray) -> NDArray:
        """Return the matrix whose `flat` this is."""
        if self.layout != "general":
            return values.reshape(self.shape)
        matrix = np.empty(self.index.size, dtype=values.dtype)
        matrix[self._order] = values
        return matrix.reshape(self.shape)

    def norms(self, theta: NDArray[np.floating]) -> NDArray[np.floating]:
        """Euclidean norm of every block of theta, shape (n_blocks,)."""
        return self.segments.norms(self.flat(theta))

    def entries(self, blocks: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows and columns of the entries of several blocks, one block after the other."""
        entries = self.segments.entries_of(blocks)
        return np.divmod(entries if self.layout != "general" else self._order[entries], self.shape[1])

    def excluding(self, features: NDArray[np.intp]) -> Blocks:
        """The same blocks with those of some features kept at zero; a block that holds others, too, is refused."""
        gone = np.unique(self.index[features])
        kept = np.setdiff1d(np.arange(self.shape[0]), features)
        torn = np.intersect1d(gone, self.index[kept])
        if torn.size:
            raise GroupError(
                f"The group {self.names[torn[0]]!r} holds columns that are excluded from the classes, and others.",
                parameter="groups",
                remedy="Put the columns on which labelling depends into groups of their own.",
            )
        weights = np.array(self.weights, dtype=float)
        weights[gone] = np.inf
        return self.with_weights(weights) if gone.size else self

    def with_weights(self, weights: NDArray[np.floating]) -> Blocks:
        """The same blocks under other weights."""
        return replace(self, weights=weights)
