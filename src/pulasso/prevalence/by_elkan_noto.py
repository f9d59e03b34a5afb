"""Unknown numbers from held-out probabilities of labelled rows (Elkan and Noto 2008), for several classes."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso.data.inputs import check_number
from pulasso.data.pu_data import PUData
from pulasso.prevalence.held_out import ScoreMethod, estimate_from_scores
from pulasso.prevalence.reading import documented, read_rows
from pulasso.prevalence.result import Curve, PrevalenceEstimate

__all__ = ["elkan_noto"]

# Labelled rows whose held-out probabilities differ by more than this factor, from lower to upper tenth, are
# not all alike.
ALIKE = 1.5
# With a quantile: how much the number may still change half-way to the surest row.
STILL_MOVING = 0.1


@documented
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
    <rows>
    quantile : float, optional
        An upper quantile of the held-out probabilities in place of their mean.
    classifier : scikit-learn classifier, optional
        Its ``predict_proba`` should be calibrated. Default: logistic regression with isotonic calibration.
    <scores>
    <labels>

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
    data = read_rows(X, z, scenario, sample_weight, unlabeled, negative, class_order)
    method, bootstrap = partial(ElkanNoto, quantile=quantile), (n_bootstrap, level, random_state)
    return estimate_from_scores(method, data, scenario, classifier, cv, *bootstrap, calibrated=True)


class ElkanNoto(ScoreMethod):
    """The mean score of the rows that carry the label of a class, or an upper quantile."""

    if_identified = "if separable"
    assumption = (
        "The numbers assume that labelled rows could belong to no other class (classes are separable). Where "
        "classes overlap, {parameter} is {side}."
    )

    def __init__(self, data: PUData, scenario: str, scores: NDArray, quantile: float | None):
        super().__init__(data, scenario, scores)
        self.quantile = quantile
        self.name = "Elkan-Noto" if quantile is None else f"Elkan-Noto, {quantile:g} quantile"

    def number(self, k: int, weight: NDArray) -> float:
        """Return the number of one class under some weights of the rows."""
        rows = self.is_class(k)
        scores, weights = self.scores[rows, k], weight[rows]
        if not weights.any():
            return float("nan")
        if self.quantile is None:
            return float(self._implied(k, np.average(scores, weights=weights), weight))
        order = np.argsort(scores)
        cumulative = np.cumsum(weights[order])
        place = np.searchsorted(cumulative, self.quantile * cumulative[-1])
        return float(self._implied(k, scores[order][place], weight))

    def _implied(self, k: int, score: Any, weight: NDArray) -> Any:
        """Return the number that belongs to a score at rows of certain class: a label frequency or a prevalence."""
        if not self.is_case_control:
            return score
        odds = weight[self.is_class(k)].sum() / weight[self.data.codes == 0].sum()
        with np.errstate(divide="ignore"):
            # Where the features say nothing, noise can ask for a little more than everybody.
            return np.minimum(1.0, odds * np.divide(1.0 - score, score))

    def _implied_by_rows(self, k: int) -> NDArray:
        """Return what each labelled row by itself would imply, the least sure one first."""
        return self._implied(k, np.sort(self.scores[self.is_class(k), k]), self.data.weight)

    def curve(self, k: int) -> Curve:
        """Return the number that each labelled row by itself would imply."""
        implied = self._implied_by_rows(k)
        part = (np.arange(len(implied)) + 0.5) / len(implied)
        return Curve(
            part, implied, "share of rows labelled with the class", f"{self.parameter} if certain", "height"
        )

    def contradiction(self, k: int) -> str:
        """Say so when labelled rows of the class contradict each other: if they are certain, all imply the same."""
        implied = self._implied_by_rows(k)
        if self.quantile is None:
            low, high = np.sort(np.quantile(implied, [0.1, 0.9]))
            if high <= ALIKE * low:
                return ""
            return (
                f"Class {self.names[k]} overlaps with others: its labelled rows would imply anything from {low:.2g} "
                f"to {high:.2g} (middle 80 %). The estimate is then too {'high' if self.is_case_control else 'low'}; "
                "try quantile=0.9 or profile_likelihood."
            )
        sign = -1.0 if self.is_case_control else 1.0  # sure rows imply a small prevalence
        here, beyond = sign * np.quantile(sign * implied, [self.quantile, (1.0 + self.quantile) / 2.0])
        if abs(beyond / here - 1.0) <= STILL_MOVING:
            return ""
        return (
            f"Class {self.names[k]}: still surer rows would imply {beyond:.2g}, not {here:.2g}, so "
            f"the number only bounds it from {self.side}."
        )
