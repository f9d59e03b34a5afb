"""Penalties on blocks of the coefficient matrix, and the groups that users cut it into."""

from typing import Any

from pulasso._messages import arg, did_you_mean, listed
from pulasso.exceptions import InputError
from pulasso.penalties._protocol import Penalty, Thresholds
from pulasso.penalties.adaptive import AdaptiveGroupLasso
from pulasso.penalties.blocks import Blocks, Segments
from pulasso.penalties.bound import BlockPenalty
from pulasso.penalties.elastic_net import ElasticNet
from pulasso.penalties.group_lasso import GroupLasso
from pulasso.penalties.group_mcp import GroupMCP
from pulasso.penalties.group_scad import GroupSCAD
from pulasso.penalties.groups import Groups
from pulasso.penalties.sparse_group_lasso import SparseGroupLasso

__all__ = [
    "PENALTIES",
    "AdaptiveGroupLasso",
    "BlockPenalty",
    "Blocks",
    "ElasticNet",
    "GroupLasso",
    "GroupMCP",
    "GroupSCAD",
    "Groups",
    "Penalty",
    "Segments",
    "SparseGroupLasso",
    "Thresholds",
    "as_penalty",
]

PENALTIES: dict[str, type[Penalty]] = {
    each.name: each
    for each in (
        GroupLasso,
        ElasticNet,
        SparseGroupLasso,
        AdaptiveGroupLasso,
        GroupSCAD,
        GroupMCP,
    )
}


def as_penalty(penalty: Any) -> Penalty:
    """Return a penalty object from None (the group lasso), a name, or an object.

    Examples
    --------
    >>> as_penalty("elastic-net")
    ElasticNet(l1_ratio=0.5)
    """
    if penalty is None:
        return GroupLasso()
    if isinstance(penalty, str) and penalty in PENALTIES:
        return PENALTIES[penalty]()
    if isinstance(penalty, type):
        problem = f"penalty is the class {penalty.__name__}."
        raise InputError(problem, parameter="penalty", remedy=f"Pass an object, {penalty.__name__}(...).")
    if isinstance(penalty, str) or not hasattr(penalty, "subdiff_distance"):
        raise InputError(
            f"{arg('penalty', repr(penalty))} is unknown.{did_you_mean(penalty, PENALTIES)}",
            parameter="penalty",
            remedy=f"Use one of {listed(PENALTIES)}, or an object of pulasso.penalties.",
        )
    return penalty
