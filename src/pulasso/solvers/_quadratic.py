"""A second-order model of the loss in the offsets and in the entries of some blocks, and its penalised minimiser.

The variables are the offsets, first, and then the entries of blocks of theta, block after block. The Hessian belongs
to the point at which it was computed; a slightly stale one costs a few more steps, a new one far more.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.design import as_slice
from pulasso.kernels import block_descent, rank_two
from pulasso.penalties import Penalty, Segments, Thresholds
from pulasso.responses import SecondOrder

__all__ = ["Quadratic", "fill_hessian"]

# Added to every diagonal entry, relative to it: collinear columns and single precision leave directions whose
# curvature is nothing but rounding.
RIDGE = 1e-5
FLAT = 1e-7  # eigenvalues of a block below this part of its largest are rounding
DIVERGED = 1e6  # a gradient that grew by this factor belongs to a quadratic without minimum
PLAIN_SWEEPS = 10  # sweeps before acceleration sets in
MEMORY = 5  # differences that the extrapolation combines
PLAUSIBLE = 0.1  # seen curvature must be this part of the model's, or it is noise (or not convex)


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
        values, vectors = np.linalg.eigh(blocks)
        # A constant column, or two equal ones, in a block leave it without curvature in some direction.
        floor = FLAT * values[:, -1:]
        self.is_positive &= bool((values > -floor).all())
        self.eigenvalues[rows] = np.maximum(values, floor)
        at = self.basis_starts[which, None] + np.arange(size * size)
        self.bases[at] = np.swapaxes(vectors, 1, 2).reshape(len(which), -1)

    def correct(self, change: NDArray, seen: NDArray) -> None:
        """Make the curvature along a step that was taken what it was seen to be (BFGS).

        Parameters
        ----------
        change, seen : array of shape (size,)
            The step, and how it changed the gradient.
        """
        expected = self.hessian @ change.astype(np.float32)
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

        Where plain sweeps do not suffice, every few of them are followed by Anderson extrapolation, kept if it
        decreases the objective. The gradient is linear in beta, so the extrapolated one costs nothing.

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
        bound = self._with_offsets(bound)
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

    def _with_offsets(self, bound: Thresholds) -> Thresholds:
        if not self.n_offsets:
            return bound
        entries = (None if each is None else np.append(np.zeros(self.n_offsets), each) for each in bound[1:])
        return Thresholds(np.append(0.0, bound.by_block), *entries)

    def _descend(
        self,
        gradient: NDArray,
        beta: NDArray,
        bound: Thresholds,
        tols: NDArray,
        max_sweeps: int,
        eigenvalues: NDArray,
    ) -> NDArray | None:
        best, slope, starts = beta.copy(), gradient.copy(), self.starts
        thresholds, l1 = bound.by_block, bound.by_entry
        blocks = (starts, self.sizes, thresholds, l1, eigenvalues, self.bases, self.basis_starts)
        trail = np.empty((MEMORY + 1, 2, len(beta)))  # the start and what every sweep leads to

        def objective(point: NDArray, slope: NDArray) -> float:
            norms = np.sqrt(np.add.reduceat(point**2, starts))
            extra = 0.0 if l1 is None else l1 @ np.abs(point)
            return 0.5 * ((point - beta) @ (gradient + slope)) + thresholds @ norms + extra

        limit = DIVERGED * max(np.abs(gradient).max(), thresholds.max())
        outcome, total = block_descent(self.hessian, slope, best, *blocks, PLAIN_SWEEPS, tols), PLAIN_SWEEPS
        while outcome < 0 and total < max_sweeps and np.abs(slope).max() <= limit:
            trail[0] = best, slope
            outcome = block_descent(self.hessian, slope, best, *blocks, MEMORY, tols, trail[1:])
            total += MEMORY
            if outcome < 0:
                guess, guess_slope = np.tensordot(_anderson(trail[:, 0]), trail[1:], axes=1)
                if objective(guess, guess_slope) < objective(best, slope):
                    best[:], slope[:] = guess, guess_slope
        return best if outcome != 0 and np.abs(slope).max() <= limit else None

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


def _anderson(points: NDArray) -> NDArray:
    """Return the weights, with sum one, that make the combined last step shortest."""
    steps = np.diff(points, axis=0)
    gram = steps @ steps.T
    size = np.trace(gram)
    if size == 0.0:
        return np.eye(len(gram))[-1]
    weights = np.linalg.solve(gram / size + 1e-10 * np.eye(len(gram)), np.ones(len(gram)))
    return weights / weights.sum()
