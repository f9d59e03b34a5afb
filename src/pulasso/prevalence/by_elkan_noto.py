"""LabelModel numbers from held-out probabilities of labelled rows (Elkan and Noto 2008), for several classes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import plain
from pulasso.data.inputs import check_number
from pulasso.prevalence.data import PUData, parameter_of, read_data
from pulasso.prevalence.held_out import held_out_proba, resampled_weights
from pulasso.prevalence.result import Curve, PrevalenceEstimate, is_narrow, words_if_open

__all__ = ["elkan_noto"]

# Labelled rows whose held-out probabilities differ by more than this factor, from lower to upper tenth, are
# not all alike.
ALIKE = 1.5
# A class that would fill the population up to this share was hardly told from the rest.
ALMOST_ALL = 0.9
# With a quantile: how much the number may still change half-way to the surest row.
STILL_MOVING = 0.1


def elkan_noto(
    X: Any,
    z: ArrayLike,
    *,
    scenario: str,
    quantile: float | None = None,
    classifier: Any = None,
    cv: int = 5,
    n_bootstrap: int = 200,
    level: float = 0.95,
    random_state: Any = None,
    sample_weight: ArrayLike | None = None,
    unlabeled: Any = None,
    negative: Any = None,
    class_order: Sequence[Any] | None = None,
) -> PrevalenceEstimate:
    r"""Estimate label frequencies or prevalences from how surely held-out labelled rows are recognised.

    In a single training set :math:`P(z=k|x) = f_k P(y=k|x)`. At rows that certainly belong to class k this is
    :math:`f_k` itself, so that the mean of held-out :math:`\hat P(z=k|x)` over rows labelled k estimates
    :math:`f_k E[P(y=k|x) | y=k]` (Elkan and Noto 2008, their e1). In case-control data the same argument
    gives :math:`s_k = P(z=k|x) / (P(z=k|x) + P(z=0|x)) = a_k / (1 + a_k)` there, with :math:`a_k = n_k /
    (\pi_k n_u)`.

    It assumes that classes are *separable*: every labelled row could belong to no other class. Where they
    overlap the mean gives a label frequency that is too low, a prevalence that is too high. ``quantile=0.9``
    asks it only of the surest rows of each class, at the price of more noise. The diagnosis compares labelled
    rows with each other: under separability all have the same probability. No model of the classes is needed.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    scenario : {"case-control", "single-training-set"}
    quantile : float, optional
        An upper quantile of the held-out probabilities in place of their mean.
    classifier : scikit-learn classifier, optional
        Its ``predict_proba`` should be calibrated. Default: logistic regression with isotonic calibration.
    cv : int, default=5
        Folds; every probability comes from a classifier that did not see the row.
    n_bootstrap : int, default=200
        Bootstrap samples of rows for standard error and interval; classifiers are not fitted again.
    level : float, default=0.95
    random_state : int, Generator or None
    sample_weight, unlabeled, negative, class_order : optional
        As for the estimators.

    Returns
    -------
    PrevalenceEstimate

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.prevalence import elkan_noto
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 3, 1500)
    >>> X = rng.normal(size=(1500, 2)) + 6 * np.eye(3)[y][:, 1:]
    >>> z = np.where(rng.random(1500) < 0.6, y, 0)
    >>> estimate = elkan_noto(X, z, scenario="single-training-set", random_state=0)
    >>> bool(np.abs(estimate.numbers - 0.6).max() < 0.08)
    True
    """
    if quantile is not None:
        check_number("quantile", quantile, above=0.0, most=1.0)
    check_number("level", level, above=0.0, most=1.0)
    check_number("n_bootstrap", n_bootstrap, least=2, whole=True)
    data = read_data(
        X,
        z,
        scenario,
        sample_weight=sample_weight,
        unlabeled=unlabeled,
        negative=negative,
        class_order=class_order,
    )
    rng = np.random.default_rng(random_state)
    proba = held_out_proba(data, classifier, cv, rng, calibrated=True)
    sure = proba[:, 1:]
    if scenario == "case-control":
        total = sure + proba[:, :1]
        sure = np.divide(sure, total, out=np.zeros_like(sure), where=total > 0)

    def numbers(weight: NDArray) -> NDArray:
        return np.array([_number(data, sure, weight, k, quantile) for k in range(data.n_positive)])

    drawn = np.array([numbers(weight) for weight in resampled_weights(data, int(n_bootstrap), rng)])
    return _report(data, sure, numbers, drawn, level, quantile)


def _number(data: PUData, sure: NDArray, weight: NDArray, k: int, quantile: float | None) -> float:
    """Return the number of one class under some weights of the rows."""
    rows = data.codes == k + 1
    if not weight[rows].any():
        return float("nan")
    if quantile is None:
        level = float(np.average(sure[rows, k], weights=weight[rows]))
    else:
        level = _weighted_quantile(sure[rows, k], weight[rows], quantile)
    return _from_level(data, level, weight, k)


def _from_level(data: PUData, level: float, weight: NDArray, k: int) -> float:
    """Return the number that belongs to a probability at rows of certain class: a label frequency or a prevalence."""
    if data.scenario == "single-training-set":
        return level
    labeled, unlabeled = weight[data.codes == k + 1].sum(), weight[data.codes == 0].sum()
    # Where the features say nothing, noise can ask for a little more than everybody.
    return min(1.0, labeled * (1.0 - level) / (level * unlabeled)) if level > 0 else 1.0


def _weighted_quantile(values: NDArray, weight: NDArray, quantile: float) -> float:
    order = np.argsort(values)
    cumulative = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(cumulative, quantile * cumulative[-1])])


def _report(
    data: PUData,
    sure: NDArray,
    numbers: Callable[[NDArray], NDArray],
    drawn: NDArray,
    level: float,
    quantile: float | None,
) -> PrevalenceEstimate:
    parameter, classes = parameter_of(data.scenario), data.classes[1:]
    estimate = numbers(data.weight)
    tail = (1.0 - level) / 2.0
    lower, upper = np.nanquantile(drawn, [tail, 1.0 - tail], axis=0)
    curves, doubtful, diagnosis = {}, np.zeros(len(classes), dtype=bool), []
    for k, name in enumerate(classes):
        ranked = np.sort(sure[data.codes == k + 1, k])
        implied = np.array([_from_level(data, each, data.weight, k) for each in ranked])
        part = (np.arange(len(ranked)) + 0.5) / len(ranked)
        curves[plain(name)] = Curve(
            part, implied, "share of rows labelled with the class", f"{parameter} if certain", "height"
        )
        words = _doubt(data, parameter, name, estimate[k], implied, k, quantile)
        doubtful[k] = bool(words)
        if not words and not is_narrow(lower[k], upper[k]):
            words = [words_if_open(parameter, name, lower[k], upper[k])]
        diagnosis.extend(words)
    if not doubtful.all():
        side = "larger" if parameter == "label_frequency" else "smaller"
        diagnosis.append(
            f"The numbers assume that labelled rows could belong to no other class (classes are separable). Where "
            f"classes overlap, {parameter} is {side}."
        )
    method = "Elkan-Noto" if quantile is None else f"Elkan-Noto, {quantile:g} quantile"
    return PrevalenceEstimate(
        parameter,
        method,
        classes,
        estimate,
        lower,
        upper,
        level,
        doubtful,
        diagnosis,
        curves,
        standard_error=np.nanstd(drawn, axis=0, ddof=1),
        details={"held_out_proba": sure},
        if_identified="if separable",
    )


def _doubt(
    data: PUData, parameter: str, name: Any, estimate: float, implied: NDArray, k: int, quantile: float | None
) -> list[str]:
    """Return what speaks against the estimate of one class, in words."""
    share = data.weight[data.codes == k + 1].sum() / data.weight.sum()
    prevalence = estimate if parameter == "prevalence" else share / max(estimate, share)
    if prevalence > ALMOST_ALL:
        return [
            f"{parameter} of class {plain(name)!r} is not identified: the classifier hardly tells its labelled rows "
            "from the others, so that the class seems to fill the population."
        ]
    low, high = np.sort(np.quantile(implied, [0.1, 0.9]))
    if quantile is None and high > ALIKE * low:
        direction = "too low" if parameter == "label_frequency" else "too high"
        return [
            f"Class {plain(name)!r} overlaps with others: its labelled rows would imply anything from {low:.2g} to "
            f"{high:.2g} (middle 80 %). The estimate is then {direction}; try quantile=0.9 or profile_likelihood."
        ]
    if quantile is not None:
        here, beyond = np.quantile(implied, [quantile, (1.0 + quantile) / 2.0])
        if parameter == "prevalence":  # sure rows imply a small one
            here, beyond = np.quantile(-implied, [quantile, (1.0 + quantile) / 2.0])
        if abs(beyond / here - 1.0) > STILL_MOVING:
            side = "below" if parameter == "label_frequency" else "above"
            return [
                f"Class {plain(name)!r}: still surer rows would imply {abs(beyond):.2g}, not {abs(here):.2g}, so "
                f"the number only bounds it from {side}."
            ]
    return []
