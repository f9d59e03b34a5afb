"""Python values as JSON with arrays beside it, and back: a closed list of types, and no code in between.

Numbers, text, truth values, None and lists are themselves; everything else is an object with one key, its tag:

    {"number": "nan" | "inf" | "-inf"}     {"tuple": [...]}             {"message": template}
    {"named": {name: ...}}                 {"map": [[key, value], ...]}, where keys may be numbers
    {"array": name}                        {"texts": [shape, dtype, [...]]}
    {"rows": [type name, array name]}      a tuple of named tuples of numbers, as one array
    {"object": [type name, {part: ...}]}   a type from a list that the codec brings along
"""

from collections.abc import Callable, Mapping
from math import isfinite, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import Message, plain
from pulasso.exceptions import SavedModelError

__all__ = ["CannotBeSavedError", "Codec", "Optional"]

NUMBERS = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
SCALARS = (bool, int, float, str, type(None))
MAX_DEPTH = 40


class CannotBeSavedError(TypeError):
    """A value of a type that cannot be read back without running code."""


class Optional(dict):
    """A mapping of which everything is saved that can be; the codec notes what was left out, and why."""


class Codec:
    """Turns values into JSON and back; arrays are collected, or looked up, by name.

    Parameters
    ----------
    take_apart : callable
        Returns a mapping of savable parts for an object of a known type, else None.
    builders : mapping from type name to function
        How to put known types together from their decoded parts.
    rows : mapping from type name to type
        Named tuples of numbers.
    arrays : mapping from name to array, optional
        What was saved, for reading.

    Attributes
    ----------
    arrays : dict from name to array
        What to save beside the JSON.
    left_out : dict of str to str
        Names in `Optional` mappings whose values cannot be saved, and what they hold.
    """

    def __init__(
        self,
        take_apart: Callable[[Any], Mapping[str, Any] | None],
        builders: Mapping[str, Callable[[dict[str, Any]], Any]],
        rows: Mapping[str, Any],
        arrays: Mapping[str, NDArray] | None = None,
    ):
        self.arrays: dict[str, NDArray] = dict(arrays or {})
        self.left_out: dict[str, str] = {}
        self._take_apart, self._builders, self._rows = take_apart, builders, rows
        self._names: dict[
            tuple, tuple[str, Any]
        ] = {}  # the second one keeps the array alive, and its memory taken
        self._decoded_rows: dict[tuple[str, str], tuple] = {}
        self._depth = 0

    # -- writing ---------------------------------------------------------------------------------------------------

    def encode(self, value: Any) -> Any:
        """Return a value as JSON, or raise `CannotBeSavedError`."""
        value = plain(value)
        if isinstance(value, str):
            return _encode_text(value)
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            return value if isfinite(value) else {"number": str(value)}
        if isinstance(value, np.ndarray):
            return self._encode_array(value)
        parts = self._take_apart(value)
        if parts is not None:
            name = type(value).__name__
            return {"object": [name, {each: self.encode(part) for each, part in parts.items()}]}
        if hasattr(value, "to_dict") and hasattr(value, "index"):  # a pandas series, indexed by class
            value = value.to_dict()
        if isinstance(value, Optional):
            return {"named": self._encode_optional(value)}
        if isinstance(value, Mapping):
            return self._encode_mapping(value)
        if isinstance(value, tuple) and value and all(type(each).__name__ in self._rows for each in value):
            return {"rows": [type(value[0]).__name__, self._store(np.array(value, dtype=float))]}
        if isinstance(value, list | tuple):
            items = [self.encode(each) for each in value]
            return items if isinstance(value, list) else {"tuple": items}
        raise CannotBeSavedError(f"a {type(value).__name__}")

    def _encode_mapping(self, value: Mapping) -> Any:
        if all(type(key) is str for key in value):
            return {"named": {_encode_text(key): self.encode(each) for key, each in value.items()}}
        if not all(isinstance(plain(key), SCALARS) for key in value):
            raise CannotBeSavedError("a mapping whose keys are neither numbers nor text")
        return {"map": [[self.encode(key), self.encode(each)] for key, each in value.items()]}

    def _encode_optional(self, value: Optional) -> dict[str, Any]:
        found = {}
        for name, each in value.items():
            before = self.arrays.copy(), self._names.copy()
            try:
                found[name] = self.encode(each)
            except CannotBeSavedError as error:
                self.left_out[name] = str(error)
                self.arrays, self._names = before
        return found

    def _encode_array(self, array: NDArray) -> Any:
        if array.dtype.kind in "biuf" and array.dtype.itemsize <= 8:
            return {"array": self._store(array)}
        texts = array.ravel().tolist()
        if array.dtype.kind in "UO" and all(isinstance(each, str) for each in texts):
            return {
                "texts": [list(array.shape), array.dtype.kind, [_encode_text(str(each)) for each in texts]]
            }
        raise CannotBeSavedError(f"an array of {array.dtype}")

    def _store(self, array: NDArray) -> str:
        """Store an array once, however often it, or a view of it, is met."""
        memory = (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str)
        name, _ = self._names.get(memory, (f"array_{len(self.arrays)}", None))
        self._names[memory] = (name, array)
        self.arrays[name] = np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")
        return name

    # -- reading ---------------------------------------------------------------------------------------------------

    def decode(self, tree: Any) -> Any:
        """Return the value that a tree of JSON stands for, or raise a `SavedModelError`."""
        if isinstance(tree, SCALARS):
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
            case "message", str():
                return Message(content)
            case "tuple", list():
                return tuple(self.decode(each) for each in content)
            case "named", dict():
                return {name: self.decode(each) for name, each in content.items()}
            case "map", list():
                return self._decode_map(content)
            case "array", str():
                return self._array(content)
            case "texts", [list(shape), "U" | "O" as kind, list(texts)]:
                return self._decode_texts(shape, kind, texts)
            case "rows", [str(name), str(key)] if name in self._rows:
                if (name, key) not in self._decoded_rows:  # a small file may name them a million times
                    self._decoded_rows[name, key] = self._decode_rows(self._rows[name], self._array(key))
                return self._decoded_rows[name, key]
            case "object", [str(name), dict(parts)] if name in self._builders:
                return self._builders[name]({part: self.decode(each) for part, each in parts.items()})
        raise SavedModelError(f"{tag!r} does not stand for a value that a saved model holds.")

    def _decode_map(self, pairs: list) -> dict:
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise SavedModelError("a mapping is not made of pairs.")
        keys = [self.decode(key) for key, _ in pairs]
        if not all(isinstance(key, SCALARS) for key in keys):
            raise SavedModelError("a mapping has keys that are neither numbers nor text.")
        return {key: self.decode(value) for key, (_, value) in zip(keys, pairs, strict=True)}

    def _decode_texts(self, shape: list, kind: str, texts: list) -> NDArray:
        whole = all(type(size) is int and size >= 0 for size in shape)
        if not whole or prod(shape) != len(texts) or not all(isinstance(each, str) for each in texts):
            raise SavedModelError("an array of text has another shape than it says.")
        return np.array(texts, dtype=object if kind == "O" else np.str_).reshape(shape)

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

    def _array(self, name: str) -> NDArray:
        if name not in self.arrays:
            raise SavedModelError(f"array {name!r} is missing.")
        return self.arrays[name]


def _encode_text(value: str) -> Any:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise CannotBeSavedError("text that is not Unicode") from None
    return {"message": value.template} if isinstance(value, Message) else value
