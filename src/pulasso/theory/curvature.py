"""The curvature of the loss around the truth, along a line: what restricted strong convexity is about."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg
from pulasso.data.parameters import as_numbers, check_kind
from pulasso.datasets import Simulation
from pulasso.exceptions import InputError
from pulasso.losses import ObservedLoss
from pulasso.scenarios import LabelCounts, as_scenario

__all__ = ["curvature_along"]

LARGEST = 1e100  # so that no square overflows


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
    check_kind(
        "data", data, Simulation, "It comes from pulasso.datasets.simulate_multinomial or simulate_ordinal."
    )
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
    response, offsets = data.truth.response, data.truth.offsets
    classes, weight = np.arange(response.n_positive + 1), np.ones(len(data.z))
    counts = LabelCounts.from_codes(data.z, classes, weight)
    loss = ObservedLoss(as_scenario(**data.scenario_params).label_model(counts), data.z, weight)
    along = data.X @ delta.reshape(-1, data.X.shape[1]).T
    start = data.X @ data.truth.theta

    def slope(t: float) -> float:
        linear = start + t * along
        _, grad_eta = loss.value_and_grad(response.log_odds(linear, offsets))
        return float(np.vdot(response.pullback(linear, offsets, grad_eta)[0], along))

    base = slope(0.0)
    return np.array([(slope(t) - base) / t for t in steps.tolist()]) / float((delta**2).sum())
