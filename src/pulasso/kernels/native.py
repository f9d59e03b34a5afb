"""The compiled twin of the kernels, where it was built; loaded by ctypes, which releases the GIL."""

import ctypes
import os
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from pulasso.kernels import numpy_kernels

__all__ = [
    "accelerated_descent",
    "block_descent",
    "call",
    "centred_sums",
    "is_loaded",
    "kronecker_descent",
    "library_path",
    "observed_loss",
    "rank_two",
    "sparse_gram",
]

NAME = "pulasso_kernels"
SUFFIXES = (".so", ".dylib", ".dll")
LONG, DOUBLE = ctypes.c_int64, ctypes.c_double
addressof, from_buffer = ctypes.addressof, ctypes.c_char.from_buffer
ARRAY = ctypes.c_void_p  # numpy.ctypeslib.ndpointer checks types, too, but takes longer than a small problem
SIZES = ("memory", "pending")  # numbers that the library was built with, and that buffers must have room for
SIGNATURES = {
    "block_descent": (LONG, [LONG, LONG, *3 * [ARRAY], LONG, *7 * [ARRAY], LONG, *2 * [ARRAY], LONG, ARRAY]),
    "accelerated_descent": (
        LONG,
        [LONG, LONG, *2 * [ARRAY], LONG, *7 * [ARRAY], LONG, *2 * [ARRAY], LONG, ARRAY],
    ),
    "kronecker_descent": (
        LONG,
        [*4 * [LONG], *9 * [ARRAY], LONG, *7 * [ARRAY], LONG, *2 * [ARRAY], LONG, ARRAY],
    ),
    "rank_two": (None, [LONG, LONG, *3 * [ARRAY]]),
    "observed_loss": (DOUBLE, [LONG, LONG, *5 * [ARRAY], LONG, *2 * [ARRAY]]),
    "row_products": (None, [*3 * [LONG], *2 * [ARRAY], LONG, *2 * [ARRAY]]),
    "row_sums": (None, [*3 * [LONG], *2 * [ARRAY], LONG, *2 * [ARRAY]]),
    "centred_sums": (None, [*3 * [LONG], *5 * [ARRAY]]),
    "sparse_gram": (None, [LONG, LONG, *15 * [ARRAY]]),
}


def library_path() -> Path | None:
    """Return the shared library, beside this file or (editable installs) among the installed files."""
    beside = [Path(__file__).parent / (NAME + suffix) for suffix in SUFFIXES]
    try:
        installed = metadata.files("pulasso") or []
    except metadata.PackageNotFoundError:
        installed = []
    found = [Path(file.locate()) for file in installed if file.stem == NAME and file.suffix in SUFFIXES]
    return next((path for path in [*beside, *found] if path.exists()), None)


def _load() -> Any:
    # PULASSO_KERNEL names another library (one built with sanitizers, say), or "numpy" for the Python twin.
    wanted = os.environ.get("PULASSO_KERNEL")
    path = None if wanted == "numpy" else Path(wanted) if wanted else library_path()
    if path is None:
        return None
    try:
        library = ctypes.CDLL(str(path))
        functions = {name: getattr(library, f"pulasso_{name}") for name in SIGNATURES}
        sizes = {name: LONG.in_dll(library, f"pulasso_{name}").value for name in SIZES}
    except (OSError, AttributeError, ValueError) as error:
        if wanted:
            raise ImportError(f"PULASSO_KERNEL={wanted} cannot be used: {error}.") from error
        return None  # damaged, or built for another machine: the NumPy twins are slower, not wrong
    for name, (result, arguments) in SIGNATURES.items():
        functions[name].restype, functions[name].argtypes = result, arguments
    return functions | sizes


_FUNCTIONS = _load()
is_loaded = _FUNCTIONS is not None


def call(name: str, *arguments: int | None) -> None:
    """Call a function of the library that returns nothing."""
    _FUNCTIONS[name](*arguments)


