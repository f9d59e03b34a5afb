"""One small fitted model of every kind that can be saved, and ways to damage what was saved."""

import hashlib
import json
from importlib.util import find_spec

import numpy as np

from pulasso import (
    CaseControl,
    Groups,
    MultinomialPULasso,
    MultinomialPULassoCV,
    OneVsRestPULasso,
    OrdinalPULasso,
    OrdinalPULassoCV,
    PUBoostingClassifier,
    PUNeuralClassifier,
    fit_path,
)

ENGINES = tuple(each for each in ("lightgbm", "xgboost") if find_spec(each))
NETWORKS = ("network",) if find_spec("skorch") else ()
KINDS = ("multinomial", "ordinal", "multinomial-cv", "ordinal-cv", "path", "species", *ENGINES, *NETWORKS)
NAMES = np.array(["none", "oak", "fir"], dtype=object)


def make_data(n=150):
    """Return features and observed labels; class 1 differs in the first feature, class 2 in the second."""
    rng = np.random.default_rng(0)
    y = rng.permuted(np.repeat([0, 1, 2], n // 3))
    X = rng.normal(size=(n, 5)) + 2.0 * np.eye(5)[y] * (y > 0)[:, None]
    return X, np.where(rng.random(n) < 0.6, y, 0)


def make_model(kind):
    """Return a fitted model; between them they use most types that a saved file may hold."""
    X, z = make_data()
    if kind == "multinomial":
        import pandas as pd

        groups = Groups.from_columns({"first": ["a", "b"]}, rest="entries", weights={"first": 1.5})
        frequency = {"oak": 0.6, "fir": 0.5}
        settings = {"scenario": "single-training-set", "label_frequency": frequency, "unlabeled": "none"}
        model = MultinomialPULasso(lam=0.02, groups=groups, **settings)
        return model.fit(pd.DataFrame(X, columns=list("abcde")), NAMES[z])
    if kind == "ordinal":
        scenario = CaseControl(prevalence=[0.2, 0.3])
        return OrdinalPULasso(lam=0.02, scenario=scenario, n_restarts=2, random_state=0).fit(X, z)
    if kind == "path":
        return fit_path(X, z, scenario="single-training-set", label_frequency=0.6, n_lams=4)
    if kind == "species":
        told = {"scenario": "single-training-set", "label_frequency": {0: 0.6, 1: 0.5}}
        return OneVsRestPULasso(MultinomialPULasso(lam=0.02, **told)).fit(X, z[:, None] == [1, 2])
    if kind in ENGINES:
        import pandas as pd

        frame = pd.DataFrame(X, columns=list("abcde"))
        frame["c"] = pd.Categorical(np.array(["u", "v", "w"])[(X[:, 2] > 0).astype(int) + (X[:, 2] > 1)])
        told = {"scenario": "single-training-set", "label_frequency": 0.6}
        return PUBoostingClassifier(kind, n_estimators=4, max_leaves=4, min_child_weight=0.1, **told).fit(
            frame, z
        )
    if kind == "network":
        told = {
            "scenario": CaseControl(prevalence=[0.2, 0.3]),
            "response": "ordinal",
            "hidden_layers": (4, 3),
        }
        return PUNeuralClassifier(max_epochs=3, random_state=0, **told).fit(X, z)
    cv = {"n_lams": 5, "cv": 3, "random_state": 0, "scenario": "fully-observed"}
    if kind == "multinomial-cv":
        return MultinomialPULassoCV(groups=Groups.rows(symmetric=True), **cv).fit(X.astype(np.float32), z)
    return OrdinalPULassoCV(select="1se", **cv).fit(X, z)


def predictions(model):
    """Return what a model, or every model of a path, says about the rows."""
    X, _ = make_data()
    if hasattr(model, "model"):
        return np.stack([predictions(model.model(i)) for i in range(len(model))])
    if hasattr(model, "feature_names_in_"):
        import pandas as pd

        X = pd.DataFrame(X, columns=list(model.feature_names_in_))
        if getattr(model, "categories_", None):
            X["c"] = pd.Categorical(np.array(["u", "v", "w"])[(X["c"] > 0).astype(int) + (X["c"] > 1)])
    return model.predict_proba(X)


def files_of(folder):
    """Return the bytes of the description and of the arrays of a model."""
    (arrays,) = folder.glob("arrays-*.safetensors")
    return (folder / "model.json").read_bytes(), arrays.read_bytes()


def put(folder, description, arrays):
    """Write a model whose description names its arrays by the right hash, as anybody could."""
    for each in folder.iterdir():
        each.unlink()
    name = f"arrays-{hashlib.sha256(arrays).hexdigest()[:16]}.safetensors"
    if not isinstance(description, bytes):
        if isinstance(description, dict):
            description = {**description, "arrays": name}
        description = json.dumps(description).encode()
    (folder / "model.json").write_bytes(description)
    (folder / name).write_bytes(arrays)


def damaged(rng, content):
    """Return bytes with a few flipped, cut out, repeated, cut off or put in."""
    content = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        at, length = int(rng.integers(len(content) + 1)), int(rng.integers(1, 30))
        action = int(rng.integers(6))
        if action == 0 and at < len(content):
            content[at] ^= 1 << int(rng.integers(8))
        elif action == 1:
            del content[at : at + length]
        elif action == 2:
            content[at:at] = content[at : at + length]
        elif action == 3 and rng.random() < 0.3:
            del content[at:]
        elif action == 4:
            content[at:at] = rng.bytes(length)
        else:
            odd = [b"0", b"-", b'"', b"\n", b",", b"[", b"}", b"e9", b"\0", b"\xff"]
            content[at : at + 1] = odd[int(rng.integers(len(odd)))]
    return bytes(content)
