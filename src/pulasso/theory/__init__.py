"""The constants of the paper's theorems, and the curvature of the loss that they bound."""

from pulasso.theory.constants import MultinomialConstants, OrdinalConstants
from pulasso.theory.curvature import curvature_along

__all__ = ["MultinomialConstants", "OrdinalConstants", "curvature_along"]
