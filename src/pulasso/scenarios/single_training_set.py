"""Single-training-set: one sample, in which a member of class k shows its label with a known probability."""

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import numpy as np
from scipy.optimize import brentq

from pulasso._messages import Message, arg, plain
from pulasso.exceptions import ScenarioError
from pulasso.scenarios._per_class import PerClass, check_range, per_class
from pulasso.scenarios._protocol import LabelCounts
from pulasso.scenarios.label_model import LabelModel

__all__ = ["SingleTrainingSet"]


EXAMPLE = "SingleTrainingSet(label_frequency=..., negative_label_frequency=...)"


@dataclass(frozen=True, eq=False)
class SingleTrainingSet:
    """All rows are one sample of the population; a class-k row is labelled with probability pi_k.

    The paper's single-training-set setting: ``a_k = pi_k`` and ``c_k = 1 - pi_k``.

    Parameters
    ----------
    label_frequency : float, array-like of shape (K,) or mapping
        ``P(labelled | y = k)`` for every positive class: a number for all, an array in class order, or a
        mapping from class to number. In (0, 1]; 1 means that every member of the class is labelled.
    negative_label_frequency : float, optional
        ``P(confirmed negative | y = 0)``; needed when y holds confirmed negatives.
    prior_count : float, default=0
        So many members of every class are thought of as seen before, where labels tell the class shares that an
        anchor holds to. With 0 the shares are ``n_k / (n label_frequency_k)``, which is noisy, or impossible, with few
        labels; 1 is meant for less than a hundred rows. The likelihood stays what it is.

    Examples
    --------
    >>> from pulasso import SingleTrainingSet
    >>> SingleTrainingSet(label_frequency=0.4).name
    'single-training-set'
    """

    label_frequency: PerClass
    negative_label_frequency: float | None = None
    prior_count: float = 0.0

    name: ClassVar[str] = "single-training-set"
    asks_for: ClassVar[str | None] = "label_frequency"
    sampled_by_label: ClassVar[bool] = False
    explanation: ClassVar[Message] = Message(
        f"It takes {arg('label_frequency')}, the probability that a member of a positive class carries its label, "
        f"for example {arg('label_frequency', '0.5')}, or {arg('label_frequency', repr('estimate'))}."
    )

    def label_model(self, counts: LabelCounts) -> LabelModel:
        """Return the vectors a and c for these classes and counts."""
        positive = counts.classes[1:]
        frequency = per_class(self.label_frequency, "label_frequency", positive)
        check_range(frequency, "label_frequency", positive, one_allowed=True)
        if not (isinstance(self.prior_count, Real) and 0.0 <= self.prior_count < np.inf):
            raise ScenarioError(
                f"prior_count={self.prior_count!r} must be a finite number of rows, 0 or more.",
                parameter="prior_count",
            )
        if counts.n_unlabeled <= 0 and counts.n_labeled[0] <= 0:
            raise ScenarioError(
                f"{arg('y')} has neither unlabeled rows nor confirmed negatives: nothing tells the positive "
                f"classes from class {plain(counts.classes[0])!r}.",
                parameter="unlabeled",
                remedy=f"Check {arg('unlabeled')} and {arg('negative')}.",
            )
        shown = np.concatenate([[self._negative_frequency(counts)], frequency])
        with np.errstate(divide="ignore"):  # log 0 = -inf: a label that cannot occur, a class never hidden
            return LabelModel(np.log(shown), np.log1p(-shown))

    def told_shares(self, counts: LabelCounts) -> np.ndarray:
        r"""Return the class shares that the labels imply, class 0 first; negative where they ask for more than all.

        With ``prior_count`` c > 0 they are the most probable ones under a Dirichlet prior,

        .. math:: \pi_k \propto n_k + c + n_u \frac{\pi_k (1 - f_k)}{\sum_l \pi_l (1 - f_l)},

        with n_u unlabeled rows.
        """
        frequency = per_class(self.label_frequency, "label_frequency", counts.classes[1:])
        if not self.prior_count > 0:
            positive = counts.n_labeled[1:] / frequency / counts.total
            return np.append(1.0 - positive.sum(), positive)
        seen = counts.n_labeled + float(self.prior_count)
        hidden = counts.n_unlabeled * (1.0 - np.append(self._negative_frequency(counts), frequency))
        total = seen.sum() + counts.n_unlabeled

        def excess(scale: float) -> float:
            return float((seen / (total - scale * hidden)).sum() - 1.0)

        if not hidden.max() > 0:
            return seen / seen.sum()
        # From below zero to beyond all bounds, rising: one root.
        scale = brentq(excess, 0.0, (1.0 - 1e-12) * total / hidden.max(), xtol=1e-15)
        return seen / (total - scale * hidden)

    def _negative_frequency(self, counts: LabelCounts) -> float:
        if counts.n_labeled[0] <= 0:
            return 0.0
        name = plain(counts.classes[0])
        if self.negative_label_frequency is None:
            raise ScenarioError(
                f"{arg('y')} holds confirmed negatives ({name!r}), but how often a member of class {name!r} is "
                "confirmed is not known.",
                parameter="negative_label_frequency",
                remedy=f"Give that number: {arg('scenario', EXAMPLE)}.",
            )
        frequency = np.array([float(self.negative_label_frequency)])
        check_range(frequency, "negative_label_frequency", counts.classes[:1], one_allowed=True)
        return float(frequency[0])
