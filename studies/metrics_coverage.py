"""Do the intervals of `pulasso.metrics` cover the true scores?

The population is a finite set of feature points with known class probabilities, so that every true score is an
exact weighted sum (computed by scikit-learn, not by the code under study). A model with wrong
coefficients predicts; nothing is fitted. Each replicate draws rows and labels anew and estimates
every score from predictions and observed labels. Per score the table shows truth, bias, the standard deviation of
the estimates beside the mean standard error, and the share of 95 % intervals that contain the truth.

    python studies/metrics_coverage.py --scale quick     # about a minute
    python studies/metrics_coverage.py --scale full
"""

import argparse
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit, softmax
from sklearn import metrics as exact

from pulasso import CaseControl, FullyObserved, SingleTrainingSet, metrics
from pulasso.runs import open_run, run_steps

N_POINTS, N_FEATURES = 3000, 4
BINS, LEAST_SHARE_OF_A_BIN = 3, 0.1
LABEL_FREQUENCY, NEGATIVE_FREQUENCY = np.array([0.7, 0.5]), 0.2
TARGET = (0.93, 0.97)

SETTINGS = {
    "quick": {"replicates": 400, "sizes": (1000,)},
    "full": {"replicates": 1000, "sizes": (1000,)},
}
SCENARIOS = ("case-control", "single-training-set", "fully-observed")


@dataclass(frozen=True, eq=False)
class Population:
    """Feature points with true class probabilities and what the model under judgement predicts there."""

    proba: np.ndarray  # (n_points, 3) true P(y | x)
    predicted_proba: np.ndarray  # (n_points, 3)

    @property
    def predicted(self):
        return self.predicted_proba.argmax(axis=1)

    @property
    def prevalence(self):
        return self.proba.mean(axis=0)


def make_population(response, rng):
    """Return a population of three classes and an imperfect, but not useless, model of it."""
    x = rng.normal(size=(N_POINTS, N_FEATURES))
    if response == "ordinal":
        true, guess = np.array([1.2, -0.8, 0.5, 0.0]), np.array([0.8, -0.8, 0.2, 0.3])
        return Population(ordinal_proba(x @ true, (-0.2, 1.9)), ordinal_proba(x @ guess, (-0.4, 1.8)))
    true = np.array([[1.5, -0.5], [-1.0, 1.2], [0.0, 1.0], [0.5, 0.0]])
    guess = true * [[0.8, 0.8], [0.8, 0.8], [1.0, 0.5], [0.0, 1.0]]
    return Population(multinomial_proba(x @ true - [0.3, 0.6]), multinomial_proba(x @ guess - [0.1, 0.6]))


def multinomial_proba(eta):
    return softmax(np.column_stack([np.zeros(len(eta)), eta]), axis=1)


def ordinal_proba(u, thresholds):
    below = [expit(threshold - u) for threshold in thresholds]
    return np.column_stack([below[0], below[1] - below[0], 1.0 - below[1]])


