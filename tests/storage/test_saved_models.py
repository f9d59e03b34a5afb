"""Saved models come back as they were: by `save`, pickle, joblib and skops, and from files of earlier versions."""

import io
import json
import pickle
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import ClassVar

import joblib
import numpy as np
import pytest
from safetensors.numpy import load_file
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedKFold

import pulasso
from pulasso import CaseControl, FullyObserved, Groups, MultinomialPULasso, OrdinalPULasso, SingleTrainingSet
from pulasso._messages import Message, plain, render
from pulasso.estimators import persistence
from pulasso.estimators.learners._base import REBUILT
from pulasso.exceptions import NotSavedWarning, SavedModelError
from pulasso.penalties import PENALTIES, Blocks, ElasticNet, GroupMCP, SparseGroupLasso
from pulasso.scenarios import LabelModel
from support.saved import KINDS, NAMES, files_of, make_data, make_model, predictions

STORED = sorted((Path(__file__).parents[1] / "saved").glob("format-*"))
X, Z = make_data()
FREQUENCY = SingleTrainingSet(label_frequency=0.6)


@pytest.fixture(scope="module", name="models")
def fitted_models():
    return {kind: make_model(kind) for kind in KINDS}


def assert_same(value, other, where=""):
    """Equal in type, dtype and value, down to the last part; but for the clock."""
    value, other = plain(value), plain(other)
    assert type(value) is type(other), where
    if isinstance(value, Blocks):
        assert list(value.names) == list(other.names)
        value, other = (value.index, value.weights), (other.index, other.weights)
    if isinstance(value, np.ndarray):
        assert value.dtype == other.dtype, where
        np.testing.assert_array_equal(value, other)
    elif isinstance(value, Message):
        assert value.template == other.template, where
    elif isinstance(value, dict):
        assert_same(list(value), list(other), where)
        assert_same(list(value.values()), list(other.values()), where)
    elif hasattr(value, "_fields"):
        assert value[:-1] == other[:-1] or np.isnan(value.kkt), where
    elif isinstance(value, tuple | list):
        assert len(value) == len(other), where
        for i, (one, two) in enumerate(zip(value, other, strict=True)):
            assert_same(one, two, f"{where}[{i}]")
    elif hasattr(value, "__dict__"):
        # What a dataclass computed on the way and cached is not part of it.
        names = [each.name for each in fields(value)] if is_dataclass(value) else own_names(value)
        assert is_dataclass(value) or set(names) == set(own_names(other)), where
        for name in names:
            assert_same(getattr(value, name), getattr(other, name), f"{where}.{name}")
    else:
        assert value == other or (value != value and other != other), where


def own_names(value):
    """Attributes of an object, without objects of an engine that are made again from them."""
    return [name for name in vars(value) if name not in REBUILT]


def round_trip(model, folder):
    model.save(folder)
    return pulasso.load(folder)


def fit(x=X, z=Z, kind=MultinomialPULasso, lam=0.05, scenario=FREQUENCY, **settings):
    return kind(lam=lam, scenario=scenario, **settings).fit(x, z)


