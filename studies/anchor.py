"""Does holding the model to the class shares that it was told give better answers, and how strongly should it be held?

Rows with known classes are masked, fitted with every strength of the anchor (0 is the paper's estimator), lam chosen by
cross-validation of observed labels alone, and judged by true classes of other rows. Shares are told right, or wrong by
a factor. Beside every strength: the same with intercepts moved until the mean of held-out probabilities is what was
told ("shift"), and the one-standard-error rule. Rules that choose the strength itself use nothing but the folds. On
tables with more columns than rows ("wide") what the guide suggests for few rows competes with other methods. Of three
strengths, these get the one that held-out labels prefer, as a user can choose ("held out"), and in every score the best
by the *test* rows, as nobody can ("test rows"): an upper bound. "all-columns" is a ridge.

    PULASSO_DATA=folder python studies/anchor.py --scale quick          # some minutes
    PULASSO_DATA=folder python studies/anchor.py --scale full --wide folder-of-mat-files
    python studies/anchor.py --wide folder-of-mat-files --only wide --methods few-rows rivals --replicates 20

Wide tables are Matlab files with X and Y, such as scikit-feature's (lymphoma, TOX-171, GLIOMA, lung_small).
"""

import argparse
import time
import warnings
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import scipy.io
from comparators import choose
from scipy.special import softmax
from sklearn.datasets import load_digits, load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from pulasso import MultinomialPULassoCV, OrdinalPULassoCV, SingleTrainingSet
from pulasso.baselines import BASELINES
from pulasso.datasets import (
    load_colposcopy,
    load_mfeat,
    load_swiss_trees,
    load_wine_quality,
    mask_labels,
    simulate_multinomial,
    simulate_ordinal,
)
from pulasso.exceptions import ScenarioError
from pulasso.metrics import pu_scores
from pulasso.penalties import ElasticNet
from pulasso.runs import open_run, run_steps

RHOS = (0.0, 0.3, 1.0, 3.0, 10.0, 100.0)  # the last stands for infinity
BY_SIZE = 300.0  # a rule: the rho nearest to this times (K + 1) / n
FACTORS = (1.0, 0.8, 1.2, 0.5, 2.0)  # of the told shares of positive classes
RIVALS = ("pu-bagging", "nnpu", "upu", "elkan-noto")
RIVAL_LAMS = (
    300.0,
    30.0,
    3.0,
    0.3,
    0.03,
    0.003,
    0.0003,
)  # from one that shrinks all to one that shrinks nothing
RIVAL_FOLDS = 5
FIT = {"n_lams": 20, "tol": 1e-3, "random_state": 0, "progress": False}
TEST_ROWS = 5_000
# What the guide suggests for few rows and many columns, and the same without a part of it.
FEW_ROWS = {"penalty": ElasticNet(0.3), "max_active": 99, "refit": "relaxed", "prior_count": 1.0}
VARIANTS = {
    "no prior count": {"prior_count": 0.0},
    "no refit": {"refit": None},
    "lasso": {"penalty": None},
    "no anchor": {"anchor": 0.0},
}
# A ridge on every column: what it costs to keep fewer than 100, where a penalty chooses them, and where the ridge does.
ALL_COLUMNS = {"penalty": ElasticNet(0.01), "max_active": None, "refit": None, "lam_min_ratio": 1e-4}
SHRINK = 0.1  # of the ridge by which few columns take over what all say
RECIPES = {"few-rows": {"": {}}, "all-columns": {"": ALL_COLUMNS}, "variants": VARIANTS}
# Groups of methods, and what their results depend on; only strengths are for all data, the rest is for wide tables.
METHODS = {
    "strengths": {"test rows": TEST_ROWS},
    "few-rows": FEW_ROWS,
    "all-columns": FEW_ROWS | ALL_COLUMNS | {"shrink": SHRINK},
    "variants": {"recipe": FEW_ROWS, "variants": VARIANTS},
    "rivals": {"lams": RIVAL_LAMS, "folds": RIVAL_FOLDS},
}
SETTINGS = {
    "quick": {"replicates": 2, "rhos": (0.0, 1.0, 10.0), "factors": (1.0, 2.0)},
    "full": {"replicates": 10, "rhos": RHOS, "factors": FACTORS},
}
ESTIMATORS = {"multinomial": MultinomialPULassoCV, "ordinal": OrdinalPULassoCV}


