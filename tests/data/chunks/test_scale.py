"""The benchmark of scale runs, with tiny data, and ends with its figure."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pulasso

SOURCE = Path(pulasso.__file__).parents[1]
SCRIPT = SOURCE.parent / "benchmarks" / "scale.py"

pytestmark = [
    pytest.mark.skipif(not SCRIPT.exists(), reason="benchmarks are not part of an installed package"),
    pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="needs Linux"),
]


def run(*arguments):
    """Return facts and figure; the verdict on tiny data does not matter."""
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, env={**os.environ, "PYTHONPATH": str(SOURCE)}
    )
    assert done.returncode in (0, 1), done.stderr
    *facts, figure = done.stdout.splitlines()
    return json.loads("\n".join(facts)), figure


def test_tall_under_a_limit_on_memory(tmp_path):
    small = ("--rows", 20_000, "--features", 20, "--lams", 4, "--folder", tmp_path, "--memory", 2)
    facts, figure = run("tall", *small, "--limit", "address-space")
    assert facts["converged"] and facts["passes"] <= 3 * 4 + 3
    assert figure.startswith("out of core, 20,000 x 20, 2 GiB by address-space, page cache drop: 4 lams")


def test_wide_in_passes():
    facts, figure = run("wide", "--rows", 1000, "--features", 3000, "--lams", 8, "--density", 0.005)
    assert facts["converged"] and figure.endswith("at most 150")
