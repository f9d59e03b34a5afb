"""How do other methods for positive and unlabeled data compare, on the same splits?

Four data sets, each split several times into rows to learn from, whose labels are masked, and rows to judge by, whose
true classes are known. Every method that has a penalty chooses its strength from one grid by cross-validation of
the likelihood of observed labels (the oracle: of true classes). One row for each data set, method and split; the
table shows means over splits; seconds are of the processor and include the choice.

    PULASSO_DATA=folder python studies/comparators.py --scale quick     # about a minute and a half

Swiss trees are left out, with a word, where they can neither be found nor downloaded.
"""

import argparse
import importlib.util
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

from pulasso import MultinomialPULasso, MultinomialPULassoCV
from pulasso.baselines import BASELINES, Baseline
from pulasso.datasets import load_swiss_trees, mask_labels, simulate_multinomial
from pulasso.exceptions import ScenarioError

SETTINGS = {
    "quick": {
        "splits": 3,
        "lams": 4,
        "folds": 2,
        "digits": 4,
        "features": 100,
        "records": 60,
        "background": 300,
    },
    "medium": {
        "splits": 5,
        "lams": 6,
        "folds": 3,
        "digits": 6,
        "features": 200,
        "records": 100,
        "background": 800,
    },
    "full": {
        "splits": 10,
        "lams": 12,
        "folds": 5,
        "digits": 10,
        "features": 400,
        "records": 400,
        "background": 4000,
    },
}
LABEL_FREQUENCY = 0.5
LARGEST_LAM, SMALLEST_LAM = 0.3, 0.003

PULASSO = Baseline(
    lambda scenario, lam: MultinomialPULasso(lam, tol=1e-4, **scenario),
    "the library: likelihood and group lasso",
)


class Split:
    """Rows to learn from and rows to judge by."""

    def __init__(self, X, z, y, X_test, y_test, known):
        scaler = StandardScaler().fit(X)
        self.X, self.X_test = scaler.transform(X), scaler.transform(X_test)
        self.z, self.y, self.y_test, self.known = z, y, y_test, known


def masked(X, y, seed):
    """Hide half of the labels of 70 % of the rows."""
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    z = mask_labels(y, LABEL_FREQUENCY, seed)
    return Split(
        X, z, y, X_test, y_test, {"scenario": "single-training-set", "label_frequency": LABEL_FREQUENCY}
    )


def digits(settings, seed):
    """Small images of digits; 0 is class 0."""
    X, y = load_digits(return_X_y=True)
    chosen = (y < settings["digits"]) & (X.std(axis=1) > 0)
    return masked(X[chosen], y[chosen], seed)


def wine(settings, seed):
    """Three cultivars, 178 wines."""
    return masked(*load_wine(return_X_y=True), seed)


def simulated(settings, seed):
    """The paper's comparative study: 200 unlabeled rows, 50 of each class, variance 4."""
    data = simulate_multinomial(
        300, settings["features"], unlabeled_share=2 / 3, variance=4.0, random_state=seed
    )
    X_test, y_test = data.truth.draw(2000, random_state=[seed, 1])
    return Split(data.X, data.z, data.y, X_test, y_test, data.scenario_params)


def swiss_trees(settings, seed):
    """Five species, predictors and their squares; judged by places of the survey that have at most one of them."""
    data = load_swiss_trees()
    rng = np.random.default_rng(seed)
    species = np.array(data.class_names)
    code = np.searchsorted(species, data.y)
    wanted = [settings["background"]] + [settings["records"]] * (len(species) - 1)
    rows = np.concatenate(
        [rng.choice(np.flatnonzero(code == k), n, replace=False) for k, n in enumerate(wanted)]
    )
    alone = data.test.y.sum(axis=1) <= 1
    y_test = data.test.y[alone] @ np.arange(1, len(species))
    scaler = StandardScaler().fit(data.X)
    X, X_test = scaler.transform(data.X[rows]), scaler.transform(data.test.X[alone])
    known = {"scenario": "case-control", "prevalence": data.prevalence}
    return Split(np.hstack([X, X**2]), code[rows], None, np.hstack([X_test, X_test**2]), y_test, known)


