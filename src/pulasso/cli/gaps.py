"""Missing values that say more than they should: gaps that come with the label."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import listed
from pulasso.cli.running import warn

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["warn_of_telling_gaps"]

# Shares that differ by so many standard errors hardly do so by chance, even in one of a thousand columns.
STANDARD_ERRORS = 4.0


def warn_of_telling_gaps(frame: "DataFrame", is_unlabeled: NDArray[np.bool_], missing: str) -> None:
    """Warn of columns that lack values in labelled rows much more often, or less, than in others.

    Parameters
    ----------
    frame : DataFrame
        All rows, before anything is filled in or left out.
    is_unlabeled : array of bool of shape (n_rows,)
    missing : {"drop", "mean", "median"}
    """
    gaps = frame.isna()
    gaps = gaps.loc[:, gaps.any(axis=0)]
    n_without, n_with = int(is_unlabeled.sum()), int((~is_unlabeled).sum())
    if not len(gaps.columns) or not n_without or not n_with:
        return
    without, with_label = gaps[is_unlabeled].mean().to_numpy(), gaps[~is_unlabeled].mean().to_numpy()
    overall = gaps.mean().to_numpy()
    error = np.sqrt(overall * (1.0 - overall) * (1.0 / n_without + 1.0 / n_with))
    telling = np.flatnonzero(np.abs(with_label - without) > STANDARD_ERRORS * error)
    if not len(telling):
        return
    names = [gaps.columns[j] for j in telling]
    shares = [f"{100 * share[telling[0]]:.3g} %" for share in (with_label, without)]
    harm = (
        "leaving out these rows changes who is left of the labelled and of the unlabeled"
        if missing == "drop"
        else "a value that was filled in gives the label away"
    )
    warn(
        f"Whether {listed(names)} {'is' if len(names) == 1 else 'are'} missing depends on the label: {names[0]!r} is "
        f"missing in {shares[0]} of the labelled rows and {shares[1]} of the others. Then {harm}. Leave such columns "
        "out by --drop, or get the values."
    )
