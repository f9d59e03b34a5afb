"""Folds of presence-only data: every observed label, and "unlabeled" as one of them, in equal proportions."""

import reprlib
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv

from pulasso._messages import arg, listed, plain
from pulasso.data.chunks import is_chunked
from pulasso.data.inputs import check_number
from pulasso.data.labels import Labels
from pulasso.exceptions import InputError

__all__ = ["Fold", "check_folds", "keep_single_rows", "make_splitter", "split_rows", "take_rows"]

DEFAULT_FOLDS = 5
LARGEST_SEED = 2**32 - 1


class Fold(NamedTuple):
    """Rows to fit on and rows to judge by, as positions."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


def make_splitter(cv: Any, random_state: Any) -> Any:
    """Return an object that splits rows, from what scikit-learn's users pass as ``cv``.

    Parameters
    ----------
    cv : int, splitter, iterable of (train, test) or None
        A number means shuffled folds, stratified by observed label.
    random_state : int, RandomState, Generator or None
        Shuffles the rows of stratified folds; a splitter has its own.
    """
    if cv is not None and not isinstance(cv, int | float | np.number | np.bool_ | str | bytes):
        if not hasattr(cv, "split") and isinstance(cv, Iterable):
            if not getattr(cv, "ndim", 1):
                raise InputError(f"{arg('cv')} is a single value in an array.", parameter="cv")
            cv = [_pair(each) for each in cv]
        return check_cv(cv)
    n_folds = DEFAULT_FOLDS if cv is None else cv
    check_number("cv", n_folds, least=2, whole=True)
    return StratifiedKFold(int(n_folds), shuffle=True, random_state=_read_seed(random_state))


def _read_seed(random_state: Any) -> Any:
    """Return what scikit-learn's splitters take; what they refuse is refused here, with the parameter's name."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(LARGEST_SEED + 1))
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return random_state
    is_whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if not is_whole or not 0 <= random_state <= LARGEST_SEED:
        raise InputError(
            f"{arg('random_state', repr(random_state))} must be a whole number from 0 to {LARGEST_SEED}, a NumPy "
            "generator, or None.",
            parameter="random_state",
        )
    return random_state


def _pair(fold: Any) -> tuple[Any, Any]:
    if not isinstance(fold, tuple | list | np.ndarray) or len(fold) != 2:
        raise _no_fold(fold, "a pair (train, test) of row numbers is")
    return fold[0], fold[1]


def split_rows(splitter: Any, x: Any, codes: NDArray[np.intp], **metadata: Any) -> list[Fold]:
    """Return the folds that a splitter makes of these rows; it is shown the codes of the observed labels.

    Parameters
    ----------
    splitter : object
        From :func:`make_splitter`.
    x : array or sparse matrix of shape (n_samples, n_features)
    codes : array of shape (n_samples,)
        0 for unlabeled, k for class k, K + 1 for confirmed negatives.
    **metadata
        What else the splitter asks for, usually ``groups``.

    Examples
    --------
    >>> folds = split_rows(make_splitter(2, random_state=0), np.zeros((6, 1)), np.array([0, 0, 0, 0, 1, 1]))
    >>> [int(fold.test.size) for fold in folds]
    [3, 3]
    """
    most = np.bincount(codes).max()
    if isinstance(splitter, StratifiedKFold) and splitter.n_splits > most:
        raise InputError(
            f"{arg('cv', str(splitter.n_splits))} folds are too many: no observed label has more than {most} rows.",
            parameter="cv",
            remedy=f"Try {arg('cv', str(most))} or fewer."
            if most > 1
            else "Labels must occur more than once.",
        )
    with warnings.catch_warnings():
        # A rare label cannot be in every fold; `check_folds` sees whether the rest suffices for a fit.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        # Splitters look at the number of rows; those of data in chunks cannot be shown.
        shown = np.empty((len(codes), 1)) if is_chunked(x) else x
        pairs = list(splitter.split(shown, codes, **metadata))
    if not pairs:
        raise InputError(
            f"{arg('cv')} gives no folds. An exhausted generator?",
            parameter="cv",
            remedy="Pass a list, or a number of folds.",
        )
    return [Fold(_positions(train, len(codes)), _positions(test, len(codes))) for train, test in pairs]


