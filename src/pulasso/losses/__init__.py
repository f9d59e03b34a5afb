"""Losses: the likelihood of observed labels as a function of the class log odds."""

from pulasso.curvature import Curvature
from pulasso.losses.anchor import HELD, Anchor
from pulasso.losses.null_model import NullModel, find_null_model
from pulasso.losses.observed import CompleteLoss, Loss, ObservedLoss
from pulasso.losses.pu_loss import PULoss

__all__ = [
    "HELD",
    "Anchor",
    "CompleteLoss",
    "Curvature",
    "Loss",
    "NullModel",
    "ObservedLoss",
    "PULoss",
    "find_null_model",
]
