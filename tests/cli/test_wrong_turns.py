"""Mistakes that people make, each answered by a message that leads on, with exit code 1 or 2 and nothing written."""

import os

import numpy as np
import pytest


def refused(done, *words, code=1):
    assert done.code == code, (done.code, done.err)
    for each in words:
        assert each in done.words, done.words
    return done.words


@pytest.fixture(name="nothing_written", autouse=True)
def nothing_is_written(tmp_path):
    yield
    assert not (tmp_path / "model").exists()
    assert not [name for name in os.listdir(tmp_path) if name.startswith((".", "checkpoint"))]


def test_wrong_label_column(run, csv):
    words = refused(run("cv", csv, "--label", "Specie", "--scenario", "fully-observed"))
    assert "has no column 'Specie'. Did you mean 'species'? Its columns are 'species', 'height'" in words
    refused(run("cv", csv), "--label is needed: which column of sightings.csv holds the labels?")


def test_prevalence_forgotten(run, csv):
    words = refused(run("cv", csv, "--label", "species", "--scenario", "case-control"))
    assert "needs --prevalence, the share of each class in the population" in words
    assert "'fir' (" in words
    assert "--prevalence fir=0.1,oak=0.2" in words
    assert "--prevalence estimate" in words
    words = refused(run("cv", csv, "--label", "species", "--scenario", "single-training-set"))
    assert "--label-frequency fir=0.1,oak=0.2" in words


def test_scenario_forgotten(run, csv):
    words = refused(
        run("cv", csv, "--label", "species"), "Say how labels came to be: --scenario case-control"
    )
    assert "single-training-set" in words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("oak=0.2,fri=0.1", "'fri' is no class of the table. Did you mean 'fir'?"),
        ("oak=0.2", "has no number for 'fir'"),
        ("oak=0.2,background=0.1", "'background' marks unlabeled rows"),
        ("oak=much,fir=0.1", "'much' for 'oak' is not a number"),
        ("much", "neither a number, nor fir=...,oak=..., nor the word estimate"),
        ("oak=0.2,0.3", "cannot be read; write class=number"),
        ("0.7", "must leave room for class 'background'"),
        ("oak=1.2,fir=0.1", "prevalence of class 'oak' is 1.2; it must lie in (0, 1)"),
        ("33", "--prevalence 33: a share lies between 0 and 1. Did you mean 0.33?"),
        ("oak=33,fir=0.1", "Did you mean 0.33?"),
    ],
)
def test_prevalence_that_is_wrong(run, csv, text, expected):
    done = run("cv", csv, "--label", "species", "--scenario", "case-control", "--prevalence", text)
    refused(done, expected)


def test_number_of_another_scenario(run, csv):
    done = run("cv", csv, "--label", "species", "--scenario", "case-control", "--label-frequency", "0.5")
    refused(done, "--label-frequency does not go with --scenario case-control, which needs --prevalence")
    done = run("cv", csv, "--label", "species", "--scenario", "casecontrol", "--prevalence", "0.5")
    refused(done, "'casecontrol' is none of 'case-control'", "Did you mean 'case-control'?", code=2)


def test_ordered_classes_given_unordered(run, table, known, tmp_path):
    table["species"] = table["species"].map({"background": "low", "oak": "mid", "fir": "high"})
    table.to_csv(tmp_path / "t.csv", index=False)
    options = (*known, "--lam", "1")
    refused(run("fit", "t.csv", *options), "Which value of 'species' marks unlabeled rows? Give --unlabeled")
    refused(run("fit", "t.csv", *options, "--ordered", "low,mid,high"), '"low<mid<high"')
    refused(run("fit", "t.csv", *options, "--ordered", "low<high"), "--ordered leaves out 'mid'")
    refused(run("fit", "t.csv", *options, "--ordered", "lo<mid<high"), "Did you mean 'low'?")
    done = run("fit", "t.csv", *options, "--unlabeled", "low", "--out", "there")
    assert done.code == 0
    assert "look like steps of a scale, but are treated as unordered" in done.words
    assert '--ordered "low<mid<high"' in done.words


def test_missing_values(run, table, known, tmp_path):
    table.loc[[1, 2, 3], "rain"] = np.nan
    table.loc[3, "soil"] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    words = refused(run("cv", "t.csv", *known))
    assert "missing values in 2 of 5 columns: 'rain' (3), 'soil' (1); 3 of 240 rows are concerned" in words
    assert "--missing median" in words


