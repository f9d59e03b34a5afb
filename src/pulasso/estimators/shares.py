"""Class shares: those that the user told, beside those that the fitted model says."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import arg, plain
from pulasso.data.pu_data import PUData
from pulasso.problem import Problem
from pulasso.scenarios import LabelCounts, Sources

__all__ = ["compared_shares", "describe_shares", "furthest_share", "share_tolerance", "words_about_shares"]

# Shares that differ by less than this are the same for whoever reads them, however many rows there are.
LEAST_DIFFERENCE = 0.03
STANDARD_ERRORS = 3.0
CLASSES_SHOWN = 3


def share_tolerance(problem: Problem) -> NDArray | None:
    r"""Return how far the model's mean prediction may be from the shares that were told, by chance; shape (K + 1,).

    Three standard errors, and 0.03 at least. With :math:`n` rows, of which :math:`n_{pop}` are a sample of the
    population (both as effective numbers, ``(sum w)^2 / sum w^2``),

    .. math:: se_k^2 = \pi_k (1 - \pi_k) / n_{pop} + \pi_k (1 / f_k - 1) / n .

    The second part is there where :math:`\pi_k = n_k / (n f_k)` rests on counts of labels; for class 0, which has the
    rest, it is the sum over the others. None where nothing was told, or more than everything.
    """
    told, anchor, data = problem.told_shares, problem.anchor, problem.data
    if told is None or anchor is None or not told[0] > 0:
        return None
    variance = told * (1.0 - told) / _effective(data.weight[anchor.population])
    if isinstance(problem.scenario, Sources):
        variance += _by_source(problem.scenario, data)
    elif not problem.scenario.sampled_by_label:
        # pi_k (1 / f_k - 1), by the share that is labelled, pi_k f_k; none of a class that is always labelled.
        variance += _by_label(told, data.counts) / _effective(data.weight)
    return np.maximum(STANDARD_ERRORS * np.sqrt(variance), LEAST_DIFFERENCE)


def _by_label(told: NDArray, counts: LabelCounts) -> NDArray:
    """Return what the chance of being labelled adds to the variance of told shares, of one row."""
    seen = counts.n_labeled[1:] / counts.total
    by_label = np.divide(told[1:] ** 2, seen, out=np.zeros_like(seen), where=seen > 0) - told[1:]
    return np.append(by_label.sum(), by_label).clip(min=0.0)


def _by_source(scenario: Sources, data: PUData) -> NDArray:
    """Return the same for the sources of a fit together, by their parts in what was told."""
    told, found = scenario.told_by_source(data.counts), np.zeros(len(data.classes))
    total = sum(weight for _, weight in told.values())
    for name, (shares, weight) in told.items():
        if not scenario.scenarios[name].sampled_by_label:
            assert data.counts.by_source is not None and data.source is not None
            own = _by_label(shares, data.counts.by_source[name])
            found += (weight / total) ** 2 * own / _effective(data.weight[data.source == name])
    return found


def compared_shares(model: Any) -> tuple[NDArray, NDArray] | None:
    """Return told and predicted shares of a fitted model, class 0 first; None where there is nothing to compare.

    That is so where no label is hidden, where the scenario does not tell shares or asks for more than everything, and
    for models that were saved before shares were.
    """
    told, predicted = (getattr(model, name, None) for name in ("told_shares_", "class_shares_"))
    if told is None or predicted is None or not told[0] > 0 or model.scenario_.name == "fully-observed":
        return None
    return told, predicted


def furthest_share(model: Any) -> tuple[int, str] | None:
    """Return the class that is furthest from its told share, and what that means; None where chance explains all."""
    compared, tolerance = compared_shares(model), getattr(model, "share_tolerance_", None)
    if compared is None or tolerance is None:
        return None
    beyond = (compared[1] - compared[0]) / tolerance
    worst = int(np.argmax(np.abs(beyond)))
    if not abs(beyond[worst]) > 1.0:
        return None
    if beyond[0] > 1.0:
        return (
            worst,
            "It takes unlabeled rows for class 0, so that probabilities of other classes are too low",
        )
    if beyond[0] < -1.0:
        return worst, "It leaves too little to class 0, so that probabilities of other classes are too high"
    return worst, f"Its probabilities of this class are too {'high' if beyond[worst] > 0 else 'low'}"


def words_about_shares(model: Any) -> str:
    """Say what it means that a fitted model has left the shares that it was told; nothing where it has not."""
    found = furthest_share(model)
    if found is None:
        return ""
    k, meaning = found
    name = repr(plain(model.classes_[k])) + ("" if k else ", class 0,")
    rows = "unlabeled rows" if model.scenario_.sampled_by_label else "rows"
    number = model.scenario_.asks_for
    source = "the scenario" if number is None else arg(number)
    rho = float(getattr(model, "anchor_", 0.0))
    lam = getattr(model, "lam_", getattr(model, "lam", None))  # boosted trees and networks have none
    at, smoother = (
        ("", f"fewer {getattr(model, '_rounds', 'rounds')}")
        if lam is None
        else (f" at lam={float(lam):.4g}", "a larger lam")
    )
    return (
        f"By {source}, {name} has {_percent(model.told_shares_[k])} of the {rows}; the model{at} says "
        f"{_percent(model.class_shares_[k])}, further off than chance explains. {meaning}, if the told shares are "
        f"right. Try {arg('anchor', f'{10 * rho if rho else 1:g}')}, which holds the model to them, or {smoother}; "
        f"and check {source}."
    )


def describe_shares(model: Any) -> str:
    """Return told and predicted shares in one line, of many classes those that differ most; or nothing."""
    compared = compared_shares(model)
    if compared is None:
        return ""
    told, predicted = compared
    shown = np.sort(np.argsort(-np.abs(predicted - told), kind="stable")[:CLASSES_SHOWN])
    each = [
        f"{model.classes_[k]}: told {_percent(told[k])}, predicted {_percent(predicted[k])}" for k in shown
    ]
    return "; ".join(each) + ("; ..." if len(told) > len(shown) else "")


def _effective(weight: NDArray) -> float:
    """Return how many rows of equal weight would say as much."""
    weight = weight / weight.max()  # squares of tiny weights would vanish
    return float(weight.sum() ** 2 / (weight @ weight))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else f"{100 * share:.2g} %"
