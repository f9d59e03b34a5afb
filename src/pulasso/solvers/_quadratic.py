"""A second-order model of the loss in the offsets and in the entries of some blocks, and its penalised minimiser.

The variables are the offsets, first, and then the entries of blocks of theta, block after block. The Hessian belongs
to the point at which it was computed; a slightly stale one costs a few more steps, a new one far more.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.design import as_slice
from pulasso.kernels import accelerated_descent, rank_two
from pulasso.penalties import Penalty, Segments, Thresholds
from pulasso.responses import SecondOrder
from pulasso.solvers._descent import PLAUSIBLE, RIDGE, decompose, with_offsets

__all__ = ["Quadratic", "fill_hessian"]


class Quadratic:
    """A quadratic ``g'd + d'Hd / 2`` whose variables are the offsets and blocks of entries.

    Parameters
    ----------
    n_offsets : int

    Attributes
    ----------
    size : int
        Number of variables.
    hessian : array of shape (size, size), float32
    sizes : array of shape (n_blocks,)
        The offsets, if there are any, are the first block.
    is_positive : bool
        Whether all diagonal blocks are positive definite.
    """

    def __init__(self, n_offsets: int):
        self.n_offsets = n_offsets
        self.clear()

    def clear(self) -> None:
        """Forget all blocks."""
        self.size = self.n_offsets
        self.sizes = np.array([self.n_offsets] if self.n_offsets else [], dtype=np.int64)
        self._square = np.empty((self.n_offsets, self.n_offsets), dtype=np.float32)
        self.is_positive = True

    @property
    def hessian(self) -> NDArray:
        """The used part of a square that grows."""
        return self._square[: self.size, : self.size]

    def grow(self, sizes: NDArray) -> int:
        """Make room for further blocks; return where their entries begin among the entries."""
        old, needed = self.size, self.size + int(sizes.sum())
        if needed > len(self._square):
            grown = np.empty((max(needed, 3 * len(self._square) // 2),) * 2, dtype=np.float32)
            grown[:old, :old] = self.hessian
            self._square = grown
        self.sizes, self.size = np.append(self.sizes, sizes), needed
        return old - self.n_offsets

    def couple(self, rows: NDArray, first: int) -> None:
        """Add ``J J^T`` where entries from `first` on are new; with `first` = 0 to the corner of the offsets, too.

        Parameters
        ----------
        rows : array of shape (size, n_directions)
            J, one row for each variable.
        first : int
        """
        new = self.n_offsets + first if first else 0
        added = rows[new:] @ rows.T
        self.hessian[new:] += added
        self.hessian[:new, new:] = self.hessian[new:, :new].T

    def settle(self, first: int, offsets_ridge: NDArray | float = 0.0) -> None:
        """Finish a Hessian whose entries from `first` on are new: a little ridge, and the kernel's decomposition."""
        diagonal = np.einsum("ii->i", self.hessian)
        fresh = diagonal[self.n_offsets + first :]
        fresh += RIDGE * np.abs(fresh) + np.finfo(np.float32).tiny
        diagonal[: self.n_offsets] += offsets_ridge
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.eigenvalues = diagonal.astype(np.float64)
        self.basis_starts = np.cumsum(self.sizes**2) - self.sizes**2
        self.bases = np.ones(int((self.sizes**2).sum()))
        self.is_positive = True
        for size in np.unique(self.sizes[self.sizes > 1]):
            self._decompose(np.flatnonzero(self.sizes == size), int(size))
        self.is_positive &= bool((self.eigenvalues > 0).all())

    def _decompose(self, which: NDArray, size: int) -> None:
        """Compute eigenvalues and eigenvectors of diagonal blocks of one size."""
        rows = self.starts[which, None] + np.arange(size)
        blocks = self.hessian[rows[:, :, None], rows[:, None, :]].astype(np.float64)
        self.eigenvalues[rows], vectors, is_positive = decompose(blocks)
        self.is_positive &= is_positive
        self.bases[self.basis_starts[which, None] + np.arange(size * size)] = vectors.reshape(len(which), -1)

    def apply(self, change: NDArray) -> NDArray:
        """Return H times a step."""
        return self.hessian @ change.astype(np.float32)

    def correct(self, change: NDArray, seen: NDArray) -> None:
        """Make the curvature along a step that was taken what it was seen to be (BFGS).

        Parameters
        ----------
        change, seen : array of shape (size,)
            The step, and how it changed the gradient.
        """
        expected = self.apply(change)
        along, before = float(seen @ change), float(expected @ change)
        if before > 0 and PLAUSIBLE * before < along < before / PLAUSIBLE:
            rank_two(self.hessian, seen / np.sqrt(along), expected / np.sqrt(before))
            # Larger blocks keep their decomposition: it sets the length of steps, not where they end.
            single = self.starts[self.sizes == 1]
            self.eigenvalues[single] = np.diagonal(self.hessian)[single]

    # -- the minimiser ---------------------------------------------------------------------------------------------

    def descend(
        self, gradient: NDArray, beta: NDArray, bound: Thresholds, *, tols: NDArray, max_sweeps: int
    ) -> NDArray | None:
        """Return the minimiser of the model plus a bound of the penalty, or None if there is none.

        Parameters
        ----------
        gradient, beta : array of shape (size,)
            Gradient of the loss and variables at the current point.
        bound : Thresholds
            For the entries, without the offsets.
        tols : array of shape (n_blocks,)
            Accuracy of each block, the offsets being the first.
        max_sweeps : int
        """
        bound = with_offsets(bound, self.n_offsets)
        if bound.ridge is None:
            return self._descend(gradient, beta, bound, tols, max_sweeps, self.eigenvalues)
        # A ridge is curvature that the blocks have in all directions; the diagonal is brought back afterwards.
        diagonal = np.einsum("ii->i", self.hessian)
        before = diagonal.copy()
        diagonal += bound.ridge
        best = self._descend(
            gradient + bound.ridge * beta, beta, bound, tols, max_sweeps, self.eigenvalues + bound.ridge
        )
        diagonal[:] = before
        return best

    def _descend(
        self,
        gradient: NDArray,
        beta: NDArray,
        bound: Thresholds,
        tols: NDArray,
        max_sweeps: int,
        eigenvalues: NDArray,
    ) -> NDArray | None:
        state = np.append(beta, gradient)
        decomposition = (eigenvalues, self.bases, self.basis_starts)
        blocks = (self.starts, self.sizes, bound.by_block, bound.by_entry, *decomposition)
        outcome = accelerated_descent(self.hessian, state, *blocks, max_sweeps, tols)
        return state[: len(beta)].copy() if outcome else None

    def descend_by_prox(
        self,
        gradient: NDArray,
        beta: NDArray,
        penalty: Penalty,
        segments: Segments,
        lam: float,
        *,
        tols: NDArray,
        max_sweeps: int,
    ) -> NDArray:
        """Minimise the model plus any penalty, by proximal steps in one block after the other, in Python."""
        best, slope = beta.copy(), gradient.copy()
        first = 1 if self.n_offsets else 0  # the block of the offsets has no penalty
        alone = [segments.select(np.array([j])) for j in range(len(segments))]
        for _ in range(max_sweeps):
            worst = 0.0
            for j, (start, size) in enumerate(zip(self.starts, self.sizes, strict=True)):
                at = slice(start, start + size)
                step = 1.0 / float(self.eigenvalues[at].max())
                if j < first:
                    new, off = best[at] - step * slope[at], np.abs(slope[at]).max()
                else:
                    own = alone[j - first]
                    new = penalty.prox(best[at] - step * slope[at], own, step, lam)
                    off = penalty.subdiff_distance(best[at], slope[at], own, lam)[0]
                worst = max(worst, off / tols[j])
                slope += (new - best[at]) @ self.hessian[at]
                best[at] = new
            if worst <= 1.0:
                break
        return best


