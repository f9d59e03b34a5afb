"""Class shares by best bin estimation, a mixture-proportion estimator on held-out scores."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso.data.pu_data import PUData
from pulasso.prevalence.held_out import ScoreMethod, estimate_from_scores
from pulasso.prevalence.reading import documented, read_rows
from pulasso.prevalence.result import Curve, PrevalenceEstimate

__all__ = ["best_bin"]

# The two constants of the bound in Garg et al. (2021), Algorithm 1, at their values.
DELTA, GAMMA = 0.1, 0.01
# Thresholds above which less than this share of the class lies are too noisy to be drawn or tested.
SMALLEST_BIN = 0.05
# Ratios that lie this many standard errors below the best one are not noise.
STANDARD_ERRORS = 1.5


@documented
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
    <rows>
    classifier : scikit-learn classifier, optional
        Only the order of its ``predict_proba`` matters. Default: logistic regression.
    <scores>
    <labels>

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
    data = read_rows(X, z, scenario, sample_weight, unlabeled, negative, class_order)
    bootstrap = (n_bootstrap, level, random_state)
    return estimate_from_scores(BestBin, data, scenario, classifier, cv, *bootstrap, calibrated=False)


class Shares(NamedTuple):
    """Shares of a class and of the population above every threshold, from the top, and effective sizes of the two."""

    of_class: NDArray
    of_all: NDArray
    n_class: float
    n_all: float

    def best(self) -> int:
        """Return the place of the threshold with the smallest bound, noise included."""
        slack = np.sqrt(np.log(4.0 / DELTA) / 2.0) * (self.n_all**-0.5 + self.n_class**-0.5)
        with np.errstate(divide="ignore"):
            return int(np.argmin((self.of_all + (1.0 + GAMMA) * slack) / self.of_class))

    def large_enough(self) -> "Shares":
        """Return the thresholds that are not too noisy."""
        some = self.of_class >= SMALLEST_BIN
        return self._replace(of_class=self.of_class[some], of_all=self.of_all[some])

    def falls_to(self) -> tuple[float, float]:
        """Return the ratio at the best threshold, and a lower one towards the highest scores that is not noise."""
        best = self.best()
        ratio, large = self.of_all[best] / self.of_class[best], self.large_enough()
        higher = large.of_class <= self.of_class[best]
        if not higher.any():
            return ratio, ratio
        of_class, of_all = large.of_class[higher], large.of_all[higher]
        ratios = of_all / of_class
        # Where nobody of the population scores so high, its share is uncertain by that of one row.
        variance = np.maximum(of_all, 1.0 / self.n_all) / (self.n_all * of_class**2)
        at_most = ratios + STANDARD_ERRORS * np.sqrt(variance + ratios**2 / (self.n_class * of_class))
        lowest = int(np.argmin(at_most))
        return ratio, ratios[lowest] if at_most[lowest] < ratio else ratio


class BestBin(ScoreMethod):
    """The share of each class in the population, from the threshold above which it is purest."""

    name = "best bin estimation"
    if_identified = "if pure"
    assumption = (
        "The numbers assume that some region holds each class alone (is pure). Data without negatives cannot "
        "show that: where classes overlap everywhere, {parameter} is {side}, and outside of the interval."
    )

    def __init__(self, data: PUData, scenario: str, scores: NDArray):
        super().__init__(data, scenario, scores)
        self.order = np.argsort(-scores, axis=0, kind="stable")
        ranked = np.take_along_axis(scores, self.order, axis=0)
        self.is_last = np.ones(scores.shape, dtype=bool)  # ties belong to one bin
        self.is_last[:-1] = ranked[1:] < ranked[:-1]
        self.in_population = data.codes == 0 if self.is_case_control else np.ones(len(scores), dtype=bool)

    def shares(self, k: int, weight: NDArray) -> Shares:
        """Return the shares above every threshold."""
        order, is_last = self.order[:, k], self.is_last[:, k]
        parts = [(weight * rows)[order] for rows in (self.is_class(k), self.in_population)]
        shares = [np.cumsum(part)[is_last] / part.sum() for part in parts]
        return Shares(*shares, *(part.sum() ** 2 / (part @ part) for part in parts))

    def number(self, k: int, weight: NDArray) -> float:
        """Return the number at the best threshold."""
        if not weight[self.is_class(k)].any() or not weight[self.in_population].any():
            return float("nan")
        shares = self.shares(k, weight)
        best = shares.best()
        return float(self._number(k, shares.of_all[best] / shares.of_class[best], weight))

    def _number(self, k: int, ratio: Any, weight: NDArray) -> Any:
        """Return prevalence or label frequency from the share of the class in the population."""
        ratio = np.minimum(ratio, 1.0)
        if self.is_case_control:
            return ratio
        return np.minimum(weight[self.is_class(k)].sum() / (weight.sum() * ratio), 1.0)

    def curve(self, k: int) -> Curve:
        """Return the number that each threshold would give."""
        of_class, of_all, *_ = self.shares(k, self.data.weight).large_enough()
        heights = self._number(k, of_all / of_class, self.data.weight)
        return Curve(of_class, heights, "share of the class above the threshold", self.parameter, "height")

    def contradiction(self, k: int) -> str:
        """Say so when no pure region is in sight: ratios fall until the top."""
        ratio, above = self.shares(k, self.data.weight).falls_to()
        if above == ratio:
            return ""
        return (
            f"Class {self.names[k]} has no pure region in sight: its share still falls from {ratio:.2g} to {above:.2g} "
            f"towards the highest scores (irreducibility). The number only bounds it from {self.side}."
        )
