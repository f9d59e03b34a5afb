"""How commands speak: parameters as options, warnings as lines and in JSON, help that fits its window."""

import json
from pathlib import Path

import numpy as np
import pytest

from pulasso._messages import Message, arg
from pulasso.cli.errors import in_option_words
from pulasso.cli.main import COMMANDS
from pulasso.cli.results import print_json
from pulasso.exceptions import InputError

ONE_FIT = ("--lam", "0.03", "--keep", "height,rain,temp")


@pytest.mark.parametrize(
    ("mark", "shown"),
    [
        (arg("unlabeled", 'float("nan")'), '--unlabeled ""'),
        (arg("label_frequency"), "--label-frequency"),
        (arg("prevalence", str({"oak": 0.2, "fir": 0.1})), "--prevalence oak=0.2,fir=0.1"),
        (arg("scenario", "'fully-observed'"), "--scenario fully-observed"),
        (arg("scenario", "SingleTrainingSet(...)"), "--negative-label-frequency"),
        (arg("class_order", str(["low", "very high"])), "--ordered 'low<very high'"),
        (arg("cv", "3"), "--folds 3"),
        (arg("standardize", "False"), "--no-standardize"),
        (arg("standardize", "'auto'"), "--leave-indicators"),
        (arg("standardize", "True"), "--standardize"),
        (arg("tol", "1e-9"), "tol=1e-9"),  # no option
    ],
)
def test_parameters_are_shown_as_options(mark, shown):
    assert in_option_words(Message(f"Try {mark}.")) == f"Try {shown}."


def test_sentences_start_with_a_capital():
    error = InputError(f"{arg('y')} is empty.", parameter="y", remedy=f"Check {arg('X')}.")
    assert in_option_words(error) == "The label column is empty. Check the table."
    assert in_option_words(ValueError("plain words")) == "plain words"


def test_a_column_that_gives_the_label_away(run, table, known, tmp_path):
    """What a model warns of stands on the terminal and in JSON."""
    table["collector"] = np.where(table["species"] == "background", 0.0, 1.0)
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", "t.csv", *known, "--lam", "0.01", "--drop", "soil,road", "--json")
    assert "a column gives the label away" in done.words
    assert any("a column gives the label away" in each for each in json.loads(done.out)["warnings"])


def test_one_class_for_all_is_said_on_the_terminal(run, csv, known):
    assert "Every row is predicted as 'background', class 0" in run("fit", csv, *known, "--lam", "9").words


def test_labels_that_look_odd(run, table, known, tmp_path):
    names = {"background": "low", "oak": "mid", "fir": "high"}
    odd = table["species"].map(names)
    odd.iloc[np.flatnonzero(odd == "mid")[:3]] = "Mid"
    table.assign(species=odd).to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", "t.csv", *known, *ONE_FIT, "--unlabeled", "low")
    assert "and 'Mid' (3) look alike" in done.words
    assert "--ordered 'low<mid<high'" in done.words or "--ordered 'low<Mid<high'" in done.words


@pytest.mark.parametrize("missing", ["median", "drop"])
def test_missing_values_that_depend_on_the_label(run, table, known, tmp_path, missing):
    rows = table.index[table["species"] == "background"]
    table.loc[rows[::4], "rain"] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", "t.csv", *known, *ONE_FIT, "--missing", missing)
    assert "Whether 'rain' is missing depends on the label" in done.words
    assert "by --drop, or get the values" in done.words


def test_nothing_is_called_unlabeled_where_nothing_is_hidden(run, csv):
    done = run("fit", csv, "--label", "species", "--scenario", "fully-observed", *ONE_FIT)
    assert done.code == 0, done.err
    assert "Class 0: the " in done.err and "nlabeled rows" not in done.out + done.err
    assert "rows of class 0" in done.out


@pytest.mark.parametrize("command", [command.__name__ for command in COMMANDS])
def test_help_is_whole_in_a_narrow_window(run, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    done = run(command, "--help")
    assert done.code == 0
    assert "…" not in done.out


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
