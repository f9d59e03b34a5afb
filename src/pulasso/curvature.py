"""Curvature in the class log odds: what losses measure and responses pull back."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Curvature"]


@dataclass(frozen=True)
class Curvature:
    r"""Per-sample curvature of the loss in eta, kept in its low-rank form.

    .. math:: F_i = \mathrm{diag}(q_i - m_i u_i) - q_i q_i^T + m_i u_i u_i^T

    An anchor adds to the diagonal, and further outer products ``f_i v_i v_i^T``.
    """

    q: NDArray  # (n, K) class posterior in the sampled population
    m: NDArray  # (n,)   probability of being unlabeled; for the observed curvature: whether unlabeled
    u: NDArray  # (n, K) class posterior among the unlabeled
    more: NDArray | None = None  # (n, K) added to the diagonal
    outer: tuple[tuple[NDArray, NDArray], ...] = ()  # pairs f (n,), v (n, K)

    @property
    def diagonal(self) -> NDArray:
        """The diagonal part ``q - m u``, shape (n, K)."""
        own = self.q - self.m[:, None] * self.u
        return own if self.more is None else own + self.more

    @property
    def terms(self) -> tuple[tuple[NDArray, NDArray], ...]:
        """All outer products, as pairs of a factor (n,) and a vector (n, K) for every sample."""
        return ((np.full(len(self.q), -1.0), self.q), (self.m, self.u), *self.outer)

    def apply(self, v: NDArray) -> NDArray:
        """Return ``F_i v_i`` for every sample; v has shape (n, K)."""
        out = self.diagonal * v
        for factor, vector in self.terms:
            out += vector * (factor * (vector * v).sum(axis=1))[:, None]
        return out

    def matrices(self) -> NDArray:
        """Return the full matrices, shape (n, K, K)."""
        full = self.diagonal[:, :, None] * np.eye(self.q.shape[1])
        for factor, vector in self.terms:
            full += factor[:, None, None] * vector[:, :, None] * vector[:, None, :]
        return full
