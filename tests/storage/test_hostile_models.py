"""Models that are damaged, or made to deceive: one kind of error, soon, without taking memory or running code."""

import json
import os
import pickle
import tempfile
import tracemalloc
import warnings
from contextlib import suppress
from time import process_time

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load, save

import pulasso
from pulasso.exceptions import SavedModelError
from support.saved import KINDS, damaged, files_of, make_model, put

# A model is a few thousand bytes; whoever takes this much for a file of that size has been deceived.
MEMORY, SECONDS = 8 * 2**20, 5.0


@pytest.fixture(scope="module", name="originals")
def saved_models(tmp_path_factory):
    """Return the bytes of both files of every kind of model."""
    found = {}
    for kind in KINDS:
        folder = tmp_path_factory.mktemp("saved") / "model"
        make_model(kind).save(folder, notes={"a": [1, "b"]})
        found[kind] = files_of(folder)
    return found


def outcome(folder, call=pulasso.load):
    """Return a model that was loaded, after using it, or the error; any other end is a failure."""
    started = process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = call(folder)
            if call is pulasso.load:
                use(found)
                with tempfile.TemporaryDirectory() as name:
                    found.save(f"{name}/again")
            else:
                str(found), json.dumps(found, allow_nan=False, ensure_ascii=False).encode()
            return found
    except SavedModelError as error:
        str(error).encode()
        return error
    finally:
        assert process_time() - started < SECONDS


@np.errstate(all="ignore")  # numbers may be huge, as long as probabilities are some
def use(model):
    """Predict and speak: what was accepted is a model."""
    for each in [model.model(i) for i in range(len(model))] if hasattr(model, "model") else [model]:
        x = np.zeros((2, each.n_features_in_))
        names = getattr(each, "feature_names_in_", None)
        x = x if names is None else pd.DataFrame(x, columns=list(names))
        proba = each.predict_proba(x)
        assert np.isfinite(proba).all() and proba.shape == (2, len(each.classes_)), "no probabilities"
        assert len(each.predict(x)) == 2 and repr(each) and repr(each.summary())


def refused(folder, call=pulasso.load):
    """Say whether a model is refused; nothing may take more memory than its files are worth."""
    tracemalloc.start()
    try:
        return isinstance(outcome(folder, call), SavedModelError)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < MEMORY, f"{peak} bytes"


def model_of(description):
    return json.loads(description)["model"]["object"][1]


def change(description, path, value):
    """Return the description with one entry of the model replaced, or taken out."""
    tree = json.loads(description)
    node = tree["model"]["object"][1]
    for step in path[:-1]:
        node = node[step]
    if value is ...:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return tree


# -- by design --------------------------------------------------------------------------------------------------

FITTED, PARAMS = ("fitted", "named"), ("params", "named")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        *(
            ((*FITTED, name), ...)
            for name in ("coef_", "thresholds_", "kkt_", "groups_", "classes_", "scenario_")
        ),
        *(((*FITTED, "coef_"), value) for value in ("text", None, 1.0, [1.0] * 5, {"array": "array_99"})),
        *(((*FITTED, "n_features_in_"), value) for value in (7, -1, True, 5.0, 10**30, "5")),
        *(((*FITTED, "converged_"), "yes"), ((*FITTED, "groups_"), None), ((*FITTED, "label_model_"), 3)),
        *(
            ((*FITTED, "scenario_"), "case-control"),
            ((*FITTED, "warnings_"), [1]),
            ((*FITTED, "objective_"), "low"),
            ((*FITTED, "history_"), 0.5),
        ),
        *(
            ((*FITTED, name), 1)
            for name in ("predict", "__class__", "_response", "fit", "response_", "a b_", "x_.y_")
        ),
        *(((*FITTED, "stationary_points_"), value) for value in (1, {"tuple": []})),
        *(
            ((*PARAMS, "lam"), value)
            for value in ("much", {"number": "nan"}, 10**400, -1, {"a": 1, "b": 2}, [])
        ),
        *(
            ((*PARAMS, "solver"), ["em"]),
            ((*PARAMS, "shell"), "rm"),
            ((*PARAMS, "penalty"), {"object": ["Popen", {}]}),
        ),
        ((*PARAMS, "penalty"), {"object": ["ElasticNet", {"l1_ratio": 7}]}),
        ((*PARAMS, "penalty"), {"object": ["ElasticNet", {"__class__": 7}]}),
        ((*PARAMS, "scenario"), {"object": ["CaseControl", {"labelling": 1}]}),
        *((("params",), None), (("fitted",), {"tuple": []}), (("more",), 1)),
    ],
    ids=str,
)
def test_parts_of_the_wrong_type(originals, tmp_path, path, value):
    description, arrays = originals["ordinal"]
    put(tmp_path, change(description, path, value), arrays)
    assert refused(tmp_path) or path == ("more",)


@pytest.mark.parametrize("kind", KINDS)
def test_other_arrays(originals, tmp_path, kind):
    """Every array in turn: other numbers, fewer of them, one axis more, another precision."""
    description, content = originals[kind]
    description, arrays = json.loads(description), load(content)
    n_refused = 0
    for i, (name, array) in enumerate(arrays.items()):
        number = np.zeros_like(array) if array.dtype.kind != "f" else np.full_like(array, np.nan)
        fewer = array[:-1] if array.ndim else array[None]
        other = (number, fewer, array[None], array.astype(np.float16))[i % 4]
        put(tmp_path, description, save({**arrays, name: np.ascontiguousarray(other)}))
        n_refused += isinstance(outcome(tmp_path), SavedModelError)
    assert n_refused
    put(tmp_path, description, save({each: arrays[each] for each in arrays if each != name}))
    assert refused(tmp_path)


