"""Python values as JSON with arrays beside it, and back: a closed list of types, and no code in between.

Numbers, text, truth values, None and lists are themselves; everything else is an object with one key, its tag:

    {"number": "nan" | "inf" | "-inf"}     {"tuple": [...]}
    {"named": {name: ...}}                 {"map": [[key, value], ...]}, where keys may be numbers
    {"array": name}                        {"texts": name}, an object array of text
    {"list of text": name}                 {"tuple of text": name}
    {"rows": [type name, name]}            a tuple of named tuples of numbers, as one array
    {"object": [type name, {part: ...}]}   a type from a list that the reader brings along
"""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import plain
from pulasso.exceptions import SavedModelError

__all__ = ["CannotBeSavedError", "Decoder", "Dispensable", "Encoder"]

NUMBERS = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
# Longer lists of text go into an array: JSON would be read by nobody.
TEXTS_IN_JSON = 64
MAX_DEPTH = 40


class CannotBeSavedError(TypeError):
    """A value of a type that cannot be read back without running code."""


class Dispensable(dict):
    """A mapping whose entries may be left out where they cannot be saved."""


class Encoder:
    """Turn values into JSON; arrays are collected by name.

    Parameters
    ----------
    take_apart : callable
        Returns a mapping of savable parts for an object of a known type, else None.

    Attributes
    ----------
    arrays : dict
    left_out : dict
        What was dispensable and could not be saved: name and reason.
    """

    def __init__(self, take_apart: Callable[[Any], Mapping[str, Any] | None]):
        self.arrays: dict[str, NDArray] = {}
        self.left_out: dict[str, str] = {}
        self._take_apart = take_apart
        self._names: dict[int, tuple[str, Any]] = {}  # the second one keeps the array alive, and its id taken

    def encode(self, value: Any) -> Any:
        """Return a value as JSON, or raise `CannotBeSavedError`."""
        value = plain(value)
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if isfinite(value) else {"number": str(value)}
        if isinstance(value, np.ndarray):
            return self._encode_array(value)
        parts = self._take_apart(value)
        if parts is not None:
            return {
                "object": [type(value).__name__, {name: self.encode(part) for name, part in parts.items()}]
            }
        if isinstance(value, PathLike):
            return fspath(value)
        if isinstance(value, Dispensable):
            return {"named": self._encode_dispensable(value)}
        if hasattr(value, "to_dict") and hasattr(value, "index"):  # a pandas series, indexed by class
            value = value.to_dict()
        if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
            return {"named": {key: self.encode(each) for key, each in value.items()}}
        if isinstance(value, Mapping):
            return {"map": [[self.encode(key), self.encode(each)] for key, each in value.items()]}
        if isinstance(value, list | tuple):
            return self._encode_sequence(value)
        raise CannotBeSavedError(f"a {type(value).__name__}")

    def _encode_dispensable(self, value: Dispensable) -> dict[str, Any]:
        encoded = {}
        for name, each in value.items():
            try:
                encoded[name] = self.encode(each)
            except CannotBeSavedError as error:
                self.left_out[name] = str(error)
        return encoded

    def _encode_sequence(self, value: list | tuple) -> Any:
        kind = "tuple" if isinstance(value, tuple) else "list"
        if value and all(hasattr(each, "_fields") for each in value):
            return {"rows": [type(value[0]).__name__, self._keep(np.array(value, dtype=float))]}
        if len(value) > TEXTS_IN_JSON and all(isinstance(each, str) for each in value):
            return {f"{kind} of text": self._keep(_text_array(value))}
        items = [self.encode(each) for each in value]
        return items if kind == "list" else {"tuple": items}

    def _encode_array(self, array: NDArray) -> Any:
        if array.dtype.kind in "biuf" and array.dtype.itemsize <= 8:
            return {"array": self._keep(array)}
        if array.dtype.kind == "U":
            return {"array": self._keep(_text_array(array))}
        if array.dtype.kind == "O" and all(isinstance(each, str) for each in array.ravel()):
            return {"texts": self._keep(_text_array(array), key=array)}
        raise CannotBeSavedError(f"an array of {array.dtype}")

    def _keep(self, array: NDArray, key: Any = None) -> str:
        """Store an array once, however often it is met."""
        met = array if key is None else key
        name, _ = self._names.get(id(met), (f"array_{len(self.arrays)}", None))
        self._names[id(met)] = (name, met)
        self.arrays[name] = array
        return name


