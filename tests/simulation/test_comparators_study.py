"""A small version of `studies/comparators.py`: what it compares, on which rows, and what it leaves out."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

STUDY = Path(__file__).parents[2] / "studies" / "comparators.py"
METHODS = ["pulasso", "pulasso, anchor 0", "elkan-noto", "pu-bagging", "oracle"]


@pytest.fixture(name="study")
def load_study(monkeypatch):
    spec = importlib.util.spec_from_file_location("comparators", STUDY)
    study = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(study)
    monkeypatch.setitem(study.SETTINGS, "tiny", {**study.SETTINGS["quick"], "splits": 2, "lams": 2})
    return study


@pytest.mark.filterwarnings("ignore")
def test_every_method_meets_the_same_rows_and_a_run_goes_on(study, tmp_path, capsys):
    rows = study.run("tiny", data=["wine"], methods=METHODS, checkpoint=tmp_path)
    assert [(row["method"], row["split"]) for row in rows] == [(name, i) for i in (0, 1) for name in METHODS]
    for row in rows:
        assert 0.5 < row["accuracy"] <= 1 and 0 < row["log_loss"] < 1
        assert np.isnan(row["lam"]) == (row["method"] == "pu-bagging")
    for i in (0, 1):
        held, free = (rows[5 * i + j] for j in (0, 1))
        assert held["log_loss"] != free["log_loss"]  # with an anchor, and without
    again = study.run("tiny", data=["wine"], methods=METHODS[2:], checkpoint=tmp_path)
    np.testing.assert_equal(again, [row for row in rows if row["method"] in METHODS[2:]])
    study.summarize(rows)
    assert "oracle" in capsys.readouterr().out


def test_the_grid_goes_on_where_one_of_its_ends_is_the_best(study, monkeypatch):
    split, method = study.load_split("wine", "tiny", 0), study.BASELINES["mn-lasso"]

    def choose(largest, smallest, goes_on=True):
        return study.choose(method, split, [largest, smallest], 2, 0, goes_on)

    assert study.LEAST_LAM <= choose(0.3, 0.1) < 0.1
    assert choose(0.3, 0.1, goes_on=False) == 0.1
    assert 1e-3 < choose(1e-3, 1e-4) < study.GREATEST_LAM
    monkeypatch.setattr(study, "LEAST_LAM", 0.1)
    assert choose(0.3, 0.1) == 0.1


def test_folds_do_not_change_from_run_to_run(study):
    first, second = (study.one_fit("wine", "pulasso", "tiny", 3) for _ in range(2))
    assert first["log_loss"] == second["log_loss"] and first["lam"] == second["lam"]


def test_what_cannot_be_had_is_left_out_with_a_word(study, monkeypatch, capsys):
    def nowhere(settings, seed):
        raise OSError("no folder, no network")

    monkeypatch.setitem(study.DATA, "swiss trees", nowhere)
    monkeypatch.setattr(study.importlib.util, "find_spec", lambda name: None)
    assert study.run("tiny", data=["swiss trees"], methods=["pulasso", "pulearn-nnpu"]) == []
    said = capsys.readouterr().out
    assert "swiss trees is left out: no folder" in said and "pulearn-nnpu is left out: pip install" in said


def test_nobody_is_an_oracle_where_true_classes_are_unknown(study, monkeypatch):
    def unknown(settings, seed):
        split = study.wine(settings, seed)
        split.y = None
        return split

    monkeypatch.setitem(study.DATA, "wine", unknown)
    rows = study.run("tiny", data=["wine"], methods=["pu-bagging", "oracle"])
    assert {row["method"] for row in rows} == {"pu-bagging"}
