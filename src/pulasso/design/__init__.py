"""Design matrices: dense, sparse, in chunks, standardised on the fly."""

from typing import Any

from scipy.sparse import issparse

from pulasso.design._protocol import Design, StoredDesign
from pulasso.design.chunked import ChunkedDesign, Chunks, split
from pulasso.design.columns import ColumnStore, as_slice, column_store
from pulasso.design.dense import DenseDesign
from pulasso.design.sparse import SparseDesign, canonical
from pulasso.design.standardized import StandardizedDesign, standardize

__all__ = [
    "ChunkedDesign",
    "Chunks",
    "ColumnStore",
    "DenseDesign",
    "Design",
    "SparseDesign",
    "StandardizedDesign",
    "StoredDesign",
    "as_design",
    "as_slice",
    "canonical",
    "column_store",
    "split",
    "standardize",
]


def as_design(x: Any) -> StoredDesign:
    """Wrap a validated dense or sparse matrix."""
    return SparseDesign(x) if issparse(x) else DenseDesign(x)
