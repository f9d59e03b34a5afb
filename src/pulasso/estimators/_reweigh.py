"""Predictions for a population with other class shares, in which each class looks as it did in the fit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import arg
from pulasso.exceptions import InputError
from pulasso.numerics import log_normalize
from pulasso.scenarios import all_shares

__all__ = ["population_shares", "reweighed"]


def reweighed(model: Any, log_proba: NDArray, prevalence: Any) -> NDArray:
    r"""Return log P(y | x) where classes have other shares: :math:`P(y=k|x)\, \pi'_k / \pi_k`, normalised.

    By Bayes' rule that is exact if only the shares differ, and not what members of a class look like
    (label shift, prior probability shift).

    Parameters
    ----------
    model : estimator
        Fitted; it knows the shares :math:`\pi` of its own population.
    log_proba : array of shape (n_samples, K + 1)
        Its log P(y | x).
    prevalence : float, array-like of shape (K,) or (K + 1,), or mapping
        The shares :math:`\pi'` of the positive classes, or of all classes.
    """
    ratio = np.log(all_shares(prevalence, model.classes_)) - np.log(population_shares(model))
    scores = log_proba + ratio
    return scores - log_normalize(scores)[0][:, None]


def population_shares(model: Any) -> NDArray:
    """Return the class shares of the population that a model was fitted for, class 0 first.

    They are those that were told: the prevalence (case-control), labels divided by their frequency (single training
    set), counts (fully observed). Where these are impossible, or nothing was told, the model's mean prediction.
    """
    told = getattr(model, "told_shares_", None)
    if told is not None and hasattr(model.scenario_, "population_shares"):
        told = model.scenario_.population_shares(model.label_counts_)
    for shares in (told, getattr(model, "class_shares_", None)):
        if shares is not None and (shares > 0).all():
            return shares
    raise InputError(
        f"{arg('prevalence')}: the model does not know the class shares of the population that it was fitted for, so "
        "nothing can be re-weighted.",
        parameter="prevalence",
        remedy="Predict without it.",
    )
