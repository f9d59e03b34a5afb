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
from pulasso.exceptions import ScenarioError, TrivialModelWarning
from pulasso.metrics import pu_scores
from pulasso.prevalence.data import UNKNOWN_NUMBERS
from pulasso.prevalence.sweep_result import SensitivitySweep
from pulasso.runs import data_hash, describe, run_steps

__all__ = ["sensitivity_sweep"]

# What changes how a sweep is computed, but not what comes out.
NOT_IN_THE_FINGERPRINT = ("n_jobs", "checkpoint", "progress")


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
        Folder that keeps every finished fit; a sweep that was interrupted goes on from there. More values may
        be added.
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
    parameter, prefix, own = _parameter(estimator)
    values, place = _values(_as_list(grid, parameter), own if reference is None else reference, parameter)
    scored = (X, z, sample_weight) if held_out is None else _held_out(held_out)
    steps = {
        f"{parameter} {_name(value)}": (estimator, prefix, parameter, value, X, z, sample_weight, scored)
        for value in values
    }
    if len(steps) < len(values):
        raise ValueError(f"grid holds a value more than once: {listed(values)}.")
    fingerprint = None
    if checkpoint is not None:
        fingerprint = {
            **_settings(estimator, prefix, parameter),
            "parameter that is varied": parameter,
            "X and z": data_hash(X, z),
            "sample_weight": data_hash(sample_weight),
            "scored rows": data_hash(X, z) if held_out is None else data_hash(*held_out),
        }
    results = run_steps(
        _fit_one,
        steps,
        n_jobs=n_jobs,
        checkpoint=checkpoint,
        fingerprint=fingerprint,
        progress=progress,
        title="sweep",
    )
    return _collect(parameter, values, place, results, scored[2])


# -- before --------------------------------------------------------------------------------------------------


def _parameter(estimator: Any) -> tuple[str, str, Any]:
    """Return the number that is varied, the prefix of the step that has it, and its value in the estimator."""
    prefix, core = "", estimator
    while hasattr(core, "steps"):
        prefix, core = f"{prefix}{core.steps[-1][0]}__", core.steps[-1][1]
    scenario = getattr(core, "scenario", None)
    name = scenario if isinstance(scenario, str) else getattr(scenario, "name", None)
    if name not in UNKNOWN_NUMBERS:
        raise ScenarioError(
            f"{type(core).__name__} with scenario={scenario!r} has no number to vary; it needs one of the scenarios "
            f"{listed(UNKNOWN_NUMBERS)}."
        )
    parameter = str(UNKNOWN_NUMBERS[name])
    holder = core if isinstance(scenario, str) else scenario
    own = getattr(holder, parameter)
    return parameter, prefix, None if isinstance(own, str) else own


def _as_list(grid: Any, parameter: str) -> list[Any]:
    if isinstance(grid, Mapping):
        raise ValueError(
            f"grid is one mapping; give a list of them, one for each assumed {parameter}: [{{1: 0.2, 2: 0.1}}, ...]."
        )
    if isinstance(grid, str) or not isinstance(grid, Iterable):
        raise ValueError(f"grid={grid!r} is no list of values; give several, such as [0.1, 0.2, 0.3].")
    return list(grid)


def _held_out(rows: Any) -> tuple[Any, ArrayLike, ArrayLike | None]:
    """Return X, z and weights of rows that are not those of the fit."""
    if not isinstance(rows, tuple | list) or len(rows) not in (2, 3):
        raise ValueError("held_out must be (X, z), or (X, z, sample_weight) where rows do not count alike.")
    x, z, *weight = rows
    return x, z, weight[0] if weight else None


def _values(grid: list[Any], reference: Any, parameter: str) -> tuple[list[Any], int]:
    """Return all values, and the place of the reference among them."""
    if not grid:
        raise ValueError(f"grid is empty; give at least one value of {parameter}.")
    for value in grid:
        # The classes are not known yet; what is wrong with one of them is said by its fit.
        if isinstance(value, str) or value is None:
            raise ValueError(f"grid holds {value!r}, which is no number, array or mapping.")
    if reference is None:
        return grid, len(grid) // 2
    same = [i for i, value in enumerate(grid) if _name(value) == _name(reference)]
    if same:
        return grid, same[0]
    if all(isinstance(value, int | float) for value in [*grid, reference]):
        values = sorted([*grid, reference])
        return values, values.index(reference)
    return [reference, *grid], 0


