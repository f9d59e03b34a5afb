"""Random calls of every public name: a call that works, with one or two arguments replaced.

`recipes` walks the public names and finds a good call for each: arguments by the names of its parameters.
"""

import inspect
import tempfile
from contextlib import AbstractContextManager, chdir, suppress
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np

import pulasso
from pulasso.theory import MultinomialConstants, Sample
from support.fuzz.odd import INF, NAN, anything, odd_features, odd_groups, odd_labels, odd_weight, pick
from support.fuzz.world import GRID, QUICK, SCENARIO, odd_array, others, world

ROOMS = ("pulasso", *(f"pulasso.{each}" for each in pulasso._PACKAGES), "pulasso.model_selection")
# Public names without a call here, and why.
ELSEWHERE = "fuzzed by calls.py"
RESULT = "made by the library; its methods are called"
PART = "a part for those who extend the library, called for every block or row: checks would cost more than it does"
LEFT_OUT = {
    **dict.fromkeys(
        ("CaseControl", "SingleTrainingSet", "FullyObserved", "SelectedLabelling", "Groups"), ELSEWHERE
    ),
    **dict.fromkeys(("MultinomialPULassoCV", "OneVsRestPULasso", "OrdinalPULassoCV"), ELSEWHERE),
    **dict.fromkeys(("PathResult", "PUData", "Dataset", "Simulation", "Truth", "Baseline"), RESULT),
    **dict.fromkeys(
        (
            "BootstrapResult",
            "LabellingTest",
            "StabilityResult",
            "StationaryPoints",
            "Comparison",
            "LearnerBootstrap",
        ),
        RESULT,
    ),
    **dict.fromkeys(("CalibrationCurve", "Estimate", "Scores", "PUScorer"), RESULT),
    **dict.fromkeys(("Curve", "PrevalenceEstimate", "SensitivitySweep"), RESULT),
    **dict.fromkeys(
        ("CompleteLoss", "Curvature", "Loss", "NullModel", "ObservedLoss", "find_null_model"), PART
    ),
    **dict.fromkeys(("BlockPenalty", "Blocks", "Penalty", "Segments", "Thresholds"), PART),
    **dict.fromkeys(
        ("Fold", "LossCurve", "check_folds", "keep_single_rows", "split_rows", "takes_weight"), PART
    ),
    **(
        {}
        if find_spec("skorch")
        else dict.fromkeys(
            ("PUNeuralClassifier", "torch_loss"), "torch is hundreds of megabytes, and is not installed"
        )
    ),
}
LEFT_OUT_METHODS = {
    **dict.fromkeys(("loss.label_model", "loss.log_proba", "loss.log_likelihood"), PART),
    **dict.fromkeys(("loss.responsibilities", "loss.mixed_curvature"), PART),
    **dict.fromkeys(("objective.terms_of", "objective.read_scores"), PART),
    "accuracy.of": "one number has no classes: it refuses every name",
}
SKLEARN = (
    "fit",
    "get_metadata_routing",
    "set_fit_request",
    "set_predict_log_proba_request",
    "set_predict_proba_request",
    "set_predict_request",
    "set_score_request",
)  # another room's, or scikit-learn's
# Keywords behind ``**``, by its name.
LABELS = {"prevalence": None, "classes": None, "unlabeled": None, "negative": None, **SCENARIO}
PASSED_ON = {"options": "plot", "settings": "from_predictions"}  # to a method of the same class
MORE = {
    "labels": tuple(LABELS),
    "label_settings": tuple(LABELS),
    "params": (*QUICK, "groups", "standardize"),
    "about": ("X", "z", "sample_weight", "cv", "command", "seed", "data_hash", "force"),
    "how": ("force", "dtype"),
    "settings": (*SCENARIO, *QUICK, "groups", "unlabeled", "negative", "penalty"),
}
# How much work is asked for; a million replicates are no mistake, but take their time.
COUNTS = (
    "n_replicates",
    "n_restarts",
    "n_subsamples",
    "n_bootstrap",
    "n_estimators",
    "max_epochs",
    "n_lams",
    "cv",
    "max_iter",
)
SIZES = ("n_samples", "n_features", "n_active", "n_positive", "n_points", "n_bins", "n_pairs", "n_groups")
SETTLED = ("show_parameter", "run")  # a function, and what is not for users
MOST = {**dict.fromkeys(COUNTS, 5), **dict.fromkeys(SIZES, 200)}


