"""Should columns of zeros and ones be standardised?

Proteins with a few mutations each are drawn, one column for every position and amino acid, most of them rare; half of
the labels are lost. Effects of mutations either do not depend on how rare they are, all or few of them being there, or
grow as 1 / standard deviation, which is what standardising assumes; in one setting some columns are ordinary numbers.
The table shows, for every way to scale and penalise columns, the rank correlation of coefficients with true effects,
and area under the curve and log-loss of the true classes of new rows; lam is chosen by cross-validation.

With a folder of data also a real scan (Rocker): the model sees double mutants, and its coefficients are ranked against
the enrichment of single mutants, which it did not see, at the best lam of the path.

    python studies/standardize.py --scale quick     # about a minute
    PULASSO_DATA=folder python studies/standardize.py --scale full
"""

import argparse
import os
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, vstack
from scipy.stats import spearmanr
from sklearn.metrics import log_loss, roc_auc_score

from pulasso import MultinomialPULassoCV, fit_path
from pulasso.exceptions import ConvergenceWarning, GridEdgeWarning, RareIndicatorWarning
from pulasso.runs import open_run, run_steps

SETTINGS = {
    "tiny": {"data_sets": 1, "n": 600, "positions": 5, "n_lams": 10},
    "quick": {"data_sets": 3, "n": 2000, "positions": 12, "n_lams": 20},
    "full": {"data_sets": 20, "n": 5000, "positions": 30, "n_lams": 40},
}
WAYS = {
    "True": {"standardize": True},
    "False": {"standardize": False},
    "auto": {"standardize": "auto"},
    "True, elastic-net": {"standardize": True, "penalty": "elastic-net"},
    "auto, elastic-net": {"standardize": "auto", "penalty": "elastic-net"},
}
EFFECTS = ("all", "few", "numbers too", "grow with rarity")
RESIDUES, MUTATIONS, N_NEW, N_NUMBERS = 19, 3.0, 5000, 10
LABEL_FREQUENCY, SMALLEST = 0.5, 0.01
ROCKER, PREVALENCE = Path("rocker_dms") / "rocker_dms.csv.gz", 0.00712


def draw_scan(effects, n, positions, rng):
    """Return features of n and of new rows, their classes, and the true effect of every column."""
    often = np.exp(rng.normal(scale=1.5, size=(positions, RESIDUES)))
    often *= MUTATIONS / often.sum()
    total = n + N_NEW
    mutated = rng.random((total, positions)) < 1.0 - np.exp(-often.sum(axis=1))
    columns = []
    for position in range(positions):
        share = often[position] / often[position].sum()
        residue = np.where(mutated[:, position], rng.choice(RESIDUES, size=total, p=share), -1)
        columns.append(residue[:, None] == np.arange(RESIDUES))
    X = np.hstack(columns).astype(float)
    X = X[:, X[:n].any(axis=0)]
    beta = rng.normal(scale=1.5, size=X.shape[1])
    if effects == "few":
        beta *= rng.random(len(beta)) < 0.2
    elif effects == "grow with rarity":
        beta *= 0.15 / X.std(axis=0)
    elif effects == "numbers too":
        numbers = rng.normal(scale=[5.0, 0.2] * (N_NUMBERS // 2), size=(total, N_NUMBERS))
        X = np.hstack([X, numbers])
        beta = np.append(beta, 0.5 * rng.normal(size=N_NUMBERS) / numbers.std(axis=0))
    eta = X @ beta
    y = (rng.random(total) < 1.0 / (1.0 + np.exp(-(eta - np.median(eta))))).astype(int)
    return X[:n], X[n:], y[:n], y[n:], beta


def fit(way, X, z, settings, **known):
    """Return the model that cross-validation chooses."""
    grid = {"n_lams": settings["n_lams"], "lam_min_ratio": SMALLEST, "tol": 1e-4}
    with quietly():
        return MultinomialPULassoCV(cv=3, random_state=0, **grid, **known, **WAYS[way]).fit(X, z)


@contextmanager
def quietly():
    """Leave out what the table is about."""
    with warnings.catch_warnings():
        for kind in (RareIndicatorWarning, GridEdgeWarning, ConvergenceWarning):
            warnings.simplefilter("ignore", kind)
        yield


def one_data_set(effects, settings, seed):
    """Return rank correlation, area under the curve and log-loss of every way, shape (n_ways, 3)."""
    rng = np.random.default_rng([seed, EFFECTS.index(effects)])
    X, X_new, y, y_new, beta = draw_scan(effects, settings["n"], settings["positions"], rng)
    known = {"scenario": "single-training-set", "label_frequency": LABEL_FREQUENCY}
    z = np.where(rng.random(len(y)) < LABEL_FREQUENCY, y, 0)
    scores = []
    for way in WAYS:
        model = fit(way, X, z, settings, **known)
        proba = model.predict_proba(X_new)[:, 1]
        coef = model.coef_.ravel()
        rank = spearmanr(coef, beta).statistic if np.ptp(coef) else 0.0
        scores.append([rank, roc_auc_score(y_new, proba), log_loss(y_new, proba)])
    return {"scores": np.array(scores)}


def read_rocker(folder):
    """Return X, labels and reads of double mutants, and the log enrichment of every single one (NaN if unseen)."""
    table = pd.read_csv(folder / ROCKER)
    letters = np.array([list(each) for each in table["sequence"]])
    common = np.array([max(set(column), key=column.tolist().count) for column in letters.T])
    rows, places = np.nonzero(letters != common)
    names, columns = np.unique(
        [f"{place:02d}{letters[row, place]}" for row, place in zip(rows, places, strict=True)],
        return_inverse=True,
    )
    X = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(table), len(names)))
    counts, n_mutations = (
        table[["labeled", "unlabeled"]].to_numpy(dtype=float),
        np.bincount(rows, minlength=len(table)),
    )
    single, double = np.flatnonzero(n_mutations == 1), n_mutations == 2
    enrichment = np.full(len(names), np.nan)
    enrichment[X[single].argmax(axis=1)] = np.log((counts[single, 0] + 0.5) / (counts[single, 1] + 0.5))
    after, before = (np.flatnonzero(double & (counts[:, k] > 0)) for k in (0, 1))
    z = np.repeat([1, 0], [len(after), len(before)])
    return (
        vstack([X[after], X[before]]).tocsr(),
        z,
        np.append(counts[after, 0], counts[before, 1]),
        enrichment,
    )


