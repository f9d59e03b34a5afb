"""Saved models come back as they were: by `save`, pickle, joblib and skops."""

import io
import json
import os
import pickle
from dataclasses import fields, is_dataclass
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedKFold

import pulasso
from pulasso import MultinomialPULasso, MultinomialPULassoCV
from pulasso._messages import plain
from pulasso.exceptions import NotSavedWarning, SavedModelError
from pulasso.penalties import Blocks
from support.saved import KINDS, make_data, make_model, predictions

STORED = Path(__file__).parents[2] / "saved"
FORMATS = sorted(STORED.glob("format-*"))


@pytest.fixture(scope="module", name="models")
def fitted_models():
    return {kind: make_model(kind) for kind in KINDS}


def assert_same(value, other, where):
    """Equal in type, dtype and value, down to the last part."""
    value, other = plain(value), plain(other)
    assert type(value) is type(other), where
    if isinstance(value, Blocks):
        assert list(value.names) == list(other.names)
        value, other = (value.index, value.weights), (other.index, other.weights)
    if isinstance(value, np.ndarray):
        assert value.dtype == other.dtype, where
        np.testing.assert_array_equal(value, other)
    elif isinstance(value, tuple | list):
        assert len(value) == len(other), where
        for i, (one, two) in enumerate(zip(value, other, strict=True)):
            assert_same(one, two, f"{where}[{i}]")
    elif hasattr(value, "__dict__"):
        # What a dataclass computed on the way and cached is not part of it.
        names = [each.name for each in fields(value)] if is_dataclass(value) else list(vars(value))
        assert is_dataclass(value) or set(names) == set(vars(other)), where
        for name in names:
            assert_same(getattr(value, name), getattr(other, name), f"{where}.{name}")
    else:
        assert value == other or (value != value and other != other), where


@pytest.mark.parametrize("kind", KINDS)
def test_everything_comes_back(models, kind, tmp_path):
    model = models[kind]
    model.save(tmp_path / "model")
    loaded = pulasso.load(tmp_path / "model")
    np.testing.assert_array_equal(predictions(loaded), predictions(model))
    assert_same(loaded, model, kind)
    assert sorted(os.listdir(tmp_path)) == ["model"]
    assert sorted(os.listdir(tmp_path / "model")) == ["arrays.npz", "model.json"]


