"""The class shares that were told, on the command line."""

import json

import numpy as np
import pandas as pd
import pytest

import pulasso

KNOWN = ("--label", "species", "--label-frequency", "0.4")


@pytest.fixture(name="wide")
def wide_table(tmp_path):
    """A table of many columns and few labels, by which labelled rows can be told from the others."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [20, 60, 60])
    X = rng.normal(size=(140, 60))
    X[y == 1, :3] += 1.5
    X[y == 2, 3:6] += 1.5
    table = pd.DataFrame(X, columns=[f"gene{j}" for j in range(60)]).round(3)
    table.insert(0, "species", np.array(["background", "oak", "fir"])[np.where(rng.random(140) < 0.4, y, 0)])
    table.to_csv(tmp_path / "wide.csv", index=False)
    return "wide.csv"


def test_a_fit_that_leaves_its_shares_advises_an_option(run, wide, tmp_path):
    done = run("fit", wide, *KNOWN, "--lam", "0.003", "--json")
    found = json.loads(done.out)
    words = next(each for each in found["warnings"] if "--anchor" in each)
    assert "By --label-frequency, 'background', class 0, has" in words and "Try --anchor 1," in words
    assert found["class_shares"][0] > found["told_shares"][0] + 0.1
    held = run("fit", wide, *KNOWN, "--lam", "0.003", "--anchor", "10", "--force")
    assert "class shares" in held.out and "told" in held.out and "--anchor" not in held.err
    model = pulasso.load(tmp_path / "model")
    assert model.anchor == 10 and abs(model.class_shares_[0] - model.told_shares_[0]) < 0.03
    run("fit", wide, *KNOWN, "--lam", "0.01", "--anchor", "-1", "--force").refused("anchor")


def test_every_command_that_fits_takes_an_anchor(run, csv, known, tmp_path):
    few = ("--n-lams", "4", "--folds", "2", "--no-report", "--out", "cv")
    assert run("cv", csv, *known, *few, "--anchor", "2").code == 0
    assert pulasso.load(tmp_path / "cv/model").anchor == 2
    assert run("cv", csv, *known, *few, "--anchor", "0,3", "--force").code == 0
    chosen = pulasso.load(tmp_path / "cv/model")
    assert chosen.anchor == (0, 3) and chosen.anchor_ in (0, 3) and len(chosen.anchor_loss_) == 2
    run("fit", csv, *known, "--lam", "0.1", "--anchor", "0,3").refused(
        "anchor", "only cross-validation can choose"
    )
    run("fit", csv, *known, "--lam", "0.1", "--anchor", "strong").refused(
        "anchor", "neither a number nor numbers"
    )
    done = run("path", csv, *known, "--n-lams", "4", "--anchor", "2")
    assert "class shares at the smallest lam: background: told" in done.out
    path = pulasso.load(tmp_path / "path")
    assert path.model(-1).anchor == 2
    found = json.loads(run("path", csv, *known, "--n-lams", "4", "--anchor", "2", "--json", "--force").out)
    np.testing.assert_allclose(found["class_shares"], path.class_shares)
    assert len(found["told_shares"]) == 3
    both = {}
    for rho in ("0", "50"):
        words = ("--folds", "2", "--models", "pulasso", "--anchor", rho, "--out", rho)
        assert run("compare", csv, *known, *words, "--penalty", "elastic-net").code == 0
        both[rho] = pd.read_csv(tmp_path / rho / "compare.csv")["log-loss"][0]
    assert both["0"] != both["50"]


def test_a_saved_model_has_a_page_with_its_shares(run, csv, known, tmp_path):
    pytest.importorskip("jinja2")
    assert run("fit", csv, *known, "--lam", "0.02").code == 0
    assert run("report", "model").code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Does it keep the class shares it was told?" in page