def rocker(folder, settings):
    """Return, for every way, the best rank correlation on the path of coefficients with single mutants' enrichment.

    Both rows of a sequence would have to lie in one fold, and few sequences hold most of the reads: a row weighs as
    the logarithm of its reads, and folds say little.
    """
    X, z, reads, enrichment = read_rocker(folder)
    seen, ranks = np.isfinite(enrichment), []
    grid = {"n_lams": settings["n_lams"], "lam_min_ratio": 0.1 * SMALLEST, "tol": 1e-3}
    for way in WAYS:
        with quietly():
            path = fit_path(X, z, sample_weight=np.log1p(reads), prevalence=PREVALENCE, **grid, **WAYS[way])
        coefs = [each.ravel()[seen] for each in path.coefs]
        ranks.append(max(spearmanr(each, enrichment[seen]).statistic for each in coefs if np.ptp(each)))
    return np.column_stack([ranks, np.full((len(WAYS), 2), np.nan)])


def run(scale="quick", seed=0, n_jobs=None, checkpoint=None, folder=None, replicates=None):
    """Return one row for each kind of data and way."""
    settings = SETTINGS[scale]
    count = replicates or settings["data_sets"]
    steps = {
        f"{effects} {i}": (effects, settings, 1000 * seed + i) for effects in EFFECTS for i in range(count)
    }
    run = open_run("study of standardising", {"scale": scale, "seed": seed}, checkpoint)
    results = run_steps(one_data_set, steps, n_jobs=n_jobs, title="data sets", run=run)
    scores = np.array([each["scores"] for each in results]).reshape(len(EFFECTS), count, len(WAYS), 3)
    found = dict(zip(EFFECTS, scores, strict=True))
    if folder is not None:
        found["Rocker"] = rocker(folder, settings)[None]
    rows = []
    for effects, here in found.items():
        for i, way in enumerate(WAYS):
            rank, auc, loss = here[:, i].mean(axis=0)
            better = float(np.mean(here[:, i, 0] > here[:, 0, 0]))  # than standardising
            rows.append(
                {"effects": effects, "way": way, "rank": rank, "better": better, "auc": auc, "log-loss": loss}
            )
    return rows


def summarize(rows):
    """Print the table."""
    print("".join(f"{name:>19}" for name in rows[0]))
    for row in rows:
        print(
            "".join(
                f"{value if isinstance(value, str) else format(value, '.3f'):>19}" for value in row.values()
            )
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
    folder = Path(os.environ["PULASSO_DATA"]) if "PULASSO_DATA" in os.environ else None
    there = folder is not None and (folder / ROCKER).exists()
    rows = run(
        arguments.scale,
        arguments.seed,
        arguments.n_jobs,
        arguments.checkpoint,
        folder if there else None,
        arguments.replicates,
    )
    summarize(rows)
    arguments.out.mkdir(parents=True, exist_ok=True)
    file = arguments.out / f"standardize_{arguments.scale}.csv"
    pd.DataFrame(rows).to_csv(file, index=False)
    print(f"{file}, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
