"""The compiled twin of the kernels, where it was built; loaded by ctypes, which releases the GIL."""

import ctypes
import os
from importlib import metadata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["block_descent", "library_path"]

NAME = "pulasso_kernels"
SUFFIXES = (".so", ".dylib", ".dll")
LONG = ctypes.c_int64
DOUBLES = np.ctypeslib.ndpointer(dtype=np.float64, flags="C_CONTIGUOUS")
LONGS = np.ctypeslib.ndpointer(dtype=np.int64, flags="C_CONTIGUOUS")


def library_path() -> Path | None:
    """Return the shared library, beside this file or (editable installs) among the installed files."""
    beside = [Path(__file__).parent / (NAME + suffix) for suffix in SUFFIXES]
    try:
        installed = metadata.files("pulasso") or []
    except metadata.PackageNotFoundError:
        installed = []
    found = [Path(file.locate()) for file in installed if file.stem == NAME and file.suffix in SUFFIXES]
    return next((path for path in [*beside, *found] if path.exists()), None)


def _load():
    # An escape for debugging, and for tests of the pure Python twin.
    path = None if os.environ.get("PULASSO_KERNEL") == "numpy" else library_path()
    if path is None:
        return None
    function = ctypes.CDLL(str(path)).pulasso_block_descent
    function.restype = LONG
    function.argtypes = [
        *(LONG, LONG, ctypes.c_void_p, DOUBLES, DOUBLES),
        *(LONG, LONGS, LONGS, DOUBLES, DOUBLES, DOUBLES, LONGS),
        *(LONG, ctypes.c_double, DOUBLES, LONG),
    ]
    return function


_FUNCTION = _load()


def block_descent(
    hessian: NDArray,
    gradient: NDArray,
    beta: NDArray,
    starts: NDArray,
    sizes: NDArray,
    thresholds: NDArray,
    eigenvalues: NDArray,
    bases: NDArray,
    basis_starts: NDArray,
    max_sweeps: int,
    tol: float,
) -> int:
    """Do what :func:`pulasso.kernels.numpy_kernels.block_descent` does, compiled."""
    n, largest = len(beta), int(sizes.max(initial=1))
    if hessian.dtype != np.float32 or hessian.strides[1] != 4 or hessian.shape != (n, n):
        raise ValueError("hessian must be a square of floats with contiguous rows, as long as beta")
    stride = hessian.strides[0] // 4
    return _FUNCTION(
        *(n, stride, hessian.ctypes.data, gradient, beta),
        *(len(starts), starts, sizes, thresholds, eigenvalues, bases, basis_starts),
        *(max_sweeps, tol, np.empty(3 * largest), largest),
    )
