"""The elastic net: a group lasso and a ridge."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pulasso.penalties._numbers import check_ratio
from pulasso.penalties.group_lasso import GroupLasso

__all__ = ["ElasticNet"]


@dataclass(frozen=True)
class ElasticNet(GroupLasso):
    """A group lasso and a ridge: correlated features share their coefficients instead of one taking all.

    ``lam * (l1_ratio * sum_j weight_j ||theta_j||_2 + (1 - l1_ratio) / 2 * ||theta||_F^2)``. Groups of weight 0 are
    free of both parts.

    Parameters
    ----------
    l1_ratio : float, default=0.5
        Share of the group lasso, above 0 and at most 1. Close to 0 this is ridge regression.

    Examples
    --------
    >>> from pulasso.penalties import ElasticNet
    >>> ElasticNet(l1_ratio=0.9)
    ElasticNet(l1_ratio=0.9)
    """

    l1_ratio: float = 0.5

    name: ClassVar[str] = "elastic-net"

    def __post_init__(self) -> None:
        check_ratio("l1_ratio", self.l1_ratio, zero_allowed=False)

    def limits(self, weights: NDArray, lam: float) -> NDArray:
        """Return what gradients must exceed for their blocks to leave zero."""
        return lam * self.l1_ratio * weights

    def ridge(self, weights: NDArray, lam: float) -> NDArray:
        """Return the coefficient of ``0.5 ||theta_j||^2`` for every block."""
        return np.where(weights > 0, lam * (1.0 - self.l1_ratio), 0.0)
