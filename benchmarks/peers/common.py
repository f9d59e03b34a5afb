"""What the Python solvers share: time, memory and the command line.

Usage of every script here: ``python <script> TASK_FOLDER RESULT_FOLDER '{"tol": 1e-7, "repeats": 3}'``
"""

import contextlib
import json
import os
import resource
import sys
import time
from pathlib import Path

LONG = 20.0  # seconds; slower fits are not repeated


def arguments():
    """Return task folder, result folder and options."""
    options = {"repeats": 3} | json.loads(sys.argv[3] if len(sys.argv) > 3 else "{}")
    return Path(sys.argv[1]), Path(sys.argv[2]), options


def _memory(field):
    """Return a field of /proc/self/status in MB; 0 where there is no such file."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((float(line.split()[1]) / 1024 for line in lines if line.startswith(field)), 0.0)


def _forget_peak():
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def measure(fit, options, import_seconds):
    """Call `fit` once cold and a few times warm; return its last value and what it cost.

    Peak memory is that of the first fit beyond what was there before it: data and imports do not count.
    """
    _forget_peak()
    before = _memory("VmRSS")
    wall, cpu = [], []
    for _ in range(1 + options["repeats"]):
        start, start_cpu = time.perf_counter(), time.process_time()
        value = fit()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - start_cpu)
        if len(wall) == 1:
            peak = (_memory("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024) - before
        if sum(wall) > LONG:
            break
    best = min(range(len(wall)), key=wall.__getitem__) if len(wall) == 1 else 1 + _argmin(wall[1:])
    facts = {
        "cold": import_seconds + wall[0],
        "import": import_seconds,
        "warm": wall[best],
        "cpu": cpu[best],
        "runs": len(wall),
        "peak_mb": peak,
        "load": os.getloadavg()[0],
    }
    return value, facts


def _argmin(values):
    return min(range(len(values)), key=values.__getitem__)
