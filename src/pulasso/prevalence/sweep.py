"""Sensitivity sweep: the same model under a range of assumed prevalences or label frequencies."""

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from pulasso._messages import listed
from pulasso.data.chunks import as_chunked, is_chunked
from pulasso.exceptions import InputError, ScenarioError, TrivialModelWarning
from pulasso.metrics import observed_log_likelihood_scorer, pu_scores
from pulasso.prevalence.sweep_result import SensitivitySweep
from pulasso.runs import open_run, run_steps
from pulasso.scenarios import SCENARIOS

__all__ = ["sensitivity_sweep"]

# What changes how a fit is computed, but not what comes out.
NOT_IN_THE_FINGERPRINT = ("n_jobs", "progress", "verbose")


def sensitivity_sweep(
    estimator: Any,
    X: Any,
    z: ArrayLike,
    grid: Iterable[Any],
    *,
    reference: Any = None,
    held_out: tuple[Any, ...] | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike | None = None,
    progress: bool | None = None,
) -> SensitivitySweep:
    """Fit a model under each of several assumed numbers, and compare what follows.

    The prevalence (case-control) or label frequency (single-training-set) is rarely known exactly.
    Conclusions that stay the same over all plausible values can be trusted without it; this shows which do:
    selected features, predicted classes, estimated accuracy, and the likelihood of the observed labels. The
    paper's experiments with misspecified label frequencies (Table 1) are such sweeps.

    Every value is one step: fitted from its own null model down the path, so that results do not depend on
    the order, on `n_jobs`, or on what a checkpoint folder already holds.

    Parameters
    ----------
    estimator : MultinomialPULasso, OrdinalPULasso, their CV versions, or a pipeline that ends in one
        Not fitted here; its scenario says which number is varied.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    z : array-like of shape (n_samples,)
        Observed labels.
    grid : iterable
        Assumed values: numbers (the same for all classes), arrays in class order, or mappings from class to
        number.
    reference : number, array or mapping, optional
        The value that the others are compared with; added to the grid if it is not there. By default the
        estimator's own number, or else the middle of the grid.
    held_out : tuple of (X, z) or (X, z, sample_weight), optional
        Rows on which likelihood, predictions and scores are computed. By default the rows of the fit, on
        which scores are too good.
    sample_weight : array-like of shape (n_samples,), optional
        Passed to `fit` (to the last step of a pipeline); used for likelihood, scores and changed predictions as
        well, unless those are of `held_out` rows, which bring their own weights or count alike.
    n_jobs : int, optional
        Processes, as in joblib.
    checkpoint : str or path, optional
        Folder that saves every finished fit, as :func:`pulasso.checkpoint` does: a sweep that was interrupted
        resumes from there, and more values may be added.
    progress : bool, optional
        None shows a bar if stderr is a terminal.

    Returns
    -------
    SensitivitySweep

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import MultinomialPULasso
    >>> from pulasso.prevalence import sensitivity_sweep
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 5))
    >>> y = (2 * X[:, 0] + rng.logistic(size=600) > 0).astype(int)
    >>> z = np.where(rng.random(600) < 0.6, y, 0)
    >>> model = MultinomialPULasso(lam=0.03, scenario="single-training-set", label_frequency=0.6)
    >>> sweep = sensitivity_sweep(model, X, z, [0.5, 0.6, 0.7])
    >>> sweep.values[sweep.reference], sweep.always_selected, bool(sweep.changed[0] > 0)
    (0.6, ['x0'], True)
    """
    parameter, own = _varied_number(estimator)
    values, place = _read_grid(grid, own if reference is None else reference, parameter)
    scored = (X, z, sample_weight) if held_out is None else _read_held_out(held_out)
    run = open_run(
        "sensitivity_sweep",
        {
            "estimator": _settings(_with_number(estimator, parameter, None)),
            "rows of the fit": [_hashable(each) for each in (X, z, sample_weight)],
            "scored rows": [_hashable(each) for each in scored],
        },
        checkpoint,
    )
    steps = {
        f"{parameter} {_name(value)}": (
            _with_number(estimator, parameter, value),
            X,
            z,
            sample_weight,
            scored,
        )
        for value in values
    }
    results = run_steps(_fit_one, steps, n_jobs=n_jobs, run=run, progress=progress, title="sweep")
    return _collect(parameter, values, place, results, scored[2])


# -- the number that is varied -------------------------------------------------------------------------------


def _last_step(estimator: Any) -> tuple[Any, str]:
    """Return the estimator at the end of a pipeline, and the prefix of its parameters."""
    prefix = ""
    while hasattr(estimator, "steps"):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    return estimator, prefix


def _varied_number(estimator: Any) -> tuple[str, Any]:
    """Return the parameter that is varied, and its value in the estimator."""
    core, _ = _last_step(estimator)
    scenario = getattr(core, "scenario", None)
    asks_for = {cls.name: cls.asks_for for cls in SCENARIOS}
    parameter = asks_for.get(scenario) if isinstance(scenario, str) else getattr(scenario, "asks_for", None)
    if parameter is None:
        raise ScenarioError(
            f"{type(core).__name__} with scenario={scenario!r} has no number to vary.",
            parameter="scenario",
            remedy=f"It needs one of {listed(name for name, asks in asks_for.items() if asks)}.",
        )
    own = getattr(core if isinstance(scenario, str) else scenario, parameter)
    return parameter, None if isinstance(own, str) else own


