"""What a labelling scenario must offer, and what it is told about the data."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pulasso.scenarios.label_model import LabelModel

__all__ = ["LabelCounts", "Scenario"]


@dataclass(frozen=True)
class LabelCounts:
    """Weighted counts of the observed labels.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        Names of the classes, class 0 first.
    n_unlabeled : float
    n_labeled : array of shape (n_classes,)
        Class 0 first: its entry counts the confirmed negatives.
    """

    classes: NDArray
    n_unlabeled: float
    n_labeled: NDArray

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.n_unlabeled + self.n_labeled.sum())

    @property
    def frequencies(self) -> NDArray:
        """Share of every observed label: unlabeled, classes 1..K, confirmed negatives."""
        return np.concatenate([[self.n_unlabeled], self.n_labeled[1:], self.n_labeled[:1]]) / self.total

    @classmethod
    def from_codes(cls, codes: NDArray, classes: NDArray, weight: NDArray) -> "LabelCounts":
        """Count observed labels: code 0 is unlabeled, k is class k, K + 1 a confirmed negative."""
        counts = np.bincount(codes, weights=weight, minlength=len(classes) + 1)
        return cls(classes, float(counts[0]), np.concatenate([counts[-1:], counts[1:-1]]))


class Scenario(Protocol):
    """How labels came to be: turns what the user knows into the two arrays of a :class:`LabelModel`.

    A scenario whose labelling depends on the row sets ``by_row = True``; its method is then called as
    ``label_model(counts, x, feature_names)`` and returns arrays of shape (n_samples, K + 1).
    """

    @property
    def name(self) -> str:
        """What users call the scenario."""
        ...

    @property
    def asks_for(self) -> str | None:
        """Name of the estimators' parameter that holds its number, if it needs one."""
        ...

    @property
    def explanation(self) -> str:
        """What that number is, in words for messages."""
        ...

    @property
    def sampled_by_label(self) -> bool:
        """Whether the number of rows with each label was fixed, rather than drawn with the rows.

        Whoever computes standard errors or resamples must then do so within each observed label.
        """
        ...

    def label_model(self, counts: LabelCounts) -> LabelModel:
        """Return the arrays a and c for these classes and counts."""
        ...
