"""Small objects of every kind that the public functions give or take: data, fitted models, results."""

import warnings
from functools import cache
from types import SimpleNamespace

import matplotlib
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pulasso
from pulasso import baselines, datasets, inference, metrics, model_selection, plots, prevalence

SCENARIO = {"scenario": "single-training-set", "label_frequency": 0.6}
QUICK = {"tol": 1e-3, "max_iter": 50}
GRID = {"n_lams": 4, "lam_min_ratio": 0.2}


@cache
def world():
    """Return all of them by name; they are made once, and no call may change them."""
    matplotlib.use("Agg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SimpleNamespace(**_make())


def _make():
    data = datasets.simulate_ordinal(
        90, 3, n_active=2, scenario="single-training-set", label_frequency=0.6, signal=(2, 2), random_state=0
    )
    x, z = data.X, data.z
    model = pulasso.MultinomialPULasso(0.05, **SCENARIO, **QUICK).fit(x, z)
    ordinal = pulasso.OrdinalPULasso(0.05, **SCENARIO, **QUICK).fit(x, z)
    chosen = pulasso.MultinomialPULassoCV(cv=2, progress=False, **GRID, **SCENARIO, **QUICK).fit(x, z)
    ordered_chosen = pulasso.OrdinalPULassoCV(cv=2, progress=False, **GRID, **SCENARIO, **QUICK).fit(x, z)
    known = {"z": z, "y_pred": data.y, "y_proba": model.predict_proba(x)}
    estimate = prevalence.elkan_noto(
        x, z, scenario="single-training-set", cv=2, n_bootstrap=5, random_state=0
    )
    sweep = prevalence.sensitivity_sweep(model, x, z, grid=[0.5, 0.6], progress=False)
    stable = inference.stability_selection(
        model, x, z, n_subsamples=4, random_state=0, progress=False, **GRID
    )
    replicates = inference.bootstrap(
        model, x, z, n_replicates=3, predict_at=x[:2], random_state=0, progress=False
    )
    points = inference.find_stationary_points(model, x, z, n_restarts=1, random_state=0, progress=False)
    path = pulasso.fit_path(x, z, **GRID, **SCENARIO, **QUICK)
    read = pulasso.PUData.read(x, z)
    problem = pulasso.build_problem(read, **SCENARIO)
    accuracy = metrics.pu_accuracy(z, known["y_pred"], classes=[0, 1, 2], **SCENARIO)
    return {
        **known,
        "data": data,
        "X": x,
        "y": data.y,
        "model": model,
        "ordinal": ordinal,
        "chosen": chosen,
        "ordered_chosen": ordered_chosen,
        "pipeline": make_pipeline(StandardScaler(), model).fit(x, z),
        "stranger": LogisticRegression().fit(x, data.y),
        "unfitted": pulasso.MultinomialPULasso(),
        "path": path,
        "truth": data.truth,
        "estimate": estimate,
        "sweep": sweep,
        "stable": stable,
        "replicates": replicates,
        "points": points,
        "read": read,
        "problem": problem,
        "accuracy": accuracy,
        "recall": metrics.pu_recall(z, known["y_pred"], **SCENARIO),
        "matrix": metrics.pu_confusion_matrix(z, known["y_pred"], **SCENARIO),
        "curve": metrics.pu_calibration_curve(z, known["y_proba"], n_bins=3, **SCENARIO),
        "scores": metrics.pu_scores(model, x, z),
        "scorer": metrics.make_pu_scorer("accuracy", **SCENARIO),
        "comparison": model_selection.compare(x, z, models=["mn-lasso"], cv=2, **SCENARIO),
        "baseline": baselines.BASELINES["mn-lasso"],
        "bagging": baselines.PUBagging(n_estimators=2, random_state=0).fit(x, z),
        "loss": pulasso.losses.PULoss(**SCENARIO),
        "objective": pulasso.objectives.PUObjective(codes=[0, 1, 2], **SCENARIO),
        "displays": _displays(model, ordinal, chosen, path, estimate, sweep, stable, replicates, known, x, z),
    }


def _displays(model, ordinal, chosen, path, estimate, sweep, stable, replicates, known, x, z):
    """Return one display of every class."""
    from matplotlib.pyplot import close
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(n_estimators=2, random_state=0).fit(x, z)
    given = {
        "BootstrapIntervalsDisplay": ("from_result", [replicates]),
        "CVCurveDisplay": ("from_estimator", [chosen]),
        "ClassSharesDisplay": ("from_estimator", [model]),
        "CoefficientPathDisplay": ("from_path", [path]),
        "ConvergenceDisplay": ("from_estimator", [model]),
        "FeatureImportancesDisplay": ("from_estimator", [forest]),
        "GroupNormsDisplay": ("from_estimator", [model]),
        "PUCalibrationDisplay": ("from_estimator", [model, x, z]),
        "PUConfusionMatrixDisplay": ("from_estimator", [model, x, z]),
        "PrevalenceDisplay": ("from_estimate", [estimate]),
        "ResponseCurveDisplay": ("from_estimator", [model, x, 0]),
        "SelectedFeaturesDisplay": ("from_estimator", [model]),
        "SensitivityDisplay": ("from_sweep", [sweep]),
        "StabilityPathDisplay": ("from_result", [stable]),
        "ThresholdsDisplay": ("from_estimator", [ordinal]),
    }
    made = {name: getattr(getattr(plots, name), how)(*args) for name, (how, args) in given.items()}
    close("all")
    return made


def others(rng):
    """Return an object that is right elsewhere."""
    known = vars(world())
    names = [name for name in known if name not in ("displays", "y_pred", "y_proba", "X", "y", "z")]
    return known[names[int(rng.integers(len(names)))]]


def odd_array(rng, good):
    """Return an array that is almost the good one."""
    good = np.asarray(good if np.asarray(good).dtype.kind in "iuf" else [0.5, 1.0], dtype=float)
    some = good.copy()
    if some.size:
        some.flat[int(rng.integers(some.size))] = rng.choice([np.nan, np.inf, -1.0, 1e308, 2.0])
    changes = [
        some,
        *(good[:0], good[:-1], good[None], good[..., None], good.ravel(), good.T, good.tolist()),
        *(-good, good * 1e300, good * np.nan, good + 1.5, np.zeros_like(good), good.astype(np.float32)),
        *(good.astype(object), good.astype(str), good.astype(complex), good > 0.5, good.astype("M8[D]")),
        *(iter(good.tolist()) if good.ndim else 0, np.ma.masked_array(good, good > 0.5), [good.tolist(), []]),
    ]
    return changes[int(rng.integers(len(changes)))]