def _with_number(estimator: Any, parameter: str, value: Any) -> Any:
    """Return an unfitted copy under another assumed number."""
    model, (core, prefix) = clone(estimator), _last_step(estimator)
    if isinstance(core.scenario, str):
        return model.set_params(**{f"{prefix}{parameter}": value})
    return model.set_params(**{f"{prefix}scenario": replace(core.scenario, **{parameter: value})})


def _read_grid(grid: Any, reference: Any, parameter: str) -> tuple[list[Any], int]:
    """Return all values, and the place of the reference among them."""
    if isinstance(grid, str | Mapping) or not isinstance(grid, Iterable):
        raise InputError(
            f"grid={grid!r} is no list of values.",
            parameter="grid",
            remedy=f"Give one value for each assumed {parameter}: [0.1, 0.2], or [{{1: 0.2, 2: 0.1}}, ...].",
        )
    values = list(grid)
    for value in values:
        # The classes are not known yet; what is wrong with one of them is said by its fit.
        if isinstance(value, str) or value is None:
            raise InputError(f"grid holds {value!r}, which is no number, array or mapping.", parameter="grid")
    names = [_name(value) for value in values]
    if not values or len(set(names)) < len(names):
        problem = f"holds a value more than once: {listed(values)}" if values else "is empty"
        raise InputError(f"grid {problem}.", parameter="grid", remedy=f"Give several values of {parameter}.")
    if reference is None:
        return values, len(values) // 2
    if _name(reference) in names:
        return values, names.index(_name(reference))
    if all(isinstance(value, int | float) for value in [*values, reference]):
        values = sorted([*values, reference])
        return values, values.index(reference)
    return [reference, *values], 0


def _name(value: Any) -> str:
    """Return a name that is equal for equal values."""
    if isinstance(value, Mapping):
        entries = sorted(value.items(), key=lambda item: str(item[0]))
        return ", ".join(f"{key}: {float(each)!r}" for key, each in entries)
    return ", ".join(repr(float(each)) for each in np.atleast_1d(np.asarray(value, dtype=float)))


def _read_held_out(rows: Any) -> tuple[Any, ArrayLike, ArrayLike | None]:
    """Return X, z and weights of rows that are not those of the fit."""
    if not isinstance(rows, tuple | list) or len(rows) not in (2, 3):
        raise InputError(
            "held_out must be (X, z), or (X, z, sample_weight) where rows do not count alike.",
            parameter="held_out",
        )
    x, z, *weight = rows
    return x, z, weight[0] if weight else None


# -- what tells one sweep from another -------------------------------------------------------------------------


def _settings(value: Any) -> Any:
    """Return classes and parameters of an estimator and of all in it, but for those that do not matter."""
    if isinstance(value, list | tuple):
        return [_settings(each) for each in value]
    if not hasattr(value, "get_params") or isinstance(value, type):
        return value
    params = value.get_params(deep=False)
    kept = {name: _settings(each) for name, each in params.items() if name not in NOT_IN_THE_FINGERPRINT}
    return type(value).__name__, kept


def _hashable(rows: Any) -> Any:
    return as_chunked(rows).fingerprint() if is_chunked(rows) else rows


# -- one step, and after -------------------------------------------------------------------------------------


def _fit_one(
    model: Any,
    x: Any,
    z: ArrayLike,
    sample_weight: ArrayLike | None,
    scored: tuple[Any, ArrayLike, ArrayLike | None],
) -> dict[str, Any]:
    """Fit under one assumed number and return everything that is compared."""
    rows, labels, row_weight = scored
    core, prefix = _last_step(model)
    weight = {} if sample_weight is None else {f"{prefix}sample_weight": sample_weight}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", TrivialModelWarning)
        model.fit(x, z, **weight)
        scores = pu_scores(model, rows, labels, sample_weight=row_weight).overall
    proba, coef = model.predict_proba(rows), np.atleast_2d(core.coef_)
    names = getattr(core, "feature_names_in_", [f"x{j}" for j in range(coef.shape[1])])
    return {
        "coefs": coef,
        "features": np.array(names, dtype=np.str_),
        "probabilities": proba,
        # Labels of data frames are objects, which no checkpoint saves: text or numbers instead.
        "predictions": np.array(core.classes_.tolist())[np.argmax(proba, axis=1)],
        "log_likelihood": observed_log_likelihood_scorer(model, rows, labels, row_weight),
        "lam": float(getattr(core, "lam_", core.lam if hasattr(core, "lam") else np.nan)),
        "converged": core.converged_,
        "score_names": np.array(list(scores), dtype=np.str_),
        "scores": np.array([each.value for each in scores.values()], dtype=float),
        "score_errors": np.array([each.standard_error for each in scores.values()], dtype=float),
        "warnings": np.array([str(each.message) for each in caught], dtype=np.str_),
    }


def _collect(
    parameter: str,
    values: list[Any],
    reference: int,
    results: list[dict[str, NDArray]],
    weight: ArrayLike | None,
) -> SensitivitySweep:
    together = {
        name: np.array([result[name] for result in results])
        for name in ("coefs", "probabilities", "predictions", "log_likelihood", "lam", "converged")
    }
    predictions = together["predictions"]
    changed = np.average(predictions != predictions[reference], axis=1, weights=weight)
    names = results[0]["score_names"].tolist()
    scores, errors = (
        dict(zip(names, np.array([result[what] for result in results]).T, strict=True))
        for what in ("scores", "score_errors")
    )
    return SensitivitySweep(
        parameter=parameter,
        values=values,
        reference=reference,
        features=results[0]["features"],
        selected=(together["coefs"] != 0).any(axis=1),
        changed=changed,
        scores=scores,
        score_errors=errors,
        warnings=[tuple(result["warnings"].tolist()) for result in results],
        **together,
    )
