"""Fitted models at the extremes: three features and one positive class, many of both, and very long names."""

import warnings
from contextlib import contextmanager

import matplotlib
import numpy as np
import pytest

from pulasso import MultinomialPULasso, MultinomialPULassoCV, OrdinalPULassoCV
from pulasso.exceptions import GridEdgeWarning

matplotlib.use("Agg")

LABEL_FREQUENCY = 0.6
SETTINGS = {"scenario": "single-training-set", "label_frequency": LABEL_FREQUENCY, "tol": 1e-4}


class Fitted:
    """Data, and the models that were fitted to them."""

    def __init__(self, n_positive, n_features, n_samples, lam_min_ratio, *, long_names=False):
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
        if long_names:
            self.use_long_names(n_positive)
        grid = {"n_lams": 6, "lam_min_ratio": lam_min_ratio, "cv": 3, "random_state": 0}
        self.chosen = MultinomialPULassoCV(**grid, **SETTINGS).fit(self.X, self.z)
        self.ordinal = OrdinalPULassoCV(**grid, **SETTINGS).fit(self.X, self.z_ordered)
        self.plain = MultinomialPULasso(lam=self.chosen.lam_, **SETTINGS).fit(self.X, self.z)

    def use_long_names(self, n_positive):
        """Name columns and classes so that neither their first nor their last letters tell them apart."""
        pd = pytest.importorskip("pandas")
        columns = [f"mean temperature at noon, station {j}, degrees Celsius" for j in range(self.X.shape[1])]
        # The smallest of them, as text, is the marker of unlabeled rows.
        classes = [f"a tree of species number {k}, old or young, in woods" for k in range(n_positive + 1)]
        self.X = pd.DataFrame(self.X, columns=columns)
        self.z = np.array(classes)[self.z]
        self.z_ordered = pd.Categorical.from_codes(self.z_ordered, classes, ordered=True)


@contextmanager
def coarse_grids():
    """A coarse grid may end where the loss still falls; pictures do not mind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GridEdgeWarning)
        yield


@pytest.fixture(scope="session")
def few():
    with coarse_grids():
        return Fitted(1, 3, 300, 0.2)


@pytest.fixture(scope="session")
def many():
    with coarse_grids():
        return Fitted(15, 300, 600, 0.45)


@pytest.fixture(scope="session")
def long():
    with coarse_grids():
        return Fitted(3, 5, 400, 0.2, long_names=True)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    matplotlib.pyplot.close("all")
