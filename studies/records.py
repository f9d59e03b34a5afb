"""Records with bias columns, records beside a survey, and scores under selected labelling: simulations.

    python studies/records.py --scale quick
    python studies/records.py --scale full --only bias        # errors of bias columns and classes, by n
    python studies/records.py --scale full --only species     # that share places: effects of all against each its own
    python studies/records.py --scale full --only survey      # records and survey against either alone
    python studies/records.py --scale full --only coverage    # of 95 % intervals of scores without negatives

Records of class k are drawn with a density that grows with column 0, which goes along with column 1; both are in the
classes unless a column is excluded. Of three species that share places the first has n / 8 records, the others a third
and a tenth of them; "inside" says how often the 95 % interval of the effect that they share holds it. The survey is a
small sample in which everything is seen, of places of its own. "excess" is the mean divergence of P(y | x) from the
truth in the population, "calibration" the root mean square of predicted minus true share in ten bins of the prediction.
"""

import argparse
import warnings
from dataclasses import replace

import numpy as np
from scipy.special import expit, softmax
from sklearn.metrics import roc_auc_score

from pulasso import (
    CaseControl,
    FullyObserved,
    MultinomialPULasso,
    OneVsRestPULasso,
    SelectedLabelling,
    Sources,
)
from pulasso.metrics import pu_scores
from pulasso.tables import text_table

EFFECT = 1.0
SIZES = (1_000, 4_000, 16_000)
REPLICATES = {"quick": 2, "full": 10}
SETS = {"quick": 10, "full": 200}
POPULATION = 40_000
SURVEYS = (100, 300, 1_000)


def population(n, n_positive, rng, in_classes):
    """Draw features, true classes, their probabilities and coefficients."""
    X = rng.normal(size=(n, 5))
    X[:, 0] += 0.5 * X[:, 1]
    theta = np.zeros((5, n_positive))
    theta[0] = in_classes
    theta[1 + np.arange(n_positive) % 4, np.arange(n_positive)] = 1.2
    proba = softmax(np.column_stack([np.zeros(n), X @ theta - 2.0]), axis=1)
    return X, (proba.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1), proba, theta


