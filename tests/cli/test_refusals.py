"""Mistakes that people make, each answered by a message about the right option, and nothing written.

What is wrong with tables, labels, numbers and groups is tested in their rooms; here only that commands hand it on.
"""

import os

import numpy as np
import pandas as pd
import pytest

from pulasso.cli.build_estimator import parse_numbers

ONE_FIT = ("--lam", "0.03", "--keep", "height,rain,temp")


@pytest.fixture(name="nothing_written", autouse=True)
def nothing_is_written(tmp_path):
    yield
    assert not (tmp_path / "model").exists()
    assert not [name for name in os.listdir(tmp_path) if name.startswith((".", "checkpoint"))]


@pytest.mark.parametrize(
    ("options", "parameter", "words"),
    [
        ("", "label", "--label is needed: which column of sightings.csv holds the labels?"),
        (
            "--label Specie",
            "label",
            "has no column 'Specie'. Did you mean 'species'? Its columns are 'species'",
        ),
        ("--label rain --label-frequency 0.5", "y", "not like classes"),
        ("--label species", "scenario", "Say how labels came to be: --scenario case-control"),
        ("--label species --scenario case-control", "prevalence", "--prevalence fir=0.1,oak=0.2"),
        (
            "--label species --scenario single-training-set",
            "label_frequency",
            "--label-frequency fir=0.1,oak=0.2",
        ),
        (
            "--label species --scenario case-control --label-frequency 0.5",
            "label_frequency",
            "It takes --prevalence",
        ),
    ],
)
def test_something_is_forgotten(run, csv, options, parameter, words):
    run("cv", csv, *options.split()).refused(parameter, words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "oak=0.2,fri=0.1",
            "no class in the label column. The classes are 'fir', 'oak'. Did you mean 'fir'?",
        ),
        (
            "oak=0.2",
            "no number for 'fir'. Every positive class needs one, for example --prevalence fir=0.1,oak=0.2",
        ),
        ("oak=0.2,background=0.1", "'background'"),
        ("oak=much,fir=0.1", "'much' is no number"),
        ("much", "'much' is no number"),
        ("oak=0.2,0.3", "write class=number"),
        ("0.7", "must leave room for class 'background'"),
        ("oak=1.2,fir=0.1", "--prevalence of class 'oak' is 1.2"),
        ("33", "Did you mean 0.33?"),
        ("oak=33,fir=0.1", "Did you mean 0.33?"),
    ],
)
def test_prevalence_that_is_wrong(run, csv, text, words):
    done = run("cv", csv, "--label", "species", "--scenario", "case-control", "--prevalence", text)
    done.refused("prevalence", words)


@pytest.mark.parametrize(
    ("options", "parameter", "words"),
    [
        (("--unlabeled", "backgrond"), "unlabeled", "Did you mean 'background'?"),
        (("--negative", "background"), "unlabeled", "--unlabeled"),
        (("--ordered", "low,mid,high"), "class_order", '"low<mid<high"'),
        (("--ordered", "background<oak"), "class_order", "--ordered leaves out 'fir'"),
        (("--ordered", "oak<fir"), "unlabeled", "Try --unlabeled background"),
        (
            ("--ordered", "oak<fir", "--unlabeled", "background"),
            "class_order",
            "--ordered 'background<oak<fir'",
        ),
        (("--keep", "rian"), "keep", "--keep: sightings.csv has no column 'rian'. Did you mean 'rain'"),
        (("--drop", "*"), "X", "no column left to use as a feature. Check --drop"),
        (("--weights", "soil"), "weights", "holds something that is not a number"),
        (("--weights", "m"), "weights", "--weights: sightings.csv has no column 'm'"),
        (("--weights", "species"), "weights", "--weights and --label both name 'species'"),
        (("--groups", "sightings.csv"), "groups", "the columns column, group"),
        (("--folds", "200"), None, "folds are too many"),
    ],
)
def test_options_that_are_wrong(run, csv, known, options, parameter, words):
    run("cv", csv, *known, *options).refused(parameter, words)


def test_tables_that_are_wrong(run, table, known, tmp_path):
    def refused(changed, parameter, words):
        changed.to_csv(tmp_path / "t.csv", index=False)
        run("cv", "t.csv", *known).refused(parameter, words)

    refused(table.assign(n=-1).rename(columns={"n": "x"}).assign(rain=np.nan), "missing", "--missing median")
    refused(table.assign(site=[f"site {i}" for i in range(240)]), "X", "--drop site")
    refused(
        table.assign(species=table["species"].replace("background", "there")), "unlabeled", "Which value of"
    )
    odd = table.astype({"rain": object})
    odd.loc[3, "rain"] = "?"
    refused(odd, "X", "--na '?'")
    run("cv", "t.csv", *known, "--na", "?").refused("missing", "'rain' (1)")
    empty = table.assign(species=table["species"].replace("background", ""))
    empty.loc[4, "species"] = "background"
    empty.to_csv(tmp_path / "t.csv", index=False)
    run("cv", "t.csv", *known, "--unlabeled", "background").refused("unlabeled", '--unlabeled ""')
    table.assign(n=-1).to_csv(tmp_path / "t.csv", index=False)
    run("cv", "t.csv", *known, "--weights", "n").refused("sample_weight", "--weights of row 0 is -1")


def test_files_that_are_no_tables(run, csv, known, tmp_path):
    run("cv", "sighting.csv", *known).refused(words="Did you mean 'sightings.csv'?")
    (tmp_path / "t.parquet").write_bytes(b"PAR1 not really")
    run("cv", "t.parquet", *known).refused(words="t.parquet cannot be read")
    np.savez(tmp_path / "t.npz", X=np.zeros(4), y=np.array([0, 1, 0, 1]))
    run("fit", "t.npz", "--lam", "1", "--label-frequency", "0.6").refused(words="X has the shape (4,)")