def take_rows(x: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of an array, a data frame or a sparse matrix, or some labels, which keep their order."""
    if hasattr(x, "iloc"):
        return x.iloc[rows]
    if hasattr(x, "tocsr"):
        return x.tocsr()[rows]
    return x[rows] if hasattr(x, "dtype") else np.asarray(x)[rows]


def _positions(rows: Any, n_rows: int) -> NDArray[np.intp]:
    rows = np.asarray(rows)
    if rows.dtype == bool and rows.shape == (n_rows,):
        return np.flatnonzero(rows)
    is_whole = rows.ndim == 1 and (rows.dtype.kind in "iu" or not rows.size)
    if not is_whole or not ((rows >= -n_rows) & (rows < n_rows)).all():
        raise _no_fold(rows.tolist(), f"row numbers from 0 to {n_rows - 1} are")
    return rows.astype(np.intp)


def _no_fold(found: Any, expected: str) -> InputError:
    return InputError(f"{arg('cv')} holds {reprlib.repr(found)} where {expected} expected.", parameter="cv")


def keep_single_rows(folds: Sequence[Fold], labels: Labels, weight: NDArray) -> tuple[list[Fold], str]:
    """Return folds that never hold out the only row of a label, and words about such rows, if there are any.

    Without that row a fit would not know its class. So it is fitted to in every fold and judged by in none.

    Parameters
    ----------
    folds : sequence of Fold
    labels : Labels
    weight : array of shape (n_samples,)
        Rows of weight zero do not count.
    """
    rows = np.flatnonzero(weight > 0)
    counts = np.bincount(labels.codes[rows], minlength=len(labels.classes) + 1)
    single = rows[(counts[labels.codes[rows]] == 1) & (labels.codes[rows] > 0)]
    if not len(single):
        return list(folds), ""
    kept = [
        Fold(np.union1d(fold.train, single), fold.test[~np.isin(fold.test, single)])
        if np.isin(single, fold.test).any()
        else fold
        for fold in folds
    ]
    named = listed([plain(labels.classes[labels.codes[row] % len(labels.classes)]) for row in single])
    words = (
        f"{'Classes' if len(single) > 1 else 'Class'} {named} {'have' if len(single) > 1 else 'has'} a single labelled "
        "row, which every fold fits to and none is judged by: how well it is told apart is not known."
    )
    return kept, words


def check_folds(
    folds: Sequence[Fold], labels: Labels, weight: NDArray, *, judged_by_all: bool = False
) -> None:
    """Refuse folds that cannot be fitted, because a label is missing, or judged by.

    Parameters
    ----------
    folds : sequence of Fold
    labels : Labels
    weight : array of shape (n_samples,)
        Rows of weight zero do not count.
    judged_by_all : bool, default=False
        Whether the score of a fold needs rows of every positive class in it.
    """

    def count(rows: Any) -> NDArray:
        return np.bincount(labels.codes[rows][weight[rows] > 0], minlength=len(labels.classes) + 1)

    counts = count(slice(None))
    for number, fold in enumerate(folds, start=1):
        missing = np.flatnonzero((counts > 0) & (count(fold.train) == 0))
        if len(missing):
            raise InputError(
                f"Fold {number} of {len(folds)} holds out all {_named(labels, missing[0], counts)}, so that its fit "
                "would not know them.",
                parameter="cv",
                remedy="Try fewer folds, a splitter that keeps every label in every training set "
                f"({arg('cv', '5')} stratifies by observed label), or more such rows.",
            )
        if not count(fold.test).any():
            raise InputError(
                f"Fold {number} of {len(folds)} holds out no row (of positive weight) to judge by.",
                parameter="cv",
                remedy="Try fewer folds or another splitter.",
            )
        absent = 1 + np.flatnonzero(count(fold.test)[1 : len(labels.classes)] == 0)
        if judged_by_all and len(absent):
            raise InputError(
                f"Fold {number} of {len(folds)} holds out none of the {_named(labels, absent[0], counts)}, and in this "
                f"scenario {arg('scoring')} needs some of every class.",
                parameter="cv",
                remedy=f"Try {arg('cv', str(max(2, int(counts[absent[0]]))))} or fewer folds, or leave out "
                f"{arg('scoring')}: the likelihood of held-out labels asks for no such rows.",
            )


def _named(labels: Labels, code: int, counts: NDArray) -> str:
    rows = f"{counts[code]} {'row' if counts[code] == 1 else 'rows'}"
    if code == 0:
        return f"{rows} without label"
    name = plain(labels.classes[code % len(labels.classes)])
    kind = "confirmed as" if code == len(labels.classes) else "labelled"
    return f"{rows} {kind} {name!r}"
