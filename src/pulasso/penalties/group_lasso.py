"""The group lasso: ``lam * sum_j weight_j ||theta_j||_2``, with the plain l1 penalty as a special case."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pulasso.penalties._norms import NormPenalty
from pulasso.penalties.blocks import Segments

__all__ = ["GroupLasso"]


@dataclass(frozen=True)
class GroupLasso(NormPenalty):
    """The weighted sum of the norms of the groups, which keeps or drops each group as a whole.

    ``lam * sum_j weight_j ||theta_j||_2``; groups of single coefficients make it the lasso. It is the default.

    Examples
    --------
    >>> from pulasso.penalties import GroupLasso
    >>> GroupLasso()
    GroupLasso()
    """

    name: ClassVar[str] = "group-lasso"

    def value(self, values: NDArray, segments: Segments, lam: float) -> float:
        """Return the penalty of these coefficients: the most frequent question of the default solver."""
        if type(self).ridge is not NormPenalty.ridge:
            return super().value(values, segments, lam)
        return float(self.limits(segments.weights, lam) @ segments.norms(values))

    def height(self, norms: NDArray, limits: NDArray) -> NDArray:
        """Return ``limits * norms``."""
        return limits * norms

    def slope(self, norms: NDArray, limits: NDArray) -> NDArray:
        """Return the limits: the slope is the same everywhere."""
        return limits

    def shrink(self, norms: NDArray, steps: NDArray, limits: NDArray) -> NDArray:
        """Return norms less ``steps * limits``, zero for short ones."""
        return np.maximum(norms - steps * limits, 0.0)
