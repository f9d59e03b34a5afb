"""Rows and labels of several species: reading who is labelled where, and naming the species in what is said."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import Message, arg, listed, plain
from pulasso.data.parameters import as_numbers
from pulasso.exceptions import InputError

__all__ = ["Species", "about", "check_background", "read_indicators", "species_of"]


class Species(NamedTuple):
    """One species as a binary problem.

    Attributes
    ----------
    name : label
    rows : array of int
        Those that have a part in its fit.
    labels, weight : array of the same length
    """

    name: Any
    rows: NDArray[np.intp]
    labels: NDArray
    weight: NDArray


def read_indicators(Y: Any, n_rows: int) -> tuple[NDArray, NDArray[np.bool_]]:
    """Return the names of the species, and who is labelled where, shape (n_samples, n_species)."""
    if Y is None:
        raise InputError("Y tells where each species is labelled, and is None.", parameter="Y")
    values = as_numbers("Y", Y.toarray() if hasattr(Y, "toarray") else Y, finite=False)
    if values.ndim != 2 or not values.shape[1]:
        raise InputError(
            f"{arg('Y')} has shape {values.shape}, and takes one row for each of X and one column for each species.",
            parameter="Y",
            remedy="Of one label for each row make columns: Y = np.column_stack([z == name for name in names]).",
        )
    if len(values) != n_rows:
        raise InputError(f"{arg('X')} has {n_rows} rows and {arg('Y')} has {len(values)}.", parameter="Y")
    columns = getattr(Y, "columns", None)
    names = np.arange(values.shape[1]) if columns is None else np.asarray(columns)
    if names.ndim != 1 or len(set(map(plain, names))) < len(names):
        raise InputError(f"Columns of Y must have names of their own, not {listed(names)}.", parameter="Y")
    odd = ~np.isin(values, (0.0, 1.0))
    if odd.any():
        i, s = np.argwhere(odd)[0]
        raise InputError(
            f"{arg('Y')} holds {values[i, s]:g} in row {i} for {plain(names[s])!r}; it takes 1 where a species is "
            "labelled, and else 0.",
            parameter="Y",
        )
    return names, values == 1.0


def check_background(labelled: NDArray, weight: NDArray) -> None:
    """Refuse a case-control sample in which every row is a record."""
    if not (weight[~labelled.any(axis=1)] > 0).any():
        raise InputError(
            "Every row is a record of some species, and a case-control sample takes rows without any label as well: "
            "the background, a sample of all places.",
            parameter="Y",
            remedy="Add them to X, with zeros in Y.",
        )


def species_of(names: NDArray, labelled: NDArray, weight: NDArray, *, whole: bool) -> list[Species]:
    """Return the rows and labels of every species; if not `whole`, without the records of others."""
    found, background = [], ~labelled.any(axis=1)
    for name, own in zip(map(plain, names), labelled.T, strict=True):
        rows = np.arange(len(own)) if whole else np.flatnonzero(own | background)
        shown = own[rows][weight[rows] > 0]
        if not shown.any() or shown.all():
            raise InputError(
                f"{name!r} is labelled in {'every' if shown.any() else 'no'} row (of positive weight).",
                parameter="Y",
                remedy="Leave the species out.",
            )
        found.append(Species(name, rows, own[rows].astype(int), weight[rows]))
    return found


@contextmanager
def about(name: Any) -> Iterator[None]:
    """Name the species in errors and warnings about its fit."""
    shown = f"{plain(name)!r}: "
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except InputError as error:
            words = shown + error.problem.template
            raise type(error)(words, parameter=error.parameter, remedy=error.remedy.template) from None
    for each in caught:  # at the line of the user that they were about
        said = each.message.args[0] if isinstance(each.message, Warning) and each.message.args else None
        message = each.category(Message(shown + said.template)) if isinstance(said, Message) else each.message
        warnings.warn_explicit(message, each.category, each.filename, each.lineno)
