"""What tells one computation from another: a hash of settings, data, and the code of a user's functions."""

import dis
import sys
import sysconfig
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from joblib.hashing import NumpyHasher
from numpy.typing import NDArray
from scipy import sparse

from pulasso.exceptions import CheckpointError

__all__ = ["fingerprint"]

# What lies here changes only with the version of a package, and is known by its name.
LIBRARIES = ("site-packages", "dist-packages", sysconfig.get_path("stdlib"))
CONSTANTS = (bool, int, float, complex, str, bytes, tuple, frozenset, type, type(None))


def fingerprint(value: Any) -> str:
    """Return a hash of arrays, data frames, sparse matrices, settings, estimators, functions, and mappings of them.

    Two values with the same hash are the same for all practical purposes. Functions and classes of a user are known by
    their code and by what it refers to. What cannot be told from others, because it cannot be pickled, is refused.

    Examples
    --------
    >>> fingerprint({"lam": 0.1, "groups": "rows"}) == fingerprint({"groups": "rows", "lam": 0.1})
    True
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    """
    try:
        return _Hasher({}).hash(value)
    except Exception as error:  # pickle raises what it likes
        raise CheckpointError(
            "A setting cannot be told from others, so that finished steps could be taken for another run's: "
            f"{error.args[0] if error.args else error}.",
            remedy="Use functions and objects that can be pickled, or compute without a checkpoint.",
        ) from error


class _Hasher(NumpyHasher):
    """The hash of joblib, which would know functions and classes by their names only.

    Parameters
    ----------
    seen : dict
        Functions and classes that were met before, by their ids, each with its number: they may refer to one another.
    """

    def __init__(self, seen: dict[int, tuple[int, Any]]):
        super().__init__("sha1")
        self.seen = seen

    def save(self, obj: Any) -> None:
        """Add an object to the hash, or what it consists of."""
        if isinstance(obj, FunctionType | type) and not _is_known_by_name(obj):
            number, _ = self.seen.get(id(obj), (None, None))
            if number is None:
                self.seen[id(obj)] = (len(self.seen), obj)
                obj = self._function(obj) if isinstance(obj, FunctionType) else self._class(obj)
            else:
                obj = ("met before", number)
        elif isinstance(obj, MethodType):
            obj = ("method", obj.__func__, obj.__self__)
        elif isinstance(obj, CodeType):
            # Without line numbers and the name of the file, which say nothing about what it does.
            obj = ("code", obj.co_code, obj.co_consts, obj.co_names, obj.co_varnames, obj.co_freevars)
        elif isinstance(obj, frozenset):
            obj = ("frozenset", sorted(obj, key=repr))  # the order of words is another one in every process
        elif sparse.issparse(obj):
            obj = obj if obj.format in ("csc", "csr") else obj.tocsr()
            parts = obj.data, obj.indices, obj.indptr  # without what SciPy caches
            obj = ("sparse", obj.format, obj.shape, *parts)
        elif hasattr(type(obj), "map_concat"):
            obj = ("chunks", obj.shape, obj.map_concat(_digest_of_chunk))
        super().save(obj)

    def _batch_setitems(self, items: Any, *_: Any) -> None:
        """Add a mapping in any order of its keys; that of joblib takes an error for keys that cannot be sorted."""
        for key, value in sorted(items, key=lambda item: repr(item[0])):
            self.save(key)
            self.save(value)

    def _function(self, function: FunctionType) -> tuple:
        outside = [cell.cell_contents for cell in function.__closure__ or ()]
        given = function.__defaults__, function.__kwdefaults__, outside, self._globals(function)
        return ("function", function.__qualname__, function.__code__, *given)

    def _globals(self, function: FunctionType) -> dict[str, str]:
        """Return hashes of what a function takes from its module; what it writes there is no setting."""
        if _is_of_library(function.__module__):
            return {}
        found = {}
        read, written = _global_names(function.__code__)
        for name in sorted((read - written) & set(function.__globals__)):
            value = function.__globals__[name]
            if not isinstance(value, ModuleType):
                try:
                    found[name] = _Hasher(self.seen).hash(value)
                except Exception:  # a lock, a connection: nobody passed it to us
                    found[name] = type(value).__qualname__
        return found

    def _class(self, kind: type) -> tuple:
        parts: dict[str, Any] = {}
        for name, part in vars(kind).items():
            part = getattr(part, "__func__", getattr(part, "func", part))  # static, and cached properties
            if isinstance(part, property):
                parts[name] = (part.fget, part.fset)
            is_constant = isinstance(part, CONSTANTS) and not name.startswith("__")
            if isinstance(part, FunctionType) or is_constant:
                parts[name] = part
        return "class", kind.__qualname__, kind.__bases__, parts


def _is_of_library(module: str | None) -> bool:
    """Say whether a module changes only with the version of its package."""
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    if file is None or module == "__main__":
        return module != "__main__"
    return str(module).partition(".")[0] == "pulasso" or any(each in file for each in LIBRARIES)


def _is_known_by_name(obj: Any) -> bool:
    """Say whether a function or class of a library is found there: lambdas and inner functions are not."""
    found = getattr(sys.modules.get(obj.__module__ or ""), obj.__qualname__, None)
    return found is obj and _is_of_library(obj.__module__)


def _global_names(code: CodeType) -> tuple[set[str], set[str]]:
    """Return the names of a module that code reads and writes, inner functions included."""
    read, written = set(), set()
    for each in _with_inner(code):
        for instruction in dis.get_instructions(each):
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                read.add(instruction.argval)
            elif instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                written.add(instruction.argval)
    return read, written


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_inner(constant)


def _digest_of_chunk(x: Any) -> NDArray:
    return np.array([fingerprint(x)])
