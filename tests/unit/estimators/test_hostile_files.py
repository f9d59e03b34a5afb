"""Files that are damaged, or made to deceive: a named error, soon, without taking memory or running code."""

import hashlib
import io
import json
import os
import pickle
import tracemalloc
import zipfile
from time import perf_counter

import numpy as np
import pytest

import pulasso
from pulasso.exceptions import SavedModelError
from support.saved import KINDS, make_model, predictions

# A model is a few thousand bytes; whoever takes this much for a file of that size has been deceived.
MEMORY_LIMIT = 8 * 2**20
N_FUZZED = 40


@pytest.fixture(scope="module", name="originals")
def saved_models(tmp_path_factory):
    """Return the bytes of model.json and arrays.npz of every kind of model."""
    found = {}
    for kind in KINDS:
        folder = tmp_path_factory.mktemp("saved") / "m"
        make_model(kind).save(folder)
        found[kind] = tuple((folder / name).read_bytes() for name in ("model.json", "arrays.npz"))
    return found


@pytest.fixture(name="folder")
def model_folder(tmp_path):
    return tmp_path


def put(folder, description, arrays):
    """Write a model whose hash fits its arrays, as anybody could."""
    if isinstance(description, dict):
        description["arrays"]["sha256"] = hashlib.sha256(arrays).hexdigest()
        description = json.dumps(description).encode()
    (folder / "model.json").write_bytes(description)
    (folder / "arrays.npz").write_bytes(arrays)


def archive_of(members, compression=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def members_of(arrays):
    with zipfile.ZipFile(io.BytesIO(arrays)) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def npy(array, allow_pickle=False):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=allow_pickle)
    return stream.getvalue()


def load_with_limits(folder):
    """Load, and return the model or the error; anything but a SavedModelError, or waste, is a failure."""
    tracemalloc.start()
    started = perf_counter()
    try:
        return pulasso.load(folder)
    except SavedModelError as error:
        return error
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < MEMORY_LIMIT, f"{peak} bytes"
        assert perf_counter() - started < 5.0


def refuse(folder, match):
    error = load_with_limits(folder)
    assert isinstance(error, SavedModelError), "the file was accepted"
    assert match in str(error), str(error)


class Evil:
    """Runs code when it is unpickled."""

    def __reduce__(self):
        return (os.mkdir, ("evil-was-here",))


# --- arrays -----------------------------------------------------------------------------------------------


def test_pickles_are_not_opened(originals, folder, monkeypatch):
    monkeypatch.chdir(folder)
    description, arrays = originals["ordinal"]
    evil = np.array([Evil()], dtype=object)
    members = members_of(arrays)
    members[0] = (members[0][0], npy(evil, allow_pickle=True))
    put(folder, json.loads(description), archive_of(members))
    assert isinstance(load_with_limits(folder), SavedModelError)
    changed = json.loads(description)
    changed["arrays"]["members"][members[0][0][:-4]] = {"dtype": "|O", "shape": [1]}
    put(folder, changed, archive_of(members))
    refuse(folder, "no saved model uses")
    put(folder, pickle.dumps(Evil()), arrays)
    refuse(folder, "damaged")
    put(folder, json.loads(description), pickle.dumps(Evil()) * 500)
    assert isinstance(load_with_limits(folder), SavedModelError)
    assert not (folder / "evil-was-here").exists()


def test_zip_bombs(originals, folder):
    description = json.loads(originals["ordinal"][0])
    name = next(iter(description["arrays"]["members"]))
    bomb = npy(np.zeros(2**21))  # 16 MB that compress to little
    members = [(m, bomb if m == f"{name}.npy" else c) for m, c in members_of(originals["ordinal"][1])]
    packed = archive_of(members, zipfile.ZIP_DEFLATED)
    put(folder, description, packed)
    assert isinstance(load_with_limits(folder), SavedModelError)
    description["arrays"]["members"][name] = {"dtype": "<f8", "shape": [2**21]}
    put(folder, description, packed)
    refuse(folder, "does not fit")


