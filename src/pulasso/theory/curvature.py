"""The curvature of the loss around the truth, along a line: what restricted strong convexity is about."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg
from pulasso.data.parameters import as_numbers, check_kind
from pulasso.datasets import Simulation
from pulasso.exceptions import InputError
from pulasso.losses import ObservedLoss
from pulasso.scenarios import LabelCounts, as_scenario

__all__ = ["curvature_along", "least_curved_direction"]

LARGEST = 1e100  # so that no square overflows
STEP = 1e-4  # of predictors: the error of a central difference is its square


def curvature_along(data: Simulation, direction: ArrayLike, radii: ArrayLike) -> NDArray:
    r"""Return the mean curvature of the loss between the truth and points on a line through it.

    .. math::
        \kappa(t) = \frac{\langle \nabla L(\theta^* + t \Delta) - \nabla L(\theta^*), \Delta \rangle}{t\, \|\Delta\|^2}

    Restricted strong convexity asks that this stays positive within a radius, up to a term that vanishes with
    n. Where it is negative, the loss is not convex between the two points. Intercepts and thresholds stay at the truth.

    Parameters
    ----------
    data : Simulation
        Data whose true coefficients are known.
    direction : array-like of the shape of ``data.coef``
        :math:`\Delta`.
    radii : array-like of shape (n_radii,)
        Values of t; none may be zero.

    Returns
    -------
    array of shape (n_radii,)

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.datasets import simulate_ordinal
    >>> data = simulate_ordinal(500, 10, random_state=0)
    >>> kappa = curvature_along(data, np.eye(10)[0], [0.1, 1.0])
    >>> bool((kappa > 0).all())
    True
    """
    _check_data(data)
    steps, delta = np.atleast_1d(as_numbers("radii", radii)), as_numbers("direction", direction)
    for name, values in (("radii", steps), ("direction", delta)):
        if (np.abs(values) > LARGEST).any():
            raise InputError(f"{arg(name)} holds numbers beyond {LARGEST:g}.", parameter=name)
    if delta.shape != data.coef.shape or not delta.any():
        words = (
            f"{arg('direction')} has shape {delta.shape}; give one of shape {data.coef.shape}, not all zero."
        )
        raise InputError(words, parameter="direction")
    if steps.ndim != 1 or not steps.all():
        words = f"{arg('radii')} must be a list of numbers other than zero: the curvature is a mean over the way there."
        raise InputError(words, parameter="radii")
    slopes, start = _row_slopes(data)
    along = data.X @ delta.reshape(-1, data.X.shape[1]).T

    def slope(t: float) -> float:
        return float(np.vdot(slopes(start + t * along), along))

    base = slope(0.0)
    return np.array([(slope(t) - base) / t for t in steps.tolist()]) / float((delta**2).sum())


def least_curved_direction(data: Simulation, features: ArrayLike | None = None) -> tuple[NDArray, float]:
    """Return the direction in which the loss curves least at the truth, and its curvature there.

    In few features this is what restricted strong convexity is about. In more entries than there are rows no loss
    curves in all directions, and this one may curve downward.

    Parameters
    ----------
    data : Simulation
        Data whose true coefficients are known.
    features : array-like of int, optional
        Columns of X that the direction may touch; by default all.

    Returns
    -------
    array of the shape of ``data.coef``, float
        Of length one; the smallest eigenvalue of the Hessian in these coefficients.

    Examples
    --------
    >>> from pulasso.datasets import simulate_multinomial
    >>> data = simulate_multinomial(60, 100, random_state=0)
    >>> everywhere, in_two_features = (least_curved_direction(data, each)[1] for each in (None, [0, 1]))
    >>> everywhere < 0 < in_two_features
    True
    """
    _check_data(data)
    n_features = data.X.shape[1]
    columns = np.arange(n_features) if features is None else np.atleast_1d(as_numbers("features", features))
    if not len(columns) or not np.isin(columns, np.arange(n_features)).all():
        words = f"{arg('features')} must name columns of X, from 0 to {n_features - 1}."
        raise InputError(words, parameter="features")
    columns = np.unique(columns.astype(int))
    slopes, start = _row_slopes(data)
    n_outputs, x = start.shape[1], data.X[:, columns]
    hessian = np.empty((n_outputs, len(columns), n_outputs, len(columns)))
    for k, step in enumerate(STEP * np.eye(n_outputs)):
        change = (slopes(start + step) - slopes(start - step)) / (2.0 * STEP)
        for j in range(n_outputs):
            hessian[j, :, k] = x.T @ (change[:, j, None] * x)
    square = hessian.reshape(n_outputs * len(columns), -1)
    values, vectors = np.linalg.eigh(0.5 * (square + square.T))
    direction = np.zeros((n_outputs, n_features))
    direction[:, columns] = vectors[:, 0].reshape(n_outputs, -1)
    return direction.reshape(data.coef.shape), float(values[0])


def _check_data(data: Simulation) -> None:
    words = "It comes from pulasso.datasets.simulate_multinomial or simulate_ordinal."
    check_kind("data", data, Simulation, words)


def _row_slopes(data: Simulation) -> tuple[Callable[[NDArray], NDArray], NDArray]:
    """Return the derivative of the loss in the linear predictors of all rows, and the predictors at the truth."""
    response, offsets = data.truth.response, data.truth.offsets
    classes, weight = np.arange(response.n_positive + 1), np.ones(len(data.z))
    counts = LabelCounts.from_codes(data.z, classes, weight)
    loss = ObservedLoss(as_scenario(**data.scenario_params).label_model(counts), data.z, weight)

    def slopes(linear: NDArray) -> NDArray:
        _, grad_eta = loss.value_and_grad(response.log_odds(linear, offsets))
        return response.pullback(linear, offsets, grad_eta)[0]

    return slopes, data.X @ data.truth.theta