def _text_array(texts: Any) -> NDArray:
    """Return text as NumPy stores it, or refuse what it would change (it drops zeros at the end)."""
    source = np.asarray(texts, dtype=object)
    array = source.astype(str)
    if not np.array_equal(array.astype(object), source):
        raise CannotBeSavedError("text that ends in a NUL character")
    return array if array.dtype.itemsize else array.astype("U1")


class Decoder:
    """Turn JSON back into values; what is not in the closed list of types is refused.

    Parameters
    ----------
    arrays : mapping from name to array
    builders : mapping from type name to function
        How to put known types together from their decoded parts.
    rows : sequence of types
        Named tuples that may be read.
    """

    def __init__(
        self,
        arrays: Mapping[str, NDArray],
        builders: Mapping[str, Callable[[dict[str, Any]], Any]],
        rows: Sequence[Any] = (),
    ):
        self._arrays = arrays
        self._builders = builders
        self._rows = {each.__name__: each for each in rows}
        self._depth = 0

    def decode(self, tree: Any) -> Any:
        """Return the value that a tree of JSON stands for, or raise a `SavedModelError`."""
        if tree is None or isinstance(tree, bool | int | float | str):
            return tree
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise SavedModelError("values are nested too deeply.")
        try:
            if isinstance(tree, list):
                return [self.decode(each) for each in tree]
            if len(tree) != 1:
                raise SavedModelError(f"an object has the keys {list(tree)[:3]}, where one tag is expected.")
            ((tag, content),) = tree.items()
            return self._decode_tagged(tag, content)
        finally:
            self._depth -= 1

    def _decode_tagged(self, tag: str, content: Any) -> Any:
        match tag, content:
            case "number", "nan" | "inf" | "-inf":
                return NUMBERS[content]
            case "tuple", list():
                return tuple(self.decode(each) for each in content)
            case "named", dict():
                return {name: self.decode(each) for name, each in content.items()}
            case "map", list():
                return self._decode_map(content)
            case "array", str():
                return self._array(content)
            case "texts", str():
                return self._array(content, "U").astype(object)
            case (("list of text" | "tuple of text"), str()):
                texts = self._array(content, "U").tolist()
                return texts if tag == "list of text" else tuple(texts)
            case "rows", [str(name), str(key)] if name in self._rows:
                return self._decode_rows(self._rows[name], self._array(key, "f"))
            case "object", [str(name), dict(parts)] if name in self._builders:
                return self._builders[name]({part: self.decode(each) for part, each in parts.items()})
        raise SavedModelError(f"{tag!r} does not stand for a value that a saved model holds.")

    def _decode_map(self, pairs: list) -> dict:
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise SavedModelError("a mapping is not made of pairs.")
        keys = [self.decode(key) for key, _ in pairs]
        if not all(key is None or isinstance(key, bool | int | float | str) for key in keys):
            raise SavedModelError("a mapping has keys that are neither numbers nor text.")
        return {key: self.decode(value) for key, (_, value) in zip(keys, pairs, strict=True)}

    def _decode_rows(self, kind: Any, array: NDArray) -> tuple:
        if array.ndim != 2 or array.shape[1] != len(kind._fields):
            raise SavedModelError(f"rows of {kind.__name__} have the shape {array.shape}.")
        whole = [kind.__annotations__.get(name) is int for name in kind._fields]
        if not np.isfinite(array[:, whole]).all():
            raise SavedModelError(f"rows of {kind.__name__} hold numbers that are not whole.")
        return tuple(
            kind(*(int(v) if is_int else v for v, is_int in zip(row, whole, strict=True)))
            for row in array.tolist()
        )

    def _array(self, name: str, kinds: str = "biufU") -> NDArray:
        if name not in self._arrays or self._arrays[name].dtype.kind not in kinds:
            raise SavedModelError(f"array {name!r} is missing, or of the wrong type.")
        return self._arrays[name]
