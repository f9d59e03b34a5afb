"""Blocks of places, which cross-validation holds out together."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso.data.inputs import check_number
from pulasso.data.parameters import as_numbers
from pulasso.exceptions import InputError

__all__ = ["spatial_blocks"]


def spatial_blocks(coordinates: ArrayLike, size: float) -> NDArray[np.intp]:
    """Return the number of the square in which every place lies: groups for scikit-learn's ``GroupKFold``.

    Places that are close are alike, and held-out rows beside rows of the fit make a model look too good. Whole blocks
    that are held out are as far from the fit as new places will be (Roberts et al. 2017).

    Parameters
    ----------
    coordinates : array-like of shape (n_samples, n_dimensions)
        In one unit, such as metres: of degrees squares are narrow far from the equator.
    size : float
        Side of a square. It should exceed the distance at which places are no longer alike.

    Returns
    -------
    array of shape (n_samples,)
        Numbers from 0.

    References
    ----------
    D. Roberts et al., *Cross-validation strategies for data with temporal, spatial, hierarchical, or phylogenetic
    structure*, Ecography 40 (2017).

    Examples
    --------
    >>> from sklearn.model_selection import GroupKFold
    >>> from pulasso import MultinomialPULassoCV
    >>> from pulasso.model_selection import spatial_blocks
    >>> spatial_blocks([[0, 0], [900, 400], [1200, 0], [0, 5000]], size=1000)
    array([0, 0, 2, 1])
    >>> model = MultinomialPULassoCV(cv=GroupKFold(5), prevalence=0.1)  # .fit(X, z, groups=blocks)
    """
    places = as_numbers("coordinates", coordinates, ndim=2)
    check_number("size", size, above=0.0)
    with np.errstate(over="ignore"):
        squares = np.floor(places / float(size))
    if not np.isfinite(squares).all():
        raise InputError("size is so small that squares cannot be counted.", parameter="size")
    return np.unique(squares, axis=0, return_inverse=True)[1].reshape(-1)
