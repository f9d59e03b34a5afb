"""The example that `make run` runs, from end to end on fewer images."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pulasso

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", name="run")
def small_run(tmp_path_factory):
    out = tmp_path_factory.mktemp("digits")
    command = [sys.executable, str(ROOT / "examples" / "digits.py"), "--images", "600", "--out", str(out)]
    environment = os.environ | {"PYTHONPATH": str(Path(pulasso.__file__).parents[1]), "COLUMNS": "200"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    return out, done.stdout


def test_it_ends_with_three_findings_and_where_the_report_is(run):
    out, said = run
    *_, heading, first, second, third, last = said.splitlines()
    assert heading == "Findings:"
    assert re.fullmatch(r"- \d+ of 64 pixels tell the digits apart\.", first)
    assert second.startswith("- 200 new images:") and third.startswith("- A model that takes unlabeled for 0")
    assert last == f"Report: {out / 'report.html'}"


def test_the_scenario_is_worth_it_and_the_estimate_is_close(run):
    second, third = run[1].splitlines()[-3:-1]
    real, estimated, low, high = map(
        float, re.search(r"([\d.]+) % are .* ([\d.]+) % \((\d+) to (\d+) %\)", second).groups()
    )
    naive = float(re.search(r"([\d.]+) %", third).group(1))
    assert naive + 15 < real
    assert low <= real + 1 and real - 1 <= high and 0 <= low <= estimated <= high <= 100


def test_it_writes_what_the_command_promises(run):
    written = {path.name for path in run[0].iterdir()}
    assert {"labels.csv", "model", "predictions.csv", "report.html"} <= written
