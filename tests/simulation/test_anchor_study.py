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
    spec.loader.exec_module(study)
    return study


@pytest.mark.filterwarnings("ignore")
def test_every_strength_and_rule_is_judged(study, monkeypatch):
    monkeypatch.setattr(study, "FIT", {**study.FIT, "n_lams": 4, "cv": 2, "lam_min_ratio": 0.2})

    def draw(seed):
        return study.simulated("multinomial", "single-training-set", 150, 10, seed)

    monkeypatch.setattr(study, "RIVALS", ("elkan-noto",))
    found = study.run_cell("", draw, 0, 1.0, (0.0, 3.0), rivals=True)
    assert {"rho 0", "rho 3", "rho 0, shift", "rho 3, 1se", "rho by held-out likelihood"} <= set(found)
    assert {"few rows, prior count 0", "few rows, prior count 1", "elkan-noto"} <= set(found)
    assert 0.2 < found.pop("elkan-noto")["accuracy"] < 1
    for scores in found.values():
        assert 0 < scores["accuracy"] < 1 and 0 < scores["log_loss"] < 3
    assert found["rho 3"]["error"] > 0 and 0 <= found["rho 3"]["f1"] <= 1
    assert found["rho 0"] != found["rho 3"]


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
