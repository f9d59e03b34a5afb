"""A learner of all rows, with predictions of every row by a fit that did not see it."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from pulasso._messages import arg
from pulasso.data.inputs import check_weight
from pulasso.data.labels import encode_labels
from pulasso.data.parameters import as_numbers, check_in_memory, kind_of
from pulasso.exceptions import InputError
from pulasso.model_selection.folds import Fold, check_folds, make_splitter, split_rows, take_rows
from pulasso.model_selection.learners import is_learner
from pulasso.runs import open_run, run_steps

__all__ = ["cross_fit"]

NOT_IN_THE_FINGERPRINT = ("n_jobs",)


def cross_fit(
    model: Any,
    X: Any,
    z: ArrayLike,
    *,
    cv: Any = 5,
    sample_weight: ArrayLike | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Any:
    """Fit a learner to all rows, and predict each of them by another fit that did not see it.

    Learners that choose their own number of rounds, such as :class:`~pulasso.PUBoostingClassifier`, need no
    cross-validation to be fitted, but to be judged: ``pu_scores(model, X, z, y_proba=model.cv_proba_)`` and reports
    then rest on rows that were held out. Every fit stops by itself, by a part of its own rows.

    Parameters
    ----------
    model : PUBoostingClassifier or PUNeuralClassifier
        It is fitted.
    X : array-like of shape (n_samples, n_features)
    z : array-like of shape (n_samples,)
        Observed labels.
    cv : int, splitter or iterable of (train, test), default=5
        The folds; a number means folds stratified by observed label.
    sample_weight : array-like of shape (n_samples,), optional
    random_state : int, RandomState, Generator or None, default=0
        Which row is in which fold.
    n_jobs : int, optional
        Processes, as in joblib.
    progress : bool, optional
        None shows a bar if stderr is a terminal.

    Returns
    -------
    model
        With ``cv_proba_``, of shape (n_samples, n_classes) (not a number in rows that no fold holds out),
        ``fold_losses_``, the mean loss of observed labels in each fold, and ``fold_rounds_``, of each fit.

    Examples
    --------
    >>> from pulasso import PUBoostingClassifier
    >>> from pulasso.datasets import simulate_multinomial
    >>> from pulasso.metrics import pu_scores
    >>> from pulasso.model_selection import cross_fit
    >>> data = simulate_multinomial(400, 5, n_active=2, random_state=0)
    >>> model = PUBoostingClassifier(anchor=1.0, random_state=0, **data.scenario_params)
    >>> model = cross_fit(model, data.X, data.z, cv=3)
    >>> model.cv_proba_.shape, len(model.fold_rounds_)
    ((400, 3), 3)
    >>> honest = pu_scores(model, data.X, data.z, y_proba=model.cv_proba_)
    """
    if isinstance(model, type) or not is_learner(model):
        raise InputError(
            f"{arg('model')} is {kind_of(model)}, not boosted trees or a network.",
            parameter="model",
            remedy="Linear models cross-validate by themselves: see MultinomialPULassoCV.",
        )
    check_in_memory(X, "cross_fit")
    X = X if getattr(X, "shape", None) else as_numbers("X", X, ndim=2)
    weight = check_weight(sample_weight, X)
    labels = _read_labels(model, z, weight)
    folds = split_rows(make_splitter(cv, random_state), X, labels.codes)
    check_folds(folds, labels, weight)
    settings = {name: each for name, each in model.get_params().items() if name not in NOT_IN_THE_FINGERPRINT}
    data = {"X": X, "z": z, "weight": weight, "folds": [tuple(fold) for fold in folds]}
    run = open_run("cross_fit", {"model": type(model), **settings, **data})
    steps = {f"fold {i}": (model, X, z, weight, fold) for i, fold in enumerate(folds, start=1)}
    found = run_steps(_fit_fold, steps, n_jobs=n_jobs, run=run, progress=progress, title="folds")
    model.fit(X, z, sample_weight=weight)
    model.cv_proba_ = np.full((len(labels.codes), len(labels.classes)), np.nan)
    for fold, result in zip(folds, found, strict=True):
        model.cv_proba_[fold.test] = result["proba"]
    model.fold_losses_ = np.array([float(result["loss"]) for result in found])
    model.fold_rounds_ = np.array([int(result["rounds"]) for result in found])
    return model


def _read_labels(model: Any, z: ArrayLike, weight: NDArray) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the fit gives them
        return encode_labels(
            z,
            unlabeled=model.unlabeled,
            negative=model.negative,
            class_order=model.class_order,
            sample_weight=weight,
            ordered=model.response == "ordinal",
        )


def _fit_fold(model: Any, x: Any, z: ArrayLike, weight: NDArray, fold: Fold) -> dict[str, Any]:
    """Return what a fit without the fold says about it; the fit to all rows warns of whatever there is to warn of."""
    train, test = fold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fitted = clone(model).fit(take_rows(x, train), take_rows(z, train), sample_weight=weight[train])
        held = take_rows(x, test)
        loss = -fitted.observed_score(held, take_rows(z, test), sample_weight=weight[test])
        return {"proba": fitted.predict_proba(held), "loss": loss, "rounds": fitted.n_iter_}
