"""What a run was asked to do, in words and numbers that can be written down and compared."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pulasso.data.chunks import as_chunked, is_chunked

__all__ = ["array_digest", "as_json", "data_hash", "describe"]

# Arrays are read in chunks, so that hashing never copies a large one.
CHUNK_BYTES = 2**24
# Longer arrays are described by their hash; a reader would not compare their numbers anyway.
NUMBERS_SHOWN = 200


def data_hash(*arrays: Any) -> str:
    """Return one hash of data: dense or sparse matrices, data frames, labels, weights, or None.

    The memory layout does not matter; values, dtypes, shapes and column names do.

    Parameters
    ----------
    *arrays : array-like, sparse matrix or None

    Returns
    -------
    str
        SHA-256 in hexadecimal.

    Examples
    --------
    >>> data_hash([1, 2]) == data_hash(np.array([1, 2]))
    True
    >>> data_hash([1, 2]) == data_hash([1, 2], None)
    False
    """
    digest = hashlib.sha256()
    for array in arrays:
        _add(digest, array)
    return digest.hexdigest()


def _add(digest: Any, array: Any) -> None:
    if array is None:
        digest.update(b"none;")
    elif sparse.issparse(array):
        matrix = array if array.format in ("csr", "csc") else array.tocsr()
        digest.update(f"{matrix.format}{matrix.shape};".encode())
        for part in (matrix.indptr, matrix.indices):
            # SciPy chooses the width of indices by its own rules; their values are what matters.
            array_digest(digest, part.astype(np.int64))
        array_digest(digest, matrix.data)
    elif is_chunked(array):
        chunks = as_chunked(array)
        if chunks.feature_names is not None:
            digest.update(f"columns{list(chunks.feature_names)!r};".encode())
        array_digest(digest, chunks.map_concat(_digest_of_chunk))
    else:
        if hasattr(array, "columns"):
            digest.update(f"columns{list(array.columns)!r};".encode())
        array_digest(digest, np.asarray(array))


def _digest_of_chunk(x: Any) -> NDArray:
    digest = hashlib.sha256()
    _add(digest, x)
    return np.array([digest.hexdigest()])


def array_digest(digest: Any, array: NDArray) -> None:
    """Add dtype, shape and values of one array to a hash."""
    digest.update(f"{array.dtype.str}{array.shape};".encode())
    if array.dtype.hasobject:
        for value in array.ravel().tolist():
            digest.update(f"{type(value).__name__}:{value!r};".encode())
        return
    if array.ndim == 0 or array.nbytes <= CHUNK_BYTES:
        digest.update(np.ascontiguousarray(array).tobytes())
        return
    rows = max(1, CHUNK_BYTES // max(1, array.nbytes // len(array)))
    for first in range(0, len(array), rows):
        digest.update(np.ascontiguousarray(array[first : first + rows]).tobytes())


def describe(value: Any) -> Any:
    """Return a value as JSON would hold it, so that two runs can be told apart by their settings.

    Numbers, text and None stay; long arrays become a hash; frozen dataclasses (scenarios, groups), scikit-learn
    objects and splitters become a mapping of their parts; functions become their names, and those that others
    may share a name with (lambdas, functions of a script) a hash of their code.

    Examples
    --------
    >>> from pulasso import CaseControl
    >>> describe(CaseControl(prevalence={"oak": 0.2}))
    {'type': 'CaseControl', 'prevalence': {'oak': 0.2}, 'always_labeled': []}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): describe(each) for key, each in value.items()}
    if isinstance(value, np.ndarray) or hasattr(value, "__array__") or sparse.issparse(value):
        small = isinstance(value, np.ndarray) and value.size <= NUMBERS_SHOWN
        return describe(value.tolist()) if small else data_hash(value)
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    if isinstance(value, list | tuple | range):
        return [describe(each) for each in value]
    return _describe_object(value)


def _describe_object(value: Any) -> Any:
    if isinstance(value, FunctionType) and not _is_told_by_its_name(value):
        return _describe_function(value)
    if isinstance(value, type) or hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, partial):
        return {"type": "partial", "of": describe(value.func), "args": describe([value.args, value.keywords])}
    if isinstance(value, np.random.Generator | np.random.RandomState):
        state = value.bit_generator.state if isinstance(value, np.random.Generator) else value.get_state()
        return hashlib.sha256(repr(state).encode()).hexdigest()
    if is_dataclass(value):
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
    elif hasattr(value, "get_params"):
        parts = value.get_params(deep=False)
    else:
        parts = getattr(value, "__dict__", {"value": repr(value)})
    return {"type": type(value).__name__, **{name: describe(part) for name, part in parts.items()}}


def _is_told_by_its_name(function: FunctionType) -> bool:
    """Say whether no other function has this name: not so for lambdas, inner functions and those of a script."""
    return function.__module__ != "__main__" and "<" not in function.__qualname__


def _describe_function(function: FunctionType) -> dict[str, Any]:
    """Describe a function by what it does: its code, defaults and the values that it has from outside."""
    outside = [cell.cell_contents for cell in function.__closure__ or ()]
    held = [each.__qualname__ if isinstance(each, FunctionType) else describe(each) for each in outside]
    given = describe([function.__defaults__, function.__kwdefaults__])
    name = f"{function.__module__}.{function.__qualname__}"
    return {"function": name, "code": _code_hash(function.__code__), "defaults": given, "outside": held}


def _constant(value: Any) -> str:
    if isinstance(value, CodeType):
        return _code_hash(value)
    # The order of a set of words is another one in every process.
    return repr(sorted(map(repr, value)) if isinstance(value, frozenset) else value)


def _code_hash(code: CodeType) -> str:
    inner = [_constant(each) for each in code.co_consts]
    return hashlib.sha256(repr((code.co_code, code.co_names, inner)).encode()).hexdigest()


def as_json(fingerprint: Mapping[str, Any]) -> dict[str, str]:
    """Return every entry of a fingerprint as text that is equal exactly when the entries are."""
    return {str(name): json.dumps(describe(value), sort_keys=True) for name, value in fingerprint.items()}
