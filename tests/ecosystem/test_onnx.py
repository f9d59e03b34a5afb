"""ONNX files: onnxruntime gives the numbers of predict_proba, and the file is written with care."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulasso import MultinomialPULassoCV, OrdinalPULasso
from pulasso.exceptions import InputError
from pulasso.export import to_onnx
from support.small_models import MODELS, NAMES, SETTINGS, make_data

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

LABELS = {
    "integers": np.arange(5),
    "short integers": np.arange(5, dtype=np.int8),
    "texts": np.array(["0 none", "1 löw", "2 mid", "3 high", "4 top"], dtype=object),
    "numbers": np.arange(5.0),
}


def run(file, X):
    return onnxruntime.InferenceSession(file).run(["label", "probabilities"], {"X": X})


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_positive", [1, 2, 4])
@pytest.mark.parametrize("kind", MODELS)
def test_numbers_are_those_of_predict_proba(kind, n_positive, dtype, tmp_path):
    X, z = make_data(n_positive)
    X = X.astype(dtype).astype(float)  # so that both see the same rows
    model = MODELS[kind](lam=0.02, **SETTINGS).fit(X, z)
    label, proba = run(model.to_onnx(tmp_path / "model.onnx", dtype=dtype), X.astype(dtype))
    assert proba.dtype == dtype and proba.shape == (len(X), n_positive + 1)
    assert np.ptp(proba[:, 0]) > 0.5
    np.testing.assert_allclose(
        proba, model.predict_proba(X), rtol=0, atol=1e-6 if dtype == "float32" else 1e-13
    )
    np.testing.assert_array_equal(label, model.predict(X))


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassOrderWarning")
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("kind", MODELS)
def test_labels_keep_their_names(kind, labels, tmp_path):
    X, z = make_data(4)
    names = LABELS[labels]
    model = MODELS[kind](lam=0.005, **SETTINGS).fit(X, names[z])
    label, _ = run(model.to_onnx(tmp_path / "model.onnx", dtype=np.float64), X)
    assert label.tolist() == model.predict(X).tolist()
    assert len(set(label.tolist())) >= 3


@pytest.mark.parametrize("kind", MODELS)
def test_tails_keep_their_digits(kind, tmp_path):
    """Far out, where a difference of sigmoids would give zero or worse."""
    X, z = make_data(3)
    model = MODELS[kind](lam=0.02, **SETTINGS).fit(X, z)
    far = np.linspace(-100, 100, 401)[:, None] * np.eye(len(NAMES))[0]
    label, proba = run(model.to_onnx(tmp_path / "model.onnx", dtype=np.float64), far)
    truth = model.predict_proba(far)
    assert 0 < truth.min() < 1e-30
    np.testing.assert_allclose(proba, truth, rtol=1e-11)
    np.testing.assert_array_equal(label, model.predict(far))


def test_models_fitted_in_single_precision(estimator, data, tmp_path):
    X, z = data[0].astype(np.float32), data[1]
    model = estimator.fit(X, z)
    _, proba = run(model.to_onnx(tmp_path / "model.onnx"), X)
    np.testing.assert_allclose(proba, model.predict_proba(X), rtol=0, atol=1e-6)


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning")
def test_what_the_file_says_of_itself(data, tmp_path):
    X, z = pd.DataFrame(data[0], columns=NAMES), data[1]
    model = MultinomialPULassoCV(n_lams=5, lam_min_ratio=0.05, cv=2, select="min", random_state=0, **SETTINGS)
    file = onnx.load(to_onnx(model.fit(X, z), tmp_path / "new" / "model.onnx"))
    assert [(each.domain, each.version) for each in file.opset_import] == [("", 17)]
    assert (file.producer_name, file.ir_version) == ("pulasso", 8)
    about = {each.key: each.value for each in file.metadata_props}
    assert json.loads(about["classes"]) == [0, 1, 2]
    assert json.loads(about["feature_names"]) == NAMES
    assert about["scenario"] == "single-training-set"


def test_nothing_is_overwritten(estimator, data, tmp_path):
    model, file = estimator.fit(*data), tmp_path / "model.onnx"
    model.to_onnx(file)
    before = file.read_bytes()
    with pytest.raises(FileExistsError, match=r"force=True"):
        model.to_onnx(file, dtype="float64")
    assert file.read_bytes() == before
    model.to_onnx(file, dtype="float64", force=True)
    assert file.read_bytes() != before
    with pytest.raises(IsADirectoryError, match=r"model\.onnx"):
        model.to_onnx(tmp_path, force=True)
    assert [each.name for each in tmp_path.iterdir()] == ["model.onnx"]


def test_what_cannot_be_exported(data, tmp_path):
    X, z = data
    with pytest.raises(NotFittedError):
        OrdinalPULasso().to_onnx(tmp_path / "model.onnx")
    pipeline = make_pipeline(StandardScaler(), OrdinalPULasso(lam=0.02, **SETTINGS)).fit(X, z)
    with pytest.raises(TypeError, match="skl2onnx"):
        to_onnx(pipeline, tmp_path / "model.onnx")
    with pytest.raises(InputError) as caught:
        pipeline[-1].to_onnx(tmp_path / "model.onnx", dtype=int)
    assert caught.value.parameter == "dtype"
    assert not list(tmp_path.iterdir())


def test_without_the_package(estimator, data, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install pulasso\[onnx\]"):
        estimator.fit(*data).to_onnx(tmp_path / "model.onnx")


def test_ties_go_to_the_first_class(data, tmp_path):
    model = MODELS["multinomial"](lam=0.02, **SETTINGS).fit(*data)
    model.coef_, model.intercept_ = np.zeros_like(model.coef_), np.zeros_like(model.intercept_)
    label, _ = run(model.to_onnx(tmp_path / "model.onnx", dtype=np.float64), data[0])
    assert (label == model.predict(data[0])).all() and (label == 0).all()


@pytest.mark.parametrize("kind", MODELS)
def test_an_anchor_is_no_part_of_the_file(kind, tmp_path):
    X, z = make_data(2)
    model = MODELS[kind](lam=0.02, anchor=1, **SETTINGS).fit(X, z)
    _, proba = run(model.to_onnx(tmp_path / "model.onnx", dtype="float64"), X)
    np.testing.assert_allclose(proba, model.predict_proba(X), rtol=1e-9)
    assert b"anchor" not in (tmp_path / "model.onnx").read_bytes()
