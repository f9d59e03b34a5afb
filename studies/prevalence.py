"""How well are label frequencies and prevalences estimated, and do intervals say when they cannot be?

Data are drawn from each model under each scenario. With a strong signal the error should be small (label
frequency: a median below 0.03 at n = 2000) and intervals narrow; with a weak one, or none, the number is not
identified and intervals should be wide. In every case 95 % intervals should cover the truth. "wide" has 200
features, most of them noise.

    python studies/prevalence.py --scale quick     # about a minute
    python studies/prevalence.py --scale full
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.prevalence import METHODS
from pulasso.runs import open_run, run_steps

N, LABEL_FREQUENCY = 2000, 0.6
SIGNALS = {  # features, features that matter, size of their coefficients
    "strong": (10, 4, (1.2, 1.8)),
    "middle": (10, 4, (0.4, 0.6)),
    "weak": (10, 4, (0.05, 0.15)),
    "none": (10, 4, (0.0, 0.0)),
    "wide": (200, 4, (1.2, 1.8)),
}
SETTINGS = {
    "quick": {
        "replicates": 5,
        "models": (("multinomial", 1), ("multinomial", 2)),
        "signals": ("strong", "weak"),
        "methods": ("profile",),
    },
    "full": {
        "replicates": 60,
        "models": (("multinomial", 1), ("multinomial", 2), ("ordinal", 2)),
        "signals": tuple(SIGNALS),
        "methods": tuple(METHODS),
    },
}
SCENARIOS = ("single-training-set", "case-control")
TARGET_ERROR = 0.03


def draw(model, n_positive, scenario, signal, seed):
    """Return one simulated data set."""
    n_features, n_active, size = SIGNALS[signal]
    simulate = simulate_ordinal if model == "ordinal" else simulate_multinomial
    return simulate(
        N,
        n_features,
        n_active=n_active,
        n_positive=n_positive,
        scenario=scenario,
        label_frequency=LABEL_FREQUENCY,
        signal=size,
        random_state=seed,
    )


def replicate(model, n_positive, scenario, signal, methods, seed):
    """Return truth, estimates and intervals of every method for one data set, shape (n_methods, K)."""
    data = draw(model, n_positive, scenario, signal, seed)
    truth = data.label_frequency if scenario == "single-training-set" else data.prevalence
    found = []
    for method in methods:
        settings = {"response": model} if method == "profile" else {"random_state": 0}
        start = time.perf_counter()
        estimate = METHODS[method](data.X, data.z, scenario=scenario, **settings)
        seconds = np.full(n_positive, time.perf_counter() - start)
        found.append([estimate.numbers, estimate.lower, estimate.upper, estimate.identified, seconds])
    return {"truth": np.broadcast_to(truth, n_positive), "found": np.array(found, dtype=float)}


def tabulate(setting, methods, results):
    """Return one row for each method."""
    model, n_positive, scenario, signal = setting
    truth = np.array([result["truth"] for result in results])
    rows = []
    for m, method in enumerate(methods):
        number, lower, upper, identified, seconds = np.moveaxis(
            np.array([result["found"][m] for result in results]), 1, 0
        )
        rows.append(
            {
                "model": model,
                "K": n_positive,
                "scenario": scenario,
                "signal": signal,
                "method": method,
                "median error": float(np.median(np.abs(number - truth))),
                "bias": float(np.mean(number - truth)),
                "coverage": float(np.mean((lower <= truth) & (truth <= upper))),
                "median width": float(np.median(upper - lower)),
                "identified": float(identified.mean()),
                "seconds": float(np.median(seconds)),
            }
        )
    return rows


def run(scale="quick", seed=0, replicates=None, checkpoint=None, n_jobs=None):
    """Return the rows of the table."""
    chosen = SETTINGS[scale]
    n_replicates, methods = replicates or chosen["replicates"], chosen["methods"]
    settings = [
        (*model, scenario, signal)
        for model in chosen["models"]
        for scenario in SCENARIOS
        for signal in chosen["signals"]
    ]
    steps = {
        " ".join(map(str, [*setting, i])): (*setting, methods, [seed, i])
        for setting in settings
        for i in range(n_replicates)
    }
    saved = open_run("prevalence study", {"scale": scale, "seed": seed, "methods": methods}, checkpoint)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = run_steps(replicate, steps, n_jobs=n_jobs, run=saved, title="prevalence")
    rows = []
    for j, setting in enumerate(settings):
        rows += tabulate(setting, methods, results[j * n_replicates : (j + 1) * n_replicates])
    return rows


def show(rows):
    """Print the table and whether it meets what was promised."""
    print("  ".join(f"{name:>12}" for name in rows[0]))
    for row in rows:
        cells = [f"{value:.3f}" if isinstance(value, float) else str(value) for value in row.values()]
        print("  ".join(f"{cell[-12:]:>12}" for cell in cells))
    of_profile = [row for row in rows if row["method"] == "profile"]
    clear = [row for row in of_profile if row["signal"] == "strong"]
    errors = [row["median error"] for row in clear if row["scenario"] == "single-training-set"]
    print(f"label frequency, strong signal: median errors up to {max(errors):.3f} (target {TARGET_ERROR})")
    unclear = [row["median width"] for row in of_profile if row["signal"] in ("weak", "none")]
    print(
        f"median widths of intervals: up to {max(row['median width'] for row in clear):.2f} with a strong signal, "
        f"from {min(unclear):.2f} without one"
    )
    print(f"least coverage: {min(row['coverage'] for row in of_profile):.2f}")


def main():
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", choices=SETTINGS, default="quick")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--replicates", type=int)
    parser.add_argument("--checkpoint", help="folder that saves finished replicates")
    parser.add_argument("--n-jobs", type=int)
    parser.add_argument("--out", default="runs/studies/prevalence.csv")
    arguments = parser.parse_args()
    rows = run(arguments.scale, arguments.seed, arguments.replicates, arguments.checkpoint, arguments.n_jobs)
    out = Path(arguments.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_csv(out, index=False)
    show(rows)


if __name__ == "__main__":
    main()
