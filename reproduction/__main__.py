"""The command line: ``python -m reproduction all --scale quick --jobs 2 --out runs/paper``."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from reproduction.registry import NAMES, SCALES
from reproduction.results import reproduce

DESCRIPTION = """Compute the figures and tables of the paper, and put them beside the paper's own numbers.

Writes CSV, PNG and SVG for each experiment, and one page, index.html, that says which claims hold. A run that was
interrupted resumes when the same command is given again. Tables 1 and 2 download their data, or read the folder that
the environment variable PULASSO_DATA names."""
INTERRUPTED = 130  # what shells report for a program that ended by Ctrl-C


def seed(text: str) -> int:
    """Return a seed of random numbers, which must not be negative."""
    number = int(text)
    if number < 0:
        raise ValueError
    return number


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python -m reproduction",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("names", nargs="+", metavar="NAME", help=f"all, or some of {', '.join(NAMES)}")
    made.add_argument(
        "--scale",
        default="quick",
        choices=SCALES,
        help="tiny (seconds), quick (minutes, the default) or paper (all repetitions)",
    )
    made.add_argument(
        "--out", type=Path, default=Path("runs/paper"), help="folder for the results; runs/paper"
    )
    made.add_argument("--seed", type=seed, default=0, help="the same seed gives the same tables; 0")
    made.add_argument("--jobs", type=int, default=1, help="processes, -1 for one on each core; 1")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 1 if something could not be reproduced."""
    asked = parser().parse_args(arguments)
    say = partial(print, flush=True)
    try:
        reproduce(asked.names, asked.scale, asked.out, seed=asked.seed, n_jobs=asked.jobs, say=say)
    except (ValueError, OSError, ImportError, MemoryError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as error:
        print(f"Error: {error}" if str(error) else "Interrupted.", file=sys.stderr)
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