def test_marker_forgotten(run, table, known, tmp_path):
    table["species"] = table["species"].replace("background", "somewhere")
    table.to_csv(tmp_path / "t.csv", index=False)
    words = refused(run("cv", "t.csv", *known), "Which value of 'species' marks unlabeled rows?")
    assert "'somewhere' (" in words
    words = refused(run("cv", "t.csv", *known, "--unlabeled", "somwhere"))
    assert "--unlabeled 'somwhere' does not occur in 'species'. Did you mean 'somewhere'?" in words
    refused(run("cv", "t.csv", *known, "--unlabeled", ""), "no cell of 'species' is empty")
    refused(run("cv", "t.csv", *known, "--negative", "somewhere"), "Give --unlabeled as well")


def test_empty_labels_beside_a_marker(run, table, known, tmp_path):
    table.loc[4, "species"] = ""
    table.to_csv(tmp_path / "t.csv", index=False)
    words = refused(run("cv", "t.csv", *known, "--unlabeled", "background"))
    assert "1 of 240 cells in 'species' are empty" in words
    assert '--unlabeled ""' in words


def test_labels_that_look_alike(run, table, known, tmp_path):
    oaks = table.index[table["species"] == "oak"]
    table.loc[oaks[:3], "species"] = "Oak"
    table.loc[table.index[table["species"] == "background"][:2], "species"] = "backgorund"
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", "t.csv", *known, "--lam", "1", "--out", "there")
    assert "'background' (" in done.words
    assert "and 'backgorund' (2) look alike" in done.words
    assert "and 'Oak' (3) look alike" in done.words


def test_columns_that_are_no_features(run, table, known, tmp_path):
    table.assign(site=[f"site {i}" for i in range(len(table))]).to_csv(tmp_path / "ids.csv", index=False)
    refused(run("cv", "ids.csv", *known), "text with 240 different values in 240 rows", "--drop 'site'")
    table["rain"] = table["rain"].astype(object)
    table.loc[3, "rain"] = "?"
    table.to_csv(tmp_path / "odd.csv", index=False)
    refused(run("cv", "odd.csv", *known), "'rain' of odd.csv holds numbers, and in 1 rows '?'", "--na '?'")
    refused(run("cv", "odd.csv", *known, "--na", "?"), "'rain' (1)")
    refused(run("cv", "odd.csv", *known, "--keep", "rian"), "--keep: odd.csv has no column 'rian'", "'rain'?")
    refused(run("cv", "odd.csv", *known, "--drop", "*"), "no column left to use as a feature")


def test_weights_that_are_wrong(run, table, known, tmp_path):
    table.assign(n=-1, name="a").to_csv(tmp_path / "t.csv", index=False)
    refused(run("cv", "t.csv", *known, "--weights", "n", "--drop", "name"), "sample_weight of row 0 is -1")
    refused(run("cv", "t.csv", *known, "--weights", "name"), "holds something that is not a number")
    refused(run("cv", "t.csv", *known, "--weights", "m"), "--weights: t.csv has no column 'm'")


def test_files_that_are_no_tables(run, csv, known, tmp_path):
    refused(run("cv", "sighting.csv", *known), "sighting.csv does not exist. Did you mean sightings.csv?")
    refused(run("cv", "there/t.csv", *known), "There is no folder there, either")
    (tmp_path / "t.xlsx").write_text("x")
    refused(run("cv", "t.xlsx", *known), "its name should end in .csv, .tsv")
    (tmp_path / "empty.csv").write_text("\n")
    refused(run("cv", "empty.csv", *known), "empty.csv is empty")
    (tmp_path / "header.csv").write_text("species,a\n")
    refused(run("cv", "header.csv", *known), "header.csv has a header, but no rows")
    (tmp_path / "twice.csv").write_text("species,a,a\noak,1,2\n")
    refused(run("cv", "twice.csv", *known), "more than one column named 'a'")
    (tmp_path / "ragged.csv").write_text("species,a\noak,1\nfir,1,2,3\n")
    refused(run("cv", "ragged.csv", *known), "ragged.csv cannot be read as a table", "line 3")
    (tmp_path / "t.parquet").write_bytes(b"PAR1 not really")
    refused(run("cv", "t.parquet", *known), "t.parquet cannot be read")


def test_nothing_is_overwritten(run, csv, known, tmp_path):
    (tmp_path / "predictions.csv").write_text("mine")
    refused(run("cv", csv, *known), "predictions.csv exists already and is not overwritten. Give --force")
    assert (tmp_path / "predictions.csv").read_text() == "mine"


def test_wrong_usage(run, csv):
    refused(run("cvs", csv), "No such command 'cvs'. Did you mean 'cv'", code=2)
    refused(run("cv", csv, "--lable", "species"), "No such option: --lable", code=2)
    refused(run("fit", csv, "--label", "species"), "Missing option '--lam'", code=2)


def test_too_many_folds(run, csv, known):
    refused(run("cv", csv, *known, "--folds", "200"), "folds")