def simulated(response, scenario, n, p, seed, variance=1.0):
    """Draw from the model itself; the truth gives log-losses and errors of coefficients."""
    simulate = {"multinomial": simulate_multinomial, "ordinal": simulate_ordinal}[response]
    data = simulate(n, p, n_active=5, scenario=scenario, variance=variance, random_state=seed)
    x, y = data.truth.draw(TEST_ROWS, random_state=[seed, 1])
    return data.X, data.z, x, y, data.scenario_params, response, data.truth


def masked(X, y, frequency, seed, response="multinomial", test=0.3):
    """Hide labels of some rows and judge by the others."""
    X, y = np.asarray(X, dtype=float), np.unique(np.asarray(y), return_inverse=True)[1]
    train, rest = train_test_split(np.arange(len(y)), test_size=test, stratify=y, random_state=seed)
    scaler = StandardScaler().fit(X[train])
    known = {"scenario": "single-training-set", "label_frequency": frequency}
    z, rng = np.zeros(len(train), int), np.random.default_rng(seed)
    while len(np.unique(z)) <= y.max():  # every class keeps a label
        z = mask_labels(y[train], frequency, random_state=rng)
    return scaler.transform(X[train]), z, scaler.transform(X[rest]), y[rest], known, response, None


def trees(seed):
    """Five species in the field, judged by places of an independent survey that have at most one of them."""
    data = load_swiss_trees()
    rng, species = np.random.default_rng(seed), np.array(data.class_names)
    code = np.searchsorted(species, data.y)
    wanted = [2_000] + [200] * (len(species) - 1)
    rows = np.concatenate(
        [rng.choice(np.flatnonzero(code == k), n, replace=False) for k, n in enumerate(wanted)]
    )
    alone = data.test.y.sum(axis=1) <= 1
    scaler = StandardScaler().fit(data.X)
    X, X_test = scaler.transform(data.X[rows]), scaler.transform(data.test.X[alone])
    known = {"scenario": "case-control", "prevalence": data.prevalence}
    y_test = data.test.y[alone] @ np.arange(1, len(species))
    return (
        np.hstack([X, X**2]),
        code[rows],
        np.hstack([X_test, X_test**2]),
        y_test,
        known,
        "multinomial",
        None,
    )


def data_sets(wide):
    """Return groups of data sets, each a function of the seed."""

    def of(load, frequency, response="multinomial", **kwargs):
        def draw(seed):
            data = load()
            return masked(data[0], data[1], frequency, seed, response, **kwargs)

        return draw

    def table(loader, **kwargs):
        def load():
            data = loader(**kwargs)
            return data.X, data.y

        return load

    sets = {
        ("simulated", f"{response}, {scenario}, {n} x {p}"): (
            lambda seed, a=response, b=scenario, c=n, d=p: simulated(a, b, c, d, seed)
        )
        for response in ("multinomial", "ordinal")
        for scenario in ("case-control", "single-training-set")
        for n, p in ((200, 400), (600, 30))
    }
    sets |= {
        ("tables", "digits 8 x 8, .6"): of(lambda: load_digits(return_X_y=True), 0.6),
        ("tables", "wine cultivars, .5"): of(lambda: load_wine(return_X_y=True), 0.5),
        ("tables", "wine quality, .6"): of(table(load_wine_quality), 0.6, "ordinal"),
        ("tables", "colposcopy, .6"): of(table(load_colposcopy), 0.6, "ordinal"),
        ("tables", "swiss trees"): trees,
    }  # fmt: skip
    for frequency in (0.4, 0.6, 0.8):
        sets["tables", f"digits 649, {frequency:g}"] = of(table(load_mfeat), frequency)
    for path in sorted(Path(wide).glob("*.mat")) if wide else ():
        for frequency in (0.5, 0.7):
            name = f"{path.stem}, {frequency:g}"
            sets["wide", name] = of(lambda path=path: read_matlab(path), frequency, test=0.2)
    return sets


