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

    def positive(self) -> "Curvature":
        """Return the curvature with m made smaller, row by row, until no matrix has a negative eigenvalue.

        The matrices only grow by that, so that a step of the model does not overshoot. With ``A = diag q - q q^T`` and
        ``B = diag u - u u^T``, ``A - m B`` is positive up to ``m = 1 / lambda``, the largest eigenvalue of
        ``A^{-1/2} B A^{-1/2}``; ``A = D (I - s s^T) D`` with ``D^2 = diag q``, ``s = sqrt q`` has a closed inverse.
        """
        rows = np.flatnonzero(self.m > 0)
        q, u = self.q[rows], self.u[rows]
        root = np.sqrt(q)
        scaled = np.divide(u, root, out=np.zeros_like(u), where=root > 0)
        inner = -scaled[:, :, None] * scaled[:, None, :]
        np.einsum("ijj->ij", inner)[...] += np.divide(u, q, out=np.zeros_like(u), where=q > 0)
        rest = 1.0 - q.sum(axis=1)  # the probability of class 0
        length = np.sqrt(q.sum(axis=1))
        unit = np.divide(root, length[:, None], out=np.zeros_like(root), where=length[:, None] > 0)
        stretch = np.divide(1.0, np.sqrt(np.maximum(rest, 0.0)), out=np.ones_like(rest), where=rest > 0) - 1.0
        outer = np.eye(q.shape[1]) + stretch[:, None, None] * unit[:, :, None] * unit[:, None, :]
        largest = np.linalg.eigvalsh(outer @ inner @ outer)[:, -1]
        m = self.m.copy()
        m[rows] = np.minimum(
            self.m[rows], np.divide(1.0, largest, out=np.ones_like(largest), where=largest > 0)
        )
        return Curvature(self.q, m, self.u)

    def matrices(self) -> NDArray:
        """Return the full matrices, shape (n, K, K)."""
        full = self.diagonal[:, :, None] * np.eye(self.q.shape[1])
        for factor, vector in self.terms:
            full += factor[:, None, None] * vector[:, :, None] * vector[:, None, :]
        return full