def fill_hessian(
    hessian: NDArray,
    columns: Any,
    second: SecondOrder,
    slots: NDArray,
    outputs: NDArray,
    n_offsets: int,
    first: int = 0,
) -> None:
    """Write second derivatives in offsets and entries into a square, rows and columns of entries from `first` on.

    Parameters
    ----------
    hessian : array of shape (n_offsets + n_entries,) * 2
        Changed in place; the corner of the offsets is not touched.
    columns : ColumnStore
        With `gram` and `sums` of its columns.
    second : SecondOrder
    slots, outputs : array of shape (n_entries,)
        Column of `columns` and output of every entry.
    n_offsets, first : int
    """
    by_output = [np.flatnonzero(outputs == k) for k in np.unique(outputs)]
    known: dict[bytes, Any] = {}

    def slots_of(entries: NDArray) -> Any:
        # Equal sets become the same object: the product of columns with themselves is symmetric.
        own = slots[entries]
        return known.setdefault(own.tobytes(), as_slice(own))

    for new in (entries[entries >= first] for entries in by_output):
        if not len(new):
            continue
        k, left, rows = outputs[new[0]], slots_of(new), as_slice(n_offsets + new)
        if n_offsets:
            _assign(hessian, rows, slice(0, n_offsets), columns.sums(second.uo(k), left))
        for entries in by_output:
            # The pair of two new outputs is needed once only; old ones have no turn of their own.
            other = entries if outputs[entries[0]] >= k else entries[entries < first]
            if len(other):
                gram = columns.gram(second.uu(k, outputs[other[0]]), left, slots_of(other))
                _assign(hessian, rows, as_slice(n_offsets + other), gram)


def _assign(square: NDArray, rows: Any, columns: Any, values: NDArray) -> None:
    """Write `values` where rows and columns (indices or slices) meet, and their transpose where columns and rows do."""
    if isinstance(rows, slice) or isinstance(columns, slice):
        square[rows, columns] = values
        square[columns, rows] = values.T
    else:
        square[np.ix_(rows, columns)] = values
        square[np.ix_(columns, rows)] = values.T
