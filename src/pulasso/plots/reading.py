"""What pictures need to know of fitted models, in one place."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pulasso._messages import arg, listed, plain
from pulasso.exceptions import InputError

__all__ = [
    "check_choice",
    "core_of",
    "feature_names",
    "is_ordered",
    "output_names",
    "path_of",
    "scaled_coefs",
    "scaled_path",
    "with_label_settings",
]


def check_choice(name: str, value: Any, known: Iterable[str]) -> None:
    """Refuse a word that is none of those that a parameter knows."""
    if value not in (options := list(known)):
        problem = f"{arg(name, repr(value))} is unknown; use one of {listed(options)}."
        raise InputError(problem, parameter=name)


def core_of(estimator: Any) -> Any:
    """Return the fitted classifier inside searches and pipelines."""
    core = estimator
    while hasattr(core, "best_estimator_") or hasattr(core, "steps"):
        core = core.best_estimator_ if hasattr(core, "best_estimator_") else core.steps[-1][1]
    check_is_fitted(core)
    return core


def feature_names(model: Any) -> list[str]:
    """Return the names of the features, or x0, x1, ... where the model never saw any."""
    names = getattr(model, "feature_names_in_", None)
    return [f"x{j}" for j in range(model.n_features_in_)] if names is None else [str(name) for name in names]


def is_ordered(model: Any) -> bool:
    """Say whether the classes are ordered, so that one coefficient of a feature speaks for all of them."""
    return model.coef_.ndim == 1


def output_names(model: Any) -> list[str]:
    """Return what the rows of the coefficients speak for: each positive class, or higher classes."""
    return ["higher class"] if is_ordered(model) else [str(plain(name)) for name in model.classes_[1:]]


def scaled_coefs(model: Any) -> NDArray:
    """Return coefficients per standard deviation of their features, shape (n_outputs, n_features)."""
    return np.atleast_2d(model.coef_) * model.feature_scale_


def scaled_path(path: Any) -> NDArray:
    """Return coefficients along a path per standard deviation, shape (n_lams, n_outputs, n_features)."""
    coefs = path.coefs if path.coefs.ndim == 3 else path.coefs[:, None, :]
    return coefs * path.model(0).feature_scale_


def path_of(estimator: Any) -> Any:
    """Return the path of an estimator that chose its lam, or say how to get one."""
    core = core_of(estimator)
    if not hasattr(core, "path_"):
        name = type(core).__name__
        raise InputError(
            f"{name} was fitted at one lam and has no path.",
            parameter="estimator",
            remedy=f"Use {name}CV, or from_path(fit_path(X, z, ...)).",
        )
    return core.path_


def with_label_settings(estimator: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Add how labels are read for `pulasso.metrics`, as the model knows it, to what the user says."""
    core = core_of(estimator)
    known = {name: getattr(core, name, None) for name in ("unlabeled", "negative")}
    if hasattr(core, "scenario_"):
        known["classes"] = core.classes_
        if not {"scenario", "prevalence", "label_frequency"} & set(given):
            known["scenario"] = core.scenario_
    return {**known, **given}
