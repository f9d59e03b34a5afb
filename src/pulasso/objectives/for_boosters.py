"""LightGBM and XGBoost: functions of the kind that their `train` takes.

Functions, and not objects: LightGBM copies its parameters deeply, and cutpoints would be learned by the copy.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.data.parameters import check_kind
from pulasso.exceptions import InputError
from pulasso.objectives.pu_objective import PUObjective

__all__ = ["lightgbm_metric", "lightgbm_objective", "xgboost_metric", "xgboost_objective"]

NAME = "observed_log_loss"
Gradients = Callable[[NDArray, Any], tuple[NDArray, NDArray]]


def lightgbm_objective(objective: PUObjective) -> Gradients:
    """Return the objective for ``params["objective"]`` of `lightgbm.train`.

    Set ``num_class`` to ``objective.n_outputs``, and start at the null model by ``init_score=objective.start()`` in the
    training set and ``objective.start(n)`` in others. LightGBM's `predict` leaves the start out: add
    ``objective.null_scores_``.

    Parameters
    ----------
    objective : PUObjective

    Examples
    --------
    >>> import lightgbm as lgb, numpy as np
    >>> from pulasso.objectives import PUObjective, lightgbm_objective
    >>> x, codes = np.arange(60.0)[:, None], np.arange(60) // 20 * np.tile([0, 1], 30)
    >>> pu = PUObjective("single-training-set", codes, label_frequency=0.5)
    >>> train = lgb.Dataset(x, codes, init_score=pu.start())
    >>> params = {"objective": lightgbm_objective(pu), "num_class": pu.n_outputs, "verbose": -1}
    >>> booster = lgb.train(params, train, num_boost_round=20)
    >>> pu.predict_proba(pu.null_scores_ + booster.predict(x))[[0, 25, 55]].argmax(axis=1)
    array([0, 1, 2])
    """
    _check(objective)

    def gradients(preds: NDArray, train_data: Any) -> tuple[NDArray, NDArray]:
        _check_rows(objective, train_data)
        grad, curvature = objective.gradient_and_curvature(preds)
        return np.asfortranarray(grad), np.asfortranarray(curvature)

    return gradients


def lightgbm_metric(objective: PUObjective) -> Callable[[NDArray, Any], tuple[str, float, bool]]:
    """Return the mean loss of observed labels for `feval` of `lightgbm.train`, for early stopping on held-out rows.

    Parameters
    ----------
    objective : PUObjective
        That of the training; labels of the data sets must be codes.

    Examples
    --------
    >>> from pulasso.objectives import PUObjective, lightgbm_metric
    >>> pu = PUObjective("single-training-set", [0, 0, 1, 0], label_frequency=0.5)
    >>> callable(lightgbm_metric(pu))
    True
    """
    _check(objective)

    def metric(preds: NDArray, eval_data: Any) -> tuple[str, float, bool]:
        return NAME, _loss_of(objective, preds, eval_data), False

    return metric


def xgboost_objective(objective: PUObjective) -> Gradients:
    """Return the objective for `obj` of `xgboost.train`.

    With more than one output set ``num_class`` to ``objective.n_outputs``. XGBoost starts every score at its
    `base_score` of 0.5: give ``base_margin=objective.start(n)`` to every DMatrix, also those to predict, and predict
    with ``output_margin=True``.

    Parameters
    ----------
    objective : PUObjective

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.objectives import PUObjective, xgboost_objective
    >>> pu = PUObjective("single-training-set", [0, 0, 1, 0], label_frequency=0.5)
    >>> callable(xgboost_objective(pu))
    True
    """
    _check(objective)

    def gradients(predt: NDArray, dtrain: Any) -> tuple[NDArray, NDArray]:
        _check_rows(objective, dtrain)
        grad, curvature = objective.gradient_and_curvature(predt)
        return np.ascontiguousarray(grad, np.float32), np.ascontiguousarray(curvature, np.float32)

    return gradients


def xgboost_metric(objective: PUObjective) -> Callable[[NDArray, Any], tuple[str, float]]:
    """Return the mean loss of observed labels for `custom_metric` of `xgboost.train`; smaller is better.

    Parameters
    ----------
    objective : PUObjective
        That of the training; labels of the matrices must be codes.

    Examples
    --------
    >>> from pulasso.objectives import PUObjective, xgboost_metric
    >>> pu = PUObjective("single-training-set", [0, 0, 1, 0], label_frequency=0.5)
    >>> callable(xgboost_metric(pu))
    True
    """
    _check(objective)

    def metric(predt: NDArray, dmatrix: Any) -> tuple[str, float]:
        return NAME, _loss_of(objective, predt, dmatrix)

    return metric


def _check(objective: Any) -> None:
    check_kind("objective", objective, PUObjective, "PUObjective(scenario, codes, ...) makes one.")


def _weight_of(data: Any) -> NDArray | None:
    """Return the weights of a data set, if it has any."""
    weight = data.get_weight()
    return None if weight is None or not len(weight) else np.asarray(weight, dtype=float)


def _loss_of(objective: PUObjective, scores: NDArray, data: Any) -> float:
    return objective.observed_log_loss(scores, np.asarray(data.get_label()), _weight_of(data))


def _check_rows(objective: PUObjective, data: Any) -> None:
    """Refuse a data set of other rows, or with weights that the engine would ignore."""
    label, weight = data.get_label(), _weight_of(data)
    if label is not None and len(label) and not np.array_equal(np.asarray(label), objective.codes):
        raise InputError(
            "The labels of the training set are not the codes of the objective.",
            parameter="codes",
            remedy="Give the codes as labels, and make an objective for each fold.",
        )
    if weight is not None and not np.allclose(weight, objective.weight, rtol=1e-5):
        raise InputError(
            "The training set has weights that the objective does not have, and the engine would ignore them.",
            parameter="sample_weight",
            remedy="Give sample_weight to PUObjective.",
        )
