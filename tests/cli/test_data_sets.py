"""From a CSV to a report for six real data sets: the wrong turns of somebody who has only the help, then the right one.

Needs the folder that PULASSO_DATA names. Tables are cut down to what runs in seconds.
"""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pulasso

pytest.importorskip("jinja2")

DATA = Path(os.environ.get("PULASSO_DATA", "nowhere"))
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="PULASSO_DATA names no folder with the data sets")
QUICK = ("--n-lams", "8", "--folds", "2", "--lam-min-ratio", "0.1")
TREES = {"swi08": 0.048, "swi09": 0.031, "swi17": 0.031}


def lose(labels, rng, to, keep=0.5):
    """Lose labels with this probability."""
    return labels.where(rng.random(len(labels)) < keep, to)


def make_digits(rng):
    shape = pd.read_csv(DATA / "mfeat" / "mfeat-mor.gz", sep=r"\s+", header=None)
    moments = pd.read_csv(DATA / "mfeat" / "mfeat-zer.gz", sep=r"\s+", header=None).iloc[:, :12]
    table = pd.concat([shape, moments], axis=1)
    table.columns = [f"mor{j}" for j in range(6)] + [f"zer{j}" for j in range(12)]
    digit = pd.Series(np.repeat(np.arange(10), 200).astype(str))
    rows = digit.isin(["0", "1", "2"])
    seen = lose(digit[rows], rng, "").replace("0", "")
    return table[rows].assign(digit=seen).iloc[::2]


def make_colposcopies(rng):
    names = ("green", "hinselmann", "schiller")
    table = pd.concat([pd.read_csv(DATA / "colposcopy" / f"{name}.csv") for name in names])
    experts = table.filter(like="experts::")
    rating = pd.cut(experts.sum(axis=1), [-1, 2, 5, 6], labels=["low", "mid", "high"]).astype(str)
    return table.assign(rating=lose(rating, rng, "low"))


def make_wines(rng):
    table = pd.read_csv(DATA / "wine_quality" / "winequality-red.csv", sep=";").iloc[::3]
    grade = np.searchsorted([6, 7], table.pop("quality"), side="right")
    table = table.mask(rng.random(table.shape) < 0.01)  # 1 % missing values
    return table.assign(grade=lose(pd.Series(grade, index=table.index), rng, 0))


def make_stages(rng):
    table = pd.read_csv(DATA / "cesc_stage" / "cesc_stage.csv.gz").iloc[:, :84]
    return table.assign(stage=lose(table["stage"], rng, 1))


def make_mutants(rng):
    table = pd.read_csv(DATA / "rocker_dms" / "rocker_dms.csv.gz").sample(1500, random_state=0)
    sites = pd.DataFrame(
        {f"site{i}": table["sequence"].str[i] for i in (3, 4, 7, 8, 11, 14)}, index=table.index
    )
    sites.insert(0, "sequence", table["sequence"])
    selected = sites[table["labeled"] > 0].assign(pool="selected", reads=table["labeled"])
    initial = sites[table["unlabeled"] > 0].assign(pool="initial", reads=table["unlabeled"])
    return pd.concat([selected, initial])


def make_trees(rng):
    seen = pd.read_csv(DATA / "disdat" / "SWItrain_po.csv.gz")
    seen = seen[seen["spid"].isin(TREES)].groupby("spid").sample(80, random_state=0)
    background = pd.read_csv(DATA / "disdat" / "SWItrain_bg.csv.gz").sample(400, random_state=0)
    return pd.concat([seen, background])


@pytest.fixture(name="give")
def tables(tmp_path):
    """Return a function that writes one of the tables and returns its name."""

    def give(make, name="table.csv", **how):
        make(np.random.default_rng(0)).to_csv(tmp_path / name, index=False, **how)
        return name

    return give


def arrived(done, folder, kind, *warned):
    """Check that there are a model, predictions and a page, and which warnings there were on the way."""
    assert done.code == 0, done.err
    for each in warned:
        assert each in done.words, done.words
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "How good is it?" in page
    assert len(pd.read_csv(folder / "predictions.csv")) > 100
    model = pulasso.load(folder / "model")
    assert type(model).__name__ == kind
    return model


