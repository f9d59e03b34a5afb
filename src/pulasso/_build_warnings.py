"""What is said about a problem before it is solved; every function returns its words, if there are any."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import arg, listed, plain, warn
from pulasso.data.pu_data import PUData
from pulasso.exceptions import (
    ClassShareWarning,
    FewLabelsWarning,
    LabelFrequencyWarning,
    NearlyConstantWarning,
    RareIndicatorWarning,
)
from pulasso.losses import NullModel
from pulasso.scenarios import LabelCounts, LabelModel

__all__ = [
    "warn_if_no_maximum",
    "warn_if_nothing_told",
    "warn_of_columns",
    "warn_of_few_labels",
    "warn_of_indicators",
]

# Fewer labelled rows than this in a class are too few, in a table that is not itself small; more rare indicators than
# this are many.
FEW_LABELS, MANY_ROWS, FEW_INDICATORS = 5, 100, 20


def warn_if_nothing_told(rho: float, told: NDArray | None) -> tuple[str, ...]:
    """Say that an anchor that was asked for has nothing to hold to."""
    if rho == 0 or told is not None:
        return ()
    words = (
        f"{arg('anchor', f'{rho:g}')} has nothing to hold to: the scenario does not say which share each class has. "
        "The model is fitted without it."
    )
    return (warn(words, ClassShareWarning),)


def warn_of_columns(columns: Sequence[int], names: Any, dtype: np.dtype) -> tuple[str, ...]:
    """Name columns that are left out because their precision does not show how they vary."""
    if not columns:
        return ()
    which = listed([j if names is None else names[j] for j in columns], limit=5)
    several = len(columns) > 1
    words = (
        f"{'Columns' if several else 'Column'} {which} of {arg('X')} {'vary' if several else 'varies'} so little next "
        f"to the mean that the precision of {dtype} does not show how; {'they are' if several else 'it is'} treated "
        "as constant and not used. Subtract the mean first"
        + (", or pass X as float64." if dtype == np.float32 else ".")
    )
    return (warn(words, NearlyConstantWarning),)


def warn_of_indicators(columns: Sequence[int], n_features: int) -> tuple[str, ...]:
    """Say what standardising does to columns of zeros and ones that hardly any row sets apart."""
    if len(columns) <= FEW_INDICATORS:
        return ()
    words = (
        f"{len(columns)} of the {n_features} columns of {arg('X')} hold only 0 and 1, and fewer than 1 % of the rows "
        f"differ from the rest. {arg('standardize', 'True')} divides them by their small standard deviations, so "
        "that the rarest may have the largest coefficients, from a few rows each. Unless rare columns are known to "
        f"have large effects, try {arg('standardize', repr('auto'))}, which leaves columns of zeros and ones as they "
        f"are, perhaps with {arg('penalty', repr('elastic-net'))}."
    )
    return (warn(words, RareIndicatorWarning),)


def warn_of_few_labels(data: PUData, is_ordered: bool) -> tuple[str, ...]:
    """Name classes whose labelled rows are too few to tell features from chance."""
    counted = data.weight > 0
    n_rows = int(np.count_nonzero(counted))
    n_labeled = np.bincount(data.codes[counted], minlength=len(data.classes) + 1)[1:-1]
    # Ordered classes share their coefficients, to which every labelled row adds.
    told_by = np.full_like(n_labeled, n_labeled.sum()) if is_ordered else n_labeled
    few = np.flatnonzero(told_by < FEW_LABELS)
    if not len(few) or n_rows < MANY_ROWS:
        return ()
    named = [f"{plain(data.classes[k + 1])!r} ({n_labeled[k]} of {n_rows} rows)" for k in few]
    words = (
        f"Too few rows are labelled {listed(named, show=str)}: with fewer than {FEW_LABELS} of a class, features that "
        "have nothing to do with it look as if they had, and those selected for it may well be noise. Label more "
        "rows, join the class with another, or leave it out; pulasso.inference.stability_selection shows which "
        "features half of the rows find again."
    )
    return (warn(words, FewLabelsWarning),)


def warn_if_no_maximum(
    null_model: NullModel, label_model: LabelModel, counts: LabelCounts, rho: float
) -> tuple[str, ...]:
    """Warn when the assumed label frequencies are lower than the labels allow, so that no anchor can hold to them."""
    if null_model.exists or label_model.is_by_row:
        return ()
    assumed = np.exp(label_model.log_labeled[1:])
    least = assumed * null_model.excess
    named = zip(counts.classes[1:], least, strict=True)
    if np.ptp(assumed) < 1e-12:
        bound = f"{least[0]:.4g}"
    elif least.max() <= 1.0:
        bound = ", ".join(f"{name}: {value:.4g}" for name, value in named) + " if all grow alike"
    else:
        bound = "reached when the shares n_k / (n * label_frequency_k) sum to 1"
    and_free = f" and {arg('anchor')} has nothing to hold to" if rho else ""
    words = (
        f"{arg('label_frequency')} is too low for these labels: the positive classes would make up "
        f"{100 * null_model.excess:.0f} % of the rows, so the intercept-only likelihood has no finite "
        f"maximum. The smallest label frequency that the data allow is {bound}; it must lie above. "
        f"The fit begins at a finite start{and_free}, but check the assumed value."
    )
    return (warn(words, LabelFrequencyWarning),)
