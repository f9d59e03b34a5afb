"""Design matrices: dense, sparse, standardised on the fly."""

from scipy.sparse import issparse

from pulasso.design._protocol import Design
from pulasso.design.dense import DenseDesign
from pulasso.design.sparse import SparseDesign
from pulasso.design.standardized import StandardizedDesign, standardize

__all__ = ["Design", "DenseDesign", "SparseDesign", "StandardizedDesign", "as_design", "standardize"]


def as_design(x) -> Design:
    """Wrap a validated dense or sparse matrix."""
    return SparseDesign(x) if issparse(x) else DenseDesign(x)
