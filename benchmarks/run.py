"""Run the benchmarks: ``python benchmarks/run.py [--quick] [--tasks T1 T4] [--seeds 0 1] [--out FOLDER]``.

Peers are installed on first use, and their answers are kept in FOLDER/cache; ours is always measured anew.
Tables (CSV, Markdown) and plots go to FOLDER; ``--publish`` also writes benchmarks/RESULTS.md and the pictures
that the documentation shows. No task is begun after ``--minutes``; what was left out is listed.
"""

import argparse
import json
import os
import sys
import time
import traceback
from pathlib import Path

from compare import COMPARISONS, CROSS_VALIDATED, compare_cv, compare_paths
from environments import HERE
from own import OWN, with_load
from runner import Runner

from report import publish, write_report

SEEDS = {c.task: c.n_seeds for c in COMPARISONS}
NAMES = list(SEEDS) + [f"{name}-CV" for name in CROSS_VALIDATED] + list(OWN)
# Ours alone takes some minutes, and is what the peers are compared with; the longest comparisons come last.
LATE = [name for name in NAMES if name in ("T5", "T5-CV", "T2-naive", "T2-long", "mfeat", "mfeat-CV")]
ORDER = [name for name in SEEDS if name not in LATE] + list(OWN) + LATE
REAL_DATA = ("mfeat", "mfeat-CV")  # only if asked for


def main() -> int:
    options = _options()
    runner = Runner(options.out, options.limit, options.threads, options.fresh)
    paths, own, skipped, start = [], [], [], time.monotonic()
    for name in options.tasks:
        for seed in options.seeds or range(1 if options.quick else SEEDS.get(name, 1)):
            if time.monotonic() - start > 60.0 * options.minutes:
                skipped.append(f"{name}, seed {seed}: not begun after {options.minutes:g} minutes")
                continue
            print(
                f"{name}, seed {seed} ({(time.monotonic() - start) / 60:.1f} min, load {os.getloadavg()[0]:.1f})",
                flush=True,
            )
            try:
                if name in OWN:
                    own += with_load(OWN[name](runner, seed, options.quick))
                elif name.endswith("-CV"):
                    paths += compare_cv(name.removesuffix("-CV"), runner, seed, options.quick)
                else:
                    comparison = next(c for c in COMPARISONS if c.task == name)
                    paths += compare_paths(comparison, runner, seed, options.quick)
            except FileNotFoundError as reason:
                skipped.append(f"{name}: {reason}")
            except Exception as problem:
                traceback.print_exc()
                skipped.append(f"{name}, seed {seed}: {problem}")
            _keep(options.out, paths, own, skipped)
    write_report(options.out, paths, own, skipped, threads=options.threads, quick=options.quick)
    if options.publish:
        publish(options.out, HERE / "RESULTS.md", HERE.parent / "docs" / "_static" / "benchmarks")
    print((options.out / "report.md").read_text())
    is_accurate = all(row.get("accurate", True) for row in paths)
    return 0 if is_accurate or options.quick else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", nargs="+", default=None, choices=NAMES, metavar="TASK")
    parser.add_argument("--seeds", nargs="+", type=int, default=None)
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--quick", action="store_true", help="tiny sizes, one seed: does everything run?")
    parser.add_argument("--limit", type=float, default=75.0, help="seconds that one process may take")
    parser.add_argument("--minutes", type=float, default=54.0, help="no task is begun later")
    parser.add_argument("--threads", type=int, default=1, help="threads of BLAS, for all")
    parser.add_argument("--fresh", action="store_true", help="run the peers again, too")
    parser.add_argument("--publish", action="store_true", help="write benchmarks/RESULTS.md")
    options = parser.parse_args()
    options.tasks = options.tasks or [name for name in ORDER if options.quick or name not in REAL_DATA]
    usual = HERE.parent / "runs" / ("bench-quick" if options.quick else "bench")
    options.out = (options.out or usual).resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    return options


def _keep(folder: Path, paths: list, own: list, skipped: list) -> None:
    """Write what is known so far: a run takes long and may be interrupted."""
    everything = {"paths": paths, "own": own, "skipped": skipped}
    (folder / "results.json").write_text(json.dumps(everything, indent=1))


if __name__ == "__main__":
    sys.exit(main())
