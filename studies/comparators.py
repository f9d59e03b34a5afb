"""How do other methods for positive and unlabeled data compare, on the same splits?

Four data sets, each split several times into rows to learn from, whose labels are masked, and rows to judge by, whose
true classes are known. Every method that has a penalty chooses its strength by cross-validation of the likelihood of
observed labels (the oracle: of true classes); ours takes its own grid, the others one that all of them share, and that
goes on where one of its ends is the best. One row for each data set, method and split; the table shows means
over splits and their standard errors; seconds are of the processor and include the choice.

Our method is there three times: as cross-validation comes, held to the told shares by anchor=3; without an anchor; and
with the strength chosen among both. The shares told for Swiss trees are those of a survey of forests, while background
rows are from the whole country, where species are rarer: "trees, halved" tells half of them, on the same rows.

    PULASSO_DATA=folder python studies/comparators.py --scale quick
    PULASSO_DATA=folder python studies/comparators.py --scale full --checkpoint folder

Swiss trees are left out, with a word, where they can neither be found nor downloaded.
"""

import argparse
import importlib.util
import time
import warnings
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

from pulasso import MultinomialPULassoCV
from pulasso.baselines import BASELINES
from pulasso.datasets import load_swiss_trees, mask_labels, simulate_multinomial
from pulasso.exceptions import ScenarioError
from pulasso.runs import open_run, run_steps

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
# Where the smallest or the largest is the best, the grid goes on to these, as ours does.
LEAST_LAM, GREATEST_LAM = 1e-4, 30.0

OWN = {
    "pulasso": {},
    "pulasso, anchor 0": {"anchor": 0.0},
    "pulasso, anchor chosen": {"anchor": (0, 3)},
}


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


def swiss_trees(settings, seed, factor=1.0):
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
    known = {"scenario": "case-control", "prevalence": factor * data.prevalence}
    return Split(np.hstack([X, X**2]), code[rows], None, np.hstack([X_test, X_test**2]), y_test, known)


def halved(settings, seed):
    """The same rows, and half of the shares."""
    return swiss_trees(settings, seed, factor=0.5)


DATA = {
    "digits": digits,
    "wine": wine,
    "simulated": simulated,
    "swiss trees": swiss_trees,
    "trees, halved": halved,
}


@lru_cache(maxsize=1)
def load_split(data, scale, seed):
    """Return one split, which the methods that follow each other share."""
    return DATA[data](SETTINGS[scale], seed)


def choose(method, split, lams, n_folds, seed, goes_on=False):
    """Return the strength of the penalty that explains held-out labels best; the grid may go on where its end is."""
    labels = split.y if method.needs_true_classes else split.z
    rows = list(folds_of(split.z, n_folds, seed))

    def score(lam):
        total = 0.0
        for learn, held in rows:
            # By chance so many labels may remain that nothing is left for class 0: then no strength can be fitted.
            with suppress(ScenarioError):
                model = method.make(split.known, lam).fit(split.X[learn], labels[learn])
                total += model.observed_score(split.X[held], labels[held])
        return total

    lams, scores = list(lams), [score(lam) for lam in lams]
    while (
        goes_on and np.argmax(scores) == len(lams) - 1 and (lam := lams[-1] * lams[1] / lams[0]) >= LEAST_LAM
    ):
        lams.append(lam)
        scores.append(score(lam))
    while goes_on and np.argmax(scores) == 0 and (lam := lams[0] * lams[0] / lams[1]) <= GREATEST_LAM:
        lams.insert(0, lam)
        scores.insert(0, score(lam))
    return lams[np.argmax(scores)]


def folds_of(z, n_folds, seed):
    """Yield rows to fit to and rows to judge by; the only row of a label is in all of the former."""
    single = np.flatnonzero((np.bincount(z)[z] == 1) & (z > 0))
    for learn, held in StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(z, z):
        yield np.union1d(learn, single), np.setdiff1d(held, single)


