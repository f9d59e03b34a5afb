"""Copies of a row in several folds: a model is judged by rows that it has seen."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pulasso._messages import Message, arg, warn
from pulasso.data.chunks import is_chunked
from pulasso.exceptions import DuplicateRowsWarning
from pulasso.model_selection.folds import Fold

__all__ = ["warn_of_copies"]

ROWS_AT_ONCE = 1_000
WORTH_A_WORD = 0.01  # of the held-out rows; fewer copies change no choice
BEYOND_CHANCE = 10  # times as many equal rows as independent columns would have: these are copies


def warn_of_copies(folds: Sequence[Fold], x: Any, codes: NDArray[np.intp], weight: NDArray) -> list[Message]:
    """Warn, and return the words, if held-out rows have exact copies among the rows of the fit.

    Parameters
    ----------
    folds : sequence of Fold
    x : array or sparse matrix of shape (n_samples, n_features), or Chunks
        Data in chunks are not looked at.
    codes : array of shape (n_samples,)
        Observed labels.
    weight : array of shape (n_samples,)
        Rows of weight zero do not count.
    """
    if is_chunked(x):
        return []
    _, row, n_copies = np.unique(_hashes(x), return_inverse=True, return_counts=True)
    if n_copies.max(initial=1) == 1:
        return []
    n_pairs, counts = float((n_copies * (n_copies - 1.0)).sum() / 2), weight > 0
    held_out = [fold.test[counts[fold.test]] for fold in folds]
    fitted = [fold.train[counts[fold.train]] for fold in folds]
    seen = [test[np.isin(row[test], row[train])] for test, train in zip(held_out, fitted, strict=True)]
    n_seen, n_held_out = sum(map(len, seen)), sum(map(len, held_out))
    if n_seen < max(2, WORTH_A_WORD * n_held_out) or _are_alike_by_chance(x, n_pairs):
        return []
    labels = np.unique(np.column_stack([row, codes])[counts], axis=0)[:, 0]
    differ = np.isin(row[np.concatenate(seen)], labels[1:][labels[1:] == labels[:-1]]).sum()
    example = int(next(part[0] for part in seen if len(part)))
    twin = int(np.flatnonzero((row == row[example]) & counts & (np.arange(len(row)) != example))[0])
    words = (
        f"{n_seen} of {n_held_out} held-out rows have exact copies among the rows that a fold is fitted to, "
        f"{differ} of them under another label (rows {example} and {twin} are copies, for example). Held-out losses "
        "do not tell then how new rows will do. Drop copies, or keep them in one fold: "
        f"{arg('cv', 'sklearn.model_selection.GroupKFold(5)')}, and groups with one number for each distinct row."
    )
    return [warn(words, DuplicateRowsWarning)]


def _hashes(x: Any) -> NDArray[np.int64]:
    """Return one number for each row, the same for equal rows."""
    if sparse.issparse(x):
        x = x.tocsr()
        if not x.data.all():
            x = x.copy()
            x.eliminate_zeros()
        parts = zip(x.indptr[:-1], x.indptr[1:], strict=True)
        found = (hash((x.indices[a:b].tobytes(), x.data[a:b].tobytes())) for a, b in parts)
    else:
        blocks = (
            x[first : first + ROWS_AT_ONCE] + 0.0 for first in range(0, len(x), ROWS_AT_ONCE)
        )  # no -0.0
        found = (hash(row.tobytes()) for block in blocks for row in block)
    return np.fromiter(found, dtype=np.int64, count=x.shape[0])


def _are_alike_by_chance(x: Any, n_pairs: float) -> bool:
    """Say whether so many pairs of equal rows are about what columns of few values, or of zeros, make by themselves.

    Two rows agree in a column with probability ``sum_v p_v^2`` over its values, and in all of them with the product.
    """
    columns = x.tocsc() if sparse.issparse(x) else x
    expected = x.shape[0] * (x.shape[0] - 1) / 2
    for j in range(x.shape[1]):
        column = columns[:, [j]].toarray() if sparse.issparse(columns) else columns[:, j]
        share = np.unique(column, return_counts=True)[1] / x.shape[0]
        expected *= float(share @ share)
        if n_pairs > BEYOND_CHANCE * expected:
            return False
    return True
