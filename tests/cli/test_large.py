"""A table of some size costs the command line little more than Python; `make bench-cli` has a large one."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
N_ROWS, N_FEATURES = 3000, 1000


@pytest.fixture(name="benchmark")
def command_line_benchmark(monkeypatch):
    """The script of `make bench-cli`."""
    monkeypatch.setenv("PYTHONPATH", f"{SOURCE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    spec = importlib.util.spec_from_file_location("command_line", ROOT / "benchmarks" / "command_line.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "command_line", module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs os.wait4")
def test_time_and_memory_of_a_table(benchmark, tmp_path, record_figure):
    tiny = benchmark.measure_all(60, 6, tmp_path, ["fit --report"])["fit --report"]
    costs = benchmark.measure_all(N_ROWS, N_FEATURES, tmp_path, ["library", "fit --report"])
    ratio = costs["fit --report"].seconds / costs["library"].seconds
    # What Python and its packages take is there for the smallest table, too.
    grown = (costs["fit --report"].peak - tiny.peak) / (8 * N_ROWS * N_FEATURES)
    record_figure("command line, 3000 x 1000", f"{ratio:.2f} x the library's time, {grown:.2f} x the table")
    assert ratio < 3.0
    assert grown < 3.0
