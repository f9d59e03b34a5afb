"""Fitted models at both extremes: three features and one positive class, many of both."""

import matplotlib
import numpy as np
import pytest

from pulasso import MultinomialPULasso, MultinomialPULassoCV, OrdinalPULassoCV

matplotlib.use("Agg")

LABEL_FREQUENCY = 0.6
SETTINGS = {"scenario": "single-training-set", "label_frequency": LABEL_FREQUENCY, "tol": 1e-4}


class Fitted:
    """Data, and the models that were fitted to them."""

    def __init__(self, n_positive, n_features, n_samples, lam_min_ratio):
        rng = np.random.default_rng(n_positive)
        self.X = rng.normal(size=(n_samples, n_features))
        truth = rng.integers(0, n_positive + 1, n_samples)
        shifts = np.zeros((n_positive + 1, n_features))
        shifts[1:, : min(n_features, 10)] = 1.5 * rng.normal(size=(n_positive, min(n_features, 10)))
        self.X += shifts[truth]
        seen = rng.random(n_samples) < LABEL_FREQUENCY
        self.z = np.where(seen, truth, 0)
        latent = 1.5 * self.X[:, 0] - self.X[:, 1] + rng.logistic(size=n_samples)
        cuts = np.quantile(latent, np.linspace(0.4, 0.95, n_positive))
        self.z_ordered = np.where(seen, np.digitize(latent, cuts), 0)
        grid = {"n_lams": 6, "lam_min_ratio": lam_min_ratio, "cv": 3, "random_state": 0}
        self.chosen = MultinomialPULassoCV(**grid, **SETTINGS).fit(self.X, self.z)
        self.ordinal = OrdinalPULassoCV(**grid, **SETTINGS).fit(self.X, self.z_ordered)
        self.plain = MultinomialPULasso(lam=self.chosen.lam_, **SETTINGS).fit(self.X, self.z)


@pytest.fixture(scope="session")
def few():
    with pytest.warns():  # a coarse grid ends where the loss still falls
        return Fitted(1, 3, 300, 0.2)


@pytest.fixture(scope="session")
def many():
    with pytest.warns():
        return Fitted(15, 300, 600, 0.45)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    matplotlib.pyplot.close("all")
