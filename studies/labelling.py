"""Labelling that depends on more than the class: is it recovered, does it help, and does the test keep its level?

    PULASSO_DATA=folder python studies/labelling.py --scale quick            # some minutes
    python studies/labelling.py --scale full --only recovery
    python studies/labelling.py --only rate --replicates 40                  # why errors of one class fall as they do
    python studies/labelling.py --scale full --only test --sets 200          # level and power of test_labelling
    python studies/labelling.py --scale full --only test --method classifier --sets 400
    PULASSO_DATA=folder python studies/labelling.py --scale full --only mechanisms
    PULASSO_DATA=folder python studies/labelling.py --scale quick --only linear       # why digits are not helped

Recovery: the model is drawn from itself, one column drives the labelling, and where the data can tell (one class with
the column kept out of the classes; several classes that share a propensity) errors should fall as one over root n.
Rate: the same for one class with more draws, and with the lasso taken off the propensity, and off both.
Mechanisms: rows with known classes are labelled by a constant chance; by one that rises, or falls, with the probability
of a positive class under a model of all true classes; or the half of them with the largest probability. Both fits are
told the label frequency over all rows. "removed" is the part of the excess in log-loss of the constant label frequency,
over a fit to all true classes, that is removed. Linear: digits again, with classes drawn from a linear model fitted to
them, at one lam: then selected labelling cannot take up what classes cannot say.
"""

import argparse
import warnings

import numpy as np
from scipy.special import expit, softmax
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from pulasso import (
    MultinomialPULasso,
    MultinomialPULassoCV,
    OrdinalPULasso,
    OrdinalPULassoCV,
    SelectedLabelling,
    SingleTrainingSet,
)
from pulasso.datasets import load_wine_quality
from pulasso.inference import test_labelling
from pulasso.tables import text_table

LEVEL, EFFECT = 0.2, 1.0
MEAN_SIZE = np.sqrt(2 / np.pi)  # of a standard normal variable
SETTINGS = {"quick": (10, 2), "full": (1_000, 10)}  # sets of the test, replicates of the others
SIZES = (1_000, 4_000, 16_000)
CASES = {"K = 1, excluded": (1, False), "K = 2": (2, False), "K = 4": (4, False), "ordinal, K = 3": (3, True)}
MECHANISMS = ("constant", "rising with P", "falling with P", "top N")
FIT = {"n_lams": 20, "cv": 3, "tol": 1e-4, "random_state": 0, "progress": False}


