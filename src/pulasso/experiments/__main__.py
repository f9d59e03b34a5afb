"""``python -m pulasso.experiments figure-1 --scale quick --out runs/paper``."""

import argparse

from pulasso.experiments.registry import NAMES, SCALES
from pulasso.experiments.reproduce import reproduce

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and reproduce what it names."""
    parser = argparse.ArgumentParser(prog="python -m pulasso.experiments", description=__doc__)
    parser.add_argument("names", nargs="+", metavar="NAME", help=f"all, or some of {', '.join(NAMES)}")
    parser.add_argument("--scale", choices=SCALES, default="quick")
    parser.add_argument("--out", default="runs/paper", help="folder of the results")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=None, help="processes; -1 means all cores")
    given = parser.parse_args(arguments)
    reproduce(given.names, given.scale, given.out, seed=given.seed, n_jobs=given.jobs, say=print)


if __name__ == "__main__":
    main()
