"""A second-order model of the loss on a growing set of variables, kept from one lam to the next.

The variables are the offsets, first, and then the entries of blocks of theta, block after block. The
Hessian belongs to the point at which it was last refreshed; between refreshes it is only extended, at the same
old point, when blocks are added. A slightly stale Hessian costs a few more steps, a new one far more.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.design import ColumnStore, as_slice
from pulasso.kernels import block_descent, rank_two
from pulasso.responses import SecondOrder

__all__ = ["Quadratic", "QuadraticModel"]

# Added to every diagonal entry, relative to it: collinear columns and single precision leave directions whose
# curvature is nothing but rounding.
RIDGE = 1e-5
FREE = 1e-6  # the same for the free parameters, which have no columns: enough for a vanishing class
FLAT = 1e-7  # eigenvalues of a block below this share of its largest are rounding
DIVERGED = 1e6  # a gradient that grew by this factor belongs to a quadratic without minimum
PLAIN_SWEEPS = 10  # sweeps before acceleration sets in
MEMORY = 5  # differences that the extrapolation combines
PLAUSIBLE = 0.1  # seen curvature must be this share of the model's, or it is noise (or not convex)


class Quadratic:
    """A quadratic ``g'd + d'Hd / 2`` whose variables are the offsets and blocks of entries.

    Attributes
    ----------
    hessian : array of shape (size, size), float32
    sizes : array of shape (n_blocks,)
        The offsets, if there are any, are the first block.
    n_offsets : int
    """

    hessian: NDArray
    sizes: NDArray
    n_offsets: int

    def __init__(self, hessian: NDArray, sizes: NDArray, n_offsets: int):
        self.hessian, self.n_offsets = hessian, n_offsets
        self.sizes = np.concatenate([[n_offsets] if n_offsets else [], sizes]).astype(np.int64)
        self.decompose()

    def decompose(self) -> None:
        """Compute eigenvalues and eigenvectors of the diagonal blocks, which the kernel needs."""
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.eigenvalues = np.diagonal(self.hessian).astype(np.float64)
        self.basis_starts = np.cumsum(self.sizes**2) - self.sizes**2
        self.bases = np.ones(int((self.sizes**2).sum()))
        self.is_positive = True
        for size in np.unique(self.sizes[self.sizes > 1]):
            which = np.flatnonzero(self.sizes == size)
            rows = self.starts[which, None] + np.arange(size)
            values, vectors = np.linalg.eigh(
                self.hessian[rows[:, :, None], rows[:, None, :]].astype(np.float64)
            )
            # A constant column, or two equal ones, in a block leave it without curvature in some direction.
            floor = FLAT * values[:, -1:]
            self.is_positive &= bool((values > -floor).all())
            self.eigenvalues[rows] = np.maximum(values, floor)
            at = self.basis_starts[which, None] + np.arange(size * size)
            self.bases[at] = np.swapaxes(vectors, 1, 2).reshape(len(which), -1)
        self.is_positive &= bool((self.eigenvalues > 0).all())

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

    def descend(
        self, gradient: NDArray, beta: NDArray, thresholds: NDArray, *, tol: float, max_sweeps: int
    ) -> NDArray | None:
        """Return the minimiser of the model plus ``sum_j thresholds_j ||beta_j||``, or None if there is none.

        Where plain sweeps do not suffice, every few of them are followed by Anderson extrapolation, kept if it
        decreases the objective. The gradient is linear in beta, so the extrapolated one costs nothing.
        """
        best, slope, starts = beta.copy(), gradient.copy(), self.starts
        blocks = (starts, self.sizes, thresholds, self.eigenvalues, self.bases, self.basis_starts)
        trail = np.empty((MEMORY + 1, 2, len(beta)))  # the start and what every sweep leads to

        def objective(point: NDArray, slope: NDArray) -> float:
            change = point - beta
            norms = np.sqrt(np.add.reduceat(point**2, starts))
            return 0.5 * (change @ (gradient + slope)) + thresholds @ norms

        limit = DIVERGED * max(np.abs(gradient).max(), thresholds.max())
        outcome, total = block_descent(self.hessian, slope, best, *blocks, PLAIN_SWEEPS, tol), PLAIN_SWEEPS
        while outcome < 0 and total < max_sweeps and np.abs(slope).max() <= limit:
            trail[0] = best, slope
            outcome = block_descent(self.hessian, slope, best, *blocks, MEMORY, tol, trail[1:])
            total += MEMORY
            if outcome < 0:
                guess, guess_slope = np.tensordot(_anderson(trail[:, 0]), trail[1:], axes=1)
                if objective(guess, guess_slope) < objective(best, slope):
                    best[:], slope[:] = guess, guess_slope
        return best if outcome != 0 and np.abs(slope).max() <= limit else None


class QuadraticModel(Quadratic):
    """The quadratic of a loss at a point, in offsets and in the entries of chosen blocks of a column store.

    Parameters
    ----------
    store : ColumnStore
        Holds the columns of all features that have a variable here.
    n_offsets : int
    """

    def __init__(self, store: ColumnStore, n_offsets: int):
        self.store = store
        self.n_offsets = n_offsets
        self.second: SecondOrder | None
        self.is_positive = True
        self.clear()

    def clear(self) -> None:
        """Forget all blocks."""
        self.second = None
        self.slots = np.empty(0, dtype=np.intp)
        self.outputs = np.empty(0, dtype=np.intp)
        self.sizes = np.array([self.n_offsets] if self.n_offsets else [], dtype=np.int64)
        self._square = np.empty((self.n_offsets, self.n_offsets), dtype=np.float32)

    @property
    def size(self) -> int:
        """Number of variables."""
        return self.n_offsets + len(self.slots)

    @property
    def hessian(self) -> NDArray:  # type: ignore[override]
        """The used part of a square that grows."""
        return self._square[: self.size, : self.size]

    def refresh(self, second: SecondOrder, free_ridge: float) -> None:
        """Move the model to another point.

        `free_ridge` is added to the curvature of the offsets, relative to its trace: that of a
        vanishing class has next to none, and a gradient that is mere rounding must not send it to infinity.
        """
        self.second = second
        ridge = free_ridge * np.trace(second.aa) + FREE * np.abs(np.diagonal(second.aa))
        self.hessian[: self.n_offsets, : self.n_offsets] = second.aa + np.diag(ridge)
        self._fill(0)

    def extend(self, slots: NDArray, outputs: NDArray, sizes: NDArray) -> None:
        """Add the entries of further blocks."""
        old = len(self.slots)
        needed = self.size + len(slots)
        if needed > len(self._square):
            grown = np.empty((max(needed, 3 * len(self._square) // 2),) * 2, dtype=np.float32)
            grown[: self.size, : self.size] = self.hessian
            self._square = grown
        self.slots = np.append(self.slots, slots)
        self.outputs = np.append(self.outputs, outputs)
        self.sizes = np.append(self.sizes, sizes)
        if self.second is not None:
            self._fill(old)

    def _fill(self, first: int) -> None:
        """Compute the rows and columns of the Hessian that belong to entries from `first` on."""
        assert self.second is not None
        hessian, n_offsets = self.hessian, self.n_offsets
        by_output = [np.flatnonzero(self.outputs == k) for k in np.unique(self.outputs)]
        known: dict[bytes, Any] = {}

        def slots_of(entries: NDArray) -> Any:
            # Equal sets become the same object: the product of columns with themselves is symmetric.
            slots = self.slots[entries]
            key = slots.tobytes()
            if key not in known:
                known[key] = as_slice(slots)
            return known[key]

        for new in (entries[entries >= first] for entries in by_output):
            if not len(new):
                continue
            k, left, rows = self.outputs[new[0]], slots_of(new), as_slice(n_offsets + new)
            if n_offsets:
                _assign(hessian, rows, slice(0, n_offsets), self.store.sums(self.second.ua(k), left))
            for entries in by_output:
                # The pair of two new outputs is needed once only; old ones have no turn of their own.
                other = entries if self.outputs[entries[0]] >= k else entries[entries < first]
                if len(other):
                    gram = self.store.gram(self.second.uu(k, self.outputs[other[0]]), left, slots_of(other))
                    _assign(hessian, rows, as_slice(n_offsets + other), gram)
        fresh = np.einsum("ii->i", hessian)[n_offsets + first :]
        fresh += RIDGE * np.abs(fresh) + np.finfo(np.float32).tiny
        self.decompose()


def _anderson(points: NDArray) -> NDArray:
    """Return the weights, with sum one, that make the combined last step shortest."""
    steps = np.diff(points, axis=0)
    gram = steps @ steps.T
    size = np.trace(gram)
    if size == 0.0:
        return np.eye(len(gram))[-1]
    weights = np.linalg.solve(gram / size + 1e-10 * np.eye(len(gram)), np.ones(len(gram)))
    return weights / weights.sum()


def _assign(square: NDArray, rows: Any, columns: Any, values: NDArray) -> None:
    """Write `values` where rows and columns (indices or slices) meet, and their transpose where columns and rows do."""
    if isinstance(rows, slice) or isinstance(columns, slice):
        square[rows, columns] = values
        square[columns, rows] = values.T
    else:
        square[np.ix_(rows, columns)] = values
        square[np.ix_(columns, rows)] = values.T
