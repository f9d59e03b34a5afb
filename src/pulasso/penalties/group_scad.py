"""Group SCAD: a group lasso for weak groups, and no penalty on strong ones."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pulasso.penalties._numbers import check_above
from pulasso.penalties.group_mcp import GroupMCP

__all__ = ["GroupSCAD"]


@dataclass(frozen=True)
class GroupSCAD(GroupMCP):
    """The smoothly clipped absolute deviation of group norms: strong groups are not shrunk at all.

    With ``t = lam * weight_j`` the slope is t up to a norm of t, falls to zero at ``gamma t``, and stays there. It is
    concave: the objective may have several stationary points even where the loss is convex.

    Parameters
    ----------
    gamma : float, default=3.7
        Above 2. The objective is convex along a group if the curvature of the loss exceeds ``1 / (gamma - 1)``.

    References
    ----------
    J. Fan and R. Li, *Variable selection via nonconcave penalized likelihood*, JASA 96 (2001).

    Examples
    --------
    >>> from pulasso.penalties import GroupSCAD
    >>> round(GroupSCAD().concavity, 3)
    0.37
    """

    gamma: float = 3.7

    name: ClassVar[str] = "group-scad"

    def __post_init__(self) -> None:
        check_above("gamma", self.gamma, 2.0)

    @property
    def concavity(self) -> float:  # type: ignore[override]
        """What the curvature of the loss must exceed for the objective to be convex."""
        return 1.0 / (self.gamma - 1.0)

    def gamma_for(self, curvature: float) -> float:
        """Return the smallest gamma whose concavity a loss of this curvature makes up for."""
        return 1.0 + super().gamma_for(curvature)

    def height(self, norms: NDArray, limits: NDArray) -> NDArray:
        """Return the penalty of every block."""
        within = np.clip(norms, limits, self.gamma * limits)  # the part where the slope falls
        fallen = (2.0 * self.gamma * limits * within - within**2 - limits**2) / (2.0 * (self.gamma - 1.0))
        return np.where(norms <= limits, limits * norms, fallen)

    def slope(self, norms: NDArray, limits: NDArray) -> NDArray:
        """Return the derivative in the norm: the limit, falling to zero."""
        return np.minimum(limits, np.maximum(self.gamma * limits - norms, 0.0) / (self.gamma - 1.0))

    def shrink(self, norms: NDArray, steps: NDArray, limits: NDArray) -> NDArray:
        """Return the best of: the lasso's answer, the stationary point where the slope falls, the norm as it is."""
        lasso = np.clip(norms - steps * limits, 0.0, limits)
        room = self.gamma - 1.0 - steps
        falls = (self.gamma - 1.0) * norms - steps * self.gamma * limits
        falls = np.divide(falls, room, out=np.zeros_like(norms), where=room > 0)
        falls = np.clip(falls, limits, self.gamma * limits)
        return self._best(norms, steps, limits, lasso, falls, np.maximum(norms, self.gamma * limits))
