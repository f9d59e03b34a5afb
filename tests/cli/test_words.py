"""What commands say about data and results that look wrong, and how they say it."""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pulasso.cli.comparing import _one_warning, show_comparison
from pulasso.cli.labels import read_labels
from pulasso.cli.main import COMMANDS
from pulasso.cli.oddities import say_what_is_odd
from pulasso.cli.outputs import print_json

ONE_FIT = ("--lam", "0.03", "--keep", "height,rain,temp")


def test_a_column_that_gives_the_label_away(run, table, known, tmp_path):
    table["collector"] = np.where(table["species"] == "background", 0.0, 1.0)
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", "t.csv", *known, "--lam", "0.01", "--drop", "soil,road", "--report")
    assert done.code == 0, done.err
    assert "Estimated accuracy is 1." in done.words
    assert "the assumed --label-frequency cannot be right, or a column gives the label away" in done.words
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "the assumed --label-frequency cannot be right" in page


def test_one_class_for_all_is_said_on_the_terminal(run, csv, known):
    assert "Every row is predicted as 'background', class 0" in run("fit", csv, *known, "--lam", "9").words
    few = ("--label", "species", "--label-frequency", "0.3", "--keep", "height")
    assert "predicted as" in run("fit", csv, *few, "--lam", "9", "--out", "b").words


def test_a_label_column_that_holds_no_classes(run, table, known, tmp_path):
    table.assign(plot=range(len(table))).to_csv(tmp_path / "t.csv", index=False)
    more = (*known[2:], "--lam", "1")
    words = run("fit", "t.csv", "--label", "rain", *more).words
    assert "column 'rain' holds" in words and "different numbers with decimals" in words
    assert "it looks like a measurement, not like classes. Name the column that holds the classes" in words
    assert "column 'plot' holds 240 different values" in run("fit", "t.csv", "--label", "plot", *more).words
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(("missing", "harm"), [("median", "filled in"), ("drop", "leaving out these rows")])
def test_gaps_that_come_with_the_label(run, table, known, tmp_path, missing, harm):
    rows = table.index[table["species"] == "background"]
    table.loc[rows[::4], "rain"] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", "t.csv", *known, *ONE_FIT, "--missing", missing)
    assert "Whether 'rain' is missing depends on the label: 'rain' is missing in 0 %" in done.words
    assert harm in done.words
    table.loc[:, "rain"] = np.where(np.arange(len(table)) % 9 == 0, np.nan, 1.0 * np.arange(len(table)))
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", "t.csv", *known, *ONE_FIT, "--missing", missing, "--force")
    assert (done.code, "depends on the label" in done.words) == (0, False)


@pytest.mark.parametrize("first", ["low", "none"])
def test_the_marker_is_not_among_ordered_classes(run, table, known, tmp_path, first):
    names = {"background": "unlabeled", "oak": "low", "fir": "high"}
    table["species"] = table["species"].map(names)
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", "t.csv", *known, *ONE_FIT, "--ordered", f"{first}<low<high".replace("low<low", "low"))
    assert "which usually marks unlabeled rows. Try --unlabeled unlabeled." in done.words


def test_nothing_is_called_unlabeled_where_nothing_is_hidden(run, csv, tmp_path):
    done = run("fit", csv, "--label", "species", "--scenario", "fully-observed", *ONE_FIT, "--report")
    assert done.code == 0, done.err
    assert "Class 0: the " in done.err and "nlabeled rows" not in done.out + done.err
    assert "rows of class 0" in done.out
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "background, without another label" in page


def test_shares_in_percent(run, csv, tmp_path):
    done = run("fit", csv, "--label", "species", "--label-frequency", "60%", *ONE_FIT)
    assert "label_frequency 0.6" in done.out


def test_the_folder_of_results_is_not_the_model(run, csv, known):
    assert run("fit", csv, *known, *ONE_FIT, "--out", "w1").code == 0
    for command in ("predict", "report"):
        assert "Give w1/model." in run(command, "w1", csv).words
    assert run("predict", "w1/model", csv).code == 0
    words = run("predict", "w1/model", csv).words
    assert "Give --force to replace it, or another file by --out." in words
    assert run("simulate", "sightings.csv").words.endswith("or another name.")


