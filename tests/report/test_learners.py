"""Reports and cards of boosted trees and networks: importances in place of coefficients, and no word of penalties."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import pulasso
from pulasso import PUBoostingClassifier
from pulasso.model_selection import cross_fit
from pulasso.prevalence import sensitivity_sweep

pytest.importorskip("lightgbm", reason="in the extra 'boosting'")
SETTINGS = {"scenario": "single-training-set", "label_frequency": 0.6, "unlabeled": "none", "random_state": 0}
TREES = PUBoostingClassifier(n_estimators=40, learning_rate=0.1, **SETTINGS)


@pytest.fixture(name="rows", scope="module")
def rows_with_gaps():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"height": rng.normal(size=400), "soil": pd.Categorical(rng.choice(["clay", "<b>"], 400))}
    )
    table.loc[::6, "height"] = np.nan
    truth = np.where(
        (table["soil"] == "clay") & (rng.random(400) < 0.9), 2, (table["height"] > 0.5).astype(int)
    )
    return table, np.array(["none", "oak", "fir"], dtype=object)[np.where(rng.random(400) < 0.6, truth, 0)]


def words_of(page):
    text = page.read_text(encoding="utf-8")
    return re.sub(r"\s+", " ", re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", text, flags=re.DOTALL))


def test_the_page_of_trees(rows, tmp_path):
    pytest.importorskip("jinja2")
    x, z = rows
    model = cross_fit(clone(TREES), x, z, cv=3)
    sweep = sensitivity_sweep(clone(TREES), x, z, [0.5, 0.6])
    page = model.report(tmp_path / "page.html", X=x, z=z, sensitivity=sweep)
    words, text = words_of(page), page.read_text(encoding="utf-8")
    assert "Which features matter" in words and "share of the total gain of the trees" in words
    assert f"{model.feature_importances_.max():.3g}" in words
    assert "How the number of rounds was chosen" in words
    assert f"after {model.n_iter_} of {len(model.validation_loss_)} rounds" in words
    assert f"{model.fold_losses_.mean():.4g}, after {model.fold_rounds_[0]}" in words
    expected = pulasso.metrics.pu_scores(model, x, z, y_proba=model.cv_proba_)["accuracy"].value
    assert f"{expected:.3f}" in words and "that did not see it." in words  # held-out rows are judged
    assert text.count("<svg") == 7  # shares, importances, two curves, confusion, calibration, sensitivity
    assert "averaged over rows that keep their other features" in words
    assert "Used whatever is assumed: " in words and "features used" in words
    assert "lightgbm" in words and f"{model.loss_:.9g}" in words
    assert "&lt;b&gt;" in text and "<b>" not in text
    for absent in ("lam", "log odds", "penalty", "lam_max", "group", "selected", "KKT", "nan"):
        assert not re.search(rf"\b{absent}\b", words), absent


def test_without_rows_and_without_early_stopping(rows, tmp_path):
    pytest.importorskip("jinja2")
    model = clone(TREES).set_params(early_stopping=False).fit(*rows)
    words = words_of(model.report(tmp_path / "page.html"))
    assert "fitted in 40 rounds, as many as were asked for" in words
    assert "so it holds no scores" in words and "share of the total gain" in words


def test_rows_of_the_fit_are_recognised(rows, tmp_path):
    pytest.importorskip("jinja2")
    model = clone(TREES).fit(*rows)
    words = words_of(model.report(tmp_path / "page.html", X=rows[0], z=rows[1]))
    assert "These look like the rows that the model was fitted to" in words


def test_the_card_of_trees(rows, tmp_path):
    model = clone(TREES).fit(*rows)
    text = model.card(tmp_path / "card.md", X=rows[0], z=rows[1], name="Trees").read_text(encoding="utf-8")
    assert text.startswith("# Model card: Trees\n")
    assert f"**rounds:** {model.n_iter_}, chosen by held-out labels" in text
    assert "2 of 2 are used" in text and "| feature | importance |" in text
    assert "penalty" not in text and not re.search(r"\blam\b", text)


def test_ordered_classes(rows, tmp_path):
    pytest.importorskip("jinja2")
    order = {"response": "ordinal", "class_order": ["none", "oak", "fir"]}
    model = clone(TREES).set_params(**order).fit(*rows)
    words = words_of(model.report(tmp_path / "page.html", X=rows[0], z=rows[1]))
    assert "ordered classes (cumulative logit)" in words and "mean absolute error" in words


def test_networks_are_known_by_what_shuffling_costs(tmp_path):
    pytest.importorskip("skorch", reason="in the extra 'neural'")
    pytest.importorskip("jinja2")
    if "PUNeuralClassifier" not in dir(pulasso):
        pytest.skip("there are no networks yet")
    rng = np.random.default_rng(0)
    x = pd.DataFrame(rng.normal(size=(400, 3)), columns=["a", "b", "c"])
    z = np.where((x["a"] * x["b"] > 0) & (rng.random(400) < 0.6), "oak", "none")
    model = cross_fit(pulasso.PUNeuralClassifier(max_epochs=60, anchor=1.0, **SETTINGS), x, z, cv=2)
    sweep = sensitivity_sweep(clone(model), x, z, [0.5, 0.6])
    assert "features" not in repr(sweep) and "always" not in repr(sweep)
    words = words_of(model.report(tmp_path / "page.html", X=x, z=z, sensitivity=sweep))
    assert "loss of log-likelihood when the feature is shuffled" in words
    assert "How the number of epochs was chosen" in words and "torch" in words
    assert "the strongest: a, b" in words or "the strongest: b, a" in words
    assert "It uses 3 features." in words_of(model.report(tmp_path / "bare.html"))
