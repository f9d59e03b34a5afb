"""Target-group background: the places where anything was recorded stand for the places that were looked at."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg, listed
from pulasso.data.missing_values import missing_mask
from pulasso.data.parameters import as_numbers, check_names_of, kind_of, shape_of
from pulasso.exceptions import InputError

__all__ = ["BACKGROUND", "target_group_background"]

BACKGROUND = "background"


def target_group_background(
    X: Any, species: ArrayLike, focal: Sequence[Any], places: ArrayLike | None = None
) -> tuple[Any, NDArray]:
    """Return a case-control sample whose unlabeled rows are the records of all species.

    Records lie where somebody looked. If those who record any species of a group (the target group) would have recorded
    the focal ones, too, then the records of the whole group are a sample of the places that were looked at, and what
    looking does to records cancels (Phillips et al. 2009). No columns about it are needed.

    `prevalence` then means: the share of the *places that were visited* at which the species is. That differs from its
    share of all places where visits and species go together. Odds between places and between species are what they
    were; if the level matters, tell the share among visited places, or add a survey by :class:`pulasso.Sources`.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_records, n_features)
        Of every record of every species of the group.
    species : array-like of shape (n_records,)
    focal : sequence
        The species that are to be modelled, one class each.
    places : array-like of shape (n_records,) or (n_records, 2), optional
        Names or coordinates: a place with records of several species is then counted once in the background.

    Returns
    -------
    X : of the same kind, shape (n_places + n_focal_records, n_features)
    y : array
        "background", or the species: pass ``unlabeled="background"`` to an estimator.

    References
    ----------
    S. Phillips et al., *Sample selection bias and presence-only distribution models: implications for background and
    pseudo-absence data*, Ecological Applications 19 (2009).

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.datasets import target_group_background
    >>> X = np.array([[1.0], [1.0], [2.0], [3.0]])
    >>> both, y = target_group_background(X, ["oak", "fir", "fir", "elm"], ["oak"], places=["a", "a", "b", "c"])
    >>> both.ravel(), y
    (array([1., 2., 3., 1.]), array(['background', 'background', 'background', 'oak'], dtype=object))
    """
    names = np.asarray(species, dtype=object).ravel()
    n_rows = _n_rows("X", X)
    for parameter, given in (("species", names), ("places", places)):
        if given is not None and (n_given := _n_rows(parameter, given)) != n_rows:
            raise InputError(f"X has {n_rows} rows but {parameter} has {n_given}.", parameter=parameter)
    known = sorted(set(names.tolist()), key=str)
    check_names_of("focal", focal, known)
    if BACKGROUND in known or len(known) == len(set(focal)):
        why = f"one is called {BACKGROUND!r}" if BACKGROUND in known else "all of them are focal"
        raise InputError(
            f"The records are of the species {listed(known)}: {why}.",
            parameter="species",
            remedy="Rename it."
            if BACKGROUND in known
            else "A target group needs records of other species, too.",
        )
    first = np.arange(n_rows)
    if places is not None:
        where = np.asarray(places)
        if where.ndim != 1:
            where = as_numbers("places", places)
        elif (lost := np.flatnonzero(missing_mask(where))).size:
            raise InputError(f"places of row {lost[0]} is missing.", parameter="places")
        first = np.sort(np.unique(where, axis=0, return_index=True)[1])
    own = np.flatnonzero(np.isin(names, np.array(list(focal), dtype=object)))
    rows = np.concatenate([first, own])
    taken = (
        X.iloc[rows] if hasattr(X, "iloc") else (X.tocsr() if hasattr(X, "tocsr") else np.asarray(X))[rows]
    )
    return taken, np.concatenate([np.full(len(first), BACKGROUND, dtype=object), names[own]])


def _n_rows(parameter: str, given: Any) -> int:
    """Return the length of a table or a column; refuse single values and what has no rows at all."""
    shape = given.shape if hasattr(given, "shape") else shape_of(parameter, given)
    if not (isinstance(shape, tuple) and shape and isinstance(shape[0], int | np.integer)):
        problem = f"{arg(parameter)} is a {kind_of(given)}, not something with a row for every record."
        raise InputError(problem, parameter=parameter)
    return int(shape[0])
