"""A model whose parameters are known, over Gaussian features: it predicts, and draws new rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.signal import lfilter

from pulasso._messages import arg
from pulasso.data.inputs import check_number
from pulasso.data.parameters import as_generator, as_numbers, as_whole
from pulasso.datasets._predictor import draw_from_density, draw_tilted, mean_over_normal
from pulasso.exceptions import InputError
from pulasso.responses import Response

__all__ = ["GaussianFeatures", "Truth"]


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


@dataclass(frozen=True, eq=False)
class Truth:
    """A model with known parameters over Gaussian features: predicts, and draws new rows.

    Attributes
    ----------
    response : Response
    theta : array of shape (n_features, n_outputs)
    offsets : array of shape (K,)
        Intercepts, or first threshold and gaps.
    features : GaussianFeatures
    """

    response: Response
    theta: NDArray
    offsets: NDArray
    features: GaussianFeatures

    @property
    def predictor_covariance(self) -> NDArray:
        """Covariance of ``x @ theta`` in the population."""
        return self.theta.T @ self.features.covariance_with(self.theta)

    def log_proba(self, linear: NDArray) -> NDArray:
        """Return log P(y | x) from the linear predictor, classes 0..K."""
        predictor = as_numbers("linear", linear, ndim=2)
        if predictor.shape[1] != self.response.n_outputs:
            words = f"{arg('linear')} has {predictor.shape[1]} columns; give one for each of {self.response.n_outputs}."
            raise InputError(words, parameter="linear")
        return self.response.log_proba(predictor, self.offsets)

    def predict_proba(self, X: ArrayLike) -> NDArray:
        """Return the true P(y | x), shape (n_samples, K + 1)."""
        rows = as_numbers("X", X, ndim=2)
        if rows.shape[1] != len(self.theta):
            words = f"{arg('X')} has {rows.shape[1]} features, but the truth is about {len(self.theta)}."
            raise InputError(words, parameter="X")
        with np.errstate(over="ignore", invalid="ignore"):
            linear = rows @ self.theta
        if not np.isfinite(linear).all():
            raise InputError(f"{arg('X')} holds numbers that are too large to add up.", parameter="X")
        return np.exp(self.log_proba(linear))

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the most probable class of every row: no rule is right more often."""
        return self.predict_proba(X).argmax(axis=1)

    def public_coefficients(self) -> tuple[NDArray, NDArray | None, NDArray | None]:
        """Return coefficients, intercepts and thresholds as estimators show them; a model has one of the latter."""
        if self.response.is_ordered:
            return self.theta[:, 0].copy(), None, np.cumsum(self.offsets)
        return self.theta.T.copy(), self.offsets.copy(), None

    def prevalence(self) -> NDArray:
        """Return P(y = k) of the classes 0..K."""
        share = mean_over_normal(lambda u: np.exp(self.log_proba(u)), self.predictor_covariance)
        return share / share.sum()

    def draw(self, n_samples: int, random_state: Any = None) -> tuple[NDArray, NDArray]:
        """Return features and true classes of rows drawn from the population."""
        rng, n_samples = as_generator(random_state), as_whole("n_samples", n_samples, least=0)
        x = self.features.draw(rng, n_samples)
        reached = np.cumsum(self.predict_proba(x), axis=1)[:, :-1]
        return x, (rng.random((n_samples, 1)) > reached).sum(axis=1)

    def draw_class(self, n_samples: int, wanted: int, random_state: Any = None) -> NDArray:
        """Return features of rows drawn from one class; the linear predictor first, then x given it."""
        rng, n_samples = as_generator(random_state), as_whole("n_samples", n_samples, least=0)
        check_number("wanted", wanted, least=0, most=self.response.n_positive, whole=True)
        wanted = int(wanted)
        covariance = self.predictor_covariance

        def log_proba(u: NDArray) -> NDArray:
            return self.log_proba(u)[:, wanted]

        if self.response.n_outputs == 1:
            u = draw_from_density(rng, n_samples, log_proba, float(covariance[0, 0]))
        else:
            u = draw_tilted(rng, n_samples, wanted, log_proba, covariance, self.offsets)
        return self.features.draw_given(rng, self.theta, u)