def test_compressed_members_of_the_right_size(originals, folder):
    """Even where the whole file has the right size: what is compressed is refused before it is opened."""
    description = json.loads(originals["ordinal"][0])
    members = members_of(originals["ordinal"][1])
    packed = archive_of(members, zipfile.ZIP_DEFLATED)
    padding = b"\0" * (len(originals["ordinal"][1]) - len(packed))
    put(folder, description, padding + packed)
    refuse(folder, "compressed, or not as large as declared")


def test_names_are_compared_not_used(originals, folder):
    description = json.loads(originals["ordinal"][0])
    first, *others = members_of(originals["ordinal"][1])
    for name in ("../../evil.npy", "/etc/evil.npy", "evil", "array_0.npy/../x.npy"):
        put(folder, description, archive_of([(name, first[1]), *others]))
        refuse(folder, "does not hold the arrays that were declared")
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = archive_of([first, *others, first])
    put(folder, description, twice)
    assert isinstance(load_with_limits(folder), SavedModelError)


@pytest.mark.parametrize("shape", [[2**40], [2**20, 2**20], [-1], [True], ["9"], [1] * 20, None, 3, [2**60]])
def test_huge_or_silly_shapes(originals, folder, shape):
    description, arrays = originals["ordinal"]
    description = json.loads(description)
    next(iter(description["arrays"]["members"].values()))["shape"] = shape
    put(folder, description, arrays)
    assert isinstance(load_with_limits(folder), SavedModelError)


def test_headers_that_contradict_the_description(originals, folder):
    description = json.loads(originals["ordinal"][0])
    members = members_of(originals["ordinal"][1])
    lie = members[0][1].replace(b"'shape': (", b"'shape':(9", 1)
    put(folder, description, archive_of([(members[0][0], lie), *members[1:]]))
    assert isinstance(load_with_limits(folder), SavedModelError)


def test_a_directory_of_many_entries(originals, folder):
    """A million entries would take a gigabyte before the first name could be looked at."""
    description = json.loads(originals["ordinal"][0])
    members = members_of(originals["ordinal"][1])
    crowd = archive_of([*members, *((f"{i}", b"") for i in range(3000))])
    name = next(iter(description["arrays"]["members"]))
    description["arrays"]["members"][name] = {"dtype": "|b1", "shape": [len(crowd) - 5000]}
    put(folder, description, crowd)
    refuse(folder, "directory")


def test_text_outside_unicode(originals, folder):
    description = json.loads(originals["multinomial"][0])
    entries = description["arrays"]["members"]
    name = next(name for name, entry in entries.items() if "U" in entry["dtype"])
    members = [
        (m, c[:-4] + b"\xff\xff\xff\xff" if m == f"{name}.npy" else c)
        for m, c in members_of(originals["multinomial"][1])
    ]
    put(folder, description, archive_of(members))
    refuse(folder, "not Unicode")


def test_special_files_do_not_hang(originals, folder):
    put(folder, *originals["ordinal"])
    (folder / "arrays.npz").unlink()
    os.mkfifo(folder / "arrays.npz")
    refuse(folder, "not an ordinary file")
    (folder / "model.json").unlink()
    os.mkfifo(folder / "model.json")
    refuse(folder, "not an ordinary file")


# --- the description --------------------------------------------------------------------------------------


def change(tree, path, value):
    """Return the description with one entry of the model replaced."""
    tree = json.loads(tree)
    node = tree["model"]["object"][1]
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return tree


FITTED, PARAMS = ("fitted", "named"), ("params", "named")


