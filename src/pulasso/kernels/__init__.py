"""Hot loops: compiled if the library was built, else the NumPy twins."""

from pulasso.kernels import native, numpy_kernels
from pulasso.kernels.extrapolation import accelerated
from pulasso.kernels.numpy_kernels import KroneckerFactors
from pulasso.kernels.rows import is_compiled, row_products, row_sums

__all__ = [
    "ACTIVE",
    "KroneckerFactors",
    "accelerated",
    "accelerated_descent",
    "block_descent",
    "centred_sums",
    "is_compiled",
    "kronecker_descent",
    "observed_loss",
    "rank_two",
    "row_products",
    "row_sums",
    "sparse_gram",
]

ACTIVE = "native" if native.is_loaded else "numpy"
_active = native if ACTIVE == "native" else numpy_kernels
block_descent, kronecker_descent = _active.block_descent, _active.kronecker_descent
accelerated_descent, rank_two = _active.accelerated_descent, _active.rank_two
centred_sums, observed_loss, sparse_gram = _active.centred_sums, _active.observed_loss, _active.sparse_gram
