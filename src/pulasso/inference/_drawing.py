"""Draw rows again, in the way in which the scenario says that they were drawn.

Case-control data were sampled label by label, so that is how they are drawn again (``by_label``): the number of rows
with each label stays. Where one sample was drawn and labelled afterwards (single training set, fully observed), rows
are drawn from all of them and the counts of labels vary as they would in a new sample.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import plain
from pulasso.data.pu_data import PUData
from pulasso.exceptions import InputError

__all__ = ["draw_pair", "resample"]

# With a chance of 1 in 2 to miss a label, as many draws fail in a row with probability 1e-30.
MAX_DRAWS = 100
Rows = NDArray[np.intp]


def resample(data: PUData, by_label: bool, rng: np.random.Generator) -> tuple[Rows, int]:
    """Draw as many rows as there are, with replacement; return how often each was drawn, and the number of redraws."""
    strata = _strata(data, by_label)
    (drawn,), n_redrawn = _draw_all_labels(
        data, lambda: (np.concatenate([rng.choice(rows, len(rows)) for rows in strata]),)
    )
    return np.bincount(drawn, minlength=len(data.weight)), n_redrawn


def draw_pair(data: PUData, by_label: bool, rng: np.random.Generator) -> tuple[tuple[Rows, ...], int]:
    """Draw two disjoint subsamples of half the rows each; return them, and the number of redraws."""
    strata = _strata(data, by_label)

    def draw() -> tuple[Rows, Rows]:
        # Of an odd number one row is left out.
        mixed = [(rng.permutation(rows), len(rows) // 2) for rows in strata]
        first = np.concatenate([rows[:half] for rows, half in mixed])
        second = np.concatenate([rows[half : 2 * half] for rows, half in mixed])
        return np.sort(first), np.sort(second)

    return _draw_all_labels(data, draw)


def _strata(data: PUData, by_label: bool) -> list[Rows]:
    """Return the rows that are drawn together; those of weight zero are never drawn."""
    usable = np.flatnonzero(data.weight > 0)
    codes = data.codes[usable]
    return [usable[codes == code] for code in np.unique(codes)] if by_label else [usable]


def _draw_all_labels(data: PUData, draw: Callable[[], tuple[Rows, ...]]) -> tuple[tuple[Rows, ...], int]:
    """Repeat draws that lack a label, which would be another problem; return one that does not, and how many did."""
    wanted = np.unique(data.codes[data.weight > 0])
    for n_redrawn in range(MAX_DRAWS):
        drawn = draw()
        missing = np.concatenate([np.setdiff1d(wanted, data.codes[rows]) for rows in drawn])
        if not len(missing):
            return drawn, n_redrawn
    code = missing.min()
    names = ["unlabeled", *data.classes[1:].tolist(), data.classes[0]]
    n_rows = np.count_nonzero((data.codes == code) & (data.weight > 0))
    raise InputError(
        f"Only {n_rows} of the rows carry the label {plain(names[code])!r}, and {MAX_DRAWS} draws in a row lacked it.",
        parameter="z",
        remedy="Get more such rows, merge the class with another one, or leave it out.",
    )