def draw(rng, population, scenario, confirmed, n):
    """Return rows (indices of points) and observed labels, 3 for confirmed negatives."""
    if scenario == "case-control":
        sizes = [n // 2, n // 4, n // 4] + ([n // 10] if confirmed else [])
        pools = [np.ones(N_POINTS), *population.proba.T[[1, 2, 0][: len(sizes) - 1]]]
        rows = [
            rng.choice(N_POINTS, size, p=pool / pool.sum()) for size, pool in zip(sizes, pools, strict=True)
        ]
        return np.concatenate(rows), np.repeat(np.arange(len(sizes)), sizes)
    rows = rng.integers(0, N_POINTS, n)
    y = (rng.random((n, 1)) > np.cumsum(population.proba[rows], axis=1)[:, :-1]).sum(axis=1)
    shown = np.ones(2) if scenario == "fully-observed" else LABEL_FREQUENCY
    shown = np.append(NEGATIVE_FREQUENCY * confirmed, shown)
    return rows, np.where(rng.random(n) < shown[y], np.where(y == 0, 3, y), 0)


def what_is_known(population, scenario, confirmed):
    """Return the keywords that describe the labels."""
    marks = {"unlabeled": 0, "negative": 3, "classes": [3, 1, 2]} if confirmed else {"classes": [0, 1, 2]}
    scenarios = {
        "case-control": CaseControl(population.prevalence[1:]),
        "single-training-set": SingleTrainingSet(LABEL_FREQUENCY, NEGATIVE_FREQUENCY if confirmed else None),
        "fully-observed": FullyObserved(),
    }
    return {"scenario": scenarios[scenario], **marks}


class Guess:
    """The model under judgement as a classifier, whose features are the numbers of points."""

    def __init__(self, population, classes):
        self.population, self.classes_ = population, np.asarray(classes)

    def predict_proba(self, X):
        return self.population.predicted_proba[X[:, 0]]

    def predict(self, X):
        return self.classes_[self.population.predicted[X[:, 0]]]


class OrdinalGuess(Guess):
    """The same for ordered classes, which asks for errors in steps, too."""

    def predict_expected(self, X):
        return self.predict_proba(X) @ np.arange(len(self.classes_))


def estimates(population, rows, z, known, ordered):
    """Return {score: (value, standard error)} from predictions and observed labels alone."""
    model = (OrdinalGuess if ordered else Guess)(population, known["classes"])
    scores = metrics.pu_scores(model, rows[:, None], z, **known)
    found = scores.overall | {name: scores[name] for name in ("recall", "precision", "AUC")}
    found["confusion"] = metrics.pu_confusion_matrix(z, model.predict(rows[:, None]), **known)
    flat = {}
    for name, estimate in found.items():
        value, error = np.asarray(estimate.value), np.asarray(estimate.standard_error)
        for index in np.ndindex(value.shape):
            flat[name + "".join(f" {i}" for i in index)] = value[index], error[index]
    curve = metrics.pu_calibration_curve(z, model.predict_proba(rows[:, None]), n_bins=BINS, **known)
    for c, b in np.ndindex(curve.frequency.shape):
        flat[f"calibration {c} bin {b}"] = curve.frequency[c, b], curve.standard_error[c, b]
    return flat


def true_scores(population, ordered):
    """Return {score: value} by scikit-learn, on every point with every class, weighted by its probability."""
    n_classes = population.proba.shape[1]
    y, weight = np.tile(np.arange(n_classes), N_POINTS), population.proba.ravel() / N_POINTS
    proba = np.repeat(population.predicted_proba, n_classes, axis=0)
    y_pred = np.repeat(population.predicted, n_classes)
    recall = exact.recall_score(y, y_pred, average=None, sample_weight=weight)
    precision = exact.precision_score(y, y_pred, average=None, sample_weight=weight)
    confusion = exact.confusion_matrix(y, y_pred, sample_weight=weight, normalize="all")
    truth = {
        "accuracy": exact.accuracy_score(y, y_pred, sample_weight=weight),
        "balanced accuracy": recall.mean(),
        "log-loss": exact.log_loss(y, proba, sample_weight=weight),
        "Brier score": weight @ ((proba - np.eye(n_classes)[y]) ** 2).sum(axis=1),
    }
    for c in range(n_classes):
        truth[f"recall {c}"], truth[f"precision {c}"] = recall[c], precision[c]
        truth[f"AUC {c}"] = exact.roc_auc_score(y == c, proba[:, c], sample_weight=weight)
        truth |= {f"confusion {c} {j}": confusion[c, j] for j in range(n_classes)}
        bins = np.searchsorted(np.linspace(0, 1, BINS + 1)[1:-1], proba[:, c])
        for b in range(BINS):
            if weight[bins == b].sum() >= LEAST_SHARE_OF_A_BIN:
                truth[f"calibration {c} bin {b}"] = (
                    weight[(bins == b) & (y == c)].sum() / weight[bins == b].sum()
                )
    if ordered:
        truth["mean squared error"] = exact.mean_squared_error(y, y_pred, sample_weight=weight)
        truth["mean absolute error"] = exact.mean_absolute_error(y, y_pred, sample_weight=weight)
    return truth


def replicate(response, scenario, confirmed, n, replicates, seed):
    """Return estimates and standard errors, shape (replicates, n_scores), and the truth."""
    ordered = response == "ordinal"
    population = make_population(response, np.random.default_rng([seed, ordered]))
    truth, known = true_scores(population, ordered), what_is_known(population, scenario, confirmed)
    rng = np.random.default_rng([seed, ordered, SCENARIOS.index(scenario), confirmed, n])
    drawn = []
    for _ in range(replicates):
        found = estimates(population, *draw(rng, population, scenario, confirmed, n), known, ordered)
        drawn.append([found[name] for name in truth])
    values, errors = np.moveaxis(np.array(drawn, dtype=float), -1, 0)
    return {
        "scores": np.array(list(truth)),
        "truth": np.array(list(truth.values())),
        "values": values,
        "errors": errors,
    }


def tabulate(setting, result):
    """Return one row for each score."""
    response, scenario, confirmed, n, *_ = setting
    covered = np.abs(result["values"] - result["truth"]) <= 1.959964 * result["errors"]
    columns = {
        "truth": result["truth"],
        "bias": result["values"].mean(axis=0) - result["truth"],
        "sd": result["values"].std(axis=0),
        "mean se": result["errors"].mean(axis=0),
        "coverage": covered.mean(axis=0),
    }
    name = scenario + (" + negatives" if confirmed else "")
    return [
        {"response": response, "scenario": name, "n": n, "score": str(score)}
        | {column: float(values[i]) for column, values in columns.items()}
        for i, score in enumerate(result["scores"])
    ]


def run(scale="quick", seed=0, replicates=None, checkpoint=None, n_jobs=None):
    """Return rows for all settings; with a folder for finished settings an interrupted run goes on."""
    settings = SETTINGS[scale]
    count = replicates or settings["replicates"]
    steps = {
        f"{response} {scenario} {confirmed} {n}": (response, scenario, confirmed, n, count, seed)
        for response in ("multinomial", "ordinal")
        for scenario in SCENARIOS
        for confirmed in ((False, True) if scenario != "fully-observed" else (False,))
        for n in settings["sizes"]
    }
    fingerprint = {"scale": scale, "seed": seed, "replicates": count}
    run = open_run("study of coverage", fingerprint, checkpoint)
    results = run_steps(replicate, steps, n_jobs=n_jobs, title="coverage", run=run)
    return [
        row
        for setting, result in zip(steps.values(), results, strict=True)
        for row in tabulate(setting, result)
    ]


def summarize(rows):
    """Print coverage by setting and kind of score: the least and the greatest over classes, cells and bins."""
    kinds = list(
        dict.fromkeys(
            row["score"].rstrip("0123456789 ").removesuffix(" bin").rstrip("0123456789 ") for row in rows
        )
    )
    settings = list(dict.fromkeys((row["response"], row["scenario"], row["n"]) for row in rows))
    print(f"{'coverage of 95 % intervals, %':<50}" + "".join(f"{kind:>22}" for kind in kinds))
    for setting in settings:
        here = [row for row in rows if (row["response"], row["scenario"], row["n"]) == setting]
        line = f"{setting[0]:<12}{setting[1]:<32}{setting[2]:>5} "
        for kind in kinds:
            found = [100 * row["coverage"] for row in here if row["score"].startswith(kind)]
            text = (
                f"{min(found):.1f}-{max(found):.1f}" if len(found) > 1 else f"{found[0]:.1f}" if found else ""
            )
            line += f"{text:>22}"
        print(line)
    coverage = np.array([row["coverage"] for row in rows])
    inside = ((coverage >= TARGET[0]) & (coverage <= TARGET[1])).mean()
    bias = max(abs(row["bias"]) / row["sd"] for row in rows if row["sd"] > 0)
    print(
        f"{len(rows)} intervals: {100 * inside:.1f} % cover between {100 * TARGET[0]:.0f} and {100 * TARGET[1]:.0f} %; "
        f"least {100 * coverage.min():.1f} %, median {100 * np.median(coverage):.1f} %, "
        f"greatest {100 * coverage.max():.1f} %; largest bias {bias:.2f} standard deviations"
    )
    for row in sorted(rows, key=lambda row: row["coverage"])[:8]:
        print("  lowest: " + "  ".join(f"{v:.4g}" if isinstance(v, float) else str(v) for v in row.values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", choices=SETTINGS, default="quick")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/studies"))
    parser.add_argument("--checkpoint", type=Path, help="folder of finished settings, to go on from")
    parser.add_argument("--n-jobs", type=int)
    arguments = parser.parse_args()
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = run(arguments.scale, arguments.seed, checkpoint=arguments.checkpoint, n_jobs=arguments.n_jobs)
    summarize(rows)
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"metrics_coverage_{arguments.scale}.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    print(f"written to {path} after {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
