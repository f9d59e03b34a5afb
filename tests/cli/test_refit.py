"""`pulasso cv --refit relaxed`: the model that is written, shown and reported is the refit."""

import json

import numpy as np
import pandas as pd
import pytest

import pulasso
from pulasso.cli.errors import show_parameter

FEW = ("--n-lams", "6", "--folds", "3")


def test_the_refit_is_what_is_written(run, csv, known, table, tmp_path):
    assert run("cv", csv, *known, *FEW, "--no-report", "--out", "plain").code == 0
    done = run("cv", csv, *known, *FEW, "--no-report", "--refit", "relaxed", "--out", "relaxed")
    assert done.code == 0 and "relaxed: ridge on what was selected; held-out loss" in done.out
    plain, relaxed = (pulasso.load(tmp_path / name / "model") for name in ("plain", "relaxed"))
    assert relaxed.refit == "relaxed" and plain.refit is None
    assert relaxed.lam_ == plain.lam_
    np.testing.assert_array_equal(relaxed.coef_.any(axis=0), plain.coef_.any(axis=0))
    assert not np.allclose(relaxed.coef_, plain.coef_, atol=1e-2)
    assert run("predict", "relaxed/model", csv, "--out", "again.csv").code == 0
    written, again = (pd.read_csv(tmp_path / name) for name in ("relaxed/predictions.csv", "again.csv"))
    classes = [f"P({name})" for name in relaxed.classes_]
    np.testing.assert_allclose(written[classes], again[classes], atol=1e-5)
    before = pd.read_csv(tmp_path / "plain/predictions.csv")[classes]
    assert np.abs(written[classes] - before).to_numpy().max() > 1e-3


def test_programs_learn_what_held_out_rows_say(run, csv, known, tmp_path):
    words = ("cv", csv, *known, *FEW, "--no-report", "--json")
    assert "refit_loss" not in json.loads(run(*words).out)
    found = json.loads(run(*words, "--refit", "relaxed", "--force").out)
    model = pulasso.load(tmp_path / "model")
    assert found["refit"] == "relaxed" and found["refit_loss"] == model.refit_loss_ != found["cv_loss"]


def test_ordered_classes_and_a_file_of_options(run, csv, known, tmp_path):
    (tmp_path / "settings.toml").write_text('refit = "relaxed"\n', encoding="utf-8")
    words = ("--ordered", "background<fir<oak", "--config", "settings.toml", "--no-report")
    assert run("cv", csv, *known, *FEW, *words).code == 0
    model = pulasso.load(tmp_path / "model")
    assert type(model).__name__ == "OrdinalPULassoCV" and model.refit == "relaxed"


def test_the_page_says_so(run, csv, known, tmp_path):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    from pulasso.report import write_card

    assert run("cv", csv, *known, *FEW, "--refit", "relaxed").code == 0
    write_card(pulasso.load(tmp_path / "model"), tmp_path / "card.md")
    for name in ("report.html", "card.md"):
        assert "ridge on what was selected" in (tmp_path / name).read_text(encoding="utf-8")


def test_no_more_groups_than_allowed(run, csv, known, tmp_path):
    active = []
    for limit in ("1", "100"):
        words = ("cv", csv, *known, *FEW, "--no-report", "--max-active", limit, "--out", limit)
        assert run(*words).code == 0
        active.append(np.count_nonzero(pulasso.load(tmp_path / limit / "model").group_norms_))
    assert active[0] <= 1 < active[1]


def test_errors_name_the_option(run, csv, known):
    done = run("cv", csv, *known, "--max-active", "0")
    assert done.code == 2 and "--max-active" in done.words
    done = run("cv", csv, *known, "--refit", "relax")
    assert done.code == 2 and "--refit" in done.words
    assert "'relax' is none of 'relaxed'. Did you mean 'relaxed'?" in done.words
    done = run(
        "fit", csv, *known, "--lam", "0.03", "--refit", "relaxed"
    )  # nothing is selected by folds there
    assert done.code == 2 and "No such option: --refit" in done.words
    assert show_parameter("refit", "'relaxed'") == "--refit relaxed"