class Recipe(NamedTuple):
    """A public callable, arguments that it can work with, and parameters that may be given beside them."""

    name: str
    call: object
    good: dict
    known: tuple


def _values():
    """Return good arguments by the names of parameters."""
    w = world()
    return {
        **{name: getattr(w, name) for name in ("X", "z", "y_pred", "y_proba", "data", "model")},
        **{"path": NEW, "folder": NEW},
        **{"y_score": w.y_proba, "other_proba": w.y_proba, "estimator": w.model, "y": w.z},
        **{"sweep": w.sweep, "estimate": w.estimate},
        **{"n_replicates": 2, "n_subsamples": 2, "n_restarts": 1, "n_bootstrap": 2, "n_estimators": 2, "cv": 2},
        **{"max_epochs": 2},
        **{"progress": False, "random_state": 0, "level": 0.9, "max_iter": 20, **GRID},
        **{"q": 2, "threshold": 0.8, "n_groups": 10, "n_pairs": 5, "grid": [0.5, 0.6], "feature": 0},
        **{"feature_bound": 1.0, "norm_of_truth": 0.5, "smallest_gap": 1.0, "sampling_ratios": [1.0, 1.0]},
        **{"radius": 0.1, "shrink": 0.5, "direction": w.data.coef, "radii": [0.1, 1.0]},
        **{"lams": w.chosen.lams_, "losses": w.chosen.cv_loss_, "problem": w.problem, "penalty": "group-mcp"},
        **{"estimators": {"one": w.model}, "lam": 0.05, "gamma": 4.0, "l1_ratio": 0.5, "index": -1, "rows": [0, 1]},
        **{"n_samples": 30, "n_features": 4, "n_active": 2, "n_positive": 2, "wanted": 1, "label_frequency": 0.6},
        **{"scenario": "single-training-set", "name": "accuracy", "result": w.stable, "select": "min"},
        **{"eta": np.zeros((3, 2)), "codes": np.array([0, 1, 2]), "mix": 0.5, "linear": np.zeros((3, 2))},
        **{"scores": np.zeros((3, 2)), "objective": w.objective},
        **{"about_labels": {}, "scenario_params": SCENARIO, "sample_weight": None},
        **{"constants": MultinomialConstants(1.0, 0.5, [1.0, 1.0]), "n_rows": 100, "largest_group": 2},
        **{"sample": Sample(100, 10, 2, [1.0, 1.0]), "support_weights": [1.0, 1.0]},
        **{"species": np.resize(["oak", "fir", "elm"], len(w.z)), "focal": ["oak"]},
        **{"coordinates": w.X[:, :2], "size": 1.0},
        **{"scenarios": {"records": pulasso.CaseControl(0.1), "survey": "fully-observed"}},
    }  # fmt: skip


