"""A small version of `studies/standardize.py`: what it draws, how it judges, and how it reads the real scan."""

import gzip
import importlib.util
from pathlib import Path

import numpy as np
import pytest

STUDY = Path(__file__).parents[2] / "studies" / "standardize.py"


@pytest.fixture(scope="module", name="study")
def load_study():
    spec = importlib.util.spec_from_file_location("standardize", STUDY)
    study = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(study)
    return study


def test_judges_every_way(study):
    settings = {**study.SETTINGS["tiny"], "n": 400, "positions": 3, "n_lams": 4}
    scores = study.one_data_set("all", settings, seed=0)["scores"]
    assert scores.shape == (len(study.WAYS), 3)
    by_way = dict(zip(study.WAYS, scores, strict=True))
    # All columns are indicators, and left alone.
    np.testing.assert_array_equal(by_way["auto"], by_way["False"])
    assert not np.allclose(by_way["auto"], by_way["True"])
    rank, auc, loss = scores.T
    assert (rank > 0.1).all() and (auc > 0.6).all() and (loss < np.log(2)).all()


@pytest.mark.parametrize("effects", ["all", "few", "numbers too", "grow with rarity"])
def test_draws_rare_columns(study, effects):
    X, X_new, y, y_new, beta = study.draw_scan(effects, 500, 5, np.random.default_rng(0))
    assert X.shape == (500, len(beta)) and X_new.shape[1] == len(beta) and len(y_new) == len(X_new)
    is_indicator = np.isin(X, [0, 1]).all(axis=0)
    assert is_indicator.sum() == len(beta) - study.N_NUMBERS * (effects == "numbers too")
    assert (X[:, is_indicator].mean(axis=0) < 0.01).mean() > 0.3
    assert 0.3 < y.mean() < 0.7


def test_reads_the_real_scan(study, tmp_path):
    (tmp_path / study.ROCKER).parent.mkdir()
    lines = ["sequence,labeled,unlabeled", *(["MAA,9,9"] * 3), "MAC,4,1", "MDA,0,8", "MDC,2,6", "MDE,0,7"]
    with gzip.open(tmp_path / study.ROCKER, "wt") as file:
        file.write("\n".join(lines))
    X, z, weight, enrichment = study.read_rocker(tmp_path)
    assert (z.tolist(), weight.tolist()) == ([1, 0, 0], [2.0, 6.0, 7.0])
    # Columns: D at place 1; C and E at place 2, of which E occurs in no single mutant.
    np.testing.assert_array_equal(X.toarray(), [[1, 1, 0], [1, 1, 0], [1, 0, 1]])
    np.testing.assert_allclose(enrichment, [np.log(0.5 / 8.5), np.log(4.5 / 1.5), np.nan])
