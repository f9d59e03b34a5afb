"""What a penalty must offer: formulas on blocks that lie one after the other in a flat vector.

A penalty knows coefficients and weights, never data. Its methods see ``values``, the coefficients of some blocks, and
:class:`Segments`, which says where each block begins and how heavily it is penalised. Weights are finite: blocks that
are excluded, by an infinite weight, never reach a penalty. Weight 0 means that a block is free.
"""

from typing import ClassVar, NamedTuple, Protocol

from numpy.typing import NDArray

from pulasso.penalties.blocks import Segments

__all__ = ["Penalty", "Thresholds"]


class Thresholds(NamedTuple):
    """A convex bound of a penalty around a point, for the compiled descent: up to a constant, it is

    ``sum_j by_block_j ||b_j|| + sum_k by_entry_k |b_k| + 0.5 sum_k ridge_k b_k^2``.
    """  # noqa: D400 - the formula ends the sentence

    by_block: NDArray
    by_entry: NDArray | None = None
    ridge: NDArray | None = None


class Penalty(Protocol):
    """``P(theta)`` as a sum over blocks."""

    name: ClassVar[str]

    def value(self, values: NDArray, segments: Segments, lam: float) -> float:
        """Return the penalty of these coefficients."""
        ...

    def prox(self, values: NDArray, segments: Segments, step: float, lam: float) -> NDArray:
        """Return ``argmin_b 0.5 ||b - values||^2 + step * value(b)``."""
        ...

    def subdiff_distance(self, values: NDArray, gradient: NDArray, segments: Segments, lam: float) -> NDArray:
        """Return, per block, how far ``-gradient`` is from the subdifferential of the penalty at `values`."""
        ...

    def critical_lams(self, gradient: NDArray, segments: Segments) -> NDArray:
        """Return, per block, the smallest lam at which it may be zero, given the gradient of the loss there.

        Infinite for blocks of weight 0. Screening and lam_max rest on it.
        """
        ...

    def thresholds(self, values: NDArray, segments: Segments, lam: float) -> Thresholds | None:
        """Return a bound that touches the penalty at `values`; None lets the solver step by `prox` alone.

        For concave penalties this is the local linear approximation: the slope at the norms of the blocks.
        """
        ...
