"""A second-order model for many classes that never forms the curvature of pairs of classes.

The curvature of n rows in s features and K outputs is approximated by one Kronecker product ``G (x) M``: M is the sum
over rows of the K x K curvatures, G the Gram matrix of the features, every row weighted by the trace of its curvature.
It costs n (s^2 + K^2) instead of n (s K)^2, and what it misses is learned from the steps (BFGS).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.kernels import KroneckerFactors, accelerated, kronecker_descent
from pulasso.penalties import Thresholds
from pulasso.responses import Response, SecondOrder
from pulasso.solvers._descent import PLAUSIBLE, RIDGE, decompose, with_offsets

__all__ = ["Kronecker", "MeanCurvature", "intercepts_of"]

MEAN_RIDGE = 1e-4  # added to M, relative to its mean eigenvalue: a class may vanish
MOST_LEARNED = 40  # steps that the model learns from


@dataclass(frozen=True, eq=False)
class MeanCurvature:
    """What all features share in the model.

    Attributes
    ----------
    matrix : array of shape (n_outputs, n_outputs)
        M.
    weight : array of shape (n_samples,)
        Of rows in G.
    intercepts : array of shape (n_offsets, n_offsets)
        Offsets of this size, one row for each output, do what adding one to that output does.
    """

    matrix: NDArray
    weight: NDArray
    intercepts: NDArray

    @classmethod
    def of(cls, second: SecondOrder, intercepts: NDArray, n_outputs: int) -> "MeanCurvature":
        """Sum second derivatives over rows, and over outputs."""
        matrix = np.empty((n_outputs, n_outputs))
        trace = np.zeros(())
        for k in range(n_outputs):
            for j in range(k + 1):
                by_row = second.uu(k, j)
                matrix[k, j] = matrix[j, k] = by_row.sum()
                trace = trace + by_row if j == k else trace
        np.einsum("ii->i", matrix)[:] += MEAN_RIDGE * np.trace(matrix) / n_outputs
        weight = np.maximum(trace, 0.0)
        return cls(matrix, weight / (weight.sum() or 1.0), intercepts)


def intercepts_of(response: Response, n_offsets: int) -> NDArray | None:
    """Return the offsets that stand for adding one to each output, or None where no offsets do."""
    n_outputs = response.n_outputs
    if n_offsets not in (0, n_outputs):
        return None
    none = np.zeros(n_offsets)
    found = np.array([-response.shift(none, unit) for unit in np.eye(n_outputs)])[:, :n_offsets]
    return found if not n_offsets or np.linalg.matrix_rank(found) == n_offsets else None


class Kronecker:
    """A quadratic ``g'd + d'Hd / 2`` with ``H = G (x) M + L diag(sign) L^T``, in offsets and blocks of entries.

    In G the offsets are a feature that is one everywhere.

    Parameters
    ----------
    mean : MeanCurvature

    Attributes
    ----------
    n_offsets : int
    is_positive : bool
        Whether all diagonal blocks are positive definite.
    """

    def __init__(self, mean: MeanCurvature):
        self.mean = mean
        self.n_offsets = mean.intercepts.shape[1]
        self.n_learned, self.is_positive = 0, True
        self._slots, self._first = np.empty(0, dtype=np.intp), 1 if self.n_offsets else 0
        self._gram = np.full((self._first,) * 2, 1.0 + RIDGE, dtype=np.float32)
        self._low, self._sign = np.empty((self.n_offsets, 0)), np.empty(0)

    @property
    def is_worn(self) -> bool:
        """Whether the model has learned as much as it can."""
        return self.n_learned >= MOST_LEARNED

    # -- what it holds ---------------------------------------------------------------------------------------------

    def cover(
        self,
        columns: Any,
        slots: NDArray,
        outputs: NDArray,
        sizes: NDArray,
        coupled: NDArray | None = None,
    ) -> None:
        """Let the model hold these entries; those that it holds already come first, in the same order.

        Parameters
        ----------
        columns : ColumnStore
        slots, outputs : array of shape (n_entries,)
            Column and output of every entry.
        sizes : array of shape (n_blocks,)
        coupled : array of shape (n_offsets + n_entries, n_directions), optional
            J, where ``J J^T`` is in H, too.
        """
        self._extend_gram(columns, np.setdiff1d(slots, self._slots))
        place = np.zeros(len(columns.features), dtype=np.int64)
        place[self._slots] = self._first + np.arange(len(self._slots))
        self._row = np.append(np.zeros(self.n_offsets, dtype=np.int64), place[slots])
        self._output = np.append(np.arange(self.n_offsets, dtype=np.int64), outputs)
        self.sizes = np.append([self.n_offsets] * self._first, sizes).astype(np.int64)
        self.starts = np.cumsum(self.sizes) - self.sizes
        n_coupled = 0 if coupled is None else coupled.shape[1]
        low, learned = np.zeros((len(self._row), n_coupled + 2 * self.n_learned)), self._low
        low[: len(learned), n_coupled:] = learned[:, learned.shape[1] - 2 * self.n_learned :]
        if coupled is not None:
            low[:, :n_coupled] = self._dual(coupled)
        self._low, self._sign = low, np.append(np.ones(n_coupled), np.tile([1.0, -1.0], self.n_learned))
        self._decompose(low[:, :n_coupled])

    def _extend_gram(self, columns: Any, new: NDArray) -> None:
        """Add columns to G; its first row is that of the offsets."""
        if not len(new):
            return
        old, first, weight = len(self._gram), self._first, self.mean.weight
        self._slots = np.append(self._slots, new)
        grown = np.empty((first + len(self._slots),) * 2, dtype=np.float32)
        grown[:old, :old] = self._gram
        grown[old:, first:] = columns.gram(weight, new, self._slots)
        if first:
            grown[old:, 0] = columns.sums(weight[:, None], new)[:, 0]
        grown[:old, old:] = grown[old:, :old].T
        np.einsum("ii->i", grown)[old:] *= 1.0 + RIDGE
        self._gram = grown

    def _decompose(self, coupled: NDArray) -> None:
        """Decompose the diagonal blocks, which sets the length of steps; what is learned does not change it."""
        mean, row, output = self.mean.matrix, self._row, self._output
        self.eigenvalues, self.is_positive = np.empty(len(row)), True
        self.basis_starts = np.empty(len(self.sizes), dtype=np.int64)
        bases, filled = [], 0
        for size in np.unique(self.sizes):
            which = np.flatnonzero(self.sizes == size)
            at = self.starts[which, None] + np.arange(size)
            rows, outputs = row[at], output[at]
            # All outputs of one feature each: M has the same eigenvectors for all of them.
            alike = not coupled.shape[1] and (rows == rows[:, :1]).all() and (outputs == outputs[0]).all()
            some = slice(0, 1) if alike else slice(None)
            own = mean[outputs[some, :, None], outputs[some, None, :]]
            if not alike:
                own = own * self._gram[rows[:, :, None], rows[:, None, :]]
                own += coupled[at] @ np.swapaxes(coupled[at], 1, 2)
            values, vectors, is_positive = decompose(own)
            self.eigenvalues[at] = self._gram[rows, rows] * values if alike else values
            self.basis_starts[which] = filled + (0 if alike else size * size * np.arange(len(which)))
            bases.append(vectors.ravel())
            filled += vectors.size
            self.is_positive &= is_positive
        self.bases = np.concatenate([np.empty(0), *bases])
        self.is_positive &= bool((self.eigenvalues > 0).all())

    # -- offsets as what they add to the outputs -----------------------------------------------------------------------

    def _primal(self, values: NDArray) -> NDArray:
        """Return variables with offsets in units of outputs."""
        own = values[: self.n_offsets]
        own = np.linalg.solve(self.mean.intercepts.T, own) if self._first else own
        return np.append(own, values[self.n_offsets :])

    def _dual(self, values: NDArray) -> NDArray:
        """Return derivatives with those in offsets by outputs."""
        own = self.mean.intercepts @ values[: self.n_offsets]
        return np.concatenate([own[: self.n_offsets], values[self.n_offsets :]])

    def _back(self, values: NDArray) -> NDArray:
        """Return variables with offsets as they are."""
        own = values[: self.n_offsets] @ self.mean.intercepts[: self.n_offsets]
        return np.append(own, values[self.n_offsets :])

    # -- what it does ----------------------------------------------------------------------------------------------

    @property
    def _factors(self) -> KroneckerFactors:
        return KroneckerFactors(self._gram, self.mean.matrix, self._low, self._sign, self._row, self._output)

    def apply(self, change: NDArray) -> NDArray:
        """Return H times a step."""
        product = self._factors.apply(self._primal(change))
        if self._first:
            product[: self.n_offsets] = np.linalg.solve(self.mean.intercepts, product[: self.n_offsets])
        return product

    def correct(self, change: NDArray, seen: NDArray) -> None:
        """Make the curvature along a step that was taken what it was seen to be (BFGS).

        Parameters
        ----------
        change, seen : array of shape (size,)
            The step, and how it changed the gradient.
        """
        change, seen = self._primal(change), self._dual(seen)
        expected = self._factors.apply(change)
        along, before = float(seen @ change), float(expected @ change)
        if before > 0 and PLAUSIBLE * before < along < before / PLAUSIBLE and not self.is_worn:
            self._low = np.column_stack([self._low, seen / np.sqrt(along), expected / np.sqrt(before)])
            self._sign = np.append(self._sign, [1.0, -1.0])
            self.n_learned += 1

    def descend(
        self, gradient: NDArray, beta: NDArray, bound: Thresholds, *, tols: NDArray, max_sweeps: int
    ) -> NDArray | None:
        """Return the minimiser of the model plus a bound of the penalty, or None if there is none.

        Parameters
        ----------
        gradient, beta, bound, tols, max_sweeps
            As those of Quadratic.descend.
        """
        bound = with_offsets(bound, self.n_offsets)
        ridge = np.zeros(len(beta)) if bound.ridge is None else bound.ridge
        factors, start = self._factors, self._dual(gradient)
        state = factors.state(self._primal(beta))
        decomposition = (self.eigenvalues + ridge, self.bases, self.basis_starts)
        blocks = (self.starts, self.sizes, bound.by_block, bound.by_entry, *decomposition)

        def sweep(count: int, trail: NDArray | None) -> int:
            return kronecker_descent(factors, start, ridge, state, *blocks, count, tols, trail)

        def slope_of(at: NDArray) -> NDArray:
            now, pulled, along = factors.parts(at)
            return start + ridge * now + pulled[self._row, self._output] + self._low @ along

        outcome = accelerated(sweep, state, slope_of, self.starts, bound.by_block, bound.by_entry, max_sweeps)
        return self._back(state[: len(beta)]) if outcome else None
