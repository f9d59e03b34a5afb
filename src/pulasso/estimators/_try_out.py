"""Using a loaded model as its user will, so that what does not fit together is found now and not later."""

from typing import Any

import numpy as np

from pulasso.estimators._cross_validated import CrossValidated
from pulasso.estimators.fit_path import PathResult
from pulasso.estimators.learners import LEARNERS
from pulasso.estimators.learners._saved import try_out_learner
from pulasso.estimators.multinomial import MultinomialPULasso
from pulasso.estimators.one_vs_rest import OneVsRestPULasso
from pulasso.estimators.stationary import StationaryPoints
from pulasso.exceptions import SavedModelError

__all__ = ["try_out"]

LARGEST = 1e150  # of a coefficient on the penalised scale, so that its square is still a number


def try_out(model: Any) -> None:
    """Refuse a model whose parts do not fit together."""
    if isinstance(model, PathResult):
        _try_out_path(model)
        return
    if isinstance(model, LEARNERS):
        try_out_learner(model)
        return
    if isinstance(model, OneVsRestPULasso):
        _try_out_species(model)
        return
    _try_out_estimator(model)
    if hasattr(model, "stationary_points_"):
        others = _of_kind(StationaryPoints, model.stationary_points_).models
        if len({id(each.coef_) for each in others}) < len(others):
            raise SavedModelError(
                "models share their coefficients."
            )  # a small file could name a million of them
        for each in others:
            _try_out_estimator(_of_kind(type(model), each))
    if isinstance(model, CrossValidated):
        _try_out_path(_of_kind(PathResult, model.path_))
        if not 0 <= model.best_index_ < len(model.lams_):
            raise SavedModelError("best_index_ is outside of lams_.")


def _try_out_species(model: OneVsRestPULasso) -> None:
    models = _of_kind(list, model.estimators_)
    n_species = len(set(_of_kind(np.ndarray, model.classes_).tolist()))
    if not models or model.classes_.shape != (len(models),) or n_species < len(models):
        raise SavedModelError("there is not one model for each species.")
    for each in models:
        if (
            len(_of_kind(MultinomialPULasso, each).classes_) != 2
            or each.n_features_in_ != model.n_features_in_
        ):
            raise SavedModelError("the models of the species differ in what they are about.")
    if len({id(each.coef_) for each in models}) < len(models):
        raise SavedModelError("models share their coefficients.")  # as above
    for each in models:
        try_out(each)
    names = [getattr(each, "feature_names_in_", np.empty(0)).tolist() for each in (model, *models)]
    if any(own != names[0] for own in names):
        raise SavedModelError("the models of the species have other names of features.")
    model._check_estimator(None)
    repr(model), repr(model.summary()), model.converged_


def _of_kind(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise SavedModelError(f"it holds a {type(value).__name__} instead of a {kind.__name__}.")
    return value


def _try_out_path(path: PathResult) -> None:
    of_lams = ("coefs", "offsets", "objective", "group_norms", "kkt", "n_iter", "converged", "_histories")
    if {len(getattr(path, name)) for name in of_lams} != {len(path)} or not len(path):
        raise SavedModelError("the parts of the path differ in length.")
    repr(path)
    for i in range(len(path)):
        _check_probabilities(path.model(i))
    for i in (0, -1):
        _try_out_estimator(path.model(i))


def _try_out_estimator(model: Any) -> None:
    _check_probabilities(model)
    model._check_params()
    if not isinstance(model.converged_, bool) or not all(isinstance(each, str) for each in model.warnings_):
        raise SavedModelError("converged_ or warnings_ are not what they should be.")
    if model.coef_.T.reshape(-1).shape != model.groups_.index.reshape(-1).shape:
        raise SavedModelError("coefficients and groups differ in shape.")
    with np.errstate(over="ignore", invalid="ignore"):
        if not (np.abs(model.coef_ * model.feature_scale_) < LARGEST).all():
            raise SavedModelError("its coefficients are larger than those of any fit.")
    repr(model), repr(model.summary())
    names = vars(model).pop("feature_names_in_", None)  # else scikit-learn warns of rows without names
    try:
        zeros = np.zeros((1, model.n_features_in_))
        model.predict(zeros)
        several = getattr(model.scenario_, "scenarios", None)
        for source in [None] if several is None else [[name] for name in several]:
            model.predict_observed_proba(zeros, source)
    finally:
        if names is not None:
            model.feature_names_in_ = names
    if names is not None and (names.ndim != 1 or len(names) != model.n_features_in_):
        raise SavedModelError("there is not one name for each feature.")


def _check_probabilities(model: Any) -> None:
    """Check what predictions depend on, without rows: shapes, and probabilities where all features are zero."""
    response, theta, offsets = model._response.from_public(model)
    n_features, n_classes = model.n_features_in_, len(model.classes_)
    if type(n_features) is not int or len(set(model.classes_.tolist())) != n_classes or n_classes < 2:
        raise SavedModelError("features or classes are not counted as they should be.")
    proba = np.exp(response.log_proba(np.zeros((1, theta.shape[1])), offsets))
    if theta.ndim != 2 or len(theta) != n_features or proba.shape != (1, n_classes):
        raise SavedModelError("coefficients and classes differ in shape.")
    if not np.isfinite(theta).all() or not np.allclose(proba.sum(), 1.0):
        raise SavedModelError("it does not give probabilities.")