def test_failed_runs_leave_no_folder(run, csv, known, tmp_path):
    many = ("--label", "species", "--scenario", "case-control", "--prevalence", "0.7")
    for command in ("fit", "cv"):
        lam = ONE_FIT if command == "fit" else ()
        assert run(command, csv, *many, *lam, "--out", "there").code == 1
        assert not (tmp_path / "there").exists()


def test_bad_input_is_named_before_files_that_exist(run, csv, known, tmp_path):
    (tmp_path / "predictions.csv").write_text("mine")
    assert "has no column 'specie'" in run("fit", csv, "--label", "specie", *known[2:], *ONE_FIT).words


def test_infinite_scores_are_explained():
    scores = {f"{name}{end}": 0.5 for name in ("accuracy", "balanced accuracy", "AUC") for end in ("", " se")}
    lines = [
        {"model": "one", **scores, "log-loss": np.inf, "log-loss se": np.nan, "seconds": 1.0},
        {"model": "two", **scores, "log-loss": 0.4, "log-loss se": 0.1, "seconds": 1.0},
    ]
    words = show_comparison(pd.DataFrame(lines))
    assert "nan" not in words and "inf ±" not in words
    assert "probability 0" in words and words.endswith("Affected: one.")


@pytest.mark.parametrize("command", [command.__name__ for command in COMMANDS])
def test_help_is_whole_in_a_narrow_window(run, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    done = run(command, "--help")
    assert done.code == 0
    assert "…" not in done.out


def test_a_new_value_of_two_counts_as_the_first(run, csv, table, known, tmp_path):
    """Of two values only the second has a feature, so that whatever is new looks like the first."""
    assert run("fit", csv, *known, "--lam", "0.03").code == 0
    new = table.assign(road=np.where(np.arange(len(table)) == 0, "on it", table["road"]))
    new.to_csv(tmp_path / "new.csv", index=False)
    done = run("predict", "model", "new.csv", "--out", "new-p.csv")
    assert "did not see: 'on it'. These rows are predicted as if they were 'far'." in done.words
    new.assign(road=new["road"].replace("on it", "far")).to_csv(tmp_path / "far.csv", index=False)
    assert run("predict", "model", "far.csv", "--out", "far-p.csv").code == 0
    assert (tmp_path / "new-p.csv").read_text() == (tmp_path / "far-p.csv").read_text()


def test_json_is_json(capsys):
    """Python's own Infinity and NaN are not, and strict readers refuse the whole result."""
    values = {"a": np.inf, 1: [np.float32("nan"), (1, 2.5)], "c": np.array([1.0, -np.inf])}
    print_json("compare", found=values, flag=np.bool_(True), table=Path("t.csv"), nothing=None)

    def refuse(word):
        raise AssertionError(word)

    assert json.loads(capsys.readouterr().out, parse_constant=refuse) == {
        "command": "compare",
        "found": {"a": None, "1": [None, [1, 2.5]], "c": [1.0, None]},
        "flag": True,
        "table": "t.csv",
        "nothing": None,
        "warnings": [],
    }


def test_warnings_of_a_comparison_are_counted_as_warnings(capsys):
    with _one_warning("mn-lasso"):
        for words in ("Raise lam.", "Raise lam.", "Too few rows."):
            warnings.warn(words, UserWarning, stacklevel=1)
    said = capsys.readouterr().err
    assert "mn-lasso: Raise lam. (3 warnings in all its fits, of which this is the first)" in said
    with _one_warning("pulasso"):
        warnings.warn("Set scenario='case-control'.", UserWarning, stacklevel=1)
    assert capsys.readouterr().err.strip() == "Warning: pulasso: Set --scenario case-control."


def test_mild_medium_severe_is_a_scale():
    y = np.repeat(["?", "mild", "medium", "severe"], [9, 3, 3, 3]).tolist()
    observed = read_labels(y, unlabeled="?", negative=None, ordered=None, name="label")
    assert '--ordered "mild<medium<severe"' in say_what_is_odd(observed, ordered=False)[0]
