"""Ctrl-C at any time, each kind of work in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pulasso
import support
from support.interrupts import CASES

FOLDERS = [str(Path(package.__file__).parents[1]) for package in (pulasso, support)]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_interrupts(case):
    command = [sys.executable, "-m", "support.interrupts", case]
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    environment = {**unmeasured, "PYTHONPATH": os.pathsep.join(FOLDERS)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