def one_fit(data, method, scale, seed):
    """Return accuracy, log-loss, strength and time of one method on one split."""
    split, settings, lam = load_split(data, scale, seed), SETTINGS[scale], np.nan
    labels = split.y if sees_true_classes(method) else split.z
    start = time.process_time()  # of the processor: other programs do not count
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if method in OWN:
            how = {"cv": settings["folds"], "random_state": seed, "progress": False}
            model = MultinomialPULassoCV(**how, **OWN[method], **split.known).fit(split.X, labels)
            lam = model.lam_
        else:
            other = BASELINES[method]
            if other.tuned:
                lams = np.geomspace(LARGEST_LAM, SMALLEST_LAM, settings["lams"]).tolist()
                lam = choose(other, split, lams, settings["folds"], seed, goes_on=True)
            model = other.make(split.known, lam).fit(split.X, labels)
    seconds = time.process_time() - start
    proba = model.predict_proba(split.X_test)
    found = {
        "accuracy": np.mean(model.predict(split.X_test) == split.y_test),
        "log_loss": log_loss(split.y_test, proba, labels=model.classes_),
        "lam": lam,
        "seconds": seconds,
        "warnings": len(said),
    }
    return {name: np.array(float(value)) for name, value in found.items()}


def sees_true_classes(method):
    """Return whether a method is an oracle."""
    return method not in OWN and BASELINES[method].needs_true_classes


def all_methods():
    """Return the names of what is made for several unordered classes."""
    return [*OWN, *(name for name, method in BASELINES.items() if not (method.ordered or method.binary))]


def here(methods):
    """Return those of the methods whose packages are installed."""
    found = []
    for name in methods:
        extra = BASELINES[name].extra if name in BASELINES else None
        if extra and importlib.util.find_spec("pulearn") is None:
            print(f"{name} is left out: pip install 'pulasso[{extra}]'")
        else:
            found.append(name)
    return found


def run(scale="quick", seed=0, data=tuple(DATA), methods=None, n_jobs=None, checkpoint=None, splits=None):
    """Return one row for each data set, method and split."""
    methods, cells = here(methods or all_methods()), []
    splits = splits or SETTINGS[scale]["splits"]
    for name in data:
        try:
            first = load_split(name, scale, seed)
        except (ImportError, OSError) as error:
            print(f"{name} is left out: {error}")
            continue
        # Nobody knows the true classes of the trees' background.
        possible = [each for each in methods if first.y is not None or not sees_true_classes(each)]
        cells += [(name, each, i) for i in range(splits) for each in possible]
    steps = {f"{name} {each} {i}": (name, each, scale, seed + i) for name, each, i in cells}
    grid = [LARGEST_LAM, SMALLEST_LAM, LEAST_LAM, GREATEST_LAM]
    saved = open_run("study of comparators", {"scale": scale, "seed": seed, "grid": grid}, checkpoint)
    results = run_steps(one_fit, steps, n_jobs=n_jobs, title="fits", run=saved)
    return [
        {"data": name, "method": each, "split": i}
        | {column: float(value) for column, value in result.items()}
        for (name, each, i), result in zip(cells, results, strict=True)
    ]


def summarize(rows):
    """Print means over splits, and standard errors of accuracy and log-loss."""
    print(
        f"{'data':<15}{'method':<24}{'accuracy':>9}{'+-':>7}{'log-loss':>10}{'+-':>7}"
        f"{'lam':>9}{'seconds':>9}{'warnings':>10}"
    )
    table = pd.DataFrame(rows).groupby(["data", "method"], sort=False)
    mean, error = table.mean(), table.sem().fillna(0.0)
    for (data, method), row in mean.iterrows():
        off = error.loc[(data, method)]
        print(
            f"{data:<15}{method:<24}{row['accuracy']:>9.3f}{off['accuracy']:>7.3f}"
            f"{row['log_loss']:>10.3f}{off['log_loss']:>7.3f}"
            f"{row['lam']:>9.4f}{row['seconds']:>9.2f}{row['warnings']:>10.1f}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", choices=SETTINGS, default="quick")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", nargs="+", choices=DATA, default=list(DATA))
    parser.add_argument("--methods", nargs="+", choices=all_methods(), help="some of them, instead of all")
    parser.add_argument("--splits", type=int, help="instead of those of the scale")
    parser.add_argument("--n-jobs", type=int)
    parser.add_argument("--checkpoint", type=Path, help="folder of finished fits, to go on from")
    parser.add_argument("--out", type=Path, default=Path("runs/studies"))
    arguments = parser.parse_args()
    start = time.perf_counter()
    rows = run(
        arguments.scale,
        arguments.seed,
        arguments.data,
        arguments.methods,
        arguments.n_jobs,
        arguments.checkpoint,
        arguments.splits,
    )
    summarize(rows)
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"comparators_{arguments.scale}.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    print(f"written to {path} after {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
