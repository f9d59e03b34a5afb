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
    """Fit a model to the first rows; the others are kept apart."""
    table[:180].to_csv(tmp_path / "first.csv", index=False)
    table[180:].to_csv(tmp_path / "kept.csv", index=False)
    assert run("fit", "first.csv", *known, "--lam", "0.03", "--keep", "height,rain,temp").code == 0


def test_cv_examines_and_the_page_tells(run, csv, known, tmp_path):
    done = run("cv", csv, *known, *FEW, "--sensitivity", "--stability", "--subsamples", "4")
    assert done.code == 0, done.err
    assert "Sensitivity to label_frequency: 5 fits" in done.out
    assert "Stability selection" in done.out and "see ." not in done.out
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "What changes with the assumed label frequency" in page
    assert "0.6 (assumed)" in page and "0.429" in page  # 0.6 has odds of 1.5, and 0.429 half of them
    assert "and the same penalty" in page
    assert "fitted to 4 random halves of the rows" in page
    assert "Not examined" not in page
    assert not left_over(tmp_path)


def test_fit_gives_json_and_no_page_unless_asked(run, csv, known, tmp_path):
    more = ("--sensitivity-values", "0.5,0.7", "--stability", "--subsamples", "4", "--json")
    done = run("fit", csv, *known, "--lam", "0.03", *more)
    found = json.loads(done.out)
    assert [each["label_frequency"] for each in found["sensitivity"]["values"]] == [0.5, 0.6, 0.7]
    assert set(found["stability"]["probability"]) == {"height", "rain", "temp", "soil", "road"}
    assert not (tmp_path / "report.html").exists()
    assert run("fit", csv, *known, "--lam", "0.03", "--report", "--out", "there").code == 0
    assert (tmp_path / "there" / "report.html").exists()


def test_report_fits_again_to_the_table_of_the_fit(run, fitted, tmp_path):
    done = run("report", "model", "kept.csv", "--stability")
    assert done.code == 1
    assert "need the table that it was fitted to, 'first.csv': give --fitted-to FILE" in done.words
    more = ("--stability", "--subsamples", "4", "--sensitivity-values", "fir=0.5,oak=0.6;fir=0.6,oak=0.7")
    done = run("report", "model", "kept.csv", "--fitted-to", "first.csv", *more, "--json")
    assert done.code == 0, done.err
    values = json.loads(done.out)["sensitivity"]["values"]
    tried = [each["label_frequency"] for each in values]
    assert tried == [0.6, {"fir": 0.5, "oak": 0.6}, {"fir": 0.6, "oak": 0.7}]
    assert "first.csv is not the table" not in done.words
    model = pulasso.load(tmp_path / "model")
    kept = pulasso.metrics.pu_scores(model, *held_out(tmp_path, model))
    assert values[0]["accuracy"] == pytest.approx(kept["accuracy"].value)  # judged by the rows kept apart
    done = run("report", "model", "first.csv", "--sensitivity", "--out", "again.html")
    assert done.code == 0, done.err
    done = run("report", "model", "--fitted-to", "kept.csv", "--sensitivity-values", "0.7", "--out", "c.html")
    assert "kept.csv is not the table that model was fitted to" in done.words


def held_out(folder, model):
    import pandas as pd

    rows = pd.read_csv(folder / "kept.csv")
    return rows[list(model.feature_names_in_)], rows["species"]


def test_what_was_finished_is_not_computed_again(run, fitted, tmp_path, monkeypatch):
    command = ("report", "model", "first.csv", "--sensitivity", "--stability", "--subsamples", "4")
    with monkeypatch.context() as patch:
        patch.setattr("pulasso.report.write_report", lambda *args, **kwargs: fail("The disk is full."))
        done = run(*command)
        assert (done.code, "The disk is full." in done.err) == (1, True)
    assert len(left_over(tmp_path)) == 1
    monkeypatch.setattr("pulasso.prevalence.sweep._fit_one", lambda *args: fail("computed again"))
    monkeypatch.setattr("pulasso.inference.stability._pair", lambda *args: fail("computed again"))
    done = run(*command)
    assert done.code == 0, done.err
    assert not left_over(tmp_path)


def fail(words):
    raise OSError(words)


def test_estimated_numbers_are_varied_around_the_estimate(run, csv, known, tmp_path):
    estimated = [*known[:-1], "estimate"]
    done = run("fit", csv, *estimated, "--lam", "0.03", "--sensitivity", "--keep", "rain,temp", "--json")
    values = json.loads(done.out)["sensitivity"]["values"]
    assert [each["reference"] for each in values] == [False, False, True, False, False]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--stability", "--subsamples", "5"), "--halves 5 must be even"),
        (("--sensitivity-values", "much"), "is no list of numbers. Write 0.2,0.3,0.4"),
        (("--sensitivity-values", "oka=0.2,fir=0.1"), "'oka' is no class of the table. Did you mean 'oak'?"),
        (("--sensitivity-values", "oak=0.2"), "has no number for 'fir' in one of its values"),
        (("--sensitivity-values", "0.5,1.5"), "label_frequency of class 'fir' is 1.5"),
    ],
)
def test_wrong_turns(run, csv, known, tmp_path, more, words):
    done = run("fit", csv, *known, "--lam", "0.03", "--keep", "rain", *more, "--out", "there")
    assert (done.code, words in done.words) == (1, True), done.words
    assert not (tmp_path / "there" / "model").exists()


def test_nothing_to_vary(run, csv, tmp_path):
    naive = ("--label", "species", "--scenario", "fully-observed", "--lam", "0.03", "--sensitivity")
    assert "--scenario fully-observed has none" in run("fit", csv, *naive).words
    certain = ("--label", "species", "--label-frequency", "1", "--lam", "0.03", "--sensitivity")
    assert "nothing around it to try" in run("fit", csv, *certain).words
    assert not left_over(tmp_path)
