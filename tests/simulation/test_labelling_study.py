"""A small version of `studies/labelling.py`: what it draws, and how it labels."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

STUDY = Path(__file__).parents[2] / "studies" / "labelling.py"


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("labelling_study", STUDY)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_labels_are_shown_more_often_where_the_column_is_large(study):
    X, z, theta = study.draw(4_000, 2, 0)
    assert theta.shape == (5, 2) and set(z) == {0, 1, 2}
    assert np.mean(z[X[:, 0] > 0] > 0) > 1.5 * np.mean(z[X[:, 0] < 0] > 0)


def test_every_mechanism_shows_about_half_of_the_labels(study):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 3))
    y = np.where(X[:, 0] + rng.logistic(size=2_000) > 0, rng.integers(1, 3, size=2_000), 0)
    shown = {}
    for mechanism in study.MECHANISMS:
        z = study.label(mechanism, X, y, np.random.default_rng(1))
        assert (z[y == 0] == 0).all() and set(z[z != y]) == {0}
        assert abs(np.mean(z[y > 0] > 0) - 0.5) < 0.05
        shown[mechanism] = X[z > 0, 0].mean()
    assert shown["falling with P"] < shown["constant"] < shown["rising with P"] < shown["top N"]


def test_the_tables_are_printed(study, monkeypatch, capsys):
    monkeypatch.setattr(study, "SIZES", (300,))
    monkeypatch.setattr(study, "CASES", {"K = 1, excluded": (1, False)})
    study.recovery(1)
    assert "root n x effect" in capsys.readouterr().out
