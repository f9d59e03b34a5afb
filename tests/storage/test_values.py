"""Values as JSON with arrays beside it: a closed list of types, every array once."""

import json
from typing import NamedTuple

import numpy as np
import pytest

from pulasso._messages import Message, arg
from pulasso.exceptions import SavedModelError
from pulasso.storage import CannotBeSavedError, Codec, Optional


class Row(NamedTuple):
    n: int
    x: float


def codec(arrays=None, **builders):
    return Codec(lambda value: None, builders, {"Row": Row}, arrays)


def round_trip(value):
    writer = codec()
    tree = json.loads(json.dumps(writer.encode(value), allow_nan=False))
    return codec(writer.arrays).decode(tree)


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 3, 10**30, 2.5, "é", [1, [2]], (1, (2,)), (), {}, {"a": 1}, {1: "a", None: 2.5}),
        *(float("inf"), -float("inf"), np.float32(0.5), np.str_("a"), [float("inf")], {"tuple": 1}),
    ],
    ids=repr,
)
def test_values_come_back(value):
    found = round_trip(value)
    assert found == value and type(found) is type(getattr(value, "item", lambda: value)())


@pytest.mark.parametrize(
    "array",
    [
        *(
            np.arange(6.0).reshape(2, 3).T,
            np.array(1.5),
            np.zeros((0, 3), np.float32),
            np.array([True, False]),
        ),
        *(
            np.arange(3, dtype=">i4"),
            np.array(["a", "bc\0d"], dtype=object),
            np.array([["é", ""]]),
            np.uint8([7]),
        ),
    ],
)
def test_arrays_come_back(array):
    found = round_trip([array])[0]
    np.testing.assert_array_equal(found, array)
    assert found.shape == array.shape and found.dtype == array.dtype.newbyteorder("=")


def test_messages_rows_and_nan():
    message = Message(f"Try {arg('cv', '3')}.")
    found, rows, number = round_trip((message, (Row(1, 2.5), Row(2, np.nan)), np.nan))
    assert found == "Try cv=3." and found.template == message.template
    assert rows[0] == (1, 2.5) and type(rows[0].n) is int and np.isnan(rows[1].x) and np.isnan(number)


def test_every_array_is_stored_once():
    array = np.arange(6.0)
    writer = codec()
    writer.encode([array, array, array.view(), {"a": array}])
    assert len(writer.arrays) == 1
    writer.encode([array.copy(), array[:3]])
    assert len(writer.arrays) == 3


def test_what_cannot_be_saved_is_left_out_without_a_trace():
    one, two = np.arange(3.0), np.ones(3)
    writer = codec()
    tree = writer.encode(Optional(a=[one, object()], b=two, c=one, d={(1, 2): 3}, e=np.zeros(2, complex)))
    assert set(writer.left_out) == {"a", "d", "e"} and len(writer.arrays) == 2
    found = codec(writer.arrays).decode(tree)
    assert list(found) == ["b", "c"] and found["c"].tolist() == [0, 1, 2] and found["b"].tolist() == [1, 1, 1]
    for value in (
        object(),
        [object()],
        {1: object()},
        np.array([None]),
        np.array(["2020"], "M8[D]"),
        "\ud800",
        {"\ud800": 1},
    ):
        with pytest.raises(CannotBeSavedError):
            codec().encode(value)


@pytest.mark.parametrize(
    "tree",
    [
        *(
            {},
            {"a": 1, "b": 2},
            {"unknown": 1},
            {"number": 1},
            {"number": "1e3"},
            {"tuple": 1},
            {"named": [1]},
        ),
        *({"map": [1]}, {"map": [[1]]}, {"map": [[[1], 2]]}, {"map": [[{"tuple": []}, 2]]}, {"message": 1}),
        *({"array": "b"}, {"array": 1}, {"texts": [[2], "U", ["a"]]}, {"texts": [[-1], "U", []]}),
        *({"texts": [[True], "U", ["a"]]}, {"texts": [[1], "S", ["a"]]}, {"texts": [[1], "O", [1]]}),
        *(
            {"rows": ["Row", "a"]},
            {"rows": ["int", "a"]},
            {"rows": ["Row", "nan"]},
            {"object": ["Popen", {}]},
        ),
        *({"object": ["Row", {}]}, {"object": []}, [{"object": None}]),
    ],
    ids=str,
)
def test_wrong_trees_are_refused(tree):
    with pytest.raises(SavedModelError):
        codec({"a": np.zeros(3), "nan": np.full((1, 2), np.nan)}).decode(tree)


def test_deep_trees_and_long_repetitions():
    deep = 1
    for _ in range(60):
        deep = {"tuple": [deep]}
    with pytest.raises(SavedModelError, match="deep"):
        codec().decode(deep)
    found = codec({"a": np.zeros((10_000, 2))}).decode([{"rows": ["Row", "a"]}] * 10_000)
    assert found[0] is found[-1], "else a small file takes all memory"