def block_descent(
    hessian: NDArray,
    gradient: NDArray,
    beta: NDArray,
    starts: NDArray,
    sizes: NDArray,
    thresholds: NDArray,
    l1: NDArray | None,
    eigenvalues: NDArray,
    bases: NDArray,
    basis_starts: NDArray,
    max_sweeps: int,
    tols: NDArray,
    trail: NDArray | None = None,
) -> int:
    """Do what :func:`pulasso.kernels.numpy_kernels.block_descent` does, compiled."""
    n, largest = len(beta), int(sizes.max(initial=1))
    by_entry, by_block = [gradient, beta, eigenvalues], [thresholds, tols]
    _refuse_unlike(n, hessian, by_entry, l1, by_block, [starts, sizes, basis_starts], bases)
    if trail is not None and (
        trail.dtype != np.float64 or not trail.flags.c_contiguous or trail.size < max_sweeps * 2 * n
    ):
        raise ValueError("trail must have room for beta and gradient after every sweep")
    work = np.empty(2 * largest)
    return _FUNCTIONS["block_descent"](
        *(n, hessian.strides[0] // 4, *_at(hessian, gradient, beta), len(starts)),
        *_at(starts, sizes, thresholds, l1, eigenvalues, bases, basis_starts),
        *(max_sweeps, *_at(tols, work), largest, *_at(trail)),
    )


def accelerated_descent(
    hessian: NDArray,
    state: NDArray,
    starts: NDArray,
    sizes: NDArray,
    thresholds: NDArray,
    l1: NDArray | None,
    eigenvalues: NDArray,
    bases: NDArray,
    basis_starts: NDArray,
    max_sweeps: int,
    tols: NDArray,
) -> int:
    """Do what :func:`pulasso.kernels.numpy_kernels.accelerated_descent` does, compiled."""
    n, largest = len(state) // 2, int(sizes.max(initial=1))
    _refuse_other_layout({np.float64: [state]})
    longs = [starts, sizes, basis_starts]
    _refuse_unlike(n, hessian, [state[:n], state[n:], eigenvalues], l1, [thresholds, tols], longs, bases)
    work, trail = np.empty(2 * largest), np.empty((_FUNCTIONS["memory"] + 3) * 2 * n)
    return _FUNCTIONS["accelerated_descent"](
        *(n, hessian.strides[0] // 4, *_at(hessian, state), len(starts)),
        *_at(starts, sizes, thresholds, l1, eigenvalues, bases, basis_starts),
        *(max_sweeps, *_at(tols, work), largest, *_at(trail)),
    )


def _refuse_unlike(
    n: int,
    hessian: NDArray,
    by_entry: list[NDArray],
    l1: NDArray | None,
    by_block: list[NDArray],
    longs: list[NDArray],
    bases: NDArray,
) -> None:
    """Refuse arrays of other types, layouts or lengths than the loops of the descent expect."""
    if hessian.dtype != np.float32 or hessian.strides[1] != 4 or hessian.shape != (n, n):
        raise ValueError("hessian must be a square of floats with contiguous rows, as long as beta")
    by_entry = by_entry if l1 is None else [*by_entry, l1]
    _refuse_other_layout({np.float64: [*by_entry, *by_block, bases], np.int64: longs})
    if any(len(array) != n for array in by_entry) or len({*map(len, by_block), *map(len, longs)}) != 1:
        raise ValueError("entries or blocks differ in number")


def kronecker_descent(
    factors: numpy_kernels.KroneckerFactors,
    gradient: NDArray,
    ridge: NDArray,
    state: NDArray,
    starts: NDArray,
    sizes: NDArray,
    thresholds: NDArray,
    l1: NDArray | None,
    eigenvalues: NDArray,
    bases: NDArray,
    basis_starts: NDArray,
    max_sweeps: int,
    tols: NDArray,
    trail: NDArray | None = None,
) -> int:
    """Do what :func:`pulasso.kernels.numpy_kernels.kronecker_descent` does, compiled."""
    gram, mean, low, sign, row, output = factors
    n, largest, rank = len(row), int(sizes.max(initial=1)), len(sign)
    by_entry = [gradient, ridge, eigenvalues] + ([] if l1 is None else [l1])
    doubles = [*by_entry, mean, low, sign, state, thresholds, bases, tols] + (
        [] if trail is None else [trail]
    )
    longs = [row, output, starts, sizes, basis_starts]
    _refuse_other_layout({np.float32: [gram], np.float64: doubles, np.int64: longs})
    if any(len(array) != n for array in (*by_entry, low, output)) or low.shape[1] != rank:
        raise ValueError("entries differ in number")
    if len({*map(len, (starts, sizes, thresholds, basis_starts, tols))}) != 1:
        raise ValueError("blocks differ in number")
    if gram.shape != (len(gram),) * 2 or mean.shape != (len(mean),) * 2:
        raise ValueError("gram and mean must be squares")
    if any(len(at) and not 0 <= at.min() <= at.max() < len(of) for at, of in ((row, gram), (output, mean))):
        raise ValueError("row and output must be positions in gram and mean")
    if len(state) != n + gram.shape[0] * mean.shape[0] + rank:
        raise ValueError("state has another length")
    if trail is not None and trail.size < max_sweeps * len(state):
        raise ValueError("trail must have room for the state after every sweep")
    work = np.empty(3 * largest + _FUNCTIONS["pending"] * len(mean))
    return _FUNCTIONS["kronecker_descent"](
        *(
            n,
            len(gram),
            len(mean),
            rank,
            *_at(*factors[:4], gradient, ridge, row, output, state),
            len(starts),
        ),
        *_at(starts, sizes, thresholds, l1, eigenvalues, bases, basis_starts),
        *(max_sweeps, *_at(tols, work), largest, *_at(trail)),
    )


def _refuse_other_layout(arrays: dict[Any, list[NDArray]]) -> None:
    for kind, some in arrays.items():
        if any(array.dtype != kind or not array.flags.c_contiguous for array in some):
            raise ValueError(f"arrays must be contiguous and of type {np.dtype(kind)}")


def _at(*arrays: NDArray | None) -> list[int | None]:
    """Return where arrays lie in memory."""
    # Four times as fast as array.ctypes.data, which small problems notice; not for strided, read-only or empty ones.
    try:
        return [None if array is None else addressof(from_buffer(array)) for array in arrays]  # type: ignore[arg-type]
    except (BufferError, TypeError, ValueError):
        return [None if array is None else array.ctypes.data for array in arrays]


def rank_two(hessian: NDArray, gained: NDArray, lost: NDArray) -> None:
    """Do what :func:`pulasso.kernels.numpy_kernels.rank_two` does, compiled."""
    n = len(gained)
    if hessian.dtype != np.float32 or hessian.strides[1] != 4 or hessian.shape != (n, n) or len(lost) != n:
        raise ValueError("hessian must be a square of floats with contiguous rows, as long as the vectors")
    y, h = np.ascontiguousarray(gained, dtype=np.float32), np.ascontiguousarray(lost, dtype=np.float32)
    _FUNCTIONS["rank_two"](n, hessian.strides[0] // 4, *_at(hessian, y, h))


def observed_loss(
    eta: NDArray, codes: NDArray, sample_weight: NDArray, log_total: NDArray, log_hidden: NDArray | None
) -> tuple[float, NDArray]:
    """Do what :func:`pulasso.kernels.numpy_kernels.observed_loss` does, compiled."""
    n, n_positive = eta.shape
    by_class, weight = _doubles(eta.T), _doubles(sample_weight)
    codes = np.ascontiguousarray(codes, dtype=np.int64)
    if not len(codes) == len(weight) == n:
        raise ValueError("eta, codes and sample_weight differ in the number of samples")
    total, hidden = _doubles(log_total), None if log_hidden is None else _doubles(log_hidden)
    shapes = {total.shape} | (set() if hidden is None else {hidden.shape})
    if len(shapes) != 1 or total.shape not in ((n_positive + 1,), (n, n_positive + 1)):
        raise ValueError("log_total and log_hidden have one number for every class, class 0 included")
    work, grad = np.empty(n_positive + 1), np.empty((n_positive, n))
    value = _FUNCTIONS["observed_loss"](
        *(n, n_positive, *_at(by_class, codes, weight, total, hidden)),
        *(0 if total.ndim == 1 else n_positive + 1, *_at(work, grad)),
    )
    return value, grad.T


def centred_sums(x: NDArray, origin: NDArray, weight: NDArray) -> tuple[NDArray, NDArray]:
    """Do what :func:`pulasso.kernels.numpy_kernels.centred_sums` does, compiled for contiguous columns of doubles."""
    if x.dtype != np.float64 or not x.flags.f_contiguous:
        return numpy_kernels.centred_sums(x, origin, weight)
    n, p = x.shape
    origin, weight = _doubles(origin), _doubles(weight)
    if origin.shape != (p,) or weight.shape != (n,):
        raise ValueError("origin has one number for every column, weight for every row")
    shift, square = np.empty(p), np.empty(p)
    _FUNCTIONS["centred_sums"](n, p, n, *_at(x, origin, weight, shift, square))
    return shift, square


def sparse_gram(
    left: csc_array,
    right: csc_array,
    weight: NDArray,
    means: tuple[NDArray, NDArray],
    scales: tuple[NDArray, NDArray],
) -> NDArray:
    """Do what :func:`pulasso.kernels.numpy_kernels.sparse_gram` does, compiled, in single precision."""
    if max(left.nnz, right.nnz) > np.iinfo(np.int32).max:
        return numpy_kernels.sparse_gram(left, right, weight, means, scales)
    _refuse_outside(left, right)
    n_left, n_right, rows = left.shape[1], right.shape[1], right.tocsr()
    if not left.shape[0] == right.shape[0] == len(weight):
        raise ValueError("left, right and weight differ in the number of samples")
    if [len(part) for part in (*means, *scales)] != 2 * [n_left, n_right]:
        raise ValueError("means and scales have one number for every column")
    weight = _doubles(weight)
    excess = left.T @ weight - means[0] * weight.sum()
    out = np.empty((n_left, n_right), dtype=np.float32)
    arrays = (
        *(*_ints(left.indptr, left.indices), _doubles(left.data)),
        *(*_ints(rows.indptr, rows.indices), _doubles(rows.data)),
        *(weight, _doubles(means[0]), excess, _doubles(scales[0])),
        *(_doubles(means[1]), _doubles(right.T @ weight), _doubles(scales[1]), np.empty(n_right), out),
    )
    _FUNCTIONS["sparse_gram"](n_left, n_right, *_at(*arrays))
    return out


def _refuse_outside(*matrices: csc_array) -> None:
    """Refuse columns whose entries lie outside of the matrix, where the loops would read foreign memory."""
    for each in matrices:
        ends, rows = each.indptr, each.indices
        if len(ends) != each.shape[1] + 1 or ends[0] != 0 or (ends[1:] < ends[:-1]).any():
            raise ValueError("indptr must rise from 0, one step for every column")
        if ends[-1] > min(len(rows), len(each.data)):
            raise ValueError("indptr must end within indices and values")
        if rows.min(initial=0) < 0 or rows.max(initial=-1) >= each.shape[0]:
            raise ValueError("indices must be rows of the matrix")


def _ints(*arrays: NDArray) -> list[NDArray]:
    return [array.astype(np.int32, copy=False) for array in arrays]


def _doubles(array: NDArray) -> NDArray:
    """Return the array as contiguous doubles, itself if it is that already."""
    return np.ascontiguousarray(array, dtype=np.float64)
