"""Curvature in the class log odds: what losses measure and responses pull back."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Curvature"]


@dataclass(frozen=True)
class Curvature:
    r"""Per-sample curvature of the loss in eta, kept in its low-rank form.

    .. math:: F_i = \mathrm{diag}(q_i - m_i u_i) - q_i q_i^T + m_i u_i u_i^T
    """

    q: NDArray  # (n, K) class posterior in the sampled population
    m: NDArray  # (n,)   probability of being unlabeled; for the observed curvature: whether unlabeled
    u: NDArray  # (n, K) class posterior among the unlabeled

    @property
    def diagonal(self) -> NDArray:
        """The diagonal part ``q - m u``, shape (n, K)."""
        return self.q - self.m[:, None] * self.u

    def apply(self, v: NDArray) -> NDArray:
        """Return ``F_i v_i`` for every sample; v has shape (n, K)."""
        out = self.diagonal * v
        out -= self.q * (self.q * v).sum(axis=1)[:, None]
        out += self.u * (self.m * (self.u * v).sum(axis=1))[:, None]
        return out

    def matrices(self) -> NDArray:
        """Return the full matrices, shape (n, K, K)."""
        diagonal = self.diagonal[:, :, None] * np.eye(self.q.shape[1])
        outer_q = self.q[:, :, None] * self.q[:, None, :]
        outer_u = self.u[:, :, None] * self.u[:, None, :]
        return diagonal - outer_q + self.m[:, None, None] * outer_u
