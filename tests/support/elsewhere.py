"""Fits as other threads and processes make them: small, and the same bits wherever they run."""

import numpy as np

from pulasso import MultinomialPULasso, OrdinalPULasso
from support.small_models import SETTINGS, make_data


def fit_and_predict(seed):
    """Fit both models to data of this seed; return coefficients, certificates and predictions as bytes."""
    X, z = make_data(2 + seed % 2, seed=seed, n_samples=120)
    found = []
    for model in (MultinomialPULasso(lam=0.01, **SETTINGS), OrdinalPULasso(lam=0.01, **SETTINGS)):
        model.fit(X, z)
        found += [model.coef_, np.float64(model.kkt_), np.float64(model.objective_), model.predict_proba(X)]
    return b"".join(part.tobytes() for part in found)
