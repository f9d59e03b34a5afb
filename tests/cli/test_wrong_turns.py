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
        (
            "oak=0.2",
            "--prevalence has no number for 'fir', and every class needs one. For example --prevalence fir=0.1,oak=0.2",
        ),
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


@pytest.fixture(name="stages")
def graded_table(table, tmp_path):
    """Three degrees of a disease; 'mild' stands for everybody who was not examined."""
    names = {"background": "mild", "oak": "medium", "fir": "severe"}
    table.assign(species=table["species"].map(names)).to_csv(tmp_path / "stages.csv", index=False)
    return "stages.csv"


def test_the_lowest_of_ordered_classes_is_not_guessed(run, stages, table, known, tmp_path):
    """Rows that carry the lowest class as their label are not silently taken for confirmed negatives."""
    mild = ("fit", stages, *known, "--lam", "0.05", "--unlabeled", "mild")
    n_medium = (table["species"] == "oak").sum()
    refused(
        run(*mild, "--ordered", "medium<severe"),
        f"--ordered starts with 'medium', which would be class 0, but {n_medium} rows carry it as their label",
        "If 'mild' is the lowest class, put it first: --ordered 'mild<medium<severe'",
        "say --negative medium",
    )
    refused(
        run(*mild, "--ordered", "medium<severe<mild"),
        "'mild' marks unlabeled rows, so that it is class 0 and must come first: --ordered 'mild<medium<severe'",
    )
    words = refused(run(*mild, "--ordered", "medium<severe", "--negative", "medium"))
    assert words.endswith("is not known. Use --negative-label-frequency with that number.")
    empty = table.assign(species=table["species"].replace("background", ""))
    empty.to_csv(tmp_path / "empty.csv", index=False)
    done = run("fit", "empty.csv", *known, "--lam", "0.05", "--ordered", "oak<fir")
    refused(
        done, "If class 0 is another one, put its name first: --ordered 'none<oak<fir'", "say --negative oak"
    )
    assert run(*mild, "--ordered", "mild<medium<severe", "--out", "right").code == 0


def test_numbers_and_order_are_looked_at_before_old_results(run, csv, known, tmp_path):
    """Somebody whose options are wrong should not be told to replace a model first."""
    assert run("fit", csv, *known, "--lam", "0.05", "--out", "old").code == 0
    again = ("fit", csv, "--label", "species", "--lam", "0.05", "--out", "old")
    refused(run(*again, "--prevalence", "oak=0.6,fir=0.5"), "sum to 1.1; they must leave room")
    refused(run(*again, "--label-frequency", "1.5"), "label_frequency of class 'fir' is 1.5")
    refused(run(*again, "--label-frequency", "0.6", "--ordered", "background<oak"), "leaves out 'fir'")
    refused(run(*again, "--label-frequency", "0.6"), "exists already")


def test_weights_and_label_are_two_columns(run, csv, known):
    done = run("fit", csv, *known, "--lam", "0.05", "--weights", "species")
    refused(done, "--weights and --label both name 'species'")


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"X": np.float64(3.0), "y": np.array([0, 1])}, "X has the shape (), but should have one row for each case"),
        ({"X": np.zeros(4), "y": np.array([0, 1, 0, 1])}, "X has the shape (4,)"),
        ({"X": np.zeros((2, 2, 2)), "y": np.array([0, 1])}, "X has the shape (2, 2, 2)"),
        ({"X": np.zeros((2, 2)), "y": np.eye(2)}, "y has the shape (2, 2), but should have one label for each row"),
        ({"X": np.zeros((2, 2)), "y": np.array(1)}, "y has the shape ()"),
    ],
)  # fmt: skip
def test_arrays_of_another_shape(run, tmp_path, arrays, words):
    np.savez(tmp_path / "t.npz", **arrays)
    refused(run("fit", "t.npz", "--lam", "0.05", "--label-frequency", "0.6"), "t.npz", words)


@pytest.mark.parametrize(
    ("at", "value", "words"), [(6, 1, "is encrypted"), (8, 99, "compression method is not supported")]
)
def test_matrices_that_cannot_be_unpacked(run, tmp_path, at, value, words):
    """Encrypted, or packed in a way that nobody knows: as the headers of the archive say."""
    np.savez(tmp_path / "t.npz", X=np.zeros((4, 2)), y=np.array([0, 1, 0, 1]))
    content = bytearray((tmp_path / "t.npz").read_bytes())
    for magic, offset in ((b"PK\x03\x04", at), (b"PK\x01\x02", at + 2)):
        start = content.find(magic)
        while start >= 0:
            content[start + offset] = value
            start = content.find(magic, start + 4)
    (tmp_path / "t.npz").write_bytes(content)
    refused(run("fit", "t.npz", "--lam", "0.05", "--label-frequency", "0.6"), "t.npz cannot be read", words)


def test_an_index_that_no_matrix_can_have(run, tmp_path):
    (tmp_path / "t.svmlight").write_text("1 1:0.5 99999999999999999999:1\n0 1:0.2\n")
    done = run("fit", "t.svmlight", "--lam", "0.05", "--label-frequency", "0.6")
    refused(done, "t.svmlight cannot be read as svmlight")
