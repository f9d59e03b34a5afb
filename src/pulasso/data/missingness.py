"""Missing values of features: where they are, and whether they depend on the label."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import Message, arg, listed
from pulasso.exceptions import InputError

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["missingness_warning", "refuse_missing"]

# Shares that differ by so many standard errors hardly do so by chance, even in one of a thousand columns.
STANDARD_ERRORS = 4.0


def refuse_missing(frame: "DataFrame", path: Any) -> None:
    """Name the columns of a table with missing values, how many there are, and what can be done."""
    counts = frame.isna().sum()
    counts = counts[counts > 0].sort_values(ascending=False)
    if not len(counts):
        return
    rows = int(frame.isna().any(axis=1).sum())
    named = listed([f"{name!r} ({n})" for name, n in counts.items()], show=str)
    raise InputError(
        f"{path} has missing values in {len(counts)} of {len(frame.columns)} columns: {named}; {rows} of "
        f"{len(frame)} rows are concerned.",
        parameter="missing",
        remedy=f"Say what to do: {arg('missing', 'median')} (or mean) fills them in, text by its most frequent value; "
        f"{arg('missing', 'drop')} leaves these rows out; {arg('drop')} leaves columns out.",
    )


def missingness_warning(
    frame: "DataFrame", is_unlabeled: NDArray[np.bool_], missing: str = "drop"
) -> Message | None:
    """Return a warning of columns that lack values in labelled rows much more often, or less, than in others.

    Parameters
    ----------
    frame : DataFrame
        All rows, before anything is filled in or left out.
    is_unlabeled : array of bool of shape (n_rows,)
    missing : {"drop", "mean", "median", "keep"}
        What becomes of missing values.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"rain": [1.0] * 30 + [np.nan] * 30, "wind": 1.0})
    >>> print(missingness_warning(frame, np.arange(60) >= 30).split(":")[0])
    Whether 'rain' is missing depends on the label
    """
    gaps = frame.isna()
    gaps = gaps.loc[:, gaps.any(axis=0)]
    n_unlabeled, n_labeled = int(is_unlabeled.sum()), int((~is_unlabeled).sum())
    if not len(gaps.columns) or not n_unlabeled or not n_labeled:
        return None
    labeled, unlabeled = gaps[~is_unlabeled].mean().to_numpy(), gaps[is_unlabeled].mean().to_numpy()
    overall = gaps.mean().to_numpy()
    error = np.sqrt(overall * (1.0 - overall) * (1.0 / n_unlabeled + 1.0 / n_labeled))
    dependent = np.flatnonzero(np.abs(labeled - unlabeled) > STANDARD_ERRORS * error)
    if not len(dependent):
        return None
    names = gaps.columns[dependent].tolist()
    harm = (
        "leaving out these rows changes who is left of the labelled and of the unlabeled"
        if missing == "drop"
        else f"a {'gap' if missing == 'keep' else 'value that was filled in'} gives the label away"
    )
    return Message(
        f"Whether {listed(names)} {'is' if len(names) == 1 else 'are'} missing depends on the label: {names[0]!r} is "
        f"missing in {100 * labeled[dependent[0]]:.3g} % of the labelled rows and "
        f"{100 * unlabeled[dependent[0]]:.3g} % of the others. Then {harm}. Leave such columns out by "
        f"{arg('drop')}, or get the values."
    )