def read_matlab(path):
    """Return X and Y of a Matlab file, the commonest class first: it becomes class 0."""
    data = scipy.io.loadmat(path)
    names, codes, counts = np.unique(data["Y"].ravel(), return_inverse=True, return_counts=True)
    keep = counts[codes] >= 5  # smaller ones cannot be in training and test rows
    order = np.argsort(-counts, kind="stable")
    return data["X"][keep].astype(float), np.argsort(order)[codes[keep]]


def told_by(known, factor):
    """Return the scenario with the told shares of positive classes multiplied, or None if that is impossible."""
    if "prevalence" in known:
        prevalence = factor * np.asarray(known["prevalence"])
        return {**known, "prevalence": prevalence} if prevalence.sum() < 1 else None
    if "label_frequency" in known:
        frequency = np.asarray(known["label_frequency"]) / factor
        return {**known, "label_frequency": frequency} if np.max(frequency) <= 1 else None
    return known


def judge(proba, y, coef=None, truth=None):
    """Return accuracy, log-loss, Brier score, share of class 0 and, where the truth is known, what was selected."""
    rows = np.arange(len(y))
    actual = np.zeros_like(proba)
    actual[rows, y] = 1
    scores = {
        "accuracy": (proba.argmax(axis=1) == y).mean(),
        "log_loss": -np.log(np.maximum(proba[rows, y], np.finfo(float).tiny)).mean(),
        "brier": ((proba - actual) ** 2).sum(axis=1).mean(),
        "too_much_class_0": proba[:, 0].mean() - (y == 0).mean(),
    }
    if coef is not None:
        found = np.atleast_2d(coef)
        scores["features"] = np.count_nonzero(found.any(axis=0))
        if truth is not None:
            true = np.atleast_2d(truth.public_coefficients()[0])
            scores["error"] = np.linalg.norm(found - true)
            both = np.count_nonzero(found.any(axis=0) & true.any(axis=0))
            scores["f1"] = 2 * both / max(scores["features"] + np.count_nonzero(true.any(axis=0)), 1)
    return scores


def run_strengths(draw, seed, factor, rhos):
    """Return what every strength of the anchor reaches on one draw, by method and score."""
    X, z, X_test, y_test, known, response, truth = draw(seed)
    told, found = told_by(known, factor), {}
    if told is None:
        return {}
    for rho in rhos:
        model = ESTIMATORS[response](anchor=rho, **FIT, **told).fit(X, z)
        own = {
            "cv_loss": model.cv_loss_mean_[model.best_index_],
            "edge": len(model.lams_) == model.best_index_ + 1,
        }
        seen = ~np.isnan(model.cv_proba_).any(axis=1)  # no fold holds out the only labelled row of a class
        scores = pu_scores(model, X[seen], z[seen], y_proba=model.cv_proba_[seen])
        own["estimated"] = scores["accuracy"].value
        proba = model.predict_proba(X_test)
        own["lost_below"] = lost_below(model, X_test, y_test)
        found[f"rho {rho:g}"] = {**judge(proba, y_test, model.coef_, truth), **own}
        if (model.told_shares_ > 0).all():
            shifted = move(model, z, told["scenario"] == "case-control", proba)
            found[f"rho {rho:g}, shift"] = judge(shifted, y_test, model.coef_)
        sparser = model.path_.model(int(np.flatnonzero(model.lams_ == model.lam_1se_)[0]))
        found[f"rho {rho:g}, 1se"] = judge(sparser.predict_proba(X_test), y_test, sparser.coef_, truth)
    by_rho = {rho: found[f"rho {rho:g}"] for rho in rhos}
    by_size = BY_SIZE * proba.shape[1] / len(z)
    nearest = min(rhos, key=lambda rho: abs(np.log(max(rho, 1e-9) / by_size)))
    found["rho by n and K"] = by_rho[nearest]
    found["rho by held-out likelihood"] = min(by_rho.values(), key=lambda each: each["cv_loss"])
    found["rho by estimated accuracy"] = max(by_rho.values(), key=lambda each: each["estimated"])
    return found