NEW, SAVED = Path("new"), Path("saved")  # in the folder in which a call is made
# Where the name of a parameter does not tell.
SPECIAL = {
    "pulasso.load": {"path": SAVED},
    **dict.fromkeys(("model.card", "model.report", "ordinal.card", "ordinal.report"), {"cv": None}),
    "pulasso.report.write_card": {"cv": None},
    "pulasso.report.write_report": {"cv": None},
    "pulasso.load_notes": {"path": SAVED},
    "pulasso.plots.CoefficientPathDisplay.from_path": {"path": "path"},
    "pulasso.solve_path": {"lams": np.array([0.1, 0.05])},
    "pulasso.build_problem": {"data": "read"},
    "pulasso.PUData.read": {},
    "pulasso.model_selection.make_splitter": {"cv": 2},
    "pulasso.model_selection.named_scorer": {"name": "pu_accuracy"},
    "pulasso.model_selection.cross_fit": {"model": "learner"},
    "pulasso.model_selection.compare": {"models": ["mn-lasso"]},
    "pulasso.baselines.oracle": {"scenario": "fully-observed", "label_frequency": None},
    "pulasso.baselines.NonNegativePU": {"lam": 0.1},
    "pulasso.plots.BootstrapIntervalsDisplay.from_result": {"result": "replicates"},
    "pulasso.plots.ThresholdsDisplay.from_estimator": {"estimator": "ordinal"},
    "pulasso.plots.FeatureImportancesDisplay.from_estimator": {"estimator": "trees"},
    "pulasso.plots.CVCurveDisplay.from_estimator": {"estimator": "chosen"},
    "pulasso.plots.CoefficientPathDisplay.from_estimator": {"estimator": "chosen"},
    "pulasso.prevalence.sensitivity_sweep": {"estimator": "model"},
    "recall.of": {"name": 1},
    "matrix.of": {"name": 1},
    "truth.log_proba": {"linear": np.zeros((3, 1))},
}


def public_names():
    """Yield every public name with its object, once, by where it is first found."""
    seen = set()
    for room in ROOMS:
        module = import_module(room)
        for name in module.__all__:
            found = getattr(module, name)
            if callable(found) and id(found) not in seen:
                seen.add(id(found))
                yield f"{room}.{name}", found


def _parameters(call):
    """Return names of parameters with whether each must be given; keywords behind ``**`` by what they may be."""
    names = {}
    for each in inspect.signature(call).parameters.values():
        if each.name == "self":
            continue
        if each.kind is each.VAR_KEYWORD:
            behind = getattr(getattr(call, "__self__", None), PASSED_ON.get(each.name, ""), None)
            passed_on = [name for name, needed in _parameters(behind).items() if not needed] if behind else ()
            names = dict.fromkeys(passed_on or MORE.get(each.name, ()), False) | names
        elif each.kind is not each.VAR_POSITIONAL:
            names[each.name] = each.default is each.empty
    return names


def _recipe(name, call, signature=None):
    values = _values() | {
        key: getattr(world(), value) if isinstance(value, str) and hasattr(world(), value) else value
        for key, value in SPECIAL.get(name, {}).items()
    }
    known = _parameters(signature or call)
    wanted = {key for key, needed in known.items() if needed or key in ALWAYS or key in SPECIAL.get(name, {})}
    return Recipe(name, call, {key: values.get(key) for key in wanted}, tuple(known))


# Given wherever they can be, because their defaults take long, show a bar, or do not fit these data.
ALWAYS = {*COUNTS, "progress", "random_state", "scenario", "label_frequency"}


class _FetchedError(Exception):
    """Arguments of a loader were taken, and a file was asked for."""


def _load(loader, **given):
    """Call a loader of public data up to the moment at which it would use the network."""

    def find(*args, **kwargs):
        raise _FetchedError

    with mock.patch.dict(loader.__globals__, find=find), suppress(_FetchedError):
        loader(**given)


def _fit(kind, X, y, sample_weight=None, **settings):
    model = kind(**settings).fit(X, y, sample_weight)
    assert np.isfinite(model.predict_proba(X)).all()


def _estimator_recipe(name, kind):
    known = (*inspect.signature(kind).parameters, "X", "y", "sample_weight")
    wanted = {key: value for key, value in _values().items() if key in ALWAYS & set(known)}
    wanted |= {"X": world().X, "y": world().z} | ({"lam": 0.1} if "lam" in known else {})
    wanted |= {"n_restarts": 0} if "n_restarts" in known else {}
    return Recipe(name, partial(_fit, kind), wanted, known)


def _methods(owner, value, prefix):
    """Yield a recipe for every public method that the library defines, and for every property."""
    ours = [each for each in type(value).__mro__ if each.__module__.startswith("pulasso")]
    for name in sorted({each for kind in ours for each in vars(kind) if not each.startswith("_")}):
        if name in SKLEARN or f"{prefix}.{name}" in LEFT_OUT_METHODS:
            continue
        method = getattr(value, name, None)
        if not callable(method):
            continue
        full = f"{prefix}.{name}"
        if isinstance(inspect.getattr_static(type(value), name), classmethod | staticmethod):
            full = f"{owner}.{name}"
        yield _recipe(full, method)


