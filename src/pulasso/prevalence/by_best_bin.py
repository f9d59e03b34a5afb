"""Class shares by best bin estimation, a mixture-proportion estimator on held-out scores."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import plain
from pulasso.data.inputs import check_number
from pulasso.prevalence.data import PUData, parameter_of, read_data
from pulasso.prevalence.held_out import held_out_proba, resampled_weights
from pulasso.prevalence.result import Curve, PrevalenceEstimate, is_narrow, words_if_open

__all__ = ["best_bin"]

# The two constants of the bound in Garg et al. (2021), Algorithm 1, at their values.
DELTA, GAMMA = 0.1, 0.01
# Thresholds above which less than this share of the class lies are too noisy to be drawn or tested.
SMALLEST_BIN = 0.05
ALMOST_ALL = 0.9
# Ratios that lie this many standard errors below the best one are not noise.
STANDARD_ERRORS = 1.5


def best_bin(
    X: Any,
    z: ArrayLike,
    *,
    scenario: str,
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
    r"""Estimate each class's share of the population from the purest bin of held-out scores.

    The population is a mixture of class k, of which the labelled rows are a sample, with everything else. Let
    :math:`q_k(c)` and :math:`q(c)` be the shares of class k and of the population whose score is at least c.
    Then :math:`\pi_k \le q(c) / q_k(c)` for every c, with equality where nothing but class k scores so high.
    Best bin estimation (Garg, Wu, Smola, Balakrishnan and Lipton 2021, NeurIPS 34, Algorithm 1) takes the
    ratio at the threshold

    .. math::

       \hat c = \arg\min_c \frac{\hat q(c)}{\hat q_k(c)} + \frac{1 + \gamma}{\hat q_k(c)}
       \Big(\sqrt{\frac{\log(4/\delta)}{2 n}} + \sqrt{\frac{\log(4/\delta)}{2 n_k}}\Big) .

    In case-control the population are the unlabeled rows and the ratio is the prevalence; in a single
    training set they are all rows, and the label frequency is :math:`n_k / (n \pi_k)`.

    It assumes no model, but *irreducibility*: some region holds class k alone. Where there is none, the
    estimate is an upper bound of the prevalence, a lower bound of the label frequency, and the interval, which
    only knows the noise of the sample, misses the truth. The diagnosis looks for the sign of it, ratios that
    still fall towards the highest scores; slight overlap leaves none, which is why tables say "if pure".

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    scenario : {"case-control", "single-training-set"}
    classifier : scikit-learn classifier, optional
        Only the order of its ``predict_proba`` matters. Default: logistic regression.
    cv : int, default=5
        Folds; every score comes from a classifier that did not see the row.
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
    >>> from pulasso.prevalence import best_bin
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 2000)
    >>> X = rng.normal(size=(2000, 2)) + 3 * y[:, None]
    >>> z = np.where(rng.random(2000) < 0.6, y, 0)
    >>> estimate = best_bin(X, z, scenario="single-training-set", random_state=0)
    >>> print(f"{estimate.values[1]:.1f}")
    0.6
    """
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
    proba = held_out_proba(data, classifier, cv, rng, calibrated=False)
    bins = [_Bins(data, proba, k) for k in range(data.n_positive)]
    drawn = np.array(
        [
            [each.estimate(weight)[0] for each in bins]
            for weight in resampled_weights(data, int(n_bootstrap), rng)
        ]
    )
    return _report(data, bins, drawn, level)


class _Bins:
    """Shares of one class and of the population above every threshold of its score."""

    def __init__(self, data: PUData, proba: NDArray, k: int):
        self.data, self.k = data, k
        score = proba[:, k + 1]
        if data.scenario == "case-control":
            # Members of other classes were oversampled, too: only the odds against unlabeled rows count.
            total = score + proba[:, 0]
            score = np.divide(score, total, out=np.zeros_like(score), where=total > 0)
        self.order = np.argsort(-score, kind="stable")
        ranked = score[self.order]
        self.is_last = np.append(ranked[1:] < ranked[:-1], True)  # ties belong to one bin
        self.in_class = (data.codes == k + 1)[self.order]
        is_population = np.ones(len(score), bool) if data.scenario != "case-control" else data.codes == 0
        self.in_population = is_population[self.order]

    def shares(self, weight: NDArray) -> tuple[NDArray, NDArray, float, float]:
        """Return q_k and q at every threshold, from the top, and the effective sizes of the two samples."""
        ranked = weight[self.order]
        of_class, of_all = ranked * self.in_class, ranked * self.in_population
        sizes = [each.sum() ** 2 / (each @ each) if each.any() else 0.0 for each in (of_class, of_all)]
        with np.errstate(invalid="ignore"):  # a bootstrap sample without the class has no shares
            q_class = np.cumsum(of_class)[self.is_last] / of_class.sum()
            q_all = np.cumsum(of_all)[self.is_last] / of_all.sum()
        return q_class, q_all, *sizes

    def estimate(self, weight: NDArray) -> tuple[float, int]:
        """Return the number and the place of the best threshold."""
        q_class, q_all, n_class, n_all = self.shares(weight)
        if not n_class or not n_all:
            return float("nan"), 0
        slack = np.sqrt(np.log(4.0 / DELTA) / 2.0) * (n_all**-0.5 + n_class**-0.5)
        bound = np.full(len(q_class), np.inf)
        some = q_class > 0
        bound[some] = (q_all[some] + (1.0 + GAMMA) * slack) / q_class[some]
        best = int(np.argmin(bound))
        return self.number(q_all[best] / q_class[best], weight), best

    def number(self, ratio: Any, weight: NDArray) -> Any:
        """Return prevalence or label frequency from the share of the class in the population."""
        ratio = np.minimum(ratio, 1.0)
        if self.data.scenario == "case-control":
            return ratio
        return np.minimum(weight[self.data.codes == self.k + 1].sum() / (weight.sum() * ratio), 1.0)


def _report(data: PUData, bins: list[_Bins], drawn: NDArray, level: float) -> PrevalenceEstimate:
    parameter, classes = parameter_of(data.scenario), data.classes[1:]
    tail = (1.0 - level) / 2.0
    lower, upper = np.nanquantile(drawn, [tail, 1.0 - tail], axis=0)
    curves, numbers, doubtful = {}, np.empty(len(classes)), np.zeros(len(classes), dtype=bool)
    diagnosis = []
    for k, (name, each) in enumerate(zip(classes, bins, strict=True)):
        numbers[k], best = each.estimate(data.weight)
        q_class, q_all, n_class, n_all = each.shares(data.weight)
        drawn_part = q_class >= SMALLEST_BIN
        ratio = q_all[drawn_part] / q_class[drawn_part]
        curves[plain(name)] = Curve(
            q_class[drawn_part],
            each.number(ratio, data.weight),
            "share of the class above the threshold",
            parameter,
            "height",
        )
        words = _doubt(parameter, name, (q_class, q_all, n_class, n_all), best)
        doubtful[k] = bool(words)
        if not words and not is_narrow(lower[k], upper[k]):
            words = [words_if_open(parameter, name, lower[k], upper[k])]
        diagnosis.extend(words)
    if not doubtful.all():
        side = "larger" if parameter == "label_frequency" else "smaller"
        diagnosis.append(
            f"The numbers assume that some region holds each class alone (is pure). Data without negatives cannot "
            f"show that: where classes overlap everywhere, {parameter} is {side}, and outside of the interval."
        )
    return PrevalenceEstimate(
        parameter,
        "best bin estimation",
        classes,
        numbers,
        lower,
        upper,
        level,
        doubtful,
        diagnosis,
        curves,
        standard_error=np.nanstd(drawn, axis=0, ddof=1),
        if_identified="if pure",
    )


def _doubt(parameter: str, name: Any, shares: tuple[NDArray, NDArray, float, float], best: int) -> list[str]:
    """Say so when no pure region is in sight: nothing was told apart, or ratios fall until the top."""
    q_class, q_all, n_class, n_all = shares
    ratio = q_all[best] / q_class[best]
    side = "below" if parameter == "label_frequency" else "above"
    if ratio > ALMOST_ALL:
        return [
            f"{parameter} of class {plain(name)!r} is not identified: the classifier hardly tells its labelled "
            f"rows from the others. The number bounds it from {side}, and says nothing."
        ]
    higher = (q_class >= SMALLEST_BIN) & (q_class <= q_class[best])
    ratios = q_all[higher] / q_class[higher]
    # Where nobody of the population scores so high, its share is uncertain by that of one row.
    of_all = np.maximum(q_all[higher], 1.0 / n_all) / n_all
    spread = np.sqrt(of_all / q_class[higher] ** 2 + ratios**2 / (n_class * q_class[higher]))
    lowest = int(np.argmin(ratios + STANDARD_ERRORS * spread)) if higher.any() else 0
    above = ratios[lowest] if higher.any() else ratio
    if higher.any() and above + STANDARD_ERRORS * spread[lowest] < ratio:
        return [
            f"Class {plain(name)!r} has no pure region in sight: its share still falls from {ratio:.2g} to {above:.2g} "
            f"towards the highest scores (irreducibility). The number only bounds it from {side}."
        ]
    return []
