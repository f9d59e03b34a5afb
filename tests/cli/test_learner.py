"""Boosted trees and networks from the command line: the same results as of linear models, and honest scores."""

import json

import numpy as np
import pandas as pd
import pytest

import pulasso
from pulasso.model_selection import cross_fit

pytest.importorskip("lightgbm", reason="in the extra 'boosting'")
CAN_BE_SAVED = hasattr(pulasso.PUBoostingClassifier, "_check_learned")
saved = pytest.mark.skipif(not CAN_BE_SAVED, reason="learners cannot be saved yet")


@pytest.fixture(name="settings")
def what_is_told():
    """The same in Python."""
    known = {"scenario": "single-training-set", "label_frequency": 0.6, "unlabeled": "background"}
    return {**known, "random_state": 0}


@saved
def test_cv_writes_what_python_finds(run, csv, known, settings, tmp_path, pages):
    done = run("cv", csv, *known, "--learner", "boosting", "--folds", "3")
    assert done.code == 0, done.err
    assert "rounds" in done.out and "importance" in done.out and "3 folds without their rows" in done.out
    again = pulasso.load(tmp_path / "model")
    table = pd.read_csv(csv)
    x = pd.get_dummies(table.drop(columns="species"), prefix_sep="=", dtype=float)[again.feature_names_in_]
    z = table["species"].to_numpy()
    model = cross_fit(pulasso.PUBoostingClassifier(**settings), x, z, cv=3, random_state=0)
    np.testing.assert_allclose(again.predict_proba(x), model.predict_proba(x))
    written = pd.read_csv(tmp_path / "predictions.csv")
    np.testing.assert_allclose(written["P(oak)"], model.predict_proba(x)[:, 2], atol=1e-5)
    (page,) = pages
    expected = pulasso.metrics.pu_scores(model, x, z, y_proba=model.cv_proba_)
    assert page["scores"]["log-loss"].value == pytest.approx(expected["log-loss"].value)  # of held-out rows
    assert not list(tmp_path.glob("checkpoint*"))


@saved
def test_fit_predict_and_report(run, csv, known, tmp_path, pages):
    done = run("fit", csv, *known, "--learner", "boosting", "--anchor", "1", "--seed", "3", "--json")
    assert done.code == 0, done.err
    assert "look too good on their own rows" in done.err
    found = json.loads(done.out)
    assert found["estimator"] == "PUBoostingClassifier" and not found["warnings"]
    assert list(found["importances"])[0] in ("rain", "temp", "soil=clay")
    assert sum(found["importances"].values()) == pytest.approx(1.0)
    assert run("predict", "model", csv, "--out", "again.csv").code == 0
    first, again = (pd.read_csv(tmp_path / f"{name}.csv") for name in ("predictions", "again"))
    np.testing.assert_array_equal(first["predicted"], again["predicted"])
    assert run("report", "model", csv).code == 0 and len(pages) == 1
    run("report", "model", csv, "--stability", "--force").refused(
        "stability", "PUBoostingClassifier selects none"
    )
    model = pulasso.load(tmp_path / "model")
    assert model.anchor == 1.0 and model.random_state == 3


@saved
def test_missing_values_are_kept(run, table, known, tmp_path):
    table.loc[::5, "rain"] = np.nan
    table.to_csv(tmp_path / "gaps.csv", index=False)
    assert run("fit", "gaps.csv", *known, "--learner", "boosting", "--missing", "keep").code == 0
    assert run("predict", "model", "gaps.csv", "--out", "p.csv").code == 0
    assert pd.read_csv(tmp_path / "p.csv")["predicted"].notna().all()
    run("fit", "gaps.csv", *known, "--lam", "1", "--missing", "keep").refused("missing", "only boosting does")


@saved
def test_ordered_classes_and_rules(run, table, known, tmp_path):
    names = {"background": "low", "oak": "mid", "fir": "high"}
    table.assign(species=table["species"].map(names)).to_csv(tmp_path / "stages.csv", index=False)
    command = ("fit", "stages.csv", *known, "--learner", "boosting", "--ordered", "low<mid<high")
    assert run(*command).code == 0
    assert run("predict", "model", "stages.csv", "--rule", "median", "--force").code == 0
    assert pulasso.load(tmp_path / "model").classes_.tolist() == ["low", "mid", "high"]


@saved
def test_other_numbers_are_tried_with_the_learner(run, csv, known, tmp_path, pages):
    command = ("cv", csv, *known, "--learner", "boosting", "--folds", "2", "--sensitivity-values", "0.5,0.6")
    done = run(*command)
    assert done.code == 0, done.err
    assert "Sensitivity to label_frequency: 2 fits" in done.out and "sensitivity" in pages[0]


@saved
def test_networks(run, csv, known, tmp_path):
    pytest.importorskip("skorch", reason="in the extra 'neural'")
    done = run("cv", csv, *known, "--learner", "neural", "--folds", "2", "--no-report", "--json")
    assert done.code == 0, done.err
    assert len(json.loads(done.out)["fold_losses"]) == 2
    assert run("predict", "model", csv, "--force").code == 0


@pytest.mark.parametrize(
    ("command", "options", "parameter"),
    [
        ("cv", ("--penalty", "group-mcp"), "penalty"),
        ("cv", ("--groups", "rows"), "groups"),
        ("cv", ("--no-standardize",), "standardize"),
        ("cv", ("--n-lams", "5"), "n_lams"),
        ("cv", ("--select", "1se"), "select"),
        ("cv", ("--refit", "relaxed"), "refit"),
        ("cv", ("--stability",), "stability"),
        ("fit", ("--lam", "0.1"), "lam"),
        ("fit", ("--restarts", "2"), "restarts"),
    ],
)
def test_options_of_the_linear_model_are_refused_by_name(run, csv, known, command, options, parameter):
    done = run(command, csv, *known, "--learner", "boosting", *options)
    done.refused(parameter, f"--{parameter.replace('_', '-')} is about the linear model")


def test_what_is_not_there(run, csv, known, monkeypatch):
    run("cv", csv, *known, "--learner", "bosting").refused(words="Did you mean 'boosting'?", code=2)
    monkeypatch.setattr("pulasso.model_selection.learners.find_spec", lambda name: None)
    run("cv", csv, *known, "--learner", "neural").refused(words='pip install "pulasso[neural]"')
