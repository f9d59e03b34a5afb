"""Is the accuracy that is estimated without negatives the real one?

Fully labelled data are masked: half of the labels of a training half are lost (single training set), or labelled rows
are collected beside a sample of everybody (case-control). A model is fitted to what is left; on the other half,
masked in the same way, its accuracy is estimated from predictions and observed labels alone, and compared
with the accuracy on the true classes of those rows. One row for each mask, then the average over masks.

    PULASSO_DATA=folder python studies/metrics_real.py --scale quick     # about a minute
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from pulasso import MultinomialPULasso, OrdinalPULasso
from pulasso.datasets import load_mfeat, load_wine_quality, mask_labels
from pulasso.metrics import pu_accuracy

LABEL_FREQUENCY = 0.5
SHARE_LABELED_SEPARATELY = 0.4  # case-control: of every half, before labels are looked at
DIGITS = (1, 2, 3, 4)  # the classes to find; all other digits are class 0

SETTINGS = {"quick": {"masks": 30}, "full": {"masks": 100}}


def digits():
    """Multiple Features: four digits against the other six."""
    data = load_mfeat()
    return data.X, np.where(np.isin(data.y, DIGITS), data.y, 0), MultinomialPULasso(lam=0.01, tol=1e-4)


def red_wine():
    """Wine Quality, red: marks up to 5, 6, and from 7 on, in this order."""
    data = load_wine_quality("red")
    return data.X, data.y, OrdinalPULasso(lam=0.005, tol=1e-4)


DATA = {"mfeat": digits, "wine_quality": red_wine}


def observe(rng, y, scenario):
    """Return rows and their observed labels, and what is known of the scenario."""
    if scenario == "single-training-set":
        z = mask_labels(y, LABEL_FREQUENCY, rng)
        return np.arange(len(y)), z, {"label_frequency": LABEL_FREQUENCY}
    apart = rng.random(len(y)) < SHARE_LABELED_SEPARATELY
    rows = np.concatenate([np.flatnonzero(~apart), np.flatnonzero(apart & (y > 0))])
    return rows, np.where(apart[rows], y[rows], 0), {}


def one_mask(X, y, model, scenario, seed):
    """Return real and estimated accuracy on the half that was not used in the fit."""
    rng = np.random.default_rng([seed, scenario == "case-control"])
    halves = train_test_split(np.arange(len(y)), test_size=0.5, random_state=seed, stratify=y)
    prevalence = np.bincount(y)[1:] / len(y)
    fit_rows, z_fit, known = observe(rng, y[halves[0]], scenario)
    if scenario == "case-control":
        known = {"prevalence": prevalence}
    model.set_params(scenario=scenario, prevalence=None, label_frequency=None).set_params(**known)
    model.fit(X[halves[0]][fit_rows], z_fit)
    test_rows, z_test, _ = observe(rng, y[halves[1]], scenario)
    predicted = model.predict(X[halves[1]])
    estimate = pu_accuracy(z_test, predicted[test_rows], classes=model.classes_, scenario=model.scenario_)
    return {
        "real": float(np.mean(predicted == y[halves[1]])),
        "estimated": float(estimate),
        "standard error": estimate.standard_error,
    }


def run(scale="quick", seed=0):
    """Return one row for each data set, scenario and mask."""
    rows = []
    for name, load in DATA.items():
        X, y, model = load()
        for scenario in ("single-training-set", "case-control"):
            for mask in range(SETTINGS[scale]["masks"]):
                found = one_mask(X, y, model, scenario, seed + mask)
                rows.append({"data": name, "scenario": scenario, "mask": mask} | found)
    return rows


def summarize(rows):
    """Print every mask, then averages."""
    print(
        f"{'data':<14}{'scenario':<21}{'mask':>4}{'real':>8}{'estimated':>11}{'std. error':>12}{'difference':>12}"
    )
    for row in rows:
        difference = row["estimated"] - row["real"]
        print(
            f"{row['data']:<14}{row['scenario']:<21}{row['mask']:>4}{row['real']:>8.3f}{row['estimated']:>11.3f}"
            f"{row['standard error']:>12.3f}{difference:>+12.3f}"
        )
    for key in dict.fromkeys((row["data"], row["scenario"]) for row in rows):
        here = [row for row in rows if (row["data"], row["scenario"]) == key]
        difference = np.array([row["estimated"] - row["real"] for row in here])
        real = np.mean([row["real"] for row in here])
        within = np.mean(
            [abs(d) <= 1.96 * row["standard error"] for d, row in zip(difference, here, strict=True)]
        )
        print(
            f"{key[0]}, {key[1]}: real {100 * real:.1f} %, estimated {100 * (real + difference.mean()):.1f} % "
            f"on average over {len(here)} masks, difference {100 * difference.mean():+.1f} points (each: mean size "
            f"{100 * np.abs(difference).mean():.1f}); {100 * within:.0f} % of the intervals contain the real one"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", choices=SETTINGS, default="quick")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/studies"))
    arguments = parser.parse_args()
    start = time.perf_counter()
    rows = run(arguments.scale, arguments.seed)
    summarize(rows)
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"metrics_real_{arguments.scale}.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    print(f"written to {path} after {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
