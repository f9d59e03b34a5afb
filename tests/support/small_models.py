"""Both models and data small enough to fit them often."""

import numpy as np

from pulasso import MultinomialPULasso, OrdinalPULasso

SETTINGS = {"scenario": "single-training-set", "label_frequency": 0.6, "tol": 1e-5}
MODELS = {"multinomial": MultinomialPULasso, "ordinal": OrdinalPULasso}
NAMES = [f"feature {j}" for j in range(6)]


def make_data(n_positive, seed=0, n_samples=240):
    """Rows, and labels 0..n_positive that are ordered along the first two features and 40 % hidden."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, len(NAMES)))
    latent = 4 * X[:, 0] - X[:, 1] + rng.logistic(size=n_samples)
    y = np.digitize(latent, np.linspace(-0.5, 4.5, n_positive))
    return X, np.where(rng.random(n_samples) < 0.6, y, 0)
