"""Centring and scaling on the fly: X itself is never touched."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import listed
from pulasso.design._protocol import Measurable
from pulasso.design.sparse import SparseDesign

__all__ = ["StandardizedDesign", "standardize"]

# Means and spreads beyond this overflow when they are squared, in double precision or, where columns are not
# scaled, in the single precision of Hessians.
LARGEST, LARGEST_AS_THEY_ARE = 1e150, 1e18
# An indicator is rare below this share of the rows; and so much of the columns must be indicators to speak of it.
RARE, MOSTLY = 0.01, 0.75
# Sparse columns are centred by subtracting products; rounding of this size, next to their spread, keeps a solver from
# converging.
LOST = 3e-4


@dataclass(frozen=True, eq=False)
class StandardizedDesign:
    """The matrix ``(X - 1 mean^T) diag(1 / scale)``, as products only.

    Attributes
    ----------
    base : StoredDesign
    mean, scale : array of shape (n_features,)
        A scale of infinity marks a constant column: it behaves like a column of zeros.
    spread : array of shape (n_features,) or None
        Root mean square of the columns as they are here, where it is not 1 for all: the units of their coefficients.
    nearly_constant : tuple of int
        Columns that are treated as constant and are not quite: products with them would be mostly rounding.
    rare_indicators : tuple of int
        Columns of zeros and ones that few rows set apart, and that are scaled by their small spread all the same;
        only where most columns are indicators.
    weight : array of shape (n_samples,), optional
        Of the rows, with sum one: what means and spreads were measured with.
    """

    base: Any
    mean: NDArray
    scale: NDArray
    spread: NDArray | None = None
    nearly_constant: tuple[int, ...] = ()
    rare_indicators: tuple[int, ...] = ()
    weight: NDArray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.base.shape

    @property
    def dtype(self) -> np.dtype:
        """Precision of the stored numbers."""
        return self.base.dtype

    @property
    def far_from_zero(self) -> tuple[int, ...]:
        """Sparse columns whose means are so large, next to their spread, that centred products are inexact."""
        if not isinstance(self.base, SparseDesign):
            return ()
        spread = self.scale if self.spread is None else self.scale * self.spread
        is_far = np.finfo(self.dtype).eps * np.abs(self.mean) > LOST * spread
        return tuple(np.flatnonzero(is_far).tolist())

    def matmul(self, theta: NDArray) -> NDArray:
        """Return ``X_standardized @ theta``."""
        if not theta.any():  # the null model, from which every path starts, costs no pass
            return np.zeros((self.shape[0], theta.shape[1]), order="F")
        scaled = theta / self.scale[:, None]
        return self.base.matmul(scaled) - self.mean @ scaled

    def rmatmul(self, grad: NDArray) -> NDArray:
        """Return ``X_standardized.T @ grad``."""
        product = self.base.rmatmul(grad) - np.outer(self.mean, grad.sum(axis=0))
        return product / self.scale[:, None]

    def select(self, features: NDArray) -> "StandardizedDesign":
        """Return copies of some of the columns, for products with them."""
        spread = None if self.spread is None else self.spread[features]
        return StandardizedDesign(
            self.base.select(features), self.mean[features], self.scale[features], spread
        )

    def to_original(self, theta: NDArray) -> tuple[NDArray, NDArray]:
        """Return coefficients on the scale of X, and the constant that centring adds to u."""
        scaled = theta / self.scale[:, None]
        return scaled, -(self.mean @ scaled)


def standardize(
    design: Measurable,
    sample_weight: NDArray,
    *,
    center: bool = True,
    scale: bool | str = True,
    names: Sequence[str] | None = None,
) -> StandardizedDesign:
    """Return the design with (weighted) mean-zero, unit-variance columns.

    Parameters
    ----------
    design : Measurable
    sample_weight : array of shape (n_samples,)
        Sample weights that sum to one.
    center : bool
        Without it (a model without intercept) columns are only scaled.
    scale : bool or "auto"
        Without it columns are left as they are; "auto" leaves those of zeros and ones.
    names : sequence of str, optional
        Names of the columns, for messages.
    """
    n_features = design.shape[1]
    mean, variance, is_indicator = design.moments(sample_weight)
    spread = np.sqrt(variance)
    _refuse_huge(mean, spread, bool(scale), names)
    # In products with numbers so far from zero, spreads of about eps * |mean| are lost in the rounding.
    constant = spread <= 10.0 * np.finfo(design.dtype).eps * np.abs(mean)
    nearly = tuple(np.flatnonzero(constant & (spread > 0)).tolist()) if center else ()
    left = is_indicator if scale == "auto" else np.full(n_features, not scale)
    # A constant column keeps its own scale: without an intercept it is one, and with one it is left out.
    divisor = np.where(left | constant, 1.0, spread)
    rare = _rare_indicators(mean, is_indicator, constant) if scale is True else ()
    if center:
        own = np.where(constant, 1.0, spread / divisor) if left.any() else None
        return StandardizedDesign(
            design, mean, np.where(constant, np.inf, divisor), own, nearly, rare, sample_weight
        )
    own = np.hypot(mean, spread) / divisor
    return StandardizedDesign(design, np.zeros(n_features), divisor, own, (), rare, sample_weight)


def _rare_indicators(mean: NDArray, is_indicator: NDArray, constant: NDArray) -> tuple[int, ...]:
    varying = is_indicator & ~constant
    # Rare words of a table of counts hold zeros and ones as well, beside columns that hold more.
    if varying.sum() < MOSTLY * np.count_nonzero(~constant):
        return ()
    return tuple(np.flatnonzero(varying & (np.minimum(mean, 1.0 - mean) < RARE)).tolist())


def _refuse_huge(mean: NDArray, spread: NDArray, scaled: bool, names: Sequence[str] | None) -> None:
    """Name columns whose squares are too large, or nearly, for a number."""
    most = LARGEST if scaled else LARGEST_AS_THEY_ARE
    huge = np.flatnonzero(~((np.abs(mean) <= most) & (spread <= most)))
    if len(huge):
        culprits = [j if names is None else names[j] for j in huge.tolist()]
        remedy = "" if scaled else "pass standardize=True, or "
        raise ValueError(
            f"X holds values beyond {most:g} in {'column' if len(huge) == 1 else 'columns'} "
            f"{listed(culprits, limit=5)}: their squares overflow. Check these values; {remedy}divide the columns by "
            "a large number."
        )
