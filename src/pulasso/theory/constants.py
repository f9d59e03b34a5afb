"""The functions of Theorems 3.1 and 3.2: how much curvature is guaranteed, and how near to the truth."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg
from pulasso.data.inputs import check_number
from pulasso.data.parameters import as_numbers, shown
from pulasso.exceptions import InputError

__all__ = ["MultinomialConstants", "OrdinalConstants"]

# Assumption 3.4 has these numbers: the first bounds the ratios that help, the second is room for R_0 itself.
RATIO_CAP, ROOM = 80.0, 0.01
LARGEST = 1e100  # of what is given, so that no product overflows


def _radius(radius: ArrayLike) -> NDArray:
    """Return distances from the truth."""
    distances = as_numbers("radius", radius)
    if not ((distances >= 0) & (distances <= LARGEST)).all():
        raise InputError(f"{arg('radius')} must lie between 0 and {LARGEST:g}.", parameter="radius")
    return distances


class _Checked:
    """What both sets of constants are given, checked when they are made."""

    feature_bound: float
    norm_of_truth: float
    sampling_ratios: Any

    def __post_init__(self) -> None:
        check_number("feature_bound", self.feature_bound, above=0.0, most=LARGEST)
        check_number("norm_of_truth", self.norm_of_truth, least=0.0, most=LARGEST)
        ratios = np.atleast_1d(as_numbers("sampling_ratios", self.sampling_ratios))
        if ratios.ndim != 1 or not len(ratios) or not (ratios > 0).all():
            given = arg("sampling_ratios", shown(self.sampling_ratios))
            words = f"{given} must hold a positive number for every class."
            raise InputError(words, parameter="sampling_ratios")
        object.__setattr__(self, "sampling_ratios", ratios)


@dataclass(frozen=True, eq=False)
class MultinomialConstants(_Checked):
    r"""What Theorem 3.1 guarantees for the multinomial model in case-control data, without intercepts.

    .. math::
        h(R) = \frac{e^{-C_x(R + R^*)} \min_k r_k}{(1 + \max_k r_k)^2 (1 + K e^{C_x(R + R^*)})^3} - 4 C_x R,
        \qquad r_k = \frac{n_k}{\pi_k n_u}

    Parameters
    ----------
    feature_bound : float
        :math:`C_x`, the largest absolute value of a feature.
    norm_of_truth : float
        :math:`R^*`, the largest l1 norm of a column of the true coefficients.
    sampling_ratios : array-like of shape (K,)
        :math:`r_k`.

    Examples
    --------
    >>> constants = MultinomialConstants(1.0, 0.5, [1.0, 1.0])
    >>> radius = constants.largest_radius()
    >>> print(f"{radius:.2g}, h there {constants.h(radius):.2g}, h beyond {constants.h(2 * radius):.2g}")
    0.00038, h there 0.00038, h beyond -0.0012
    """

    feature_bound: float
    norm_of_truth: float
    sampling_ratios: Any

    def _log_bound(self, reach: ArrayLike, n_positive: float) -> NDArray:
        """Return the logarithm of the first term of h, in which nothing overflows."""
        ratios = self.sampling_ratios
        constant = np.log(ratios.min()) - 2.0 * np.log1p(ratios.max())
        return constant - reach - 3.0 * np.logaddexp(0.0, np.log(n_positive) + reach)

    def smallest_eigenvalue(self, radius: ArrayLike) -> NDArray:
        """Return the guaranteed curvature per row, ``h(R) + 4 C_x R`` (Lemma 4.1).

        No Fisher information of a row in its log odds has a smaller eigenvalue, wherever the coefficients lie within
        `radius` of the truth. Computed in logs: large norms give 0 rather than an overflow.
        """
        reach = self.feature_bound * (_radius(radius) + self.norm_of_truth)
        return np.exp(self._log_bound(reach, len(self.sampling_ratios)))

    def h(self, radius: ArrayLike) -> NDArray:
        """Return h at a radius: where it is positive, the loss is convex enough within that radius."""
        return self.smallest_eigenvalue(radius) - 4.0 * self.feature_bound * _radius(radius)

    def largest_radius(self) -> float:
        """Return the largest :math:`R_0` that Assumption 3.3 allows."""
        log_bound = self._log_bound(self.feature_bound * self.norm_of_truth, 1.1 * len(self.sampling_ratios))
        return float(np.exp(log_bound) / (4.0 * self.feature_bound))


@dataclass(frozen=True, eq=False)
class OrdinalConstants(_Checked):
    r"""What Theorem 3.2 guarantees for the ordinal model in case-control data.

    With :math:`E = e^{(C_x + 1)(R^* + R)}`:

    .. math::
        h(R, r) = \max\left\{\frac{(1 + E)^2}{(r^* - r) E}, 1 + E\right\}, \quad
        \gamma_0 = \frac{E^2}{32\, h\, (1 + E)^4}, \quad
        L_0 = \left(\tfrac43 (C_x + 1) R + 1\right) h + \tfrac14 (C_x + 1) R\, h^2

    Parameters
    ----------
    feature_bound : float
        :math:`C_x`, the largest absolute value of a feature.
    norm_of_truth : float
        :math:`R^*`, the larger l1 norm of the true coefficients and of first threshold and gaps.
    smallest_gap : float
        :math:`r^*`, of the true thresholds; infinite if K is 1.
    sampling_ratios : array-like of shape (K,)
        ``n_k / (prevalence_k * n_unlabeled)``.

    Examples
    --------
    >>> constants = OrdinalConstants(1.0, 0.5, 1.0, [1.0, 1.0])
    >>> print(f"{constants.gamma_0(0.0, 0.5):.2g} {constants.L_0(0.0, 0.5):.3g}")
    0.00012 10.2
    """

    feature_bound: float
    norm_of_truth: float
    smallest_gap: float
    sampling_ratios: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.smallest_gap, float) and self.smallest_gap == np.inf):  # K is 1
            check_number("smallest_gap", self.smallest_gap, above=0.0)

    def _room(self, shrink: float) -> float:
        """Return what is left of the smallest gap."""
        check_number("shrink", shrink, least=0.0)
        if shrink >= self.smallest_gap:
            words = f"{arg('shrink')}={shrink!r} must be at least 0 and below the smallest gap, {self.smallest_gap:g}."
            raise InputError(words, parameter="shrink")
        return self.smallest_gap - shrink

    def _log_e(self, radius: ArrayLike) -> NDArray:
        return (self.feature_bound + 1.0) * (self.norm_of_truth + _radius(radius))

    def h(self, radius: ArrayLike, shrink: float) -> NDArray:
        """Return h within `radius` of the truth, where gaps lose at most `shrink`; infinite beyond all numbers."""
        with np.errstate(over="ignore"):
            return np.exp(self._log_h(radius, shrink))

    def _log_h(self, radius: ArrayLike, shrink: float) -> NDArray:
        log_e = self._log_e(radius)
        log_1p = np.logaddexp(0.0, log_e)
        return np.maximum(2.0 * log_1p - log_e - np.log(self._room(shrink)), log_1p)

    def gamma_0(self, radius: ArrayLike, shrink: float) -> NDArray:
        """Return the curvature that the theorem divides by."""
        log_e = self._log_e(radius)
        log_share = 2.0 * log_e - 4.0 * np.logaddexp(0.0, log_e)
        return np.exp(log_share - np.log(32.0) - self._log_h(radius, shrink))

    def L_0(self, radius: ArrayLike, shrink: float) -> NDArray:  # noqa: N802
        """Return the Lipschitz constant that lam must outweigh."""
        reach = (self.feature_bound + 1.0) * _radius(radius)
        h = self.h(radius, shrink)
        with np.errstate(over="ignore", invalid="ignore"):  # no reach at all beats an infinite h
            return (4.0 / 3.0 * reach + 1.0) * h + np.where(reach > 0, 0.25 * reach * h**2, 0.0)

    def largest_radius(self, shrink: float) -> float:
        """Return the largest :math:`R_0` that Assumption 3.4 allows if gaps lose at most `shrink`."""
        ratios, wide = self.sampling_ratios, self.feature_bound + 1.0
        flat = -6.0 * np.logaddexp(0.0, wide * (self.norm_of_truth + ROOM))
        step = 2.0 / self._room(shrink)
        below = 512.0 * wide * len(ratios) ** 3 * (1.0 + step) ** 3 * (2.0 + step)
        return float(min(RATIO_CAP, ratios.min()) * np.exp(flat) / below)
