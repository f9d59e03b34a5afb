"""`--sensitivity` and `--stability`: how sure a model is, on the terminal, in JSON and on the page."""

import json
import os

import pytest

import pulasso

pytest.importorskip("jinja2")

FEW = ("--n-lams", "6", "--folds", "2", "--keep", "height,rain,temp")


def left_over(folder):
    return [name for name in os.listdir(folder) if name.startswith((".", "checkpoint"))]


@pytest.fixture(name="fitted")
def fit_sightings(run, csv, known, table, tmp_path):
    """Fit a model to the first rows; the others are held out."""
    table[:180].to_csv(tmp_path / "first.csv", index=False)
    table[180:].to_csv(tmp_path / "others.csv", index=False)
    assert run("fit", "first.csv", *known, "--lam", "0.03", "--keep", "height,rain,temp").code == 0


def test_cv_examines_and_the_page_tells(run, csv, known, tmp_path):
    done = run("cv", csv, *known, *FEW, "--sensitivity", "--stability", "--subsamples", "4")
    assert done.code == 0, done.err
    assert "Sensitivity to" in done.out and "Stability selection" in done.out and "see ." not in done.out
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "0.6 (assumed)" in page and "0.429" in page  # 0.6 has odds of 1.5, and 0.429 half of them
    assert "Not examined" not in page
    assert not left_over(tmp_path)


def test_fit_gives_json(run, csv, known, tmp_path, pages):
    more = ("--sensitivity-values", "0.5,0.7", "--stability", "--subsamples", "4", "--json")
    done = run("fit", csv, *known, "--lam", "0.03", *more)
    found = json.loads(done.out)
    assert [each["label_frequency"] for each in found["sensitivity"]["values"]] == [0.5, 0.6, 0.7]
    assert set(found["stability"]["probability"]) == {"height", "rain", "temp", "soil", "road"}
    assert found["stability"]["subsamples"] == 4
    assert not pages


def test_report_fits_again_to_the_table_of_the_fit(run, fitted, tmp_path, pages):
    done = run("report", "model", "others.csv", "--stability")
    done.refused(words="need the table that it was fitted to, 'first.csv': give --fitted-to FILE")
    more = ("--stability", "--subsamples", "4", "--sensitivity-values", "fir=0.5,oak=0.6;fir=0.6,oak=0.7")
    done = run("report", "model", "others.csv", "--fitted-to", "first.csv", *more, "--json")
    assert done.code == 0, done.err
    values = json.loads(done.out)["sensitivity"]["values"]
    tried = [each["label_frequency"] for each in values]
    assert tried == [0.6, {"fir": 0.5, "oak": 0.6}, {"fir": 0.6, "oak": 0.7}]
    assert "first.csv is not the table" not in done.words
    model = pulasso.load(tmp_path / "model")
    scores = pulasso.metrics.pu_scores(model, *held_out(tmp_path, model))
    assert values[0]["accuracy"] == pytest.approx(scores["accuracy"].value)
    assert set(pages[0]) >= {"sensitivity", "stability"} and len(pages[0]["z"]) == 60
    done = run("report", "model", "first.csv", "--sensitivity", "--out", "again.html")
    assert done.code == 0, done.err
    done = run(
        "report", "model", "--fitted-to", "others.csv", "--sensitivity-values", "0.7", "--out", "c.html"
    )
    assert "others.csv is not the table that model was fitted to" in done.words


def held_out(folder, model):
    import pandas as pd

    rows = pd.read_csv(folder / "others.csv")
    return rows[list(model.feature_names_in_)], rows["species"]


def test_what_was_finished_is_not_computed_again(run, fitted, tmp_path, monkeypatch):
    command = ("report", "model", "first.csv", "--sensitivity", "--stability", "--subsamples", "4")

    def fail(*args, **kwargs):
        raise OSError("The disk is full.")

    monkeypatch.setattr("pulasso.report.write_report", fail)
    found = []
    for _ in range(2):
        run(*command).refused(words="The disk is full.")
        (folder,) = left_over(tmp_path)
        files = [file for file in (tmp_path / folder).rglob("*") if file.is_file()]
        found.append({file: file.stat().st_mtime_ns for file in files})
    assert found[0] == found[1] and len(found[0]) >= 7  # five values, two pairs of subsamples


def test_estimated_numbers_are_varied_around_the_estimate(run, csv, known, tmp_path):
    estimated = [*known[:-1], "estimate"]
    done = run("fit", csv, *estimated, "--lam", "0.03", "--sensitivity", "--keep", "rain,temp", "--json")
    values = json.loads(done.out)["sensitivity"]["values"]
    assert [each["reference"] for each in values] == [False, False, True, False, False]


@pytest.mark.parametrize(
    ("more", "parameter", "words"),
    [
        (("--stability", "--subsamples", "5"), "n_subsamples", "must be even"),
        (("--sensitivity-values", "much"), "sensitivity_values", "is no number"),
        (("--sensitivity-values", "oka=0.2,fir=0.1"), "sensitivity_values", "Did you mean 'oak'?"),
        (("--sensitivity-values", "oak=0.2"), "sensitivity_values", "no number for 'fir'"),
        (("--sensitivity-values", "0.5,1.5"), "sensitivity_values", "class 'fir' is 1.5"),
    ],
)
def test_values_that_are_wrong(run, csv, known, tmp_path, more, parameter, words):
    done = run("fit", csv, *known, "--lam", "0.03", "--keep", "rain", *more, "--out", "there")
    done.refused(parameter, words)
    assert not (tmp_path / "there").exists()


def test_nothing_to_vary(run, csv, tmp_path):
    label = ("--label", "species", "--lam", "0.03", "--sensitivity")
    run("fit", csv, *label, "--scenario", "fully-observed").refused("sensitivity")
    run("fit", csv, *label, "--label-frequency", "1").refused(
        "sensitivity_values", "nothing around it to try"
    )
    assert not left_over(tmp_path)
