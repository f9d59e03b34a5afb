"""The adaptive group lasso: a second fit that trusts the first."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pulasso.penalties._numbers import check_above
from pulasso.penalties.blocks import Blocks
from pulasso.penalties.group_lasso import GroupLasso

__all__ = ["AdaptiveGroupLasso"]


@dataclass(frozen=True)
class AdaptiveGroupLasso(GroupLasso):
    """A group lasso whose weights come from a first fit: what was strong there is penalised less.

    ``lam * sum_j weight_j (max_i ||first_i|| / ||first_j||)^gamma ||theta_j||_2``, where `first` is the group lasso
    with the smallest BIC on a path of its own, on the same rows. Groups that the first fit left out stay out; those of
    weight 0 stay free. Strong coefficients are shrunk less than by the group lasso, and fewer groups are selected.

    Parameters
    ----------
    gamma : float, default=1.0
        How much the first fit counts; above 0.

    References
    ----------
    H. Zou, *The adaptive lasso and its oracle properties*, JASA 101 (2006).

    Examples
    --------
    >>> from pulasso.penalties import AdaptiveGroupLasso
    >>> AdaptiveGroupLasso(gamma=2.0)
    AdaptiveGroupLasso(gamma=2.0)
    """

    gamma: float = 1.0

    name: ClassVar[str] = "adaptive-group-lasso"

    def __post_init__(self) -> None:
        check_above("gamma", self.gamma, 0.0)

    def reweigh(self, blocks: Blocks, first: NDArray) -> NDArray:
        """Return the weights of the blocks, given the coefficients of the first fit."""
        norms = blocks.norms(first)
        strongest = norms[blocks.is_penalized].max(initial=0.0)
        if strongest == 0.0:
            return blocks.weights  # nothing was selected: there is nothing to trust
        with np.errstate(divide="ignore"):
            factors = (strongest / norms) ** self.gamma
        return np.where(blocks.is_penalized, blocks.weights * factors, blocks.weights)
