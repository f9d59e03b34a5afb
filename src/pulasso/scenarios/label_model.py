r"""What a scenario says about labels, in two arrays.

Conventions, stated here for the whole library:

- ``eta`` has shape (n_samples, K): log odds of classes 1..K against class 0. Class 0 has log odds 0.
- An observed label is coded 0 (unlabeled), k (labelled class k) or K + 1 (confirmed negative).
- A member of class k shows its label with odds :math:`a_k : c_k`, so that with :math:`e_0 = 1,\ e_k = \exp \eta_k`

  .. math::

     P(z=k|x) = a_k e_k / N, \quad P(z=0|x) = \sum_{k \ge 0} c_k e_k / N, \quad
     N = \sum_{k \ge 0} (a_k + c_k) e_k .

  Without confirmed negatives :math:`a_0 = 0, c_0 = 1`; a class that is always labelled has :math:`c_k = 0`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LabelModel"]


@dataclass(frozen=True, eq=False)
class LabelModel:
    """How a member of each class shows its label: the arrays a and c of a scenario, in logs.

    Attributes
    ----------
    log_labeled, log_hidden : array of shape (K + 1,) or (n_samples, K + 1)
        Class 0 first; one row for each sample where labelling depends on it. ``-inf`` in `log_labeled` for labels
        that cannot occur, in `log_hidden` for classes that are never unlabeled.
    """

    log_labeled: NDArray
    log_hidden: NDArray

    @cached_property
    def log_total(self) -> NDArray:
        """Log of a + c."""
        return np.logaddexp(self.log_labeled, self.log_hidden)

    @cached_property
    def hides_positives(self) -> bool:
        """Whether a positive class may be unlabeled."""
        return bool(np.isfinite(self.log_hidden[..., 1:]).any())

    @cached_property
    def confirms_negatives(self) -> bool:
        """Whether a label may say "certainly class 0"."""
        return bool(np.isfinite(self.log_labeled[..., 0]).any())

    @property
    def is_by_row(self) -> bool:
        """Whether labelling depends on the row."""
        return self.log_labeled.ndim == 2

    @property
    def n_positive(self) -> int:
        """K, the number of positive classes."""
        return self.log_labeled.shape[-1] - 1

    def is_possible(self, codes: NDArray) -> NDArray:
        """Say of every row whether any class could have given it this label."""
        shape = (len(codes), self.n_positive + 1)
        labeled = np.broadcast_to(np.isfinite(self.log_labeled), shape)
        hidden = np.broadcast_to(np.isfinite(self.log_hidden).any(axis=-1), len(codes))
        # Code K + 1, the confirmed negative, is class 0.
        return np.where(codes == 0, hidden, labeled[np.arange(len(codes)), codes % shape[1]])

    def take(self, rows: Any) -> "LabelModel":
        """Return the label model of some rows: the same one, unless it depends on the row."""
        return LabelModel(self.log_labeled[rows], self.log_hidden[rows]) if self.is_by_row else self