def test_the_lowest_of_ordered_classes_is_not_guessed(run, table, known, tmp_path):
    """Rows that carry the lowest class as their label are not silently taken for confirmed negatives."""
    names = {"background": "mild", "oak": "medium", "fir": "severe"}
    table.assign(species=table["species"].map(names)).to_csv(tmp_path / "stages.csv", index=False)
    mild = ("fit", "stages.csv", *known, "--lam", "0.05", "--unlabeled", "mild")
    for order in ("medium<severe", "medium<severe<mild"):
        run(*mild, "--ordered", order).refused("class_order", "put it first: --ordered 'mild<medium<severe'")
    done = run(*mild, "--ordered", "medium<severe", "--negative", "medium")
    done.refused("negative_label_frequency", "Give that number: --negative-label-frequency")
    table.assign(species=table["species"].replace("background", "")).to_csv(
        tmp_path / "empty.csv", index=False
    )
    done = run("fit", "empty.csv", *known, "--lam", "0.05", "--ordered", "oak<fir")
    done.refused("negative", "--negative oak")
    assert run(*mild, "--ordered", "mild<medium<severe", "--out", "right").code == 0


def test_nothing_is_overwritten(run, csv, known, tmp_path):
    """And what is wrong with options is said first: nobody should have to replace a model for that."""
    (tmp_path / "predictions.csv").write_text("mine")
    run("cv", csv, *known).refused(
        words="predictions.csv exists already and is not overwritten. Give --force"
    )
    run("cv", csv, "--label", "specie").refused("label")
    run("fit", csv, *known[:2], "--label-frequency", "1.5", "--lam", "1").refused("label_frequency")
    run("simulate", "predictions.csv").refused(words="or another name.")
    assert (tmp_path / "predictions.csv").read_text() == "mine"


@pytest.mark.parametrize("command", ["fit", "cv"])
def test_failed_runs_leave_no_folder(run, csv, command, tmp_path):
    many = ("--label", "species", "--scenario", "case-control", "--prevalence", "0.7")
    lam = ONE_FIT if command == "fit" else ()
    run(command, csv, *many, *lam, "--out", "there").refused("prevalence")
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("cvs sightings.csv", "No such command 'cvs'. Did you mean 'cv'"),
        ("cv sightings.csv --lable species", "No such option"),
        ("fit sightings.csv --label species", "The linear model needs --lam"),
        ("cv sightings.csv --scenario casecontrol", "Did you mean 'case-control'?"),
        ("fit sightings.csv --lam 1 --config nowhere.toml", "No such file"),
        ("fit sightings.csv --lam 1 --config sightings.csv", "is not TOML"),
    ],
)
def test_wrong_usage(run, csv, words, expected):
    run(*words.split()).refused(words=expected, code=2)


def test_an_option_in_a_file_that_there_is_not(run, csv, tmp_path):
    (tmp_path / "run.toml").write_text("lable = 'species'")
    run("fit", csv, "--config", "run.toml", "--lam", "1").refused(words="Did you mean 'label'", code=2)


def test_models_that_do_not_fit_their_table(run, csv, known, table, tmp_path):
    assert run("fit", csv, *known, "--lam", "0.03", "--out", "w1").code == 0
    for command in ("predict", "report"):
        run(command, "w1", csv).refused(words="Give w1/model.")
    run("predict", "nowhere", csv).refused(words="is not a saved model")
    run("predict", "w1/model", csv, "--out", csv).refused(words="or another file by --out.")
    table.rename(columns={"rain": "rainfall"}).to_csv(tmp_path / "new.csv", index=False)
    run("predict", "w1/model", "new.csv").refused("X", "Did you mean 'rainfall'?")
    table.assign(rain="wet").to_csv(tmp_path / "new.csv", index=False)
    run("predict", "w1/model", "new.csv").refused("X", "holds text, such as 'wet'")
    file = tmp_path / "w1" / "model" / "model.json"
    file.write_text(file.read_text().replace('"name": "height"', '"nome": "height"'))
    run("predict", "w1/model", csv).refused(words="described wrongly")
    assert run("path", csv, *known, "--n-lams", "3").code == 0
    run("predict", "path", csv).refused(words="holds a path, not one model")


def test_matrices_and_tables_are_not_the_same(run, csv, tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "t.npz", X=rng.normal(size=(60, 3)), y=np.arange(60) % 3)
    known = ("--label-frequency", "0.6", "--lam", "0.1")
    assert run("fit", "t.npz", *known, "--out", "m").code == 0
    run("predict", "m/model", csv).refused(words="fitted to a matrix of 3 features")
    run("fit", "t.npz", *known, "--drop", "x").refused("drop", "needs names")
    run("fit", "t.npz", *known, "--groups", "g.csv").refused("groups", "a matrix without names")
    np.savez(tmp_path / "wide.npz", X=np.ones((2, 9)))
    run("predict", "m/model", "wide.npz").refused(words="the model needs 3 features")
    run("fit", "wide.npz", *known).refused("label", "holds no labels")
    assert len(pd.read_csv(tmp_path / "m" / "predictions.csv")) == 60


def test_names_with_spaces_around_them():
    assert parse_numbers("rata=0.2, oak = 0.1", "prevalence", [" rata ", "oak"]) == {
        " rata ": 0.2,
        "oak": 0.1,
    }
    assert parse_numbers("rata=0.2, rata =0.1", "prevalence", [" rata ", "rata"]) == {
        "rata": 0.2,
        " rata ": 0.1,
    }
    assert parse_numbers("a=b=0.2", "prevalence", ["a=b"]) == {"a=b": 0.2}
