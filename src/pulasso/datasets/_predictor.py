r"""Drawing the linear predictor of a class: the only part of x that the class depends on.

With :math:`u = \Theta^T x \sim N(0, S)` the members of class k have the density
:math:`\propto \phi_S(u)\, P(y = k | u)` in a space of one (ordinal) or K dimensions (multinomial), however many
features there are. Given u, the features no longer depend on the class.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import ndtri, xlogy
from scipy.stats import qmc

from pulasso._messages import arg
from pulasso.exceptions import InputError

__all__ = ["draw_from_density", "draw_tilted", "mean_over_normal"]

# A class that needs more proposals than this hardly occurs in the model.
MAX_PROPOSALS = 2**28
PROPOSALS_AT_ONCE = 2**16
LOG2_POINTS = 16
# Beyond 9 standard deviations a normal distribution has less than 1e-18 of its mass.
REACH, N_PANELS, NEWTON_STEPS = 9.0, 512, 4


def factor(covariance: NDArray) -> NDArray:
    """Return L with ``L @ L.T`` equal to a covariance matrix that may be singular; no column of L is zero."""
    values, vectors = np.linalg.eigh(covariance)
    large = values > values.max(initial=0.0) * len(values) * np.finfo(float).eps
    return vectors[:, large] * np.sqrt(values[large])


def mean_over_normal(function: Callable[[NDArray], NDArray], covariance: NDArray) -> NDArray:
    """Return the mean of `function` of rows ``u ~ N(0, covariance)``, by 65,536 quasi-random points."""
    half = factor(covariance)
    if half.shape[1] == 0:
        return function(np.zeros((1, len(covariance))))[0]
    # The first point of a Sobol sequence is 0, whose normal quantile is infinite: shift by half a cell.
    points = qmc.Sobol(half.shape[1], scramble=False).random_base2(LOG2_POINTS) + 0.5 ** (LOG2_POINTS + 1)
    return function(ndtri(points) @ half.T).mean(axis=0)


def draw_from_density(
    rng: np.random.Generator, n_samples: int, log_proba: Callable[[NDArray], NDArray], variance: float
) -> NDArray:
    """Draw a single predictor by inversion of its distribution function; nothing is rejected.

    `log_proba` gives ``log P(y = k | u)`` of an array of u, shape (n, 1), and is concave; `variance` is that of u
    in the population. Returns an array of shape (n_samples, 1).
    """
    if variance == 0.0:
        return np.zeros((n_samples, 1))
    scale = np.sqrt(variance)

    def log_density(t: NDArray) -> NDArray:  # of u in standard deviations, up to a constant
        return log_proba(scale * t.reshape(-1, 1)).reshape(t.shape) - 0.5 * t * t

    mode = minimize_scalar(lambda t: -log_density(np.array([t]))[0]).x
    top = log_density(np.array([mode]))[0]
    return scale * _invert(lambda t: np.exp(log_density(t) - top), mode, rng.random(n_samples)).reshape(-1, 1)


def _invert(density: Callable[[NDArray], NDArray], mode: float, level: NDArray) -> NDArray:
    """Return the quantiles of a density that falls off from its mode at least like a standard normal one.

    The distribution function is integrated by Gauss-Legendre rules on short panels, to the last digits; within
    its panel, where the density is almost constant, Newton's method finds every quantile.
    """
    edges = mode + np.linspace(-REACH, REACH, N_PANELS + 1)
    width = edges[1] - edges[0]
    nodes, weights = np.polynomial.legendre.leggauss(8)
    nodes, weights = 0.5 * (nodes + 1.0), 0.5 * weights  # on (0, 1)
    mass = width * density(edges[:-1, None] + width * nodes) @ weights
    reached = np.concatenate([[0.0], np.cumsum(mass)])
    target = level * reached[-1]
    panel = np.clip(np.searchsorted(reached, target, side="right") - 1, 0, N_PANELS - 1)
    left, missing = edges[panel], target - reached[panel]
    step = width * np.divide(missing, mass[panel], out=np.zeros_like(missing), where=mass[panel] > 0)
    for _ in range(NEWTON_STEPS):
        excess = step * (density(left[:, None] + step[:, None] * nodes) @ weights) - missing
        slope = density(left + step)
        step = np.clip(step - np.divide(excess, slope, out=np.zeros_like(step), where=slope > 0), 0.0, width)
    return left + step


def draw_tilted(
    rng: np.random.Generator,
    n_samples: int,
    wanted: int,
    log_proba: Callable[[NDArray], NDArray],
    covariance: NDArray,
    intercept: NDArray,
) -> NDArray:
    r"""Draw the K predictors of one class of a multinomial model, exactly.

    For any other class j and any t in (0, 1) the model says, with :math:`v = \eta_k - \eta_j`,

    .. math:: P(y=k|u) \le \sigma(v) \le C_t e^{tv}, \qquad C_t = t^t (1-t)^{1-t},

    and a normal distribution tilted by :math:`e^{tv}` is a shifted normal. Proposals from it are accepted
    with probability :math:`P(y=k|u) / (C_t e^{tv})`; j and t are those that accept most. So a rare class costs
    little more than a common one. Returns an array of shape (n_samples, K).
    """
    contrast, gap, tilt, log_bound = _best_tilt(wanted, covariance, intercept)
    half, shift = factor(covariance), tilt * covariance @ contrast
    drawn: list[NDArray] = []
    n_drawn, n_proposed = 0, 0
    while n_drawn < n_samples:
        if n_proposed >= MAX_PROPOSALS:
            raise InputError(
                f"class {wanted} hardly occurs in this model: {n_drawn} of {n_samples} members were found.",
                parameter="null_proba",
                remedy=f"Give it a larger share by {arg('null_proba')}, or make the signal weaker.",
            )
        noise = rng.normal(size=(PROPOSALS_AT_ONCE, half.shape[1]))
        u = shift + noise @ half.T
        log_accept = log_proba(u) - log_bound - tilt * (u @ contrast + gap)
        accepted = u[-rng.standard_exponential(len(u)) < log_accept]
        drawn.append(accepted)
        n_drawn, n_proposed = n_drawn + len(accepted), n_proposed + len(u)
    return np.concatenate(drawn)[:n_samples]


def _best_tilt(wanted: int, covariance: NDArray, intercept: NDArray) -> tuple[NDArray, float, float, float]:
    """Return contrast and gap of v, the tilt t, and log C_t, for the other class that is hardest to beat."""
    k = len(intercept)
    axes, offsets = np.vstack([np.zeros(k), np.eye(k)]), np.concatenate([[0.0], intercept])

    def log_constant(t: float) -> float:
        return float(xlogy(t, t) + xlogy(1 - t, 1 - t))

    def tilt_against(other: int) -> tuple[float, NDArray, float, float]:
        contrast, gap = axes[wanted] - axes[other], float(offsets[wanted] - offsets[other])
        spread = float(contrast @ covariance @ contrast)
        found = minimize_scalar(
            lambda t: log_constant(t) + t * gap + 0.5 * t * t * spread, bounds=(0.0, 1.0), method="bounded"
        )
        return found.fun, contrast, gap, float(found.x)

    others = [other for other in range(k + 1) if other != wanted]
    _, contrast, gap, tilt = min(map(tilt_against, others), key=lambda each: each[0])
    return contrast, gap, tilt, log_constant(tilt)
