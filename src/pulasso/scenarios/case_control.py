"""Case-control: unlabeled draws from the population, labelled draws from each class."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pulasso._messages import Message, arg, listed, plain
from pulasso.exceptions import ScenarioError
from pulasso.scenarios._per_class import PerClass, check_range, per_class
from pulasso.scenarios._protocol import LabelCounts
from pulasso.scenarios.label_model import LabelModel

__all__ = ["CaseControl"]


@dataclass(frozen=True, eq=False)
class CaseControl:
    """Unlabeled rows are a sample of the population; labelled rows were sampled from their class.

    The paper's case-control setting: ``a_k = n_k / (pi_k n_u)`` and ``c_k = 1``, with weighted counts n.

    Parameters
    ----------
    prevalence : float, array-like of shape (K,) or mapping
        ``P(y = k)`` in the population for every positive class: a number for all, an array in class
        order, or a mapping from class to number. In (0, 1), with a sum below 1.
    always_labeled : class label or sequence of class labels, default=()
        Classes whose members never are among the unlabeled rows (``c_k = 0``): the unlabeled rows are
        then a sample of the population without these classes.

    Examples
    --------
    >>> from pulasso import CaseControl
    >>> CaseControl(prevalence={"oak": 0.2, "fir": 0.1}).name
    'case-control'
    """

    prevalence: PerClass
    always_labeled: Any = ()

    name: ClassVar[str] = "case-control"
    asks_for: ClassVar[str | None] = "prevalence"
    sampled_by_label: ClassVar[bool] = True
    explanation: ClassVar[Message] = Message(
        f"It takes {arg('prevalence')}, the share of each positive class in the population, for example "
        f"{arg('prevalence', '0.1')} or {arg('prevalence', str({'oak': 0.2, 'fir': 0.1}))}, "
        f"or {arg('prevalence', repr('estimate'))}."
    )

    def label_model(self, counts: LabelCounts) -> LabelModel:
        """Return the vectors a and c for these classes and counts."""
        positive = counts.classes[1:]
        prevalence = per_class(self.prevalence, "prevalence", positive)
        check_range(prevalence, "prevalence", positive, one_allowed=False)
        if prevalence.sum() >= 1.0:
            raise ScenarioError(
                f"The prevalences of {listed(positive)} sum to {prevalence.sum():g}; "
                f"they must leave room for class {plain(counts.classes[0])!r}, so sum to less than 1.",
                parameter="prevalence",
            )
        if counts.n_unlabeled <= 0:
            raise ScenarioError(
                f"{arg('y')} has no unlabeled row, but case-control data need a sample of the population.",
                parameter="unlabeled",
                remedy=f"Check {arg('unlabeled')}, or use {arg('scenario', repr('fully-observed'))} "
                "if every label is known.",
            )
        hidden, everyone = ~self._always(counts), np.append(1.0 - prevalence.sum(), prevalence)
        with np.errstate(divide="ignore"):  # log 0 = -inf: no confirmed negatives, or a class never hidden
            log_labeled = np.log(counts.n_labeled) - np.log(everyone) - np.log(counts.n_unlabeled)
            log_hidden = np.log(hidden.astype(float))
        return LabelModel(log_labeled + np.log(everyone[hidden].sum()), log_hidden)

    def told_shares(self, counts: LabelCounts) -> np.ndarray:
        """Return the share of every class among unlabeled rows, class 0 first."""
        prevalence = per_class(self.prevalence, "prevalence", counts.classes[1:])
        hidden = np.where(self._always(counts), 0.0, np.append(1.0 - prevalence.sum(), prevalence))
        return hidden / hidden.sum()

    def population_shares(self, counts: LabelCounts) -> np.ndarray:
        """Return the share of every class in the population, class 0 first, whether or not it is ever unlabeled."""
        prevalence = per_class(self.prevalence, "prevalence", counts.classes[1:])
        return np.append(1.0 - prevalence.sum(), prevalence)

    def _always(self, counts: LabelCounts) -> np.ndarray:
        names = [plain(c) for c in counts.classes[1:]]
        try:
            always = {self.always_labeled} if np.isscalar(self.always_labeled) else set(self.always_labeled)
        except TypeError:
            raise ScenarioError(
                f"{arg('always_labeled', repr(self.always_labeled))} is not a class, or a list of classes.",
                parameter="always_labeled",
            ) from None
        unknown = [c for c in always if plain(c) not in names]
        if unknown:
            raise ScenarioError(
                f"{arg('always_labeled')} names {listed(unknown)}, which is no positive class in {arg('y')}. "
                f"They are {listed(names)}.",
                parameter="always_labeled",
            )
        return np.array([False] + [name in always for name in names])
