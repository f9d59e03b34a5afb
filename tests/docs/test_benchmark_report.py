"""Tables of the benchmarks judge only what is comparable."""

import importlib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

pytestmark = pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason="benchmarks are not part of an installed package"
)


@pytest.fixture
def report(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("report")


def row(solver, time_ratio, gap, **more):
    ratios = {"time_ratio": time_ratio, "cpu_ratio": time_ratio, "gap": gap, "accurate": True}
    return {"task": "T1", "seed": 0, "solver": solver, "tol": 1e-7, **ratios, **more}


def verdict(report, *rows):
    """Return the fastest peer, whether the goal is met, and what is said about objectives."""
    line = report._targets([row("pulasso", 1.0, 0.0), *rows]).splitlines()[-1]
    cells = [cell.strip() for cell in line.split("|")[1:-1]]
    return cells[1], *cells[-2:]


def test_the_fastest_accurate_peer_is_compared(report):
    assert verdict(report, row("loose", 2.0, 1e-3), row("exact", 9.0, 1e-7)) == ("exact", "goal", "equal")
    assert verdict(report, row("exact", 2.0, 1e-7), row("slow", 9.0, 1e-7)) == ("exact", "yes", "equal")


def test_what_is_not_comparable_is_not_judged(report):
    assert verdict(report, row("loose", 9.0, 1e-3)) == ("loose", "not judged", "differ: gap up to 1.0e-03")
    worse = row("better", 9.0, 1e-7, accurate=False)
    assert verdict(report, worse) == ("better", "not judged", "ours above theirs: see below")
    assert verdict(report, row("other", 9.0, 1e-7, accurate=None))[1:] == ("goal", "each at its own")


def test_a_solver_that_did_not_end_counts_with_the_limit(report):
    slow = row("slow", 5.0, None, is_bound=True, cpu_ratio=None)
    assert verdict(report, slow) == ("slow", "goal", "not reached in time")
    assert "| > 5 |" in report._targets([row("pulasso", 1.0, 0.0), slow])


def test_a_disturbed_clock_meets_no_goal(report):
    assert verdict(report, row("adelie", 9.0, 1e-7, cpu_ratio=2.0)) == ("adelie", "yes", "equal")


def test_wide_gaps_are_marked(report):
    table = report._path_table([row("loose", 2.0, 1e-3), row("exact", 9.0, 1e-7)])
    assert "| **0.001** |" in table or "| **1.0e-03** |" in table
    assert "| 1.0e-07 |" in table


def test_publishing_copies_report_and_pictures(report, tmp_path):
    (tmp_path / "report.md").write_text("# Benchmark results\n")
    (tmp_path / "growth.png").write_bytes(b"a picture")
    report.publish(tmp_path, tmp_path / "RESULTS.md", tmp_path / "pictures")
    assert (tmp_path / "RESULTS.md").read_text() == "# Benchmark results\n"
    assert (tmp_path / "pictures" / "growth.png").read_bytes() == b"a picture"
