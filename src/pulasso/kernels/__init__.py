"""Hot loops: compiled if the library was built, else the NumPy twins."""

from pulasso.kernels import native, numpy_kernels

__all__ = ["ACTIVE", "block_descent"]

ACTIVE = "native" if native._FUNCTION is not None else "numpy"
block_descent = native.block_descent if ACTIVE == "native" else numpy_kernels.block_descent
