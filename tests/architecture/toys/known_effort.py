"""A scenario in one file: one sample, in which the chance of a label is known for every row, from a column of X."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pulasso.scenarios import LabelModel


@dataclass(frozen=True)
class KnownEffort:
    """A member of any positive class is labelled with probability ``1 - exp(-hours)``, hours being a column of X."""

    column: int = 0

    name: ClassVar[str] = "known-effort"
    asks_for: ClassVar[str | None] = None
    sampled_by_label: ClassVar[bool] = False
    by_row: ClassVar[bool] = True
    explanation: ClassVar[str] = "It takes the column of X that holds hours of search."

    def label_model(self, counts, x, feature_names=None):
        hours = np.asarray(x[:, self.column], dtype=float).reshape(-1, 1)
        hidden = np.hstack([np.zeros_like(hours), -np.repeat(hours, len(counts.classes) - 1, axis=1)])
        with np.errstate(divide="ignore"):  # class 0 is never labelled
            return LabelModel(np.log(-np.expm1(hidden)), hidden)