def draw(n, n_positive, seed, *, ordinal=False, effect=EFFECT, in_classes=0.4, bends=False):
    """Draw rows, observed labels and true coefficients; column 0, or its size if it `bends`, drives the labelling."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    if ordinal:
        theta = np.array([[in_classes], [1.5], [-1.0], [0.0], [0.0]])
        y = (X @ theta + rng.logistic(size=(n, 1)) > np.arange(n_positive)).sum(axis=1)
    else:
        theta = np.zeros((5, n_positive))
        theta[0] = in_classes
        theta[1 + np.arange(n_positive) % 4, np.arange(n_positive)] = 1.5
        proba = softmax(np.column_stack([np.zeros(n), X @ theta - 0.3]), axis=1)
        y = (proba.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    drives = np.abs(X[:, 0]) - MEAN_SIZE if bends else X[:, 0]
    return X, np.where(rng.random(n) < expit(LEVEL + effect * drives), y, 0), theta


def recovery(replicates):
    """Root mean squared errors of coefficients, of the effect on labelling and of its level, by n."""
    rows = []
    for name, (n_positive, ordinal) in CASES.items():
        excluded = n_positive == 1
        kind = OrdinalPULasso if ordinal else MultinomialPULasso
        for n in SIZES:
            errors = []
            for seed in range(replicates):
                X, z, theta = draw(n, n_positive, seed, ordinal=ordinal, in_classes=0.0 if excluded else 0.4)
                scenario = SelectedLabelling([0], excluded=excluded)
                model = kind(lam=0.01 / np.sqrt(n), scenario=scenario).fit(X, z)
                found = model.propensity_
                apart = np.sqrt(np.mean((np.atleast_2d(model.coef_).T - theta) ** 2))
                errors.append((apart, found.coef[0, 0] - EFFECT, found.intercept[0] - LEVEL))
            rmse = np.sqrt(np.mean(np.square(errors), axis=0))
            rows.append([name, f"{n:,}", *(f"{value:.3f}" for value in rmse), f"{np.sqrt(n) * rmse[1]:.1f}"])
    print_table(["case", "n", "classes", "effect", "level", "root n x effect"], rows)


def rate(replicates):
    """Root n times the errors of the effect for one class: which lasso makes them, if any does."""
    rows = []
    for n in SIZES:
        small = 0.01 / np.sqrt(n)
        ways = {"as above": (small, None), "propensity free": (small, 0.0), "both free": (1e-6, 0.0)}
        for way, (lam, own) in ways.items():
            errors = []
            for seed in range(replicates):
                X, z, _ = draw(n, 1, [seed, 11], in_classes=0.0)
                scenario = SelectedLabelling([0], excluded=True, lam=own)
                model = MultinomialPULasso(lam=lam, tol=1e-5, scenario=scenario).fit(X, z)
                errors.append(np.sqrt(n) * (model.propensity_.coef[0, 0] - EFFECT))
            rmse = np.sqrt(np.mean(np.square(errors)))
            spread = np.std(np.square(errors)) / np.sqrt(replicates) / (2 * rmse)
            numbers = (f"{each:.1f}" for each in (np.mean(errors), rmse, spread))
            rows.append([f"{n:,}", way, *numbers])
            print(rows[-1], flush=True)
    print_table(["n", "lasso", "root n x mean error", "root n x effect", "standard error"], rows)


def level_and_power(sets, n, method):
    """How often the test rejects at 5 %, for effects from none to large; to the classifier labelling bends.

    One draw for every set, and all of them together are the null distribution: the level of the bootstrap at the price
    of two fits for a set (Giacomini, Politis & White 2013).
    """
    rows = []
    for effect in (0.0, 0.5, 1.0, 2.0):
        n_sets = sets if effect == 0 else max(sets // 4, 1)
        found = []
        for seed in range(n_sets):
            X, z, _ = draw(n, 2, [seed, 7], effect=effect, bends=method == "classifier")
            model = MultinomialPULasso(lam=0.002, tol=1e-3, scenario=SelectedLabelling([0]))
            how = {"n_replicates": 1, "random_state": seed, "progress": False}
            result = test_labelling(model, X, z, method=method, **how)
            found.append((result.statistic, result.null_statistics[0]))
        statistic, null = np.transpose(found)
        share = np.mean(statistic > np.quantile(null, 0.95))
        error = np.sqrt(share * (1 - share) / n_sets)
        rows.append([f"{effect:g}", str(n_sets), f"{share:.3f}", f"{error:.3f}"])
        print(rows[-1], flush=True)
    print_table(["effect", "sets", "rejected", "standard error"], rows)


def tables():
    """Digits 3 and 8 among all, by fifteen principal components; wine in three grades, by its eleven columns."""
    X, digit = load_digits(return_X_y=True)
    X = StandardScaler().fit_transform(PCA(15, random_state=0).fit_transform(X))
    yield "digits", X, np.select([digit == 3, digit == 8], [1, 2], 0), MultinomialPULassoCV
    wine = load_wine_quality()
    X = StandardScaler().fit_transform(np.asarray(wine.X, dtype=float))
    yield "wine", X, np.asarray(wine.y), OrdinalPULassoCV


def label(mechanism, X, y, rng):
    """Return observed labels: half of the positive rows, more or less, chosen by the mechanism."""
    positive = y > 0
    proba = LogisticRegression(max_iter=1000).fit(X, positive).predict_proba(X)[:, 1]
    rank = proba[positive].argsort().argsort() / positive.sum()
    chance = {"constant": 0.5, "rising with P": 0.1 + 0.8 * rank, "falling with P": 0.9 - 0.8 * rank}
    shown = rank > 0.5 if mechanism == "top N" else rng.random(len(rank)) < chance[mechanism]
    z = y.copy()
    z[np.flatnonzero(positive)[~shown]] = 0
    return z


def mechanisms(replicates):
    """Log-loss of true classes on other rows."""
    rows = []
    for name, X, y, kind in tables():
        for mechanism in MECHANISMS:
            losses = []
            for seed in range(replicates):
                x, x_new, y_fit, y_new = train_test_split(
                    X, y, train_size=min(1_500, int(0.7 * len(y))), stratify=y, random_state=seed
                )
                z = label(mechanism, x, y_fit, np.random.default_rng(seed))
                told = {k: np.mean(z[y_fit == k] == k) for k in range(1, y.max() + 1)}
                scenarios = (
                    SingleTrainingSet(told),
                    SelectedLabelling(list(range(X.shape[1])), label_frequency=told),
                )
                fits = [kind(scenario="fully-observed", **FIT).fit(x, y_fit)]
                fits += [kind(scenario=each, **FIT).fit(x, z) for each in scenarios]
                picked = (np.arange(len(y_new)), y_new)
                losses.append([-np.mean(fit.predict_log_proba(x_new)[picked]) for fit in fits])
            full, constant, selected = np.mean(losses, axis=0)
            removed = (constant - selected) / (constant - full)
            rows.append(
                [name, mechanism, *(f"{each:.3f}" for each in (full, constant, selected)), f"{removed:.0%}"]
            )
            print(rows[-1], flush=True)
    header = ["table", "labelling", "all true classes", "constant frequency", "selected labelling", "removed"]
    print_table(header, rows)


def linear_classes(replicates):
    """Log-loss where classes are linear: constant frequency, selected labelling by BIC, and hardly shrunk."""
    _, X, y, _ = next(tables())
    proba = MultinomialPULasso(lam=0.002, scenario="fully-observed").fit(X, y).predict_proba(X)
    rows, columns = [], list(range(X.shape[1]))
    for mechanism in MECHANISMS:
        losses = []
        for seed in range(replicates):
            rng = np.random.default_rng(seed)
            drawn = (proba.cumsum(axis=1) < rng.random((len(X), 1))).sum(axis=1).clip(max=2)
            x, x_new, y_fit, y_new = train_test_split(
                X, drawn, train_size=1_250, stratify=drawn, random_state=seed
            )
            z = label(mechanism, x, y_fit, np.random.default_rng(seed))
            told = {k: np.mean(z[y_fit == k] == k) for k in (1, 2)}
            ways = [("fully-observed", y_fit, 0.0), (SingleTrainingSet(told), z, 3.0)]
            ways += [
                (SelectedLabelling(columns, label_frequency=told, lam=lam), z, 3.0) for lam in (None, 0.001)
            ]
            fits = [
                MultinomialPULasso(lam=0.002, tol=1e-4, anchor=anchor, scenario=scenario).fit(x, labels)
                for scenario, labels, anchor in ways
            ]
            picked = (np.arange(len(y_new)), y_new)
            losses.append([-np.mean(fit.predict_log_proba(x_new)[picked]) for fit in fits])
        rows.append([mechanism, *(f"{each:.3f}" for each in np.mean(losses, axis=0))])
    header = ["labelling", "all true classes", "constant frequency", "selected, BIC", "selected, lam 0.001"]
    print_table(header, rows)


def print_table(header, rows):
    """Print a table."""
    print("\n".join(text_table(header, rows)), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", choices=SETTINGS, default="quick")
    parser.add_argument("--only", choices=["recovery", "rate", "test", "mechanisms", "linear"])
    parser.add_argument("--sets", type=int, help="of the test, instead of those of the scale")
    parser.add_argument("--replicates", type=int, help="of the others, instead of those of the scale")
    parser.add_argument("--method", choices=["likelihood-ratio", "classifier"], default="likelihood-ratio")
    parser.add_argument("--rows", type=int, default=500, help="of the sets of the test")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    sets, replicates = SETTINGS[given.scale]
    wanted = (given.only,) if given.only else ("recovery", "test", "mechanisms", "linear")
    if "recovery" in wanted:
        recovery(given.replicates or replicates)
    if "rate" in wanted:
        rate(given.replicates or replicates)
    if "test" in wanted:
        level_and_power(given.sets or sets, given.rows, given.method)
    if "mechanisms" in wanted:
        mechanisms(given.replicates or replicates)
    if "linear" in wanted:
        linear_classes(given.replicates or replicates)


if __name__ == "__main__":
    main()