@pytest.mark.parametrize(
    ("path", "value", "match"),
    [
        ((*FITTED, "coef_"), "text", "coef_ is missing, or not an array"),
        ((*FITTED, "converged_"), "yes", "neither true nor false"),
        ((*FITTED, "n_features_in_"), 7, "was expected"),
        ((*FITTED, "n_features_in_"), -1, "not a count"),
        ((*FITTED, "groups_"), None, "groups_ is not a set of groups"),
        ((*FITTED, "label_model_"), 3, "label_model_ does not fit"),
        ((*FITTED, "scenario_"), "case-control", "scenario_ is not a scenario"),
        ((*FITTED, "warnings_"), [1], "not words"),
        ((*FITTED, "objective_"), "low", "objective_ is not a number"),
        ((*FITTED, "predict"), 1, "is no attribute"),
        ((*FITTED, "__class__"), 1, "is no attribute"),
        ((*FITTED, "fit"), None, "is no attribute"),
        ((*PARAMS, "lam"), "much", "not a number"),
        ((*PARAMS, "lam"), {"number": "nan"}, "must be finite"),
        ((*PARAMS, "solver"), ["em"], "unknown"),
        ((*PARAMS, "shell"), "rm", "no parameter 'shell'"),
        ((*PARAMS, "lam"), {"object": ["Popen", {}]}, "does not stand for a value"),
        ((*PARAMS, "lam"), {"object": ["CaseControl", {"labelling": 1}]}, "has no"),
        ((*PARAMS, "lam"), {"a": 1, "b": 2}, "one tag"),
        ((*PARAMS, "lam"), {"map": [[{"tuple": [[1]]}, 2]]}, "neither numbers nor text"),
        ((*PARAMS, "lam"), {"array": "array_99"}, "array 'array_99' is missing"),
        (("params",), None, "lacks its parameters"),
    ],
)
def test_parts_of_the_wrong_type(originals, folder, path, value, match):
    description, arrays = originals["ordinal"]
    put(folder, change(description, path, value), arrays)
    refuse(folder, match)


@pytest.mark.parametrize("kind", ["multinomial", "multinomial-cv", "ordinal"])
@pytest.mark.parametrize("name", ["coef_", "intercept_", "thresholds_", "kkt_", "cv_loss_", "groups_"])
def test_parts_that_are_missing(originals, folder, kind, name):
    description, arrays = originals[kind]
    description = json.loads(description)
    if description["model"]["object"][1]["fitted"]["named"].pop(name, None) is None:
        pytest.skip(f"{kind} has no {name}")
    put(folder, description, arrays)
    refuse(folder, name)


def test_deep_and_long_descriptions(originals, folder):
    description, arrays = originals["ordinal"]
    (folder / "arrays.npz").write_bytes(arrays)
    (folder / "model.json").write_bytes(b"[" * 100_000)
    refuse(folder, "damaged")
    deep = {}
    for _ in range(60):
        deep = {"tuple": [deep]}
    put(folder, change(description, (*PARAMS, "lam"), deep), arrays)
    refuse(folder, "nested too deeply")
    with open(folder / "model.json", "wb") as stream:
        stream.truncate(2**27)
    refuse(folder, "larger than")


def test_coefficients_that_are_not_numbers(originals, folder):
    description, arrays = originals["ordinal"]
    description = json.loads(description)
    name = description["model"]["object"][1]["fitted"]["named"]["coef_"]["array"]
    members = [(m, npy(np.full(5, np.nan)) if m == f"{name}.npy" else c) for m, c in members_of(arrays)]
    put(folder, description, archive_of(members))
    refuse(folder, "coef_ holds NaN or infinity")


# --- at random --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_fuzzed_bytes(originals, folder, kind, record_figure):
    """Flip, cut and repeat bytes; the hash is mended, so that what lies behind it is reached."""
    rng = np.random.default_rng(len(kind))
    outcomes = {"refused": 0, "loaded": 0}
    for _ in range(N_FUZZED):
        description, arrays = map(bytearray, originals[kind])
        target = description if rng.random() < 0.5 else arrays
        for _ in range(rng.integers(1, 4)):
            at = int(rng.integers(len(target)))
            length = int(rng.integers(1, 20))
            action = rng.integers(3)
            if action == 0:
                target[at] ^= 1 << int(rng.integers(8))
            elif action == 1:
                del target[at : at + length]
            else:
                target[at:at] = target[at : at + length]
        try:
            put(folder, json.loads(bytes(description)), bytes(arrays))
        except (ValueError, KeyError, TypeError):
            put(folder, bytes(description), bytes(arrays))
        found = load_with_limits(folder)
        outcomes["refused" if isinstance(found, SavedModelError) else "loaded"] += 1
        if not isinstance(found, SavedModelError) and found is not None:
            assert predictions(found).shape[-1] == 3
            assert kind == "path" or "features selected" in repr(found.summary())
    record_figure(f"fuzzed {kind}", outcomes)
    assert outcomes["refused"] > N_FUZZED / 3