def run_few_rows(draw, seed, variants):
    """Return what the guide suggests for few rows reaches on one draw, with changes by name."""
    X, z, X_test, y_test, known, *_ = draw(seed)
    found = {}
    for name, changes in variants.items():
        settings = FIT | FEW_ROWS | changes
        scenario = SingleTrainingSet(known["label_frequency"], prior_count=settings.pop("prior_count"))
        if settings["max_active"] is None:
            found |= ridge_on_all(X, z, X_test, y_test, scenario, settings)
            continue
        model = MultinomialPULassoCV(scenario=scenario, **settings).fit(X, z)
        held_out = model.cv_loss_mean_[model.best_index_] if settings["refit"] is None else model.refit_loss_
        scores = judge(model.predict_proba(X_test), y_test, model.coef_)
        found[f"few rows, {name}" if name else "few rows"] = scores | {"held_out": held_out}
    return found


def ridge_on_all(X, z, X_test, y_test, scenario, settings):
    """Return the scores of a ridge on all columns, and of fewer columns that say the same.

    It is fitted in coordinates of what the rows span: to a ridge they are as good as X.
    """
    left, lengths, right = np.linalg.svd(X, full_matrices=False)
    size = np.sqrt(X.shape[1])
    model = MultinomialPULassoCV(scenario=scenario, standardize=False, **settings)
    model.fit(left * (lengths / size), z)
    theta = right.T @ model.coef_.T / size
    found = {}
    for name, each in (("ridge on all columns", theta), ("ridge cut down", cut_down(X, theta))):
        proba = softmax(np.column_stack([np.zeros(len(y_test)), X_test @ each + model.intercept_]), axis=1)
        found[name] = judge(proba, y_test, each.T) | {"held_out": model.cv_loss_mean_[model.best_index_]}
    return found


def cut_down(X, theta):
    """Return coefficients of the columns that have the largest, such that log-odds of the rows stay about the same."""
    kept = np.argsort(-np.linalg.norm(theta, axis=1))[: FEW_ROWS["max_active"]]
    few = X[:, kept]
    gram = few @ few.T + SHRINK * len(kept) * np.eye(len(X))
    out = np.zeros_like(theta)
    out[kept] = few.T @ np.linalg.solve(gram, X @ theta)
    return out


def run_rivals(draw, seed):
    """Return what other methods reach on one draw, with strengths chosen in two ways."""
    X, z, X_test, y_test, known, *_ = draw(seed)
    found = {}
    for name in RIVALS:
        # Some refuse where chance has labelled so many rows that nothing would be left for class 0.
        with suppress(ScenarioError):
            found |= fit_rival(name, SimpleNamespace(X=X, z=z, known=known), X_test, y_test, seed)
    return found


def move(model, z, only_unlabeled, proba):
    """Return probabilities after what ``calibrate="shares"`` does, without another fit."""
    rows = ~np.isnan(model.cv_proba_).any(axis=1) & ((z == 0) | (not only_unlabeled))
    weight = np.full(rows.sum(), 1 / rows.sum())
    change = model.response_.move_to_shares(model.cv_proba_[rows], weight, model.told_shares_)
    return model.response_.moved_proba(proba, change)


def lost_below(model, x, y):
    """Return how many points of accuracy the worst lam below .02 lam_max loses against the best lam of the path."""
    right = np.array([(model.path_.model(i).predict(x) == y).mean() for i in range(len(model.path_.lams))])
    below = right[model.path_.lams < 0.02 * model.lam_max_]
    return 100 * (right.max() - below.min()) if len(below) else 0.0


def fit_rival(name, split, X_test, y_test, seed):
    """Return the scores of another method, with the strength that held-out labels prefer, and the best by test rows."""
    method = BASELINES[name]
    lams = RIVAL_LAMS if method.tuned else RIVAL_LAMS[:1]
    lam = choose(method, split, lams, RIVAL_FOLDS, seed) if method.tuned else lams[0]
    tried = {}
    for each in lams:
        model = method.make(split.known, each).fit(split.X, split.z)
        tried[each] = judge(model.predict_proba(X_test), y_test)
    best = {
        score: (max if score == "accuracy" else min)(scores[score] for scores in tried.values())
        for score in ("accuracy", "log_loss", "brier")
    }
    return {f"{name}, held out": tried[lam], f"{name}, test rows": best}


