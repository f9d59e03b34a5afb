"""What pictures need to know of fitted models, in one place."""

from collections.abc import Callable
from inspect import isclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from pulasso._messages import arg, plain
from pulasso.data.parameters import kind_of
from pulasso.exceptions import InputError
from pulasso.metrics import at_rows
from pulasso.plots.style import Display


def core_of(estimator: Any) -> Any:
    """Return the fitted classifier inside searches and pipelines."""
    core = estimator
    while hasattr(core, "best_estimator_") or hasattr(core, "steps"):
        core = core.best_estimator_ if hasattr(core, "best_estimator_") else core.steps[-1][1]
    check_is_fitted(core)
    return core


def model_of(estimator: Any) -> Any:
    """Return the fitted model of this package inside searches and pipelines, with coefficients to show."""
    core = core_of(estimator)
    if not hasattr(core, "group_norms_"):
        raise InputError(
            f"{type(core).__name__} has no groups of coefficients to draw.",
            parameter="estimator",
            remedy="Give a fitted MultinomialPULasso or OrdinalPULasso, or a pipeline or search that ends in one.",
        )
    return core


def told_model_of(estimator: Any) -> Any:
    """Return the fitted model of this package inside searches and pipelines, which knows what it was told."""
    core = core_of(estimator)
    if not hasattr(core, "scenario_") or not hasattr(core, "label_counts_"):
        raise InputError(
            f"{type(core).__name__} knows of no scenario, and so of no told shares.",
            parameter="estimator",
            remedy="Give a fitted estimator of this package, or a pipeline or search that ends in one.",
        )
    return core


def feature_names(model: Any) -> list[str]:
    """Return the names of the features, or x0, x1, ... where the model never saw any."""
    names = getattr(model, "feature_names_in_", None)
    return [f"x{j}" for j in range(model.n_features_in_)] if names is None else [str(name) for name in names]


def is_ordered(model: Any) -> bool:
    """Say whether the classes are ordered, so that one coefficient of a feature speaks for all of them."""
    return model.response_.is_ordered


def output_names(model: Any) -> list[str]:
    """Return what the rows of the coefficients speak for: each positive class, or higher classes."""
    names = model.response_.output_names(model.classes_.tolist())
    return ["higher class"] if is_ordered(model) else [str(plain(name)) for name in names]


def scaled_coefs(model: Any) -> NDArray:
    """Return coefficients per standard deviation of their features, shape (n_outputs, n_features)."""
    return np.atleast_2d(model.coef_) * model.feature_scale_


def scaled_path(path: Any) -> NDArray:
    """Return coefficients along a path per standard deviation, shape (n_lams, n_outputs, n_features)."""
    coefs = path.coefs if path.coefs.ndim == 3 else path.coefs[:, None, :]
    return coefs * path.model(0).feature_scale_


def check_result(name: str, value: Any, parts: tuple[str, ...], remedy: str) -> None:
    """Refuse an object that lacks what a picture is drawn from."""
    if isclass(value) or not all(hasattr(value, each) for each in parts):
        problem = f"{arg(name)} is {kind_of(value)}, which holds nothing to draw here."
        raise InputError(problem, parameter=name, remedy=remedy)


def path_of(estimator: Any) -> Any:
    """Return the path of an estimator that chose its lam, or say how to get one."""
    core = model_of(estimator)
    if not hasattr(core, "path_"):
        name = type(core).__name__
        raise InputError(
            f"{name} was fitted at one lam and has no path.",
            parameter="estimator",
            remedy=f"Use {name}CV, or from_path(fit_path(X, z, ...)).",
        )
    return core.path_


class PredictionDisplay(Display):
    """A display of predictions for rows whose labels are observed."""

    _predict: ClassVar[str]  # the method of estimators that gives them
    from_predictions: ClassVar[Callable[..., Any]]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, z: ArrayLike, **settings: Any) -> Self:
        """Draw what a fitted classifier predicts; better for rows that were not used in the fit.

        Parameters
        ----------
        estimator : classifier, pipeline or search
            Scenario, classes and marker come from it if it is one of this package's.
        X : array-like of shape (n_samples, n_features)
        z : array-like of shape (n_samples,)
            Observed labels.
        **settings
            All else that :meth:`from_predictions` takes.
        """
        core = core_of(estimator)
        if not hasattr(estimator, cls._predict):
            raise InputError(f"{type(estimator).__name__} has no {cls._predict}.", parameter="estimator")
        known = {name: getattr(core, name, None) for name in ("unlabeled", "negative")}
        if hasattr(core, "scenario_"):
            known["classes"] = core.classes_
            if not {"scenario", "prevalence", "label_frequency"} & set(settings):
                known["scenario"] = at_rows(core.scenario_, X)
        return cls.from_predictions(z, getattr(estimator, cls._predict)(X), **{**known, **settings})
