"""Fuzz of the public face: random calls that end with finite results or with an error that names its cause.

    python torture/fuzz.py [--cases 50000] [--face labels] [--first 0]

The cases run in chunks, each in a process of its own with limits on memory and time, so that a crash or a hang is seen
and the case that did it is named. `--face fit --first 17 --cases 1` repeats one. The last line is the figure.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

# What is called, and how many of a hundred cases call it.
FACES = {
    "public": 39,
    "labels": 12,
    "chunks": 2,
    "model_folder": 10,
    "notes": 3,
    "weights": 7,
    "groups": 6,
    "path": 5,
    "fit": 8,
    "features": 5,
    "command": 1.5,
    "cross_validation": 0.46,
    "species": 1,
    "process": 0.04,
}
CHUNK = {"cross_validation": 100, "command": 250, "process": 25}
CHUNK_OTHERWISE = 1000
MEMORY = 6 * 2**30  # bytes of address space, most of which libraries reserve and never touch
PATIENCE, SECONDS_PER_CASE = 600.0, 2.0  # of waiting for a chunk; each case has a limit of its own


def faces():
    """Return the functions (rng) -> call, by name."""
    from support.fuzz import calls, files, notes, public

    rooms = (calls, files, notes, public)
    return {name: next(getattr(room, name) for room in rooms if hasattr(room, name)) for name in FACES}


def run_chunk(name, first, last, note):
    """Run cases in this process; write outcomes and failures to `note`, the current case before each."""
    import numpy as np

    from support.fuzz.judge import UnnamedError, judge

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    make = faces()[name]
    outcomes, failures = Counter(), []
    for case in range(first, last):
        os.pwrite(note.fileno(), f"{case:<20}".encode(), 0)
        try:
            outcomes[judge(make(np.random.default_rng(case)))] += 1
        except UnnamedError as error:
            failures.append([case, str(error)])
        if failures or case + 1 == last:  # at once: a later case may end this process
            os.pwrite(note.fileno(), json.dumps([outcomes, failures]).encode(), 20)


def start_chunk(name, first, last):
    """Run a chunk in a process of its own; return its outcomes and failures."""
    words = [
        sys.executable,
        __file__,
        "--face",
        name,
        "--first",
        str(first),
        "--cases",
        str(last - first),
        "--here",
    ]
    with tempfile.NamedTemporaryFile() as note:
        command = [*words, "--note", note.name]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                timeout=PATIENCE + SECONDS_PER_CASE * (last - first),
                check=False,
            )
            how = f"ended by {signal.Signals(-done.returncode).name}" if done.returncode < 0 else ""
            how = how or (done.stderr.decode()[-500:] if done.returncode else "")
        except subprocess.TimeoutExpired:
            how = "did not end"
        content = Path(note.name).read_bytes()
    outcomes, failures = json.loads(content[20:]) if len(content) > 20 else ({}, [])
    if how:
        case = int(content[:20]) if content else first
        # The rest of the chunk goes on in another process.
        later = start_chunk(name, case + 1, last) if case + 1 < last else (Counter(), [])
        return Counter(outcomes) + later[0], [*failures, [case, f"the process {how}"], *later[1]]
    return Counter(outcomes), failures


def main():
    """Run all faces, print a line for each, and the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=50_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--face", choices=FACES)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--note", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here:
        with open(given.note, "r+b") as note:
            run_chunk(given.face, given.first, given.first + given.cases, note)
        return 0
    share = {given.face: 100.0} if given.face else FACES
    n_cases, n_failures = 0, 0
    for name in share:
        started, n = perf_counter(), max(1, round(given.cases * share[name] / 100))
        outcomes, failures, size = Counter(), [], CHUNK.get(name, CHUNK_OTHERWISE)
        end = given.first + n
        starts = range(given.first, end, size)
        with ThreadPoolExecutor(given.jobs) as pool:
            for found in pool.map(
                start_chunk, repeat(name), starts, [min(each + size, end) for each in starts]
            ):
                outcomes += found[0]
                failures += found[1]
        said = ", ".join(f"{kind} {count}" for kind, count in outcomes.most_common())
        print(f"{name:18s}{n:6d} cases, {perf_counter() - started:6.0f} s: {said}", flush=True)
        for case, words in failures:
            print(f"  UNNAMED --face {name} --first {case} --cases 1: {words}", flush=True)
        n_cases, n_failures = n_cases + n, n_failures + len(failures)
    print(f"{n_cases} fuzz cases: {n_failures} crashes, hangs or unnamed exceptions")
    return 1 if n_failures else 0


if __name__ == "__main__":
    sys.exit(main())
