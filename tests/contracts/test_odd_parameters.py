"""Every parameter of everything that users construct, given what it does not mean: it is taken, or refused by name."""

import inspect
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import pulasso
from pulasso import CaseControl, FullyObserved, SelectedLabelling, SingleTrainingSet, penalties
from support.fuzz.judge import UnnamedError, judge

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Z = np.tile([0, 0, 1, 2], 10)
ODD = {
    "array of words": np.array(["min", "1se"]),
    "array of numbers": np.array([0.25, 0.5, 0.75]),
    "array of truth values": np.array([True, False]),
    "matrix": np.zeros((2, 2)),
    "array of no dimension": np.array(0),
    "empty list": [],
    "list of lists": [[0], [1, 2]],
    "mapping": {"a": 1},
    "set": {1, 2},
    "series": pd.Series([0.1, 0.2], index=["a", "b"]),
    "missing": pd.NA,
    "not a number": float("nan"),
    "infinite": float("inf"),
    "negative": -1,
    "fraction": Fraction(1, 3),
    "complex": 1j,
    "bytes": b"min",
    "word": "odd",
    "class": dict,
    "object": object(),
    "function": len,
}
MODELS = {
    "MultinomialPULasso": {"lam": 0.1},
    "OrdinalPULasso": {"lam": 0.1},
    "MultinomialPULassoCV": {"n_lams": 2, "cv": 2},
    "OrdinalPULassoCV": {"n_lams": 2, "cv": 2},
    "PUBoostingClassifier": {"n_estimators": 3},
}
# What an estimator takes as scenario= or penalty=, with arguments that work.
PARTS = {
    CaseControl: {"prevalence": 0.2},
    SingleTrainingSet: {"label_frequency": 0.6},
    FullyObserved: {},
    SelectedLabelling: {"columns": [0], "excluded": True},
    **{getattr(penalties, name): {} for name in ("ElasticNet", "SparseGroupLasso", "GroupSCAD", "GroupMCP")},
    penalties.AdaptiveGroupLasso: {},
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """An odd word may be taken for the name of a folder."""
    monkeypatch.chdir(tmp_path)


def parameters_of(made):
    return [name for name in inspect.signature(made).parameters if name not in ("args", "kwargs")]


def unnamed(call_with, but=()):
    """Return what ended without a name, by the odd value."""
    found = {}
    for name, value in ODD.items():
        if name in but:
            continue
        try:
            judge(lambda value=value: call_with(value))
        except UnnamedError as error:
            found[name] = str(error)
    return found


@pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, each) for name in MODELS for each in parameters_of(getattr(pulasso, name))],
)
def test_estimators(name, parameter):
    known = {"scenario": "single-training-set", "label_frequency": 0.6, "progress": False, **MODELS[name]}
    if parameter not in parameters_of(getattr(pulasso, name)) or "CV" not in name:
        known.pop("progress")
    made = getattr(pulasso, name)
    own = (
        ("class", "function") if parameter == "scoring" else ()
    )  # scorers of one's own: they raise what they like
    assert unnamed(lambda value: made(**{**known, parameter: value}).fit(X, Z), own) == {}


@pytest.mark.parametrize("parameter", [each for each in parameters_of(pulasso.fit_path) if each not in "Xz"])
def test_paths(parameter):
    known = {"scenario": "single-training-set", "label_frequency": 0.6, "n_lams": 2}
    assert unnamed(lambda value: pulasso.fit_path(X, Z, **{**known, parameter: value})) == {}


@pytest.mark.parametrize(
    ("made", "parameter"), [(made, each) for made in PARTS for each in parameters_of(made)]
)
def test_scenarios_and_penalties(made, parameter):
    def call(value):
        part = made(**{**PARTS[made], parameter: value})
        if made in (CaseControl, SingleTrainingSet, FullyObserved, SelectedLabelling):
            known = {"scenario": part}
        else:
            known = {"scenario": "fully-observed", "penalty": part}
        pulasso.MultinomialPULasso(lam=0.1, **known).fit(X, Z)

    assert unnamed(call) == {}