@cache
def recipes():
    """Return all of them."""
    found = {}
    for name, value in public_names():
        short = name.rsplit(".", 1)[1]
        if short in LEFT_OUT:
            continue
        if inspect.isclass(value) and hasattr(value, "fit"):
            found[name] = _estimator_recipe(name, value)
        elif short.startswith("load_"):
            found[name] = _recipe(name, partial(_load, value), value)
        elif not name.endswith("Display"):
            found[name] = _recipe(name, value)
    w = world()
    results = ("model", "ordinal", "path", "truth", "estimate", "sweep", "stable", "replicates", "points", "read",
               "accuracy", "recall", "matrix", "curve", "scores", "scorer", "comparison", "baseline", "loss",
               "objective", "bagging", "data")  # fmt: skip
    for name in results:
        value = getattr(w, name)
        found |= {each.name: each for each in _methods(f"pulasso.{type(value).__name__}", value, name)}
    for name, value in w.displays.items():
        found |= {each.name: each for each in _methods(f"pulasso.plots.{name}", value, name)}
    constants = {"constants": pulasso.theory.MultinomialConstants(1.0, 0.5, [1.0, 1.0]),
                 "ordered": pulasso.theory.OrdinalConstants(1.0, 0.5, 1.0, [1.0, 1.0])}  # fmt: skip
    for name, value in constants.items():
        found |= {each.name: each for each in _methods("pulasso.theory", value, name)}
    return found


def odd_argument(rng, name, good):
    """Return something to give for a parameter."""
    x, z = world().X, world().z
    changes = {
        "X": lambda: odd_features(rng, x),
        "predict_at": lambda: odd_features(rng, x),
        "z": lambda: odd_labels(rng, z),
        "y": lambda: odd_labels(rng, z),
        "y_pred": lambda: odd_labels(rng, z),
        "sample_weight": lambda: odd_weight(rng, len(z)),
        "groups": lambda: odd_groups(rng, x.shape[1], [0, 1, 2]),
    }
    chance = rng.random()
    if chance < 0.4:
        value = anything(rng)
    elif chance < 0.5:
        value = others(rng)
    elif name in changes:
        value = changes[name]()
    elif isinstance(good, np.ndarray | list):
        value = odd_array(rng, good)
    elif isinstance(good, str):
        value = pick(rng, [good.upper(), good + " ", "", good.encode(), None, [good], good[:3], 0])
    elif isinstance(good, int | float):
        value = pick(
            rng,
            [-good, 0, 0.0, 1, 1.0, NAN, INF, str(good), [good], np.float32(good), good + 0.5, None],
        )
    else:
        value = anything(rng)
    return _not_too_much(name, value)


def _not_too_much(name, value):
    if name == "n_jobs" and isinstance(value, int) and value:
        return True if value is True else 1  # processes take their time, too
    most = MOST.get(name)
    if most is None or isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return value
    return most if most < value < INF else value


def public(rng):
    """Call a public name with one or two odd arguments."""
    recipe = pick(rng, list(recipes().values()))
    return call_of(recipe, rng, n_odd=int(rng.integers(1, 3)))


def call_of(recipe, rng, n_odd):
    """Return a call of a recipe with so many of its arguments replaced."""
    given = dict(recipe.good)
    names = [name for name in recipe.known if name not in SETTLED]

    def call():
        from matplotlib.pyplot import close

        for name in rng.permutation(names)[:n_odd].tolist():
            given[name] = odd_argument(rng, name, recipe.good.get(name))
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            if SAVED in map(_as_key, given.values()):
                world().model.save(SAVED)
            try:
                found = recipe.call(**given)
                if isinstance(found, AbstractContextManager) and not isinstance(found, Path):
                    with found:
                        pass
            finally:
                close("all")

    return call


def _as_key(value):
    return value if isinstance(value, Path) else None
