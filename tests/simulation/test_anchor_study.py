"""A small version of `studies/anchor.py`: what it tells models, how it judges, and what it concludes."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import scipy.io

STUDY = Path(__file__).parents[2] / "studies" / "anchor.py"


@pytest.fixture(scope="module", name="study")
def load_study():
    spec = importlib.util.spec_from_file_location("anchor", STUDY)
    study = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(STUDY.parent)  # as for a script: it shares code with another study
        spec.loader.exec_module(study)
    return study


@pytest.mark.filterwarnings("ignore")
def test_every_strength_and_rule_is_judged(study, monkeypatch):
    monkeypatch.setattr(study, "FIT", {**study.FIT, "n_lams": 4, "cv": 2, "lam_min_ratio": 0.2})

    def draw(seed):
        return study.simulated("multinomial", "single-training-set", 150, 10, seed)

    found = study.run_strengths(draw, 0, 1.0, (0.0, 3.0))
    assert {"rho 0", "rho 3", "rho 0, shift", "rho 3, 1se", "rho by held-out likelihood"} <= set(found)
    for scores in found.values():
        assert 0 < scores["accuracy"] < 1 and 0 < scores["log_loss"] < 3
    assert found["rho 3"]["error"] > 0 and 0 <= found["rho 3"]["f1"] <= 1
    assert found["rho 0"] != found["rho 3"]


@pytest.mark.filterwarnings("ignore")
def test_few_rows_and_what_a_part_of_the_recipe_is_worth(study, monkeypatch):
    monkeypatch.setattr(study, "FIT", {**study.FIT, "n_lams": 4, "cv": 2, "lam_min_ratio": 0.2})

    def draw(seed):
        return study.simulated("multinomial", "single-training-set", 60, 120, seed)

    found = {}
    for recipes in study.RECIPES.values():
        found |= study.run_few_rows(draw, 0, recipes)
    assert {"few rows", "few rows, lasso", "ridge on all columns", "ridge cut down"} <= set(found)
    assert found["ridge on all columns"].pop("features") == 120
    assert all(scores.get("features", 0) < 100 and 0 < scores["accuracy"] < 1 for scores in found.values())
    assert len({scores["log_loss"] for scores in found.values()}) == len(found)


@pytest.mark.filterwarnings("ignore")
def test_a_ridge_is_the_same_in_coordinates_of_the_rows(study):
    X, z, X_test, y_test, known, *_ = study.simulated("multinomial", "single-training-set", 40, 60, 0)
    settings = {"penalty": study.ElasticNet(0.01), "lams": [0.5], "cv": 2, "random_state": 0, "tol": 1e-8}
    scenario = study.SingleTrainingSet(known["label_frequency"])
    by_rows = study.ridge_on_all(X, z, X_test, y_test, scenario, settings)["ridge on all columns"]
    scaled = {**settings, "lams": [0.5 * X.shape[1]]}
    model = study.MultinomialPULassoCV(scenario=scenario, standardize=False, **scaled).fit(X, z)
    by_columns = study.judge(model.predict_proba(X_test), y_test)
    assert by_rows["log_loss"] == pytest.approx(by_columns["log_loss"], rel=0.01)
    assert by_rows["features"] == 60


def test_few_columns_take_over_what_all_say(study, monkeypatch):
    monkeypatch.setattr(study, "SHRINK", 1e-9)
    rng = np.random.default_rng(0)
    X, theta = rng.normal(size=(20, 300)), rng.normal(size=(300, 2))
    theta[:150] *= 0.01
    cut = study.cut_down(X, theta)
    kept = np.flatnonzero(cut.any(axis=1))
    assert len(kept) == 99 and kept.min() >= 150
    np.testing.assert_allclose(X @ cut, X @ theta, atol=1e-5)


@pytest.mark.filterwarnings("ignore")
def test_rivals_are_tuned_as_a_user_can_and_as_nobody_can(study, monkeypatch):
    monkeypatch.setattr(study, "RIVALS", ("elkan-noto", "pu-bagging"))

    def draw(seed):
        return study.simulated("multinomial", "single-training-set", 150, 10, seed)

    found = study.run_rivals(draw, 0)
    assert len(found) == 4
    by_held_out, by_test = (found[f"elkan-noto, {how}"] for how in ("held out", "test rows"))
    assert by_test["accuracy"] >= by_held_out["accuracy"] and by_test["log_loss"] <= by_held_out["log_loss"]
    tried = []
    for lam in study.RIVAL_LAMS:
        monkeypatch.setattr(study, "RIVAL_LAMS", (lam,))
        tried.append(study.run_rivals(draw, 0)["elkan-noto, held out"])
    assert by_held_out in tried
    for score, best in (("accuracy", max), ("log_loss", min)):
        assert by_test[score] == best(scores[score] for scores in tried)


@pytest.mark.filterwarnings("ignore:The least populated class")
def test_a_rival_that_refuses_is_left_out(study):
    """Chance labelled nearly all: at the frequency told nothing remains for class 0."""

    def draw(seed):
        X, z = np.random.default_rng(seed).normal(size=(40, 3)), np.repeat([0, 1, 2], [4, 18, 18])
        return X, z, X, z, {"scenario": "single-training-set", "label_frequency": 0.5}, "multinomial", None

    assert {name.split(",")[0] for name in study.run_rivals(draw, 0)} == {"pu-bagging", "elkan-noto"}


def test_held_out_labels_choose_one_of_two_in_every_split(study):
    losses = {
        ("few rows", 0): 0.5,
        ("ridge cut down", 0): 0.6,
        ("few rows", 1): 0.7,
        ("ridge cut down", 1): 0.6,
    }
    rows = [
        {"data": "a", "replicate": i, "method": method, "score": score, "value": value}
        for (method, i), loss in losses.items()
        for score, value in (("held_out", loss), ("accuracy", float(method == "few rows")))
    ]
    chosen = [row for row in study.either(rows) if row["score"] == "accuracy"]
    assert [row["value"] for row in chosen] == [1.0, 0.0]
    assert {row["method"] for row in chosen} == {"either, by held-out labels"}
    assert not study.either(rows[:2])


def test_the_best_rival_is_named_for_either_choice(study):
    scores = {
        "few rows": (0.6, 0.5, 90),
        "nnpu, held out": (0.5, 0.8, None),
        "nnpu, test rows": (0.7, 0.6, None),
        "upu, held out": (0.55, 0.9, None),
        "upu, test rows": (0.55, 0.9, None),
    }
    rows = [
        {"group": "wide", "data": "a, 0.5", "replicate": i, "method": method, "score": score, "value": value + shift}
        for method, values in scores.items()
        for score, value in zip(("accuracy", "log_loss", "features"), values, strict=True)
        for i, shift in enumerate((-0.1, 0.1))
        if value is not None
    ]  # fmt: skip
    (line,) = study.against_rivals(rows).to_dict("records")
    assert (line["table"], line["splits"], line["columns"]) == ("a, 0.5", 2, 90)
    assert line["accuracy"] == "0.600 ± 0.100"
    assert line["accuracy, held out"] == "0.550 ± 0.100 (upu, 2)"
    assert line["accuracy, test rows"] == "0.700 ± 0.100 (nnpu, 2)"
    assert line["log_loss, held out"] == "0.800 ± 0.100 (nnpu, 2)"


def test_shares_told_wrong(study):
    by_label = study.told_by({"scenario": "s", "label_frequency": 0.4}, 2.0)
    assert by_label["label_frequency"] == 0.2
    assert study.told_by({"scenario": "s", "label_frequency": 0.6}, 0.5) is None
    assert study.told_by({"scenario": "c", "prevalence": [0.3, 0.3]}, 2.0) is None
    np.testing.assert_allclose(study.told_by({"prevalence": [0.2, 0.1]}, 0.5)["prevalence"], [0.1, 0.05])


def test_every_class_keeps_a_label(study):
    X, y = np.zeros((60, 1)), np.repeat([0, 1, 2], [50, 5, 5])
    for seed in range(20):
        assert set(study.masked(X, y, 0.3, seed)[1]) == {0, 1, 2}


def test_verdict_counts_data_sets(study):
    rows = [
        {"group": "g", "data": data, "factor": 1.0, "replicate": i, "method": method, "score": "log_loss", "value": v}
        for data, gain in (("a", 0.1), ("b", -0.1))
        for i, noise in enumerate((0.0, 0.01, -0.01))
        for method, v in (("rho 0", 1.0), ("rho 3", 1.0 - gain + noise))
    ]  # fmt: skip
    table = study.verdict(rows).set_index("method").loc["rho 3"]
    assert (table["better"], table["worse"], table["worse by 2 se"]) == (1, 1, 1)


def test_wide_tables_are_read(study, tmp_path):
    labels = np.repeat([3, 1, 2, 9], [6, 10, 8, 2])
    scipy.io.savemat(tmp_path / "some.mat", {"X": np.arange(52).reshape(26, 2), "Y": labels[:, None]})
    X, y = study.read_matlab(tmp_path / "some.mat")
    assert X.shape == (24, 2) and np.bincount(y).tolist() == [
        10,
        8,
        6,
    ]  # the commonest is class 0, two rows are too few
    assert ("wide", "some, 0.5") in study.data_sets(tmp_path)
