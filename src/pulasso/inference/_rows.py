"""Rows that can be drawn again, in the way in which the scenario says that they were drawn."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pulasso._messages import plain
from pulasso.data.labels import Labels

if TYPE_CHECKING:
    from pulasso.estimators._assemble import Assembled

__all__ = ["Rows"]

# With a chance of 1 in 2 to miss a label, as many draws fail in a row with probability 1e-30.
MAX_DRAWS = 100


@dataclass(frozen=True, eq=False)
class Rows:
    """Checked data and how to draw from them.

    Case-control data were sampled label by label, so that is how they are drawn again: the number of rows with
    each label stays. Where one sample was drawn and labelled afterwards (single training set, fully observed), rows
    are drawn from all of them and the counts of labels vary as they would in a new sample.

    Attributes
    ----------
    x : array or sparse matrix of shape (n_samples, n_features)
    labels : Labels
    weight : array of shape (n_samples,)
        Rows of weight zero are never drawn; others keep their weight.
    by_label : bool
        ``sampled_by_label`` of the scenario.
    """

    x: Any
    labels: Labels
    weight: NDArray
    by_label: bool

    @cached_property
    def strata(self) -> list[NDArray[np.intp]]:
        """Rows that are drawn together."""
        usable = np.flatnonzero(self.weight > 0)
        if not self.by_label:
            return [usable]
        codes = self.labels.codes[usable]
        return [usable[codes == code] for code in np.unique(codes)]

    @cached_property
    def _needed(self) -> NDArray[np.intp]:
        """Codes of the labels that every draw must contain, or it would be another problem."""
        return np.unique(self.labels.codes[self.weight > 0])

    def resample(self, rng: np.random.Generator) -> tuple[NDArray[np.intp], int]:
        """Draw as many rows as there are, with replacement.

        Returns
        -------
        counts : array of shape (n_samples,)
            How often each row was drawn.
        n_redrawn : int
            How many draws were thrown away because a label was missing.
        """
        for n_redrawn in range(MAX_DRAWS):
            drawn = np.concatenate([rng.choice(rows, len(rows)) for rows in self.strata])
            if not len(missing := self._missing(drawn)):
                return np.bincount(drawn, minlength=len(self.weight)), n_redrawn
        raise self._too_rare(missing, "bootstrap samples")

    def halves(self, rng: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp], int]:
        """Draw two disjoint halves, without replacement; of an odd number one row is left out.

        Returns
        -------
        first, second : array of int
            Positions of rows.
        n_redrawn : int
        """
        for n_redrawn in range(MAX_DRAWS):
            mixed = [(rng.permutation(rows), len(rows) // 2) for rows in self.strata]
            first = np.sort(np.concatenate([rows[:half] for rows, half in mixed]))
            second = np.sort(np.concatenate([rows[half : 2 * half] for rows, half in mixed]))
            missing = np.union1d(self._missing(first), self._missing(second))
            if not len(missing):
                return first, second, n_redrawn
        raise self._too_rare(missing, "halves of the rows")

    def _missing(self, drawn: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.setdiff1d(self._needed, self.labels.codes[drawn])

    def _too_rare(self, missing: NDArray[np.intp], draws: str) -> ValueError:
        code, classes = int(missing[0]), self.labels.classes
        n_rows = int(np.count_nonzero((self.labels.codes == code) & (self.weight > 0)))
        if code == 0:
            who = "are unlabeled"
        elif code == len(classes):
            who = f"are confirmed members of class {plain(classes[0])!r}"
        else:
            who = f"carry the label {plain(classes[code])!r}"
        return ValueError(
            f"Only {n_rows} rows {who}, and {MAX_DRAWS} {draws} in a row had none of them (or one half had "
            "none). Get more such rows, merge the class with another one, or leave it out."
        )

    def assemble(self, model: Any, chosen: NDArray[np.intp], counts: NDArray | None = None) -> "Assembled":
        """Return the estimator's problem for some rows, each counted so many times.

        A row drawn twice is a row of twice the weight, so no row is stored twice.
        """
        weight = self.weight[chosen] if counts is None else self.weight[chosen] * counts
        labels = replace(self.labels, codes=self.labels.codes[chosen])
        # Rows of a CSC matrix are slow to take, and the design wants CSC again.
        is_sparse = sparse.issparse(self.x)
        x = self.x.tocsr()[chosen].asformat(self.x.format) if is_sparse else self.x[chosen]
        return model._assemble_checked(x, labels, weight)
