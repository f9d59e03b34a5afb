"""Gaussian features, drawn from the population or so that a few linear combinations take given values."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

__all__ = ["GaussianFeatures"]


@dataclass(frozen=True)
class GaussianFeatures:
    """Features with mean 0 and ``cov(x_i, x_j) = variance * correlation^|i - j|``.

    Neither drawing nor conditioning forms the covariance matrix, so the number of features may be large.

    Parameters
    ----------
    n_features : int
    variance : float
    correlation : float
        Of neighbouring features; 0 makes all features independent.
    """

    n_features: int
    variance: float = 1.0
    correlation: float = 0.0

    def draw(self, rng: np.random.Generator, n_samples: int) -> NDArray:
        """Return rows drawn from the population, shape (n_samples, n_features)."""
        noise = rng.normal(scale=np.sqrt(self.variance), size=(n_samples, self.n_features))
        if self.correlation == 0.0:
            return noise
        fresh = np.sqrt(1.0 - self.correlation**2)
        noise[:, 0] /= fresh  # the first feature has no predecessor and keeps its whole variance
        return lfilter([fresh], [1.0, -self.correlation], noise, axis=1)

    def covariance_with(self, theta: NDArray) -> NDArray:
        """Return ``cov(x, theta^T x)``, shape (n_features, n_outputs)."""
        active = np.flatnonzero(theta.any(axis=1))
        apart = np.abs(np.arange(self.n_features)[:, None] - active)
        return self.variance * self.correlation**apart @ theta[active]

    def draw_given(self, rng: np.random.Generator, theta: NDArray, linear: NDArray) -> NDArray:
        """Return rows drawn given their linear predictor, so that ``x @ theta`` equals `linear`.

        A draw from the population is moved along the regression of x on ``theta^T x`` (Matheron's rule),
        which is exact for Gaussian features.
        """
        cross = self.covariance_with(theta)
        # Classes may share coefficients, or outnumber the active features: hence the pseudo-inverse.
        slope = np.linalg.pinv(theta.T @ cross, hermitian=True) @ cross.T
        x = self.draw(rng, len(linear))
        return x + (linear - x @ theta) @ slope