@pytest.mark.parametrize("kind", KINDS)
def test_everything_comes_back(models, kind, tmp_path):
    model = copy(models[kind])
    vars(model).pop("cv_proba_", None)  # of the rows of the fit, which are not saved
    loaded = round_trip(model, tmp_path / "model")
    np.testing.assert_array_equal(predictions(loaded), predictions(model))
    assert_same(loaded, model, kind)
    assert [each.name for each in tmp_path.iterdir()] == ["model"]
    loaded.save(tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(tmp_path / "model")


VARIANTS = {
    **{name: lambda name=name: fit(penalty=PENALTIES[name]()) for name in PENALTIES},
    "elastic net": lambda: fit(penalty=ElasticNet(l1_ratio=0.3)),
    "sparse-group lasso": lambda: fit(penalty=SparseGroupLasso(l1_ratio=0.3)),
    "group MCP": lambda: fit(kind=OrdinalPULasso, penalty=GroupMCP(gamma=4.0)),
    "prevalence by class": lambda: fit(scenario=CaseControl(prevalence={1: 0.2, 2: np.float64(0.3)})),
    "always labelled": lambda: fit(scenario=CaseControl(np.array([0.2, 0.3]), always_labeled=[2])),
    "fully observed": lambda: fit(scenario=FullyObserved()),
    "entries": lambda: fit(groups=Groups.entries(weights=np.arange(1.0, 6.0))),
    "blocks": lambda: fit(groups=Groups.from_blocks({"one": (range(5), 1), "two": (range(5), 2)})),
    "labels": lambda: fit(groups=Groups.from_labels(["a", "a", "b", "b", "b"], weights={"a": np.inf})),
    "columns by class": lambda: fit(groups=Groups.from_columns([[0, 1]], by_class=True, rest="rows")),
    "text": lambda: fit(z=NAMES[Z], unlabeled="none", kind=OrdinalPULasso, class_order=list(NAMES)),
    "missing labels": lambda: fit(z=np.where(Z > 0, Z, np.nan), unlabeled=np.nan, negative=0),
    "truth values": lambda: fit(z=Z > 0),
    "single precision": lambda: fit(X.astype(np.float32)),
    "a number in an array": lambda: fit(scenario="case-control", prevalence=np.array(0.2)),
    "not converged": lambda: fit(lam=1e-3, max_iter=1, tol=1e-9),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.filterwarnings("ignore::pulasso.exceptions.ConvergenceWarning")
def test_every_kind_of_setting_comes_back(variant, tmp_path):
    model = VARIANTS[variant]()
    loaded = round_trip(model, tmp_path / "model")
    assert_same(loaded, model)
    np.testing.assert_array_equal(loaded.predict_observed_proba(X), model.predict_observed_proba(X))
    loaded.coef_[...] = 0.0  # as writable as it was


def test_warnings_keep_the_names_of_parameters_for_other_faces(tmp_path):
    with pytest.warns(pulasso.exceptions.ConvergenceWarning):
        model = fit(lam=1e-3, max_iter=1, tol=1e-9)
    (words,) = round_trip(model, tmp_path / "model").warnings_
    assert "--max-iter" in render(words, lambda name, value: f"--{name.replace('_', '-')}")


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.IdentifiabilityWarning")
def test_numbers_that_were_estimated(tmp_path):
    model = fit(z=(Z > 0).astype(int), scenario="single-training-set", label_frequency="estimate")
    loaded = round_trip(model, tmp_path / "model")
    assert repr(loaded.prevalence_estimate_) == repr(model.prevalence_estimate_)
    assert_same(loaded, model)


def test_equal_fits_make_equal_files_with_every_array_once(models, tmp_path):
    models["ordinal"].save(tmp_path / "one")
    make_model("ordinal").fit(*make_data()).save(tmp_path / "two")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")
    models["multinomial-cv"].save(tmp_path / "cv")
    (file,) = (tmp_path / "cv").glob("arrays-*")
    names = set(load_file(file))
    used = [
        line.split('"')[-2]
        for line in (tmp_path / "cv" / "model.json").read_text().splitlines()
        if '"array_' in line
    ]
    assert names == set(used) and len(used) > len(names), (
        "blocks and label model belong to the model and to its path"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_pickle_joblib_and_skops(models, kind):
    model = models[kind]
    assert_same(pickle.loads(pickle.dumps(model)), model, kind)
    stream = io.BytesIO()
    joblib.dump(model, stream)
    stream.seek(0)
    assert_same(joblib.load(stream), model, kind)
    skops = pytest.importorskip("skops.io")
    data = skops.dumps(model)
    trusted = [name for name in skops.get_untrusted_types(data=data) if name.startswith("pulasso.")]
    np.testing.assert_array_equal(predictions(skops.loads(data, trusted=trusted)), predictions(model))


@pytest.mark.parametrize("kind", [*KINDS, *({"network"} - {*KINDS})])  # which is read without torch
@pytest.mark.parametrize("folder", STORED, ids=lambda folder: folder.name)
def test_every_format_that_was_released_is_read(folder, kind):
    loaded = pulasso.load(folder / kind)
    expected = np.load(folder / f"{kind}.predictions.npy")
    # Written once, on another machine: the exponential function may differ in the last digit.
    np.testing.assert_allclose(predictions(loaded), expected, rtol=1e-6)
    assert pulasso.load_notes(folder / kind) == {"made by": "tests/saved/make_format.py"}


def test_the_format_of_today_is_stored():
    assert STORED[-1].name == f"format-{persistence.FORMAT}"


# -- what cannot be saved ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ByRow:
    """Labelling that depends on the row."""

    by_row: ClassVar[bool] = True
    name: ClassVar[str] = "by row"
    asks_for: ClassVar[str | None] = None
    sampled_by_label: ClassVar[bool] = False

    def label_model(self, counts, x, names):
        seen = 0.3 + 0.4 * (x[:, :1] > 0)
        absent = np.where(np.arange(len(counts.classes)) == 0, -np.inf, 0.0)
        return LabelModel(np.log(seen) + absent, np.log(np.where(absent < 0, 1.0, 1.0 - seen)))


def test_a_label_model_by_row_is_not_saved(tmp_path, monkeypatch):
    model = fit(scenario=ByRow())
    with pytest.raises(TypeError, match="scenario_ holds a ByRow"):
        model.save(tmp_path / "model")
    monkeypatch.setattr(persistence, "VALUES", (*persistence.VALUES, ByRow))
    loaded = round_trip(model, tmp_path / "model")
    assert not hasattr(loaded, "label_model_")
    loaded.save(tmp_path / "again")
    np.testing.assert_array_equal(loaded.predict_observed_proba(X), model.predict_observed_proba(X))


def test_what_needs_code_is_left_out_with_a_warning(tmp_path):
    model = pulasso.MultinomialPULassoCV(n_lams=3, scenario="fully-observed", cv=StratifiedKFold(2)).fit(X, Z)
    with pytest.warns(NotSavedWarning, match="cv is not saved: it holds a StratifiedKFold"):
        model.save(tmp_path / "model")
    loaded = pulasso.load(tmp_path / "model")
    assert loaded.cv == 5
    np.testing.assert_array_equal(predictions(loaded), predictions(model))


def test_models_that_cannot_be_saved(tmp_path, models):
    class Mine(MultinomialPULasso):
        pass

    with pytest.raises(TypeError, match="Mine is not a model of pulasso that can be saved"):
        fit(kind=Mine).save(tmp_path / "model")
    with pytest.raises(NotFittedError):
        MultinomialPULasso().save(tmp_path / "model")
    for path in (3.5, b"folder", None, ["folder"]):
        for call in (models["ordinal"].save, pulasso.load, pulasso.load_notes):
            with pytest.raises(TypeError, match="path=.* is not a path"):
                call(path)
    assert not list(tmp_path.iterdir())


def test_notes(models, tmp_path):
    notes = {"data": ["sightings.csv", 3], "seed": None, "Flöhe": {"a": True}}
    models["ordinal"].save(tmp_path / "m", notes=notes)
    assert pulasso.load_notes(tmp_path / "m") == notes
    deep = {}
    for _ in range(50):
        deep = {"a": deep}
    for bad in (object(), np.zeros(2), float("nan"), "\ud800", 10**5000, deep):
        with pytest.raises(TypeError, match="notes cannot be saved"):
            models["ordinal"].save(tmp_path / "n", notes={"data": bad})
    assert [each.name for each in tmp_path.iterdir()] == ["m"]


def test_models_of_another_version_are_refused(models, tmp_path):
    models["ordinal"].save(tmp_path / "m")
    file = tmp_path / "m" / "model.json"
    for version, remedy in ((99, "Upgrade"), (1, "Save the model again"), (None, "again"), ([[]], "again")):
        file.write_text(json.dumps({**json.loads(file.read_text()), "format": version, "pulasso": "9.1"}))
        with pytest.raises(SavedModelError, match=remedy):
            pulasso.load(tmp_path / "m")