DATA = {"digits": digits, "wine": wine, "simulated": simulated, "swiss trees": swiss_trees}


def choose(method, split, lams, n_folds, seed):
    """Return the strength of the penalty that explains held-out labels best."""
    labels = split.y if method.needs_true_classes else split.z
    scores = np.zeros(len(lams))
    for learn, held in folds_of(split.z, n_folds, seed):
        # By chance so many labels may remain that nothing is left for class 0: then no strength can be fitted.
        with suppress(ScenarioError):
            for i, lam in enumerate(lams):
                model = method.make(split.known, lam).fit(split.X[learn], labels[learn])
                scores[i] += model.observed_score(split.X[held], labels[held])
    return float(lams[np.argmax(scores)])


def folds_of(z, n_folds, seed):
    """Yield rows to fit to and rows to judge by; the only row of a label is in all of the former."""
    single = np.flatnonzero((np.bincount(z)[z] == 1) & (z > 0))
    for learn, held in StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(z, z):
        yield np.union1d(learn, single), np.setdiff1d(held, single)


def one_fit(method, split, settings, seed):
    """Return accuracy, log-loss, strength and time of one method on one split."""
    labels = split.y if method.needs_true_classes else split.z
    start = time.process_time()  # of the processor: other programs do not count
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if method is PULASSO:
            model = MultinomialPULassoCV(cv=settings["folds"], **split.known).fit(split.X, labels)
            lam = model.lam_
        else:
            lams = np.geomspace(LARGEST_LAM, SMALLEST_LAM, settings["lams"])
            lam = choose(method, split, lams, settings["folds"], seed) if method.tuned else np.nan
            model = method.make(split.known, lam).fit(split.X, labels)
    seconds = time.process_time() - start
    proba = model.predict_proba(split.X_test)
    return {
        "accuracy": float(np.mean(model.predict(split.X_test) == split.y_test)),
        "log_loss": float(log_loss(split.y_test, proba, labels=model.classes_)),
        "lam": lam,
        "seconds": seconds,
        "warnings": len(said),
    }


def methods():
    """Return what can be compared with several unordered classes here."""
    here = {"pulasso": PULASSO}
    for name, method in BASELINES.items():
        if method.ordered or method.binary:
            continue
        if method.extra and importlib.util.find_spec("pulearn") is None:
            print(f"{name} is left out: pip install 'pulasso[{method.extra}]'")
            continue
        here[name] = method
    return here


def run(scale="quick", seed=0):
    """Return one row for each data set, method and split."""
    settings, rows = SETTINGS[scale], []
    for name, load in DATA.items():
        for split_number in range(settings["splits"]):
            try:
                split = load(settings, seed + split_number)
            except (ImportError, OSError) as error:
                print(f"{name} is left out: {error}")
                break
            for method_name, method in methods().items():
                if method.needs_true_classes and split.y is None:
                    continue  # nobody knows the true classes of the trees' background
                found = one_fit(method, split, settings, seed + split_number)
                rows.append({"data": name, "method": method_name, "split": split_number} | found)
                print(rows[-1], file=sys.stderr, flush=True)
    return rows


def summarize(rows):
    """Print means over splits, and standard errors of the accuracy."""
    print(f"{'data':<13}{'method':<21}{'accuracy':>9}{'+-':>7}{'log-loss':>10}{'seconds':>9}{'warnings':>10}")
    for data, method in dict.fromkeys((row["data"], row["method"]) for row in rows):
        here = [row for row in rows if (row["data"], row["method"]) == (data, method)]
        mean = {
            key: np.mean([row[key] for row in here])
            for key in ("accuracy", "log_loss", "seconds", "warnings")
        }
        spread = np.std([row["accuracy"] for row in here], ddof=1) if len(here) > 1 else None
        error = "" if spread is None else f"{spread / np.sqrt(len(here)):.3f}"
        print(
            f"{data:<13}{method:<21}{mean['accuracy']:>9.3f}{error:>7}{mean['log_loss']:>10.3f}"
            f"{mean['seconds']:>9.2f}{mean['warnings']:>10.1f}"
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
    path = arguments.out / f"comparators_{arguments.scale}.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    print(f"written to {path} after {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