def _name(value: Any) -> str:
    """Return a name that is equal for equal values."""
    if isinstance(value, Mapping):
        return ", ".join(
            f"{key}: {float(each)!r}" for key, each in sorted(value.items(), key=lambda kv: str(kv[0]))
        )
    return ", ".join(repr(float(each)) for each in np.atleast_1d(np.asarray(value, dtype=float)))


def _with_number(estimator: Any, prefix: str, parameter: str, value: Any) -> Any:
    """Return an unfitted copy under another assumed number."""
    model = clone(estimator)
    scenario = model.get_params()[f"{prefix}scenario"]
    if isinstance(scenario, str):
        return model.set_params(**{f"{prefix}{parameter}": value})
    return model.set_params(**{f"{prefix}scenario": replace(scenario, **{parameter: value})})


def _settings(estimator: Any, prefix: str, parameter: str) -> dict[str, Any]:
    """Return what the results depend on besides the data: all settings but the number that is varied."""
    hidden = {f"{prefix}{name}" for name in (*NOT_IN_THE_FINGERPRINT, parameter)}
    known = estimator.get_params(deep=bool(prefix))
    if not isinstance(known[f"{prefix}scenario"], str):
        known[f"{prefix}scenario"] = replace(known[f"{prefix}scenario"], **{parameter: None})
    shown = {name: describe(value) for name, value in known.items() if name not in hidden and name != "steps"}
    if prefix:  # the last step holds the number that is varied, and its settings are listed one by one
        shown.pop(prefix.removesuffix("__"), None)
    return {"estimator": type(estimator).__name__, **shown}


# -- one step, and after -------------------------------------------------------------------------------------


def _fit_one(
    estimator: Any,
    prefix: str,
    parameter: str,
    value: Any,
    x: Any,
    z: ArrayLike,
    sample_weight: ArrayLike | None,
    scored: tuple[Any, ArrayLike, ArrayLike | None],
) -> dict[str, NDArray]:
    """Fit under one assumed number and return everything that is compared."""
    model = _with_number(estimator, prefix, parameter, value)
    rows, labels, row_weight = scored
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", TrivialModelWarning)
        weight = {} if sample_weight is None else {f"{prefix}sample_weight": sample_weight}
        model.fit(x, z, **weight)
        scores = pu_scores(model, rows, labels, sample_weight=row_weight).overall
    core = model
    while hasattr(core, "steps"):
        core = core.steps[-1][1]
    proba = model.predict_proba(rows)
    for _, step in getattr(model, "steps", [])[:-1]:
        rows = step.transform(rows)
    names = getattr(core, "feature_names_in_", None)
    coef = np.atleast_2d(core.coef_)
    return {
        "coef": coef,
        "features": np.array(
            [f"x{j}" for j in range(coef.shape[1])] if names is None else names, dtype=np.str_
        ),
        "proba": proba,
        # Labels of data frames are objects, which no checkpoint keeps: text or numbers instead.
        "predictions": np.array(core.classes_.tolist())[np.argmax(proba, axis=1)],
        "log_likelihood": np.array(core.observed_score(rows, labels, row_weight)),
        "lam": np.array(core.lam_ if hasattr(core, "lam_") else core.lam, dtype=float),
        "converged": np.array(core.converged_),
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
    def stack(name: str) -> NDArray:
        return np.array([result[name] for result in results])

    coefs, predictions = stack("coef"), stack("predictions")
    share = None if weight is None else np.asarray(weight, dtype=float)
    names = results[0]["score_names"].tolist()
    return SensitivitySweep(
        parameter=parameter,
        values=values,
        reference=reference,
        log_likelihood=stack("log_likelihood"),
        lam=stack("lam"),
        coefs=coefs,
        features=results[0]["features"],
        selected=(coefs != 0).any(axis=1),
        predictions=predictions,
        probabilities=stack("proba"),
        changed=np.average(predictions != predictions[reference], axis=1, weights=share),
        scores=dict(zip(names, stack("scores").T, strict=True)),
        score_errors=dict(zip(names, stack("score_errors").T, strict=True)),
        converged=stack("converged"),
        warnings=[tuple(result["warnings"].tolist()) for result in results],
    )
