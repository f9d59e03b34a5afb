"""Records of Swiss trees where people looked: backgrounds, bias columns, and records beside a survey.

    PULASSO_DATA=folder python studies/swiss_trees.py --scale quick               # two species, some minutes
    PULASSO_DATA=folder python studies/swiss_trees.py --scale full                # all that have 50 records or more

Every species is a model of its own, of 13 variables and their squares, judged by an independent survey: area under the
ROC curve and log-loss. The share of the species among the places of the survey is told to all that take it. The survey
saw forests only, so that among random places this share is too high.

Background: 10,000 random places; or the places where any of 30 species was recorded (target group); or random places
and two bias columns, the logarithm of how dense records of all species are at two distances, beside that of random
places. "naive" takes background for absence; "naive, re-weighted" is the same after predict_proba(X, prevalence=).
With a target group prevalence means the share of visited places: "recorded share" tells the share of them with a record
of the species, and re-weights.

Records and survey: 300 places of the survey are used for fitting, the others for judging, five times. Each source
alone; both in one fit by Sources; and both with class log odds of records that may differ by a constant. Background is
the target group, with the recorded share; records alone are re-weighted to the share in the 300 places.
"""

import argparse
import warnings

import numpy as np
from scipy.spatial import cKDTree
from sklearn.metrics import roc_auc_score

from pulasso import CaseControl, MultinomialPULassoCV, SelectedLabelling, Sources
from pulasso.datasets import load_swiss_trees
from pulasso.tables import text_table

ALL = tuple(f"swi{i:02d}" for i in range(1, 31))
LEAST_RECORDS = 50
DISTANCES = (1_000.0, 5_000.0)
N_SURVEY, LEAST_FOUND = 300, 6
FIT = {
    "n_lams": 15,
    "lam_min_ratio": 0.003,
    "cv": 3,
    "tol": 1e-3,
    "random_state": 0,
    "progress": False,
    "unlabeled": "background",
}


def features(data):
    """Return the variables and their squares."""
    return np.hstack([data.X, data.X**2])


def record_density(places, visited, random):
    """Return how dense records are around places, beside random places: logarithms, one for each distance."""
    trees = cKDTree(visited), cKDTree(random)
    columns = []
    for distance in DISTANCES:
        near, all_near = (tree.query_ball_point(places, distance, return_length=True) for tree in trees)
        # One half more, as places without any neighbour have a density, too.
        area = np.log(all_near + 0.5) if distance == max(DISTANCES) else 0.0
        columns.append(np.log(near + 0.5) - area)
    return np.column_stack(columns)


def judged(y, proba):
    """Return AUC and log-loss."""
    proba = np.clip(proba, 1e-12, 1 - 1e-12)
    return roc_auc_score(y, proba), -np.mean(np.where(y == 1, np.log(proba), np.log1p(-proba)))


def recorded_share(group):
    """Return the share of visited places with a record of the species."""
    is_own = group.y != "background"
    return len(np.unique(group.places[is_own], axis=0)) / np.sum(~is_own)


def backgrounds(species):
    """Yield what each kind of background, or bias columns, give for one species."""
    random = load_swiss_trees((species,))
    group = load_swiss_trees((species,), background="target-group")
    new, y = features(random.test), random.test.y[:, 0]
    share = y.mean()
    data = {"random places": (features(random), random.y), "target group": (features(group), group.y)}
    for name, (X, z) in data.items():
        naive = MultinomialPULassoCV(scenario="fully-observed", **FIT).fit(X, z)
        yield f"naive, {name}", *judged(y, naive.predict_proba(new)[:, 1])
        yield f"naive, re-weighted, {name}", *judged(y, naive.predict_proba(new, share)[:, 1])
        ours = MultinomialPULassoCV(scenario=CaseControl(share), **FIT).fit(X, z)
        yield f"ours, {name}", *judged(y, ours.predict_proba(new)[:, 1])
    ours = MultinomialPULassoCV(scenario=CaseControl(recorded_share(group)), **FIT).fit(
        features(group), group.y
    )
    yield "ours, target group, recorded share", *judged(y, ours.predict_proba(new, share)[:, 1])
    visited, places = (each.places[each.y == "background"] for each in (group, random))
    bias = record_density(random.places, visited, places)
    columns = [-2, -1]
    scenario = SelectedLabelling(columns, sampling="case-control", prevalence=share, excluded=True)
    ours = MultinomialPULassoCV(scenario=scenario, **FIT).fit(np.hstack([features(random), bias]), random.y)
    # Columns that are kept out of the classes have no part in predictions, whatever they hold.
    proba = ours.predict_proba(np.hstack([new, np.zeros((len(new), 2))]))[:, 1]
    yield "ours, random places, bias columns", *judged(y, proba)


