"""Sensitivity sweep: the same model under a range of assumed prevalences or label frequencies."""

import os
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso.data.chunks import as_chunked, is_chunked
from pulasso.data.inputs import check_number, check_weight
from pulasso.exceptions import InputError, TrivialModelWarning
from pulasso.metrics import observed_log_likelihood_scorer, pu_scores
from pulasso.model_selection.folds import make_splitter, split_rows, take_rows
from pulasso.prevalence.assumed import last_step, name_of, read_grid, varied_number, with_number
from pulasso.prevalence.sweep_result import SensitivitySweep
from pulasso.runs import open_run, run_steps

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
    held_out: tuple[Any, ...] | float | None = None,
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
    estimator : estimator of this package, or a pipeline that ends in one
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
    held_out : tuple of (X, z) or (X, z, sample_weight), or float, optional
        Rows on which likelihood, predictions and scores are computed. By default the rows of the fit, on
        which scores are too good, those of boosted trees and networks by far. A number is the share of X and z to
        hold out of all fits, up to one half, with labels in equal proportions.
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
    parameter, own = varied_number(estimator)
    values, place = read_grid(grid, own if reference is None else reference, parameter)
    if isinstance(held_out, float):
        (X, z, sample_weight), held_out = _split(X, z, sample_weight, held_out)
    scored = (X, z, sample_weight) if held_out is None else _read_held_out(held_out)
    settings = {
        "estimator": _settings(with_number(estimator, parameter, None)),
        "fitted rows": [_identity(each) for each in (X, z, sample_weight)],
        "scored rows": None if held_out is None else [_identity(each) for each in scored],
    }
    rows = (X, z, sample_weight, scored)
    steps = {
        f"{parameter} {name_of(each)}": (with_number(estimator, parameter, each), *rows) for each in values
    }
    run = open_run("sensitivity_sweep", settings, checkpoint)
    results = run_steps(_fit_one, steps, n_jobs=n_jobs, run=run, progress=progress, title="sweep")
    return _collect(parameter, values, place, results, scored[2])


# -- the rows, and what tells one sweep from another ---------------------------------------------------------


def _split(x: Any, z: ArrayLike, weight: ArrayLike | None, share: float) -> tuple[tuple, tuple]:
    """Return rows to fit and rows to judge by."""
    check_number("held_out", share, above=0.0, most=0.5)
    if is_chunked(x):
        raise InputError("Rows in chunks are not split.", parameter="held_out", remedy="Give (X, z).")
    codes = np.unique(np.asarray(z).astype(str), return_inverse=True)[1]
    fold = split_rows(make_splitter(round(1.0 / share), 0), np.empty((len(codes), 1)), codes)[0]
    weights = None if weight is None else check_weight(weight, codes)

    def part(rows: NDArray) -> tuple:
        return take_rows(x, rows), take_rows(z, rows), None if weights is None else weights[rows]

    return part(fold.train), part(fold.test)


def _read_held_out(rows: Any) -> tuple[Any, ArrayLike, ArrayLike | None]:
    """Return X, z and weights of rows that are not those of the fit."""
    if not isinstance(rows, tuple | list) or len(rows) not in (2, 3):
        raise InputError(
            "held_out must be (X, z), or (X, z, sample_weight) where rows do not count alike.",
            parameter="held_out",
        )
    x, z, *weight = rows
    return x, z, weight[0] if weight else None


def _settings(value: Any) -> Any:
    """Return classes and parameters of an estimator and of all in it, but for those that do not matter."""
    if isinstance(value, list | tuple):
        return [_settings(each) for each in value]
    if not hasattr(value, "get_params") or isinstance(value, type):
        return value
    params = value.get_params(deep=False)
    kept = {name: _settings(each) for name, each in params.items() if name not in NOT_IN_THE_FINGERPRINT}
    return type(value), kept


def _identity(rows: Any) -> Any:
    """Return what a fingerprint can tell from other rows; nothing is read here."""
    if not is_chunked(rows):
        return rows
    chunks = as_chunked(rows)
    return chunks, chunks.feature_names


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
    core, prefix = last_step(model)
    weight = {} if sample_weight is None else {f"{prefix}sample_weight": sample_weight}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", TrivialModelWarning)
        model.fit(x, z, **weight)
        scores = pu_scores(model, rows, labels, sample_weight=row_weight).overall
    # Boosted trees have importances in place of coefficients, and networks neither.
    used = getattr(core, "feature_importances_", np.zeros(core.n_features_in_))
    proba, coef = model.predict_proba(rows), np.atleast_2d(getattr(core, "coef_", used))
    names = getattr(core, "feature_names_in_", [f"x{j}" for j in range(coef.shape[1])])
    return {
        "coef": coef,
        "features": np.array(names, dtype=np.str_),
        "proba": proba,
        # Labels of data frames are objects, which no checkpoint saves: text or numbers instead.
        "predictions": np.array(core.classes_.tolist())[np.argmax(proba, axis=1)],
        "log_likelihood": observed_log_likelihood_scorer(model, rows, labels, row_weight),
        "lam": float(getattr(core, "lam_", getattr(core, "lam", np.nan))),
        "converged": getattr(core, "converged_", True),
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

    predictions, names = stack("predictions"), results[0]["score_names"].tolist()
    row_weight = None if weight is None else np.broadcast_to(np.asarray(weight, float), predictions.shape[1])
    return SensitivitySweep(
        parameter=parameter,
        values=values,
        reference=reference,
        log_likelihood=stack("log_likelihood"),
        lam=stack("lam"),
        coefs=stack("coef"),
        features=results[0]["features"],
        predictions=predictions,
        probabilities=stack("proba"),
        changed=np.average(predictions != predictions[reference], axis=1, weights=row_weight),
        scores=dict(zip(names, stack("scores").T, strict=True)),
        score_errors=dict(zip(names, stack("score_errors").T, strict=True)),
        converged=stack("converged"),
        warnings=[tuple(result["warnings"].tolist()) for result in results],
    )
