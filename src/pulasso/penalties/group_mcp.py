"""Group MCP: a group lasso that lets go of strong groups."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pulasso.penalties._norms import NormPenalty
from pulasso.penalties._numbers import check_above

__all__ = ["GroupMCP"]


@dataclass(frozen=True)
class GroupMCP(NormPenalty):
    """The minimax concave penalty of group norms: strong groups are not shrunk at all.

    With ``t = lam * weight_j`` a group of norm r costs ``t r - r^2 / (2 gamma)`` up to ``r = gamma t``, and
    ``gamma t^2 / 2`` beyond. It is concave: the objective may have several stationary points even where the loss is
    convex.

    Parameters
    ----------
    gamma : float, default=3.0
        Above 1. A group is free of the penalty beyond ``gamma * lam * weight_j``; for large gamma this is the group
        lasso. The objective is convex along a group if the curvature of the loss exceeds ``1 / gamma``.

    References
    ----------
    C.-H. Zhang, *Nearly unbiased variable selection under minimax concave penalty*, Annals of Statistics 38 (2010).

    Examples
    --------
    >>> from pulasso.penalties import GroupMCP
    >>> GroupMCP().concavity
    0.3333333333333333
    """

    gamma: float = 3.0

    name: ClassVar[str] = "group-mcp"

    def __post_init__(self) -> None:
        check_above("gamma", self.gamma, 1.0)

    @property
    def concavity(self) -> float:  # type: ignore[override]
        """What the curvature of the loss must exceed for the objective to be convex."""
        return 1.0 / self.gamma

    def gamma_for(self, curvature: float) -> float:
        """Return the smallest gamma whose concavity a loss of this curvature makes up for."""
        return 1.0 / curvature if curvature > 0 else np.inf

    def height(self, norms: NDArray, limits: NDArray) -> NDArray:
        """Return the penalty of every block."""
        inside = np.minimum(norms, self.gamma * limits)
        return limits * inside - inside**2 / (2.0 * self.gamma)

    def slope(self, norms: NDArray, limits: NDArray) -> NDArray:
        """Return the derivative in the norm: from the limit down to zero."""
        return np.maximum(limits - norms / self.gamma, 0.0)

    def shrink(self, norms: NDArray, steps: NDArray, limits: NDArray) -> NDArray:
        """Return the best of: zero, the stationary point inside, and the norm as it is."""
        room = 1.0 - steps / self.gamma
        inside = np.divide(norms - steps * limits, room, out=np.zeros_like(norms), where=room > 0)
        inside = np.clip(inside, 0.0, self.gamma * limits)
        return self._best(norms, steps, limits, inside, np.maximum(norms, self.gamma * limits))

    def _best(self, norms: NDArray, steps: NDArray, limits: NDArray, *candidates: NDArray) -> NDArray:
        """Return which of zero and the candidates minimises ``0.5 (r - norms)^2 + steps * height(r)``."""
        best, least = np.zeros_like(norms), 0.5 * norms**2
        for each in candidates:
            cost = 0.5 * (each - norms) ** 2 + steps * self.height(each, limits)
            best, least = np.where(cost < least, each, best), np.minimum(cost, least)
        return best
