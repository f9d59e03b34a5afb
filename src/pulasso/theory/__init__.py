"""The constants of the paper's theorems, the errors that they allow, and the curvature of the loss that they bound."""

from pulasso.theory.bounds import Sample, error_bound, theorem_lam
from pulasso.theory.constants import MultinomialConstants, OrdinalConstants
from pulasso.theory.curvature import curvature_along, least_curved_direction

__all__ = [
    "MultinomialConstants",
    "OrdinalConstants",
    "Sample",
    "curvature_along",
    "error_bound",
    "least_curved_direction",
    "theorem_lam",
]
