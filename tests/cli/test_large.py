"""A table of some size costs the command line little more than Python; `make bench-cli` has a large one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

ROOT = Path(__file__).parents[2]
N_ROWS, N_FEATURES = 1500, 1000
# In a process of its own: the peak memory of a child is at least that of the process that starts it.
MEASURE = f"""
import json, pathlib, command_line
costs = command_line.measure_all({N_ROWS}, {N_FEATURES}, pathlib.Path("."), ["library", "fit --report"])
print(json.dumps([[cost.seconds, cost.peak] for cost in costs.values()]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs os.wait4")
def test_time_and_memory_of_a_table(tmp_path, record_figure):
    paths = [str(ROOT / "benchmarks"), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", MEASURE], cwd=tmp_path, env=known, capture_output=True, text=True, check=True
    )
    (seconds, peak), (seconds_cli, peak_cli) = json.loads(done.stdout)
    ratio, grown = seconds_cli / seconds, (peak_cli - peak) / (8 * N_ROWS * N_FEATURES)
    record_figure("command line, 1500 x 1000", f"{ratio:.2f} x the library's time, {grown:+.2f} x the table")
    assert ratio < 3.0
    # A copy of the table would show: its own modules take the command line about as much as one of this size.
    assert grown < 1.5
