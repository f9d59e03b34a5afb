"""What a labelling scenario must offer, and what it is told about the data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

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
    by_source : mapping from source to LabelCounts, optional
        The same for every source by itself, where rows come from several.
    """

    classes: NDArray
    n_unlabeled: float
    n_labeled: NDArray
    by_source: "Mapping[Any, LabelCounts] | None" = None

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.n_unlabeled + self.n_labeled.sum())

    @property
    def frequencies(self) -> NDArray:
        """Share of every observed label: unlabeled, classes 1..K, confirmed negatives."""
        return np.concatenate([[self.n_unlabeled], self.n_labeled[1:], self.n_labeled[:1]]) / self.total

    @classmethod
    def from_codes(
        cls, codes: NDArray, classes: NDArray, weight: NDArray, source: NDArray | None = None
    ) -> "LabelCounts":
        """Count observed labels: code 0 is unlabeled, k is class k, K + 1 a confirmed negative."""
        counts = np.bincount(codes, weights=weight, minlength=len(classes) + 1)
        by_source = None
        if source is not None:
            rows = {name: source == name for name in dict.fromkeys(source.tolist())}
            by_source = {name: cls.from_codes(codes[at], classes, weight[at]) for name, at in rows.items()}
        return cls(classes, float(counts[0]), np.concatenate([counts[-1:], counts[1:-1]]), by_source)


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
