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
ARRAY = ctypes.c_void_p  # numpy.ctypeslib.ndpointer checks types, too, but takes longer than a small problem


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
    # PULASSO_KERNEL names another library (one built with sanitizers, say), or "numpy" for the Python twin.
    wanted = os.environ.get("PULASSO_KERNEL")
    path = None if wanted == "numpy" else Path(wanted) if wanted else library_path()
    if path is None:
        return None
    try:
        function = ctypes.CDLL(str(path)).pulasso_block_descent
    except (OSError, AttributeError):
        return None  # damaged, or built for another machine: the NumPy twin is slower, not wrong
    function.restype = LONG
    function.argtypes = [
        *(LONG, LONG, ARRAY, ARRAY, ARRAY),
        *(LONG, ARRAY, ARRAY, ARRAY, ARRAY, ARRAY, ARRAY),
        *(LONG, ctypes.c_double, ARRAY, LONG, ARRAY),
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
    trail: NDArray | None = None,
) -> int:
    """Do what :func:`pulasso.kernels.numpy_kernels.block_descent` does, compiled."""
    n, largest = len(beta), int(sizes.max(initial=1))
    if hessian.dtype != np.float32 or hessian.strides[1] != 4 or hessian.shape != (n, n):
        raise ValueError("hessian must be a square of floats with contiguous rows, as long as beta")
    doubles = (gradient, beta, thresholds, eigenvalues, bases)
    longs = (starts, sizes, basis_starts)
    if any(array.dtype != np.float64 or not array.flags.c_contiguous for array in doubles):
        raise ValueError("gradient, beta, thresholds, eigenvalues and bases must be contiguous doubles")
    if any(array.dtype != np.int64 or not array.flags.c_contiguous for array in longs):
        raise ValueError("starts, sizes and basis_starts must be contiguous 64-bit integers")
    if len(gradient) != n or len(eigenvalues) != n or len({len(thresholds), *map(len, longs)}) != 1:
        raise ValueError("entries or blocks differ in number")
    if trail is not None and (
        trail.dtype != np.float64 or not trail.flags.c_contiguous or trail.size < max_sweeps * 2 * n
    ):
        raise ValueError("trail must have room for beta and gradient after every sweep")
    work = np.empty(3 * largest)
    at = [array.ctypes.data for array in (*doubles, *longs, work)]
    return _FUNCTION(
        *(n, hessian.strides[0] // 4, hessian.ctypes.data, at[0], at[1]),
        *(len(starts), at[5], at[6], at[2], at[3], at[4], at[7]),
        *(max_sweeps, tol, at[8], largest, None if trail is None else trail.ctypes.data),
    )