@pytest.mark.parametrize("kind", KINDS)
def test_pickle_and_joblib(models, kind):
    model = models[kind]
    assert_same(pickle.loads(pickle.dumps(model)), model, kind)
    stream = io.BytesIO()
    joblib.dump(model, stream)
    stream.seek(0)
    assert_same(joblib.load(stream), model, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_skops_with_the_documented_list(models, kind):
    skops = pytest.importorskip("skops.io")
    data = skops.dumps(models[kind])
    trusted = [name for name in skops.get_untrusted_types(data=data) if name.startswith("pulasso.")]
    np.testing.assert_array_equal(predictions(skops.loads(data, trusted=trusted)), predictions(models[kind]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("folder", FORMATS, ids=lambda folder: folder.name)
def test_every_format_ever_written_is_read(folder, kind):
    loaded = pulasso.load(folder / kind)
    expected = np.load(folder / f"{kind}.predictions.npy")
    # Written once, on another machine: the exponential function may differ in the last digit.
    np.testing.assert_allclose(predictions(loaded), expected, rtol=1e-6)
    assert pulasso.load_notes(folder / kind) == {"made by": "tests/saved/make_format.py"}
    if hasattr(loaded, "summary"):
        assert "features selected" in repr(loaded.summary())


def test_there_are_stored_formats():
    assert [folder.name for folder in FORMATS] == ["format-1"]


def test_notes(models, tmp_path):
    models["ordinal"].save(tmp_path / "m", notes={"data": ["sightings.csv", 3], "seed": None})
    assert pulasso.load_notes(tmp_path / "m") == {"data": ["sightings.csv", 3], "seed": None}
    with pytest.raises(TypeError, match="not JSON serializable"):
        models["ordinal"].save(tmp_path / "n", notes={"data": object()})
    assert os.listdir(tmp_path) == ["m"]


def test_nothing_is_overwritten_unless_forced(models, tmp_path):
    models["ordinal"].save(tmp_path / "m")
    with pytest.raises(FileExistsError, match="exists already and is not overwritten.*force=True"):
        models["multinomial"].save(tmp_path / "m")
    assert type(pulasso.load(tmp_path / "m")).__name__ == "OrdinalPULasso"
    models["multinomial"].save(tmp_path / "m", force=True)
    assert type(pulasso.load(tmp_path / "m")).__name__ == "MultinomialPULasso"
    assert os.listdir(tmp_path) == ["m"]


def test_force_replaces_models_only(models, tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("meow")
    with pytest.raises(FileExistsError, match="left alone"):
        models["ordinal"].save(tmp_path / "photos", force=True)
    assert (tmp_path / "photos" / "cat.jpg").read_text() == "meow"


def test_a_save_that_fails_leaves_nothing(models, tmp_path, monkeypatch):
    def disk_full(*_):
        raise OSError(28, "No space left on device")

    models["ordinal"].save(tmp_path / "m")
    before = (tmp_path / "m" / "model.json").read_bytes()
    monkeypatch.setattr(os, "fsync", disk_full)
    with pytest.raises(OSError, match="No space"):
        models["multinomial"].save(tmp_path / "m", force=True)
    assert os.listdir(tmp_path) == ["m"]
    assert (tmp_path / "m" / "model.json").read_bytes() == before


def test_what_needs_code_is_left_out_with_a_warning(tmp_path):
    X, z = make_data()
    model = MultinomialPULassoCV(n_lams=3, scenario="fully-observed", cv=StratifiedKFold(3)).fit(X, z)
    with pytest.warns(NotSavedWarning, match="cv is not saved: it holds a StratifiedKFold"):
        model.save(tmp_path / "m")
    loaded = pulasso.load(tmp_path / "m")
    assert loaded.cv == 5
    np.testing.assert_array_equal(predictions(loaded), predictions(model))


def test_models_that_cannot_be_saved(tmp_path):
    class Mine(MultinomialPULasso):
        pass

    X, z = make_data()
    with pytest.raises(TypeError, match="Mine is not a model of pulasso that can be saved; use joblib"):
        Mine(scenario="fully-observed").fit(X, z).save(tmp_path / "m")
    with pytest.raises(NotFittedError):
        MultinomialPULasso().save(tmp_path / "m")
    names = np.array(["a\0", "b"], dtype=object)[(z > 0).astype(int)]
    with pytest.raises(TypeError, match="NUL"):
        MultinomialPULasso(scenario="fully-observed").fit(X, names).save(tmp_path / "m")
    assert not os.listdir(tmp_path)


def test_long_names_go_into_arrays(tmp_path):
    import pandas as pd

    X, z = make_data()
    wide = pd.DataFrame(np.tile(X, 20), columns=[f"column {i}" for i in range(100)])
    model = MultinomialPULasso(lam=0.05, scenario="fully-observed").fit(wide, z)
    model.save(tmp_path / "m")
    assert "column 77" not in (tmp_path / "m" / "model.json").read_text()
    assert_same(pulasso.load(tmp_path / "m"), model, "wide")


def test_models_of_a_newer_version_are_refused(models, tmp_path):
    models["ordinal"].save(tmp_path / "m")
    file = tmp_path / "m" / "model.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "format": 2, "pulasso": "9.1"}))
    with pytest.raises(
        SavedModelError, match="by pulasso 9.1 in format 2; this version reads up to format 1"
    ):
        pulasso.load(tmp_path / "m")


def test_folders_without_a_model(tmp_path):
    with pytest.raises(SavedModelError, match="holds no model.json, so it is not a saved model"):
        pulasso.load(tmp_path / "nowhere")
    (tmp_path / "model.json").write_text("[]")
    with pytest.raises(SavedModelError, match="does not describe a saved model"):
        pulasso.load(tmp_path)