def records_and_survey(species, replicates):
    """Yield what records, some places of a survey, and both together give for one species."""
    group = load_swiss_trees((species,), background="target-group")
    X, z, new, y = features(group), group.y, features(group.test), group.test.y[:, 0]
    records = CaseControl(recorded_share(group))
    alone = MultinomialPULassoCV(scenario=records, **FIT).fit(X, z)
    for seed in range(replicates):
        rng = np.random.default_rng(seed)
        known = rng.permutation(len(y)) < N_SURVEY
        labels = np.where(y[known] == 1, species, "background")
        rest, truth = new[~known], y[~known]
        if y[known].sum() < LEAST_FOUND:
            continue  # a survey of a species that it hardly found says nothing
        yield "records", *judged(truth, alone.predict_proba(rest, y[known].mean())[:, 1])
        survey = MultinomialPULassoCV(scenario="fully-observed", **FIT).fit(new[known], labels)
        yield "survey", *judged(truth, survey.predict_proba(rest)[:, 1])
        source = np.repeat(["records", "survey"], [len(z), N_SURVEY])
        both = {"records": records, "survey": "fully-observed"}
        shifted = {"shift": "intercept", "reference": "survey"}
        for name, more in (("both", {}), ("both, intercepts differ", shifted)):
            model = MultinomialPULassoCV(scenario=Sources(both, **more), **FIT)
            model.fit(np.vstack([X, new[known]]), np.concatenate([z, labels]), source=source)
            yield name, *judged(truth, model.predict_proba(rest)[:, 1])


def table(title, found):
    """Print the mean over species, and of how many species each is the best."""
    names = list(dict.fromkeys(name for each in found.values() for name in each))
    values = np.array([[each[name] for name in names] for each in found.values()])
    best_area = np.bincount(values[..., 0].argmax(axis=1), minlength=len(names))
    best_loss = np.bincount(values[..., 1].argmin(axis=1), minlength=len(names))
    rows = [
        [name, f"{area:.4f}", f"{loss:.4f}", str(first), str(second)]
        for name, (area, loss), first, second in zip(
            names, values.mean(axis=0), best_area, best_loss, strict=True
        )
    ]
    header = [f"{title}, {len(found)} species", "AUC", "log-loss", "best AUC", "best log-loss"]
    print("\n".join(text_table(header, rows)), flush=True)


def means(rows):
    """Return the mean over replicates by name."""
    found = {}
    for name, *values in rows:
        found.setdefault(name, []).append(values)
    return {name: np.mean(values, axis=0) for name, values in found.items()}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", choices=["quick", "full"], default="quick")
    parser.add_argument("--only", choices=["backgrounds", "survey"])
    parser.add_argument("--replicates", type=int, default=5)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    y = load_swiss_trees(ALL).y
    species = [name for name in ALL if np.sum(y == name) >= LEAST_RECORDS]
    species = species[:2] if given.scale == "quick" else species
    parts = {"backgrounds": backgrounds, "survey": lambda name: records_and_survey(name, given.replicates)}
    for part, run in parts.items():
        if given.only in (None, part):
            found = {}
            for name in species:
                if not (rows := list(run(name))):
                    continue
                found[name] = means(rows)
                shown = {way: np.round(values, 3).tolist() for way, values in found[name].items()}
                print(name, np.sum(y == name), shown, flush=True)
            table(part, found)


if __name__ == "__main__":
    main()