def test_digits(run, give, tmp_path):
    """Forgotten: the scenario and its number. Mistyped: the label column."""
    table = give(make_digits)
    run("cv", table, "--label", "digits").refused("label", "Did you mean 'digit'?")
    run("cv", table, "--label", "zer0", "--label-frequency", "0.5").refused("y", "looks like a measurement")
    run("cv", table, "--label", "digit").refused("scenario", "--scenario case-control")
    single = ("--label", "digit", "--scenario", "single-training-set")
    run("cv", table, *single).refused("label_frequency", "--label-frequency 1=0.1,2=0.2")
    run("cv", table, *single, "--label-frequency", "50").refused("label_frequency", "Did you mean 0.5?")
    done = run("cv", table, *single, "--label-frequency", "0.5", *QUICK)
    model = arrived(done, tmp_path, "MultinomialPULassoCV")
    assert model.classes_.tolist() == [0, 1, 2]
    run("cv", table, *single, "--label-frequency", "0.5").refused(words="Give --force to replace it")
    assert run("predict", "model", table, "--out", "again.csv").code == 0


def test_colposcopies(run, give, tmp_path):
    """Ordered classes, given unordered first."""
    table = give(make_colposcopies)
    known = ("--label", "rating", "--label-frequency", "0.5", "--drop", "experts*,consensus")
    run("cv", table, *known).refused("unlabeled", "Which value of 'rating' marks unlabeled rows?")
    done = run("fit", table, *known, "--unlabeled", "low", "--lam", "0.1", "--out", "unordered")
    assert (done.code, "--ordered 'low<mid<high'" in done.words) == (0, True)
    run("cv", table, *known, "--ordered", "low<high").refused("class_order", "leaves out 'mid'")
    done = run("cv", table, *known, "--ordered", "low<mid<high", *QUICK)
    assert arrived(done, tmp_path, "OrdinalPULassoCV").classes_.tolist() == ["low", "mid", "high"]


def test_wines(run, give, tmp_path):
    """1 % missing values, and semicolons between the columns."""
    table = give(make_wines, sep=";")
    known = ("--label", "grade", "--label-frequency", "0.5", "--ordered", "0<1<2")
    run("cv", table, *known).refused("missing", "missing values in 11 of 11 columns")
    done = run("cv", table, *known, "--missing", "median", *QUICK)
    arrived(done, tmp_path, "OrdinalPULassoCV")
    assert "depends on the label" not in done.words


def test_stages(run, give, tmp_path):
    """More columns than most tables have, a column of text among them."""
    table = give(make_stages)
    run("cv", table, "--label", "Stage", "--ordered", "1<2<3").refused("label", "Did you mean 'stage'?")
    known = ("--label", "stage", "--label-frequency", "0.5", "--ordered", "1<2<3")
    done = run("cv", table, *known, *QUICK, "--select", "1se")
    model = arrived(done, tmp_path, "OrdinalPULassoCV")
    assert {"race=white", "age_at_index"} <= set(model.feature_names_in_)


def test_mutants(run, give, tmp_path):
    """Reads as weights; the sequence itself names the row."""
    table = give(make_mutants)
    known = ("--label", "pool", "--scenario", "case-control", "--weights", "reads")
    run("cv", table, *known).refused("unlabeled", "Which value of 'pool' marks unlabeled rows?")
    known = (*known, "--unlabeled", "initial")
    run("cv", table, *known, "--prevalence", "0.05").refused("X", "--drop sequence")
    known = (*known, "--drop", "sequence")
    run("cv", table, *known).refused("prevalence", "'selected' (")
    done = run("cv", table, *known, "--prevalence", "0.05", *QUICK)
    model = arrived(done, tmp_path, "MultinomialPULassoCV")
    assert set(model.groups_.names) == {"site3", "site4", "site7", "site8", "site11", "site14"}


def test_trees(run, give, tmp_path):
    """Background points under a name of their own, and columns that only records of a species have."""
    table = give(make_trees)
    shares = ",".join(f"{name}={share}" for name, share in TREES.items())
    known = ("--label", "spid", "--scenario", "case-control", "--drop", "siteid,x,y")
    run("cv", table, *known).refused("unlabeled", "'pseudo1' (400 rows)")
    known = (*known, "--unlabeled", "pseudo1")
    run("cv", table, *known, "--prevalence", shares).refused("missing", "'group' (400)")
    done = run(
        "fit", table, *known, "--prevalence", shares, "--missing", "median", "--lam", "0.02", "--out", "a"
    )
    assert "Whether 'group' is missing depends on the label" in done.words
    assert "a column gives the label away" in done.words  # occ is 1 in records and 0 in the background
    known = (*known, "--drop", "group,occ")
    run("cv", table, *known).refused("prevalence", "'swi08' (80 rows)")
    run("cv", table, *known, "--prevalence", "swi8=0.1").refused("prevalence", "Did you mean 'swi08'")
    done = run("cv", table, *known, "--prevalence", shares, *QUICK)
    assert arrived(done, tmp_path, "MultinomialPULassoCV").classes_.tolist() == ["pseudo1", *TREES]
