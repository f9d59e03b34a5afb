"""Fully observed: the naive reading, in which unlabeled means class 0."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pulasso._messages import Message, arg, plain
from pulasso.exceptions import ScenarioError
from pulasso.scenarios._protocol import LabelCounts
from pulasso.scenarios.label_model import LabelModel

__all__ = ["FullyObserved"]


@dataclass(frozen=True)
class FullyObserved:
    """Every label is the truth and unlabeled means class 0: ``a_k = 1``, ``c_k = 0``.

    This gives the naive baselines of the paper, MN-Lasso and ON-Lasso, and ordinary penalised multinomial
    and ordinal regression on data without hidden labels.

    Examples
    --------
    >>> from pulasso import FullyObserved
    >>> FullyObserved().name
    'fully-observed'
    """

    name: ClassVar[str] = "fully-observed"
    asks_for: ClassVar[str | None] = None
    sampled_by_label: ClassVar[bool] = False
    explanation: ClassVar[Message] = Message("It takes no number: unlabeled rows count as class 0.")

    def label_model(self, counts: LabelCounts) -> LabelModel:
        """Return the vectors a and c for these classes and counts."""
        class_0 = counts.n_unlabeled + counts.n_labeled[0]
        if class_0 <= 0:
            raise ScenarioError(
                f"{arg('y')} has no row of class {plain(counts.classes[0])!r}: "
                "neither unlabeled rows nor confirmed negatives.",
                parameter="y",
            )
        # Unlabeled rows and confirmed negatives are both class 0; their shares keep P(z | x) exact.
        confirmed = counts.n_labeled[0] / class_0
        a = np.concatenate([[confirmed], np.ones(len(counts.classes) - 1)])
        with np.errstate(divide="ignore"):  # log 0 = -inf: nothing but class 0 is ever unlabeled
            return LabelModel(np.log(a), np.log(1.0 - a))