def test_pickles_are_not_opened(originals, tmp_path, monkeypatch):
    class Evil:
        def __reduce__(self):
            return (os.mkdir, ("evil-was-here",))

    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    description, arrays = originals["ordinal"]
    for files in ((pickle.dumps(Evil()), arrays), (json.loads(description), pickle.dumps(Evil()))):
        put(tmp_path / "model", *files)
        assert refused(tmp_path / "model")
    assert not (tmp_path / "evil-was-here").exists()


def test_headers_of_arrays_that_lie(originals, tmp_path):
    description = json.loads(originals["ordinal"][0])
    for header in (
        b'{"array_0":{"dtype":"F64","shape":[1000000000000],"data_offsets":[0,8000000000000]}}',
        b'{"array_0":{"dtype":"F64","shape":[99999999999,99999999999,0],"data_offsets":[0,0]}}',
        b'{"array_0":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}    ',
        *(b"[" * 50_000, b"{}", b""),
    ):
        put(tmp_path, description, len(header).to_bytes(8, "little") + header + bytes(4))
        assert refused(tmp_path)
    put(tmp_path, description, (2**62).to_bytes(8, "little") + b"{}")
    assert refused(tmp_path)


def test_deep_long_and_repeated(originals, tmp_path):
    description, arrays = originals["ordinal"]
    deep = 1
    for _ in range(200):
        deep = {"tuple": [deep]}
    put(tmp_path, change(description, (*PARAMS, "lam"), deep), arrays)
    assert refused(tmp_path)
    # A mark that never ends, a million times, and one model in many places.
    put(tmp_path, change(description, (*FITTED, "warnings_"), [{"message": "\ue000" * 200_000}]), arrays)
    outcome(tmp_path)
    points = model_of(description)["fitted"]["named"]["stationary_points_"]["object"][1]["models"]["tuple"]
    path = (*FITTED, "stationary_points_", "object", 1, "models", "tuple")
    put(tmp_path, change(description, path, points[:1] * 50), arrays)
    assert refused(tmp_path)


NOTES = [
    *(
        "null",
        "[]",
        '"a"',
        "1",
        '{"a": "\\ud800"}',
        '{"\\udfff": 1}',
        '{"a": 1e999}',
        '{"a": NaN}',
        '{"a": -Infinity}',
    ),
    *('{"a":' * 300 + "1" + "}" * 300, '{"a":' + "[" * 900 + "]" * 900 + "}", '{"a": ' + "9" * 5000 + "}"),
    *('{"a": ' + "9" * 4000 + "}", '{"a": {}, "a": "\x7f"}'),
]


@pytest.mark.parametrize("notes", NOTES, ids=lambda notes: notes[:20])
def test_hostile_notes(originals, tmp_path, notes):
    description, arrays = originals["ordinal"]
    text = json.dumps({**json.loads(description), "notes": "HERE"}).replace('"HERE"', notes)
    put(tmp_path, text.encode(), arrays)
    assert refused(tmp_path, pulasso.load_notes) or notes.endswith(("9}", '"\x7f"}'))


# -- at random --------------------------------------------------------------------------------------------------

ODD = [
    None,
    0,
    -1,
    1.5,
    10**30,
    1e308,
    "",
    "coef_",
    "nan",
    "\ud800",
    [],
    {},
    True,
    {"number": "nan"},
    {"tuple": []},
]
ODD += [
    {"named": {}},
    {"array": "array_0"},
    {"array": "array_1"},
    {"rows": ["Record", "array_1"]},
    {"message": "é"},
]


def with_odd_leaf(rng, description):
    """Return the tree with one part replaced, removed or doubled."""
    tree = json.loads(description)
    node, key = {"tree": tree}, "tree"
    for _ in range(int(rng.integers(2, 14))):
        inner = node[key]
        if not isinstance(inner, dict | list) or not inner:
            break
        node, key = (
            inner,
            list(inner)[rng.integers(len(inner))] if isinstance(inner, dict) else rng.integers(len(inner)),
        )
    if rng.random() < 0.15:
        del node[key]
    else:
        values = [*ODD, [node[key]], {"tuple": [node[key]] * 3}]
        node[key] = values[int(rng.integers(len(values)))]
    return tree


def fuzz(folder, originals, kind, n_cases):
    """Damage one of the files, with a hash that fits; return how many were refused."""
    rng, n_refused = np.random.default_rng(len(kind)), 0
    for case in range(n_cases):
        description, arrays = originals[kind]
        if case % 3 == 0:
            description = with_odd_leaf(rng, description)
        elif case % 3 == 1:
            description = damaged(rng, description)
            with suppress(ValueError, RecursionError):  # else it is so damaged that no hash can be mended
                description = json.loads(description)
        else:
            description, arrays = json.loads(description), damaged(rng, arrays)
        put(folder, description, arrays)
        n_refused += isinstance(outcome(folder), SavedModelError)
        outcome(folder, pulasso.load_notes)
    return n_refused


@pytest.mark.parametrize("kind", KINDS)
def test_random_damage(originals, tmp_path, kind, record_figure):
    n_refused = fuzz(tmp_path, originals, kind, 90)
    record_figure(f"damaged {kind}", f"{n_refused} of 90 refused")
    assert n_refused > 30


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_much_random_damage(originals, tmp_path, kind):
    assert fuzz(tmp_path, originals, kind, 900) > 300
