"""Penalties: groups of coefficients and the norm that keeps or drops them together."""

from pulasso.penalties.blocks import Blocks
from pulasso.penalties.group_lasso import GroupLasso
from pulasso.penalties.groups import Groups

__all__ = ["Blocks", "GroupLasso", "Groups"]
