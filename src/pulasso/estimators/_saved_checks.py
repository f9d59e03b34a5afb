"""Whether a model that was read from a file is one that can predict: types, shapes, finite numbers."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pulasso.estimators.stationary import StationaryPoints
from pulasso.exceptions import SavedModelError
from pulasso.penalties import Blocks
from pulasso.scenarios import LabelCounts, LabelModel

__all__ = ["check_complete", "check_estimator", "check_path", "check_value"]

# Letters are sizes: p features, K positive classes, C = K + 1, J groups, L lams, F folds, B lams up to the best.
SHAPES = {
    "classes_": "C",
    "coef_": "Kp",
    "intercept_": "K",
    "thresholds_": "K",
    "feature_scale_": "p",
    "feature_names_in_": "p",
    "group_norms_": "J",
    "lams_": "L",
    "cv_loss_": "FL",
    "cv_loss_mean_": "L",
    "cv_loss_se_": "L",
    "cv_n_active_": "FL",
}
PATH_SHAPES = {
    "lams": "L",
    "coefs": "LKp",
    "intercepts": "LK",
    "thresholds": "LK",
    "objective": "L",
    "kkt": "L",
    "group_norms": "LJ",
    "n_active": "L",
    "n_iter": "L",
    "converged": "L",
    "classes": "C",
    "feature_names": "p",
}
NUMBERS = ("lam_max_", "objective_", "kkt_", "n_iter_", "lam_", "lam_min_", "lam_1se_", "best_index_")
# What predictions and summaries use, besides what `check_estimator` asks for.
OF_A_FIT = (
    "coef_",
    "feature_scale_",
    "group_norms_",
    "lam_max_",
    "objective_",
    "kkt_",
    "converged_",
    "n_iter_",
)
OF_A_CHOICE = (
    "lams_",
    "lam_",
    "lam_min_",
    "lam_1se_",
    "best_index_",
    "cv_loss_",
    "cv_loss_mean_",
    "cv_loss_se_",
)
MUST_BE_FINITE = ("coef_", "intercept_", "thresholds_", "feature_scale_", "coefs", "intercepts", "thresholds")
TEXT_OR_NUMBERS = ("classes_", "classes", "feature_names_in_", "feature_names")


def check_value(name: str, parts: Mapping[str, Any]) -> None:
    """Check the parts of a value before it is built: the arrays must be arrays of one kind and length."""
    if name == LabelModel.__name__:
        vectors = [_array(parts, part, "f", 1) for part in ("log_labeled", "log_hidden")]
        _refuse_unless(len(vectors[0]) == len(vectors[1]), "the vectors of the scenario differ in length.")
        _refuse_unless(not any(np.isnan(each).any() for each in vectors), "the scenario holds NaN.")
    elif name == LabelCounts.__name__:
        counts, classes = _array(parts, "n_labeled", "f", 1), _array(parts, "classes", "biufUO", 1)
        _refuse_unless(len(counts) == len(classes), "there is not one count for each class.")
        _refuse_unless(_is_number(parts.get("n_unlabeled")), "n_unlabeled is not a number.")
    elif name == Blocks.__name__:
        index, weights = _array(parts, "index", "iu", 2), _array(parts, "weights", "f", 1)
        names = parts.get("names")
        inside = index.size == 0 or (index.min() >= 0 and index.max() < len(weights))
        _refuse_unless(inside, "the groups are numbered beyond their count.")
        _refuse_unless(
            isinstance(names, list | tuple) and len(names) == len(weights) and set(map(type, names)) <= {str},
            "the groups do not have one name each.",
        )
        _refuse_unless(not np.isnan(weights).any(), "weights of groups are NaN.")
    elif name == "PrevalenceEstimate":
        per_class = [_array(parts, each, "f", 1) for each in ("numbers", "lower", "upper")]
        per_class += [_array(parts, "doubtful", "b", 1), _array(parts, "classes", "biufUO", 1)]
        _refuse_unless(len(set(map(len, per_class))) == 1, "the estimate has not one number for each class.")
        _refuse_unless(_all_text(parts.get("diagnosis")), "the diagnosis of the estimate is not in words.")
    elif name == StationaryPoints.__name__:
        columns = ("objective", "kkt", "n_starts", "n_active", "predictions_differ", "proba_difference")
        lengths = {len(_array(parts, column, "iuf", 1)) for column in columns}
        listed: list[Any] = [parts.get("models"), parts.get("starts")]
        _refuse_unless(
            all(isinstance(each, tuple) for each in listed) and lengths == set(map(len, listed)),
            "there is not one line for each stationary point.",
        )
        for model in parts["models"]:
            _refuse_unless(hasattr(model, "_response_name"), "a stationary point is no model.")
            check_complete(model)


def check_estimator(estimator: Any) -> None:
    """Check that parameters are valid and fitted attributes belong together."""
    name, attributes = type(estimator).__name__, vars(estimator)
    try:
        estimator._check_params()
    except (TypeError, ValueError, AttributeError) as error:
        raise SavedModelError(f"{name}: {error}") from None
    classes = _array(attributes, "classes_", "biufUO", 1)
    _refuse_unless(
        len(classes) >= 2 and len(set(classes.tolist())) == len(classes), "classes_ are not classes."
    )
    features, groups = attributes.get("n_features_in_"), attributes.get("groups_")
    _refuse_unless(type(features) is int and features >= 1, "n_features_in_ is not a count.")
    _refuse_unless(isinstance(groups, Blocks), "groups_ is not a set of groups.")
    sizes = {"C": len(classes), "K": len(classes) - 1, "p": features, "J": groups.n_blocks}
    _check_shapes(attributes, SHAPES, sizes, one_output=_is_ordinal(estimator))
    outputs = 1 if _is_ordinal(estimator) else sizes["K"]
    _refuse_unless(groups.shape == (features, outputs), "groups_ do not fit the coefficients.")
    label_model, counts = attributes.get("label_model_"), attributes.get("label_counts_")
    _refuse_unless(
        isinstance(label_model, LabelModel) and len(label_model.log_labeled) == len(classes),
        "label_model_ does not fit.",
    )
    _refuse_unless(
        isinstance(counts, LabelCounts) and len(counts.classes) == len(classes), "counts do not fit."
    )
    _refuse_unless(hasattr(attributes.get("scenario_"), "label_model"), "scenario_ is not a scenario.")
    _refuse_unless(_all_text(attributes.get("warnings_")), "warnings_ are not words.")
    for each in NUMBERS:
        _refuse_unless(each not in attributes or _is_number(attributes[each]), f"{each} is not a number.")
    if _is_ordinal(estimator) and "thresholds_" in attributes:
        _refuse_unless(np.all(np.diff(estimator.thresholds_) >= 0), "thresholds_ do not increase.")
    _check_cross_validation(estimator)


def check_complete(estimator: Any) -> None:
    """Check that nothing is lacking of a model that shall predict and speak of itself."""
    needed = [*OF_A_FIT, "thresholds_" if _is_ordinal(estimator) else "intercept_"]
    needed += OF_A_CHOICE if hasattr(estimator, "select") else ()
    for name in needed:
        _refuse_unless(name in vars(estimator), f"{name} is missing.")
    _refuse_unless(type(estimator.converged_) is bool, "converged_ is neither true nor false.")


def _check_cross_validation(estimator: Any) -> None:
    chosen = getattr(estimator, "best_index_", None)
    if chosen is not None:
        lams = getattr(estimator, "lams_", ())
        _refuse_unless(type(chosen) is int and 0 <= chosen < len(lams), "best_index_ is outside of lams_.")


def check_path(path: Any) -> None:
    """Check that the parts of a path belong together."""
    template = path._template
    _refuse_unless(hasattr(template, "groups_"), "the path has no model.")
    sizes = {
        "C": len(template.classes_),
        "K": len(template.classes_) - 1,
        "p": template.n_features_in_,
        "J": template.groups_.n_blocks,
    }
    ordinal = _is_ordinal(template)
    optional = ("feature_names", "intercepts" if ordinal else "thresholds")
    present = {name: value for name, value in vars(path).items() if value is not None or name not in optional}
    _check_shapes(present, PATH_SHAPES, sizes, one_output=ordinal)
    _refuse_unless(("thresholds" if ordinal else "intercepts") in present, "the path has no offsets.")
    _refuse_unless(_is_number(path.lam_max) and _all_text(path.warnings), "lam_max or warnings are not.")
    histories = path._histories
    _refuse_unless(isinstance(histories, tuple) and len(histories) == len(path.lams), "histories are not.")


def _check_shapes(
    values: Mapping[str, Any], shapes: Mapping[str, str], sizes: dict[str, int], *, one_output: bool
) -> None:
    """Check arrays against their letters; a letter met for the first time takes the size that is found."""
    for name, letters in shapes.items():
        if name not in values:
            continue
        if one_output and name in ("coef_", "coefs"):
            letters = letters.replace("K", "")
        kinds = "biufUO" if name in TEXT_OR_NUMBERS else "biuf"
        array = _array(values, name, kinds, len(letters))
        for letter, size in zip(letters, array.shape, strict=True):
            expected = sizes.setdefault(letter, size)
            _refuse_unless(size == expected, f"{name} has shape {array.shape}; {expected} was expected.")
        if name in MUST_BE_FINITE:
            _refuse_unless(np.isfinite(array).all(), f"{name} holds NaN or infinity.")


def _array(values: Mapping[str, Any], name: str, kinds: str, dimensions: int) -> np.ndarray:
    array = values.get(name)
    if not isinstance(array, np.ndarray) or array.dtype.kind not in kinds or array.ndim != dimensions:
        raise SavedModelError(f"{name} is missing, or not an array of {dimensions} dimensions.")
    return array


def _is_ordinal(estimator: Any) -> bool:
    return bool(estimator._response_name == "ordinal")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _all_text(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _refuse_unless(condition: Any, words: str) -> None:
    if not condition:
        raise SavedModelError(words)