def one_step(group, name, wide, seed, factor, rhos, methods):
    """Return a cell as plain arrays."""
    draw = data_sets(wide)[group, name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if methods == "strengths":
            found = run_strengths(draw, seed, factor, rhos)
        elif methods == "rivals":
            found = run_rivals(draw, seed)
        else:
            found = run_few_rows(draw, seed, RECIPES[methods])
    return {
        f"{method}|{score}": np.array(float(value))
        for method, scores in found.items()
        for score, value in scores.items()
    }


def run(
    scale="quick",
    wide=None,
    only=None,
    replicates=None,
    first=0,
    rhos=None,
    factors=None,
    methods=tuple(METHODS),
    checkpoint=None,
    n_jobs=None,
):
    """Return one row for each data set, factor, replicate, method."""
    given = {"rhos": rhos, "factors": factors}
    settings = SETTINGS[scale] | {name: tuple(values) for name, values in given.items() if values}
    rows = []
    for part in methods:
        steps = {}
        for group, name in data_sets(wide):
            if only and not any(each in f"{group}: {name}" for each in only):
                continue
            if group != "wide" and part != "strengths":
                continue
            for factor in (1.0,) if group == "wide" else settings["factors"]:
                for seed in range(first, first + (replicates or settings["replicates"])):
                    step = (group, name, wide, seed, factor, settings["rhos"], part)
                    steps[f"{group} {name} x {factor:g} replicate {seed}"] = step
        depends = {"fit": FIT, **METHODS[part]} | ({"rhos": settings["rhos"]} if part == "strengths" else {})
        saved = open_run(f"study of the anchor, {part}", depends, checkpoint)
        results = run_steps(one_step, steps, n_jobs=n_jobs, title=part, run=saved)
        for (group, name, _, seed, factor, *_), result in zip(steps.values(), results, strict=True):
            for key, value in result.items():
                method, score = key.split("|")
                rows.append({"group": group, "data": name, "factor": factor, "replicate": seed,
                             "method": method, "score": score, "value": float(value)})  # fmt: skip
    return rows + either(rows)


def either(rows, pair=("few rows", "ridge cut down")):
    """Return rows of one more method: in every split that of two which held-out labels prefer."""
    cells = {}
    for row in rows:
        if row["method"] in pair:
            cell = cells.setdefault((row["data"], row["replicate"]), {each: [] for each in pair})
            cell[row["method"]].append(row)
    out = []
    for found in cells.values():
        losses = {
            name: row["value"] for name, each in found.items() for row in each if row["score"] == "held_out"
        }
        if set(losses) == set(pair):
            out += [
                {**row, "method": "either, by held-out labels"} for row in found[min(pair, key=losses.get)]
            ]
    return out


def table(rows, score, factor=1.0):
    """Return means and standard errors: data sets by methods."""
    frame = pd.DataFrame(rows)
    frame = frame[(frame["score"] == score) & (frame["factor"] == factor)]
    grouped = frame.groupby(["group", "data", "method"], sort=False)["value"]
    return grouped.mean().unstack("method"), grouped.sem().unstack("method")


def against_rivals(rows, own="few rows"):
    """Return, for every wide table, a method beside the best rival by either choice: means and errors."""
    frame = pd.DataFrame(rows)
    frame = frame[frame["group"] == "wide"]
    cells = (
        frame.groupby(["data", "score", "method"], sort=False)["value"]
        .agg(["mean", "sem", "count"])
        .sort_index()
    )
    out = []
    for data in frame["data"].unique():
        few = cells.loc[data].xs(own, level="method")
        line = {
            "table": data,
            "splits": int(few.loc["accuracy", "count"]),
            "columns": few.loc["features", "mean"],
        }
        for score, best in (("accuracy", "idxmax"), ("log_loss", "idxmin")):
            line[score] = "{:.3f} ± {:.3f}".format(*few.loc[score, ["mean", "sem"]])
            for how in ("held out", "test rows"):
                means = cells.loc[data, score]["mean"]
                name = getattr(means[means.index.str.endswith(how)], best)()
                mean, sem, count = cells.loc[(data, score, name)]
                line[f"{score}, {how}"] = f"{mean:.3f} ± {sem:.3f} ({name.split(',')[0]}, {count:.0f})"
        out.append(line)
    return pd.DataFrame(out)


def verdict(rows):
    """Say of every strength and rule in how many data sets it is better, or worse by two standard errors, than 0."""
    frame = pd.DataFrame(rows)
    frame = frame[(frame["factor"] == 1.0) & frame["score"].isin(["accuracy", "log_loss", "error"])]
    wide = frame.pivot_table(index=["group", "data", "replicate", "score"], columns="method", values="value")
    sign = np.where(wide.index.get_level_values("score") == "accuracy", 1.0, -1.0)
    out = []
    if "rho 0" not in wide:
        return pd.DataFrame(out)
    for method in [each for each in wide.columns if each.startswith("rho") and each != "rho 0"]:
        gain = (wide[method] - wide["rho 0"]) * sign
        by_set = gain.groupby(["group", "data", "score"]).agg(["mean", "sem", "count"]).dropna(subset="mean")
        for score, part in by_set.groupby("score"):
            low = part["mean"] < -2 * part["sem"].fillna(0)
            out.append({"method": method, "score": score, "better": int((part["mean"] > 0).sum()),
                        "worse": int((part["mean"] < 0).sum()), "worse by 2 se": int(low.sum()),
                        "mean gain": float(part["mean"].mean())})  # fmt: skip
    return pd.DataFrame(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", choices=SETTINGS, default="quick")
    parser.add_argument("--wide", type=Path, help="folder of Matlab files with X and Y")
    parser.add_argument("--only", nargs="*", help="parts of names of data sets")
    parser.add_argument("--replicates", type=int)
    parser.add_argument("--first", type=int, default=0, help="seed of the first replicate")
    parser.add_argument("--rhos", type=float, nargs="*", help="strengths; verdicts compare with 0")
    parser.add_argument("--factors", type=float, nargs="*", help="of the told shares of positive classes")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), help="those to run")
    parser.add_argument("--out", type=Path, default=Path("runs/studies"))
    parser.add_argument("--checkpoint", type=Path, help="folder of finished replicates, to go on from")
    parser.add_argument("--n-jobs", type=int)
    given = parser.parse_args()
    start = time.perf_counter()
    names = (
        "scale",
        "wide",
        "only",
        "replicates",
        "first",
        "rhos",
        "factors",
        "methods",
        "checkpoint",
        "n_jobs",
    )
    rows = run(**{name: getattr(given, name) for name in names})
    pd.set_option("display.width", 250, "display.max_columns", 50, "display.max_colwidth", 60)
    for score in ("accuracy", "log_loss", "too_much_class_0"):
        for factor in sorted({row["factor"] for row in rows}):
            print(f"\n{score}, told shares x {factor:g}\n{table(rows, score, factor)[0].round(3).T}")
    if lost := [row for row in rows if row["score"] == "lost_below"]:
        print(
            f"\npoints of accuracy that lams below .02 lam_max lose at most\n"
            f"{pd.DataFrame(lost).groupby(['data', 'method'], sort=False)['value'].max().unstack().round(1)}"
        )
        print(f"\n{verdict(rows).to_string(index=False)}")
    if group_wide := [row for row in rows if row["group"] == "wide"]:
        print(f"\nfeatures\n{table(group_wide, 'features')[0].round(0).T}")
        own = {"few-rows": ["few rows"], "all-columns": ["ridge on all columns", "ridge cut down"]}
        for name in [
            name for part in given.methods for name in own.get(part, ()) if "rivals" in given.methods
        ]:
            print(f"\n{name} against rivals\n{against_rivals(group_wide, name).to_string(index=False)}")
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / f"anchor_{given.scale}.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    print(f"written to {path} after {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
