"""A small version of `studies/learners.py`: what it draws, how it labels, and its rivals."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

STUDY = Path(__file__).parents[2] / "studies" / "learners.py"


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("learners_study", STUDY)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
def test_what_is_drawn(study, scenario):
    rng = np.random.default_rng(0)
    x, y = study.draw(study.waves, 2, False, 4_000, rng)
    rows, z, classes, weight, told = study.observe(x, y, scenario, study.waves, False, rng)
    assert len(rows) == len(z) == len(classes) and set(z) == {0, 1, 2}
    assert (classes[z > 0] == z[z > 0]).all() and (classes[z == 0] > 0).any()
    if scenario == "case-control":
        share = np.bincount(classes, weights=weight) / weight.sum()
        np.testing.assert_allclose(share[1:], told["prevalence"], atol=0.02)


def test_the_tables_are_printed(study, monkeypatch, capsys):
    pytest.importorskip("lightgbm", reason="in the extra 'boosting'")
    monkeypatch.setattr(study, "N_TEST", 300)
    monkeypatch.setattr(study, "cells", lambda: [(2, "single-training-set", "multinomial")])
    study.simulated(1, 250, ["boosting"], ["bumps"])
    assert "closed, anchor 0" in capsys.readouterr().out


def test_the_non_negative_risk(study):
    """Its gradient is that of the risk, and its trees tell classes apart."""
    pytest.importorskip("lightgbm", reason="in the extra 'boosting'")
    rng = np.random.default_rng(0)
    x, y = study.draw(study.bumps, 2, False, 800, rng)
    z = np.where(rng.random(800) < 0.6, y, 0)
    rival = study.NonNegative(study.PUBoostingClassifier(n_estimators=60), 0.6, 0)
    eta, step = rng.normal(size=(800, 2)), 1e-5
    grad = rival.gradient(eta, z)[0]
    assert rival.risk(eta, z) > 0
    for i, k in ((0, 0), (5, 1), (int(np.flatnonzero(z == 2)[0]), 1)):
        up, down = eta.copy(), eta.copy()
        up[i, k] += step
        down[i, k] -= step
        slope = (rival.risk(up, z) - rival.risk(down, z)) / (2 * step)
        assert grad[i, k] / 800 == pytest.approx(slope, abs=1e-6)
    proba = rival.fit(x, z).predict_proba(x)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert np.mean(proba.argmax(axis=1) == y) > np.mean(y == 0)
