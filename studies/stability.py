"""Does stability selection keep its promise?

Data are drawn from the models themselves, so that it is known which features matter. For each of many data sets
stability selection is run once; the table shows, for several thresholds, how many features that do not matter are
selected on average, beside the two bounds on that number, and the share of the features that matter which are
found. Neighbouring features correlate in some settings: the exchangeability that the first bound assumes is then
violated, and features close to those that matter are the likely false selections.

    python studies/stability.py --scale quick     # about a minute
    python studies/stability.py --scale full
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd

from pulasso import MultinomialPULasso, OrdinalPULasso
from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.inference import stability_selection
from pulasso.runs import open_run, run_steps

SETTINGS = {
    "quick": {"data_sets": 8, "subsamples": 20, "n": 200, "p": 50, "correlations": (0.5,)},
    "full": {"data_sets": 100, "subsamples": 100, "n": 400, "p": 200, "correlations": (0.0, 0.5)},
}
THRESHOLDS = (0.6, 0.75, 0.9)
N_ACTIVE, SIGNAL, EXPECTED_FALSE = 3, (1.0, 2.0), 1.0
RESPONSES = {
    "multinomial": (simulate_multinomial, MultinomialPULasso),
    "ordinal": (simulate_ordinal, OrdinalPULasso),
}
SCENARIOS = ("case-control", "single-training-set")


def one_data_set(response, scenario, correlation, settings, seed):
    """Return, for every threshold, false and true selections and the bounds."""
    simulate, kind = RESPONSES[response]
    data = simulate(
        settings["n"],
        settings["p"],
        n_active=N_ACTIVE,
        scenario=scenario,
        signal=SIGNAL,
        correlation=correlation,
        random_state=seed,
    )
    result = stability_selection(
        kind(tol=1e-4, **data.scenario_params),
        data.X,
        data.z,
        n_subsamples=settings["subsamples"],
        expected_false=EXPECTED_FALSE,
        threshold=0.75,
        n_lams=50,
        random_state=seed,
        progress=False,
    )
    matters = data.coef.reshape(-1, settings["p"]).any(axis=0)
    found = np.array([result.probabilities >= threshold for threshold in THRESHOLDS])
    at = [result.at(threshold) for threshold in THRESHOLDS]
    return {
        "false": (found & ~matters).sum(axis=1),
        "true": (found & matters).sum(axis=1) / N_ACTIVE,
        "bound": np.array([each.bound for each in at]),
        "pairs_bound": np.array([each.pairs_bound for each in at]),
        "q": np.array([result.q, result.q_realized]),
    }


def run(scale="quick", seed=0, n_jobs=None, checkpoint=None, replicates=None):
    """Return one row for each setting and threshold."""
    settings = SETTINGS[scale]
    count = replicates or settings["data_sets"]
    cells = [
        (response, scenario, correlation)
        for response in RESPONSES
        for scenario in SCENARIOS
        for correlation in settings["correlations"]
    ]
    steps = {f"{cell} {i}": (*cell, settings, 1000 * seed + i) for cell in cells for i in range(count)}
    run = open_run("study of stability", {"scale": scale, "seed": seed}, checkpoint)
    results = run_steps(one_data_set, steps, n_jobs=n_jobs, title="data sets", run=run)
    rows = []
    for number, (response, scenario, correlation) in enumerate(cells):
        here = results[number * count : (number + 1) * count]
        for i, threshold in enumerate(THRESHOLDS):
            false = np.array([each["false"][i] for each in here])
            rows.append(
                {
                    "response": response,
                    "scenario": scenario,
                    "correlation": correlation,
                    "threshold": threshold,
                    "q": int(here[0]["q"][0]),
                    "q realised": float(np.mean([each["q"][1] for each in here])),
                    "false": float(false.mean()),
                    "se": float(false.std(ddof=1) / np.sqrt(len(false))),
                    "bound": float(here[0]["bound"][i]),
                    "pairs bound": float(here[0]["pairs_bound"][i]),
                    "found": float(np.mean([each["true"][i] for each in here])),
                }
            )
    return rows


def summarize(rows):
    """Print the table."""
    names = list(rows[0])
    print("".join(f"{name:>{21 if name == 'scenario' else 13}}" for name in names))
    for row in rows:
        cells = [f"{value:.3g}" if isinstance(value, float) else str(value) for value in row.values()]
        print(
            "".join(
                f"{cell:>{21 if name == 'scenario' else 13}}" for name, cell in zip(names, cells, strict=True)
            )
        )
    over = [row for row in rows if row["false"] - 2 * row["se"] > row["bound"]]
    over_pairs = [row for row in rows if row["false"] - 2 * row["se"] > row["pairs bound"]]
    print(
        f"{len(rows)} cells: {len(over)} exceed the first bound and {len(over_pairs)} the one for pairs by more "
        "than two standard errors"
    )


def main():
    """Run and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", choices=list(SETTINGS), default="quick")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--replicates", type=int, help="data sets, instead of those of the scale")
    parser.add_argument("--n-jobs", type=int, default=None)
    parser.add_argument("--checkpoint", help="folder that keeps finished data sets")
    parser.add_argument("--out", type=Path, default=Path("runs/studies"))
    arguments = parser.parse_args()
    began = time.perf_counter()
    rows = run(
        arguments.scale,
        arguments.seed,
        arguments.n_jobs,
        arguments.checkpoint,
        arguments.replicates,
    )
    summarize(rows)
    arguments.out.mkdir(parents=True, exist_ok=True)
    file = arguments.out / f"stability_{arguments.scale}.csv"
    pd.DataFrame(rows).to_csv(file, index=False)
    print(f"{file}, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
