"""A small version of `studies/metrics_coverage.py`: estimates are unbiased and their intervals cover the truth."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

STUDY = Path(__file__).parents[2] / "studies" / "metrics_coverage.py"
REPLICATES, ROWS = 120, 400


@pytest.fixture(scope="module", name="study")
def load_study():
    spec = importlib.util.spec_from_file_location("metrics_coverage", STUDY)
    study = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(study)
    return study


@pytest.mark.parametrize(
    ("response", "scenario", "confirmed"),
    [("multinomial", "case-control", False), ("ordinal", "single-training-set", True)],
)
def test_intervals_cover(study, record_figure, response, scenario, confirmed):
    result = study.replicate(response, scenario, confirmed, ROWS, REPLICATES, 0)
    rows = study.tabulate((response, scenario, confirmed, ROWS), result)
    assert len(rows) >= 28
    coverage = np.array([row["coverage"] for row in rows])
    record_figure(
        f"coverage of 95 % intervals, {response}, {scenario}", f"{100 * coverage.mean():.1f} % on average"
    )
    assert 0.92 < coverage.mean() < 0.98
    assert coverage.min() > 0.84  # 95 %, less four standard errors of a share of 120
    for row in rows:
        assert abs(row["bias"]) < 4 * row["sd"] / np.sqrt(REPLICATES) + 0.05 * row["sd"], row
        assert row["mean se"] == pytest.approx(row["sd"], rel=0.3), row