def records(X, y, n, rng):
    """Return rows and labels of a case-control sample: n of background, n / 4 records of each class."""
    rows, z = [rng.choice(len(y), n, replace=False)], [np.zeros(n, dtype=int)]
    for k in range(1, y.max() + 1):
        members = np.flatnonzero(y == k)
        density = np.exp(EFFECT * X[members, 0])
        rows.append(rng.choice(members, n // 4, p=density / density.sum()))  # else dense places run out
        z.append(np.full(n // 4, k))
    return np.concatenate(rows), np.concatenate(z)


def excess(model, X, proba):
    """Return the mean divergence from the truth."""
    return np.mean(np.sum(proba * (np.log(proba) - model.predict_log_proba(X)), axis=1))


def bias_columns(replicates):
    """Root mean squared errors by n, and the excess with bias columns and without."""
    rows = []
    cases = {
        "K = 1, excluded": (1, True),
        "K = 2, excluded": (2, True),
        "K = 2": (2, False),
        "K = 4": (4, False),
    }
    for name, (n_positive, excluded) in cases.items():
        for n in SIZES:
            found = []
            for seed in range(replicates):
                rng = np.random.default_rng([seed, n])
                X, y, proba, theta = population(30 * n, n_positive, rng, 0.0 if excluded else 0.4)
                at, z = records(X, y, n, rng)
                share = np.bincount(y, minlength=n_positive + 1)[1:] / len(y)
                aware = SelectedLabelling([0], sampling="case-control", prevalence=share, excluded=excluded)
                models = [
                    MultinomialPULasso(lam=0.02 / np.sqrt(n), tol=1e-4, scenario=each).fit(X[at], z)
                    for each in (CaseControl(share), aware)
                ]
                errors = [np.sqrt(np.mean((model.coef_.T - theta) ** 2)) for model in models]
                left = [excess(model, X[:20_000], proba[:20_000]) for model in models]
                found.append((models[1].propensity_.coef[0, 0] - EFFECT, *errors, *left))
            effect, *errors = np.sqrt(np.mean(np.square(np.array(found)[:, :3]), axis=0))
            left = np.mean(np.array(found)[:, 3:], axis=0)
            numbers = (*(f"{each:.3f}" for each in (effect, np.sqrt(n) * effect, errors[1], errors[0])),)
            rows.append([name, f"{n:,}", *numbers, *(f"{each:.4f}" for each in left[::-1])])
            print(rows[-1], flush=True)
    header = ["case", "n", "effect", "root n x effect", "classes", "without", "excess", "without"]
    print_table(header, rows)


def several_species(replicates):
    """Root mean squared errors of the effect and of coefficients, with effects that are shared and each its own.

    A place may be recorded twice: where many look, all members would soon be taken, and the density would bend.
    """
    rows = []
    for n in SIZES[:2]:
        found = []
        for seed in range(replicates):
            rng = np.random.default_rng([seed, n, 3])
            X = rng.normal(size=(30 * n, 5))
            X[:, 0] += 0.5 * X[:, 1]
            theta = 1.2 * np.eye(5, 3, -1)
            there = rng.random((len(X), 3)) < expit(X @ theta - 2.0)
            at, Y = [rng.choice(len(X), n, replace=False)], [np.zeros((n, 3), dtype=int)]
            for s, n_records in enumerate((n // 8, n // 24, n // 80)):
                members = np.flatnonzero(there[:, s])
                density = np.exp(EFFECT * X[members, 0])
                at.append(rng.choice(members, n_records, p=density / density.sum()))
                Y.append(np.eye(3, dtype=int)[[s] * n_records])
            errors = {}
            for shared in (True, False):
                how = {"sampling": "case-control", "excluded": True, "shared": shared}
                aware = SelectedLabelling([0], prevalence=there.mean(axis=0), **how)
                one = MultinomialPULasso(lam=0.02 / np.sqrt(n), tol=1e-5, scenario=aware)
                model = OneVsRestPULasso(one).fit(X[np.concatenate(at)], np.vstack(Y))
                effects = np.array([each.propensity_.coef[0, 0] for each in model.estimators_]) - EFFECT
                apart = np.sqrt(np.mean((model.coef_.T - theta) ** 2))
                errors[shared] = (np.sqrt(np.mean(effects**2)), abs(effects[2]), apart)
                if shared:
                    inside = abs(effects[0]) < 1.96 * model.propensity_.standard_error[0, 0]
            found.append((errors[True][0], *errors[False][:2], errors[True][2], errors[False][2], inside))
        squares = np.mean(np.square(found), axis=0)
        rows.append([f"{n:,}", *(f"{each:.3f}" for each in np.sqrt(squares[:5])), f"{squares[5]:.2f}"])
        print(rows[-1], flush=True)
    print_table(["n", "effect", "each its own", "of the rarest", "classes", "each its own", "inside"], rows)


def records_and_survey(replicates):
    """AUC, excess log-loss and calibration of each alone and of both."""
    rows = []
    for n_survey in SURVEYS:
        found = {}
        for seed in range(replicates):
            rng = np.random.default_rng([seed, n_survey])
            X, y, proba, _ = population(60_000, 1, rng, 0.4)
            at, z = records(X, y, 2_000, rng)
            seen = rng.choice(len(y), n_survey, replace=False)
            biased = SelectedLabelling([0], sampling="case-control", prevalence=y.mean())
            both = {"records": biased, "survey": FullyObserved()}
            source = np.repeat(["records", "survey"], [len(z), n_survey])
            table, labels = np.vstack([X[at], X[seen]]), np.concatenate([z, y[seen]])
            ways = {
                "records, no bias column": (CaseControl(y.mean()), X[at], z, {}),
                "survey": ("fully-observed", X[seen], y[seen], {}),
                "both, no bias column": (
                    Sources({**both, "records": CaseControl(y.mean())}), table, labels, {"source": source}
                ),
                "both, bias column": (Sources(both), table, labels, {"source": source}),
            }  # fmt: skip
            for name, (scenario, x, labels_, more) in ways.items():
                lam = 0.03 / np.sqrt(len(x))
                model = MultinomialPULasso(lam=lam, tol=1e-4, scenario=scenario).fit(x, labels_, **more)
                p = model.predict_proba(X)[:, 1]
                bins = np.digitize(p, np.quantile(p, np.linspace(0.1, 0.9, 9)))
                gaps = [(p[bins == b] - proba[bins == b, 1]).mean() for b in range(10)]
                calibration = np.sqrt(np.mean(np.square(gaps)))
                found.setdefault(name, []).append((roc_auc_score(y, p), excess(model, X, proba), calibration))
        for name, each in found.items():
            numbers = np.mean(each, axis=0)
            rows.append([f"{n_survey:,}", name, *(f"{value:.4f}" for value in numbers)])
    print_table(["surveyed", "fitted to", "AUC", "excess", "calibration"], rows)


def coverage(sets, of_population=True):
    """How often 95 % intervals hold the score of the true classes: labelling known, fitted, or taken for constant.

    An interval is about the population of which rows are a sample. The score of the very rows is nearer to the estimate
    than that of the population, as the labelled among them have a part in both.
    """
    names = ("accuracy", "log-loss", "share", "recall", "precision", "AUC")
    rows = []
    for n in (1_000, 4_000):
        inside = {way: [] for way in ("fitted", "fitted, taken for known", "constant")}
        for seed in range(sets):
            rng = np.random.default_rng([seed, n])
            X = rng.normal(size=(2 * n + POPULATION, 4))
            eta = 1.5 * X[:, [1, 2]] + 0.4 * X[:, [0]]
            proba = softmax(np.column_stack([np.zeros(len(X)), eta]), axis=1)
            y = (proba.cumsum(axis=1) < rng.random((len(X), 1))).sum(axis=1)
            z = np.where(rng.random(len(X)) < expit(0.2 + X[:, 0]), y, 0)
            scenario = SelectedLabelling([0], lam=0.0)
            model = MultinomialPULasso(lam=0.003, tol=1e-4, scenario=scenario).fit(X[:n], z[:n])
            x, labels, truth = X[n : 2 * n], z[n : 2 * n], y[n : 2 * n]
            held = replace(model.propensity_, directions=None)
            known = replace(model.scenario_, propensity=held)
            frequency = float(np.mean(labels[truth > 0] > 0))
            told = {"scenario": "single-training-set", "label_frequency": frequency}
            true = (
                true_scores(model, X[2 * n :], y[2 * n :]) if of_population else true_scores(model, x, truth)
            )
            for way, more in zip(inside, ({}, {"scenario": known}, told), strict=True):
                scores = pu_scores(model, x, labels, **more)
                inside[way].append([holds(scores[name], true[name]) for name in names])
        for way, each in inside.items():
            rows.append([f"{n:,}", way, *(f"{share:.3f}" for share in np.mean(each, axis=0))])
            print(rows[-1], flush=True)
    print_table(["n", "labelling", *names], rows)


def true_scores(model, X, y):
    """Return the same scores by true classes, that of class 1 where there is one for each class."""
    scores = pu_scores(model, X, y, scenario="fully-observed")
    return {name: np.ravel(scores[name].value)[-2 if np.ndim(scores[name].value) else 0] for name in (
        "accuracy", "log-loss", "share", "recall", "precision", "AUC"
    )}  # fmt: skip


def holds(estimate, truth):
    """Say whether the interval of a score, of class 1 where there are several, holds a number."""
    low, high = (np.ravel(end)[-2 if np.ndim(end) else 0] for end in estimate.interval())
    return low <= truth <= high


def print_table(header, rows):
    """Print a table."""
    print("\n".join(text_table(header, rows)), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", choices=REPLICATES, default="quick")
    parser.add_argument("--only", choices=["bias", "species", "survey", "coverage"])
    parser.add_argument("--replicates", type=int, help="of the others, instead of those of the scale")
    parser.add_argument("--sets", type=int, help="of the coverage, instead of those of the scale")
    parser.add_argument("--of-rows", action="store_true", help="coverage of the score of the very rows")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.only in (None, "bias"):
        bias_columns(given.replicates or REPLICATES[given.scale])
    if given.only in (None, "species"):
        several_species(given.replicates or REPLICATES[given.scale])
    if given.only in (None, "survey"):
        records_and_survey(given.replicates or REPLICATES[given.scale])
    if given.only in (None, "coverage"):
        coverage(given.sets or SETS[given.scale], not given.of_rows)


if __name__ == "__main__":
    main()
