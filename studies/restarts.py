"""How often does another start lead to a better stationary point, and does it matter?

For data from the models themselves and a grid of lams: the share of data sets with more than one stationary point,
the share in which the path does not lead to the best of them, by how much the objective is then higher, how
many rows get another class, and the accuracy on new rows of the path's model and of the best one.

    python studies/restarts.py --scale quick     # about a minute
    python studies/restarts.py --scale full
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd

from pulasso import MultinomialPULasso, OrdinalPULasso
from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.inference import find_stationary_points
from pulasso.runs import open_run, run_steps

SETTINGS = {
    "quick": {"data_sets": 4, "restarts": 6, "n": 150, "p": 30},
    "full": {"data_sets": 50, "restarts": 20, "n": 300, "p": 100},
}
RATIOS = (0.5, 0.2, 0.1, 0.05, 0.02)
N_ACTIVE, SIGNAL, N_TEST = 4, (1.0, 2.0), 5000
RESPONSES = {
    "multinomial": (simulate_multinomial, MultinomialPULasso),
    "ordinal": (simulate_ordinal, OrdinalPULasso),
}
SCENARIOS = ("case-control", "single-training-set")


def one_data_set(response, scenario, settings, seed):
    """Return what restarts found at every lam of the grid."""
    simulate, kind = RESPONSES[response]
    data = simulate(
        settings["n"], settings["p"], n_active=N_ACTIVE, scenario=scenario, signal=SIGNAL, random_state=seed
    )
    x_test, y_test = data.truth.draw(N_TEST, random_state=[seed, 1])
    lam_max = kind(lam=1e6, **data.scenario_params).fit(data.X, data.z).lam_max_
    rows = []
    for ratio in RATIOS:
        points = find_stationary_points(
            kind(lam=ratio * lam_max, **data.scenario_params),
            data.X,
            data.z,
            n_restarts=settings["restarts"],
            random_state=seed,
            progress=False,
        )
        # Where the path itself did not converge there is nothing to compare the best point with.
        path = points.path_index if points.path_index is not None else 0
        accuracy = [np.mean(points.models[i].predict(x_test) == y_test) for i in (path, 0)]
        rows.append(
            [
                len(points),
                path > 0,
                points.above_best[path],
                points.predictions_differ[path],
                *accuracy,
                len(points.not_converged),
            ]
        )
    return {"rows": np.array(rows, dtype=float)}


def run(scale="quick", seed=0, n_jobs=None, checkpoint=None, replicates=None):
    """Return one row for each setting and lam."""
    settings = SETTINGS[scale]
    count = replicates or settings["data_sets"]
    cells = [(response, scenario) for response in RESPONSES for scenario in SCENARIOS]
    steps = {f"{cell} {i}": (*cell, settings, 1000 * seed + i) for cell in cells for i in range(count)}
    run = open_run("study of restarts", {"scale": scale, "seed": seed}, checkpoint)
    results = run_steps(one_data_set, steps, n_jobs=n_jobs, title="data sets", run=run)
    rows = []
    for number, (response, scenario) in enumerate(cells):
        here = results[number * count : (number + 1) * count]
        table = np.array([each["rows"] for each in here])  # data sets x lams x columns
        for i, ratio in enumerate(RATIOS):
            points, worse, excess, differ, by_path, by_best, late = table[:, i].T
            lost = worse > 0
            rows.append(
                {
                    "response": response,
                    "scenario": scenario,
                    "lam/lam_max": ratio,
                    "points": float(points.mean()),
                    "several": float((points > 1).mean()),
                    "path not best": float(lost.mean()),
                    "excess": float(np.median(excess[lost])) if lost.any() else 0.0,
                    "rows differ": float(differ[lost].mean()) if lost.any() else 0.0,
                    "acc. path": float(by_path.mean()),
                    "acc. best": float(by_best.mean()),
                    "late": float(late.mean()),
                }
            )
    return rows


def summarize(rows):
    """Print the table."""
    widths = {name: 21 if name == "scenario" else max(len(name), 11) + 2 for name in rows[0]}
    print("".join(f"{name:>{width}}" for name, width in widths.items()))
    for row in rows:
        cells = {name: f"{value:.3g}" if isinstance(value, float) else value for name, value in row.items()}
        print("".join(f"{cells[name]:>{width}}" for name, width in widths.items()))


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
    file = arguments.out / f"restarts_{arguments.scale}.csv"
    pd.DataFrame(rows).to_csv(file, index=False)
    print(f"{file}, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
