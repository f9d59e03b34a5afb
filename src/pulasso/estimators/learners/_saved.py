"""Using a loaded learner as its user will, so that what does not fit together is found at once."""

from typing import Any

import numpy as np

from pulasso.exceptions import SavedModelError
from pulasso.responses import RESPONSES

__all__ = ["try_out_learner"]


def try_out_learner(model: Any) -> None:
    """Refuse a learner whose parts do not fit together, before an engine sees them."""
    model._check_params()
    n_features, classes = model.n_features_in_, model.classes_.tolist()
    if type(n_features) is not int or n_features < 1 or len(set(classes)) != len(classes) or len(classes) < 2:
        raise SavedModelError("features or classes are not counted as they should be.")
    n_positive, response = len(classes) - 1, RESPONSES[model.response]
    n_outputs, n_offsets = (1, n_positive) if response.is_ordered else (n_positive, 0)
    for name, shape in (("null_scores_", (n_outputs,)), ("offsets_", (n_offsets,))):
        found = getattr(model, name)
        if found.dtype != np.float64 or found.shape != shape or not np.isfinite(found).all():
            raise SavedModelError(f"{name} is not what it should be.")
    if not model.response_.is_feasible(model.offsets_):
        raise SavedModelError("cutpoints do not increase.")
    if model.label_model_.n_positive != n_positive:
        raise SavedModelError("labels and classes differ in number.")
    if not all(type(j) is int and 0 <= j < n_features for j in model.categories_):
        raise SavedModelError("categories are of columns that are not there.")
    names = getattr(model, "feature_names_in_", None)
    if names is not None and names.shape != (n_features,):
        raise SavedModelError("there is not one name for each feature.")
    if not all(isinstance(each, str) for each in model.warnings_):
        raise SavedModelError("warnings_ are not what they should be.")
    repr(model), repr(model.summary())
    if model._check_learned(n_outputs):
        _predict_once(model)


def _predict_once(model: Any) -> None:
    names = vars(model).pop("feature_names_in_", None)  # else scikit-learn warns of rows without names
    try:
        zeros = np.zeros((1, model.n_features_in_))
        proba = model.predict_proba(zeros)
        if proba.shape != (1, len(model.classes_)) or not np.allclose(proba.sum(), 1.0):
            raise SavedModelError("it does not give probabilities.")
        model.predict(zeros), model.predict_observed_proba(zeros)
    finally:
        if names is not None:
            model.feature_names_in_ = names
