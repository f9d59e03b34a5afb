"""A large CSV through the command line, beside the same in Python: CPU seconds and peak memory of each process.

    .venv/bin/python benchmarks/command_line.py                       # 20,000 x 2,000, the promise of the command line
    .venv/bin/python benchmarks/command_line.py --rows 2000 --features 500

The promise: `fit` and `report` take at most three times as long as reading the table with pandas, fitting and
writing the page in Python, and at most three times the memory of the table as 8-byte numbers.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FACTOR = 3.0  # of time and of memory
STEP = 0.01  # features are multiples of this, so that text of a value is looked up, not formatted
LAM, PREVALENCE = 0.02, 0.3
COMMANDS = ("library", "fit", "report", "fit --report")
LIBRARY = f"""
import sys
import pandas
from pulasso import MultinomialPULasso
table = pandas.read_csv(sys.argv[1])
X, z = table.drop(columns="label"), table["label"]
model = MultinomialPULasso(lam={LAM}, scenario="case-control", prevalence={PREVALENCE}).fit(X, z)
model.save("library-model", force=True)
model.report("library.html", X=X, z=z, force=True)
"""


@dataclass(frozen=True)
class Cost:
    """What a process took: CPU seconds, and the peak of its resident memory in bytes."""

    seconds: float
    peak: float


def write_table(path: Path, n_rows: int, n_features: int, seed: int = 0) -> None:
    """Write presence-only data with one positive class, of which five features tell; 0 marks unlabeled rows."""
    rng = np.random.default_rng(seed)
    text = [f"{STEP * step:.2f}" for step in range(-500, 501)]
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(",".join(["label", *(f"x{j}" for j in range(n_features))]) + "\n")
        for _ in range(n_rows):
            steps = np.clip(np.rint(rng.normal(size=n_features) / STEP), -500, 500).astype(int)
            odds = STEP * steps[:5].sum() + np.log(PREVALENCE / (1 - PREVALENCE))
            shown = rng.random() < 0.5 / (1 + np.exp(-odds))
            stream.write(",".join([str(int(shown)), *(text[step + 500] for step in steps.tolist())]) + "\n")


def measure(command: list[str], folder: Path) -> Cost:
    """Run a command in a process of its own."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with exit code {process.returncode}.")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024))


def measure_all(
    n_rows: int, n_features: int, folder: Path, names: Sequence[str] = COMMANDS
) -> dict[str, Cost]:
    """Return the costs of the same work in Python and by commands."""
    table = folder / "table.csv"
    write_table(table, n_rows, n_features)
    pulasso = [sys.executable, "-m", "pulasso.cli.main"]
    known = ["--label", "label", "--scenario", "case-control", "--prevalence", str(PREVALENCE)]
    fit = [*pulasso, "fit", table.name, *known, "--lam", str(LAM), "--force"]
    commands = {
        "library": [sys.executable, "-c", LIBRARY, table.name],
        "fit": fit,
        "report": [*pulasso, "report", "model", table.name, "--force"],
        "fit --report": [*fit, "--report", "--out", "both"],
    }
    return {name: measure(commands[name], folder) for name in names}


def show(costs: dict[str, Cost], n_rows: int, n_features: int) -> None:
    """Print the costs, and what the promise says of them."""
    table = 8.0 * n_rows * n_features
    print(f"{n_rows} x {n_features}: {table / 2**20:.0f} MB as numbers")
    for name, cost in costs.items():
        print(
            f"  {name:<14} {cost.seconds:7.1f} s of CPU  {cost.peak / 2**20:6.0f} MB ({cost.peak / table:.2f} x)"
        )
    apart = (costs["fit"].seconds + costs["report"].seconds) / costs["library"].seconds
    together = costs["fit --report"].seconds / costs["library"].seconds
    peak = max(cost.peak for name, cost in costs.items() if name != "library") / table
    print(
        f"fit, then report: {apart:.2f} x the library; fit --report: {together:.2f} x; memory {peak:.2f} x the table"
    )
    kept = max(apart, together) <= FACTOR and peak <= FACTOR
    print(f"The promise of {FACTOR:g} x is {'kept' if kept else 'NOT kept'}.")


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--features", type=int, default=2_000)
    parser.add_argument("--folder", type=Path, help="where files go and stay; by default nowhere")
    options = parser.parse_args()
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
        show(measure_all(options.rows, options.features, options.folder), options.rows, options.features)
        return
    with tempfile.TemporaryDirectory() as folder:
        show(measure_all(options.rows, options.features, Path(folder)), options.rows, options.features)


if __name__ == "__main__":
    main()
