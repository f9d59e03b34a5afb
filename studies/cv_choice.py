"""Does cross-validation of observed labels choose a lam that predicts true classes well, and by which criterion?

Each replicate draws data from the model, chooses lam by *observed* labels, and compares it with the lam of the same
path that has the smallest log-loss of the *true* classes on 20,000 new rows: the oracle, which nobody has. The excess
is how much larger the chosen lam's log-loss is, in per cent of the oracle's. All fits hold the model to the told shares
as cross-validation does by default. Criteria: the likelihood of observed labels in 5 folds, its one-standard-error
rule, the same folds drawn four times, and what the metrics estimate of log-loss and accuracy of the true classes.

    python studies/cv_choice.py --scale quick     # about ten minutes
    python studies/cv_choice.py --scale full
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import RepeatedStratifiedKFold

from pulasso import MultinomialPULassoCV, OrdinalPULassoCV, fit_path
from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.runs import open_run, run_steps

SETTINGS = {
    "quick": {"replicates": 6, "sizes": ((200, 400), (400, 40))},
    "full": {"replicates": 50, "sizes": ((200, 400), (400, 40), (1000, 100))},
}
RESPONSES = {
    "multinomial": (simulate_multinomial, MultinomialPULassoCV),
    "ordinal": (simulate_ordinal, OrdinalPULassoCV),
}
SCENARIOS = ("case-control", "single-training-set", "fully-observed")
# The paths go further down than by default, so that oracle and choice lie inside the grid.
GRID = {"n_lams": 40, "lam_min_ratio": 0.02}
# The certificate of a solution to be compared by three digits of its loss.
TOL = 1e-5
N_ACTIVE, TEST_ROWS, TARGET, ANCHOR = 5, 20_000, 3.0, 3.0
CRITERIA = {
    "four times": {"cv": RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)},
    "log-loss": {"scoring": "pu_neg_log_loss"},
    "accuracy": {"scoring": "pu_accuracy"},
}
RULES = ("oracle", "min", "1se", *CRITERIA)


def replicate(response, scenario, n, p, seed):
    """Return log-losses and accuracies on new rows, numbers of features and places on the grid, one for each rule."""
    simulate, estimator = RESPONSES[response]
    key = [seed, n, p, SCENARIOS.index(scenario), list(RESPONSES).index(response)]
    data = simulate(n, p, n_active=N_ACTIVE, scenario=scenario, random_state=np.random.default_rng(key))
    told = {**data.scenario_params, "tol": TOL, "anchor": 0.0 if scenario == "fully-observed" else ANCHOR}
    with warnings.catch_warnings():
        # Some draws have more labels than expected, or so little signal that nothing is selected: as in life.
        warnings.simplefilter("ignore")
        model = estimator(**GRID, **told, random_state=seed).fit(data.X, data.z)
        path = fit_path(data.X, data.z, response=response, lams=model.lams_, **told)
        others = [
            estimator(model.lams_, **told, **criterion, random_state=seed).fit(data.X, data.z)
            for criterion in CRITERIA.values()
        ]
    x, y = data.truth.draw(TEST_ROWS, random_state=np.random.default_rng([*key, 1]))
    log_probas = [path.model(i).predict_log_proba(x) for i in range(len(path))]
    loss = np.array([-each[np.arange(len(y)), y].mean() for each in log_probas])
    accuracy = np.array([(each.argmax(axis=1) == y).mean() for each in log_probas])
    lams = [path.lams[loss.argmin()], model.lam_min_, model.lam_1se_, *(each.lam_ for each in others)]
    where = np.array([int(np.flatnonzero(path.lams == lam)[0]) for lam in lams])
    own = {"loss": loss[where], "accuracy": accuracy[where], "n_active": path.n_active[where]}
    return {**own, "index": where, "null": loss[0]}


def tabulate(setting, results):
    """Return one row for each rule in one setting."""
    response, scenario, n, p = setting
    loss = np.array([result["loss"] for result in results])
    accuracy = np.array([result["accuracy"] for result in results])
    active = np.array([result["n_active"] for result in results])
    index = np.array([result["index"] for result in results])
    null = np.array([float(result["null"]) for result in results])
    excess = 100 * (loss / loss[:, :1] - 1)
    rows = []
    for j, rule in enumerate(RULES):
        rows.append(
            {
                "response": response, "scenario": scenario, "n": n, "p": p, "rule": rule,
                "replicates": len(results),
                "log-loss": float(np.median(loss[:, j])),
                "null": float(np.median(null)),
                "median excess %": float(np.median(excess[:, j])),
                "90th % excess %": float(np.quantile(excess[:, j], 0.9)),
                "accuracy": float(accuracy[:, j].mean()),
                "median active": float(np.median(active[:, j])),
                "denser than min": int((active[:, j] > active[:, 1]).sum()),
                "at an end": int(((index[:, j] == 0) | (index[:, j] == GRID["n_lams"] - 1)).sum()),
            }
        )  # fmt: skip
    return rows


def run(scale="quick", seed=0, replicates=None, checkpoint=None, n_jobs=None):
    """Return rows for all settings; with a folder for finished replicates an interrupted run goes on."""
    count = replicates or SETTINGS[scale]["replicates"]
    settings = [
        (response, scenario, n, p)
        for n, p in SETTINGS[scale]["sizes"]
        for response in RESPONSES
        for scenario in SCENARIOS
    ]
    steps = {
        f"{response} {scenario} {n} x {p} replicate {i}": (response, scenario, n, p, seed + i)
        for response, scenario, n, p in settings
        for i in range(count)
    }
    fingerprint = {
        "seed": seed,
        "grid": GRID,
        "n_active": N_ACTIVE,
        "test rows": TEST_ROWS,
        "tol": TOL,
        "anchor": ANCHOR,
    }
    run = open_run("study of choices", fingerprint, checkpoint)
    results = run_steps(replicate, steps, n_jobs=n_jobs, title="choices", run=run)
    groups = [results[i * count : (i + 1) * count] for i in range(len(settings))]
    return [row for setting, group in zip(settings, groups, strict=True) for row in tabulate(setting, group)]


def summarize(rows):
    """Print the table, and whether the targets are met."""
    widths = {name: max(len(name), *(len(_cell(row[name])) for row in rows)) for name in rows[0]}
    print("  ".join(name.rjust(width) for name, width in widths.items()))
    for row in rows:
        print("  ".join(_cell(row[name]).rjust(width) for name, width in widths.items()))
    print()
    for rule in RULES[1:]:
        own = [row for row in rows if row["rule"] == rule]
        excess, accuracy = (np.mean([row[name] for row in own]) for name in ("median excess %", "accuracy"))
        print(f"{rule:>10}: mean of the median excesses {excess:.2f} %, mean accuracy {100 * accuracy:.2f} %")
    chosen = [row for row in rows if row["rule"] == "min"]
    worst = max(row["median excess %"] for row in chosen)
    denser = sum(row["denser than min"] for row in rows if row["rule"] == "1se")
    total = sum(row["replicates"] for row in chosen)
    print(
        f"select='min': largest median excess {worst:.2f} % (target below {TARGET:g} %). "
        f"select='1se': denser than 'min' in {denser} of {total} replicates."
    )


def _cell(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", choices=SETTINGS, default="quick")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--replicates", type=int)
    parser.add_argument("--out", type=Path, default=Path("runs/studies"))
    parser.add_argument("--checkpoint", type=Path, help="folder of finished replicates, to go on from")
    parser.add_argument("--n-jobs", type=int)
    arguments = parser.parse_args()
    start = time.perf_counter()
    rows = run(arguments.scale, arguments.seed, arguments.replicates, arguments.checkpoint, arguments.n_jobs)
    summarize(rows)
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"cv_choice_{arguments.scale}.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    print(f"written to {path} after {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
