"""What reports ask of boosted trees and networks: importances, and versions of what fitted them."""

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.metrics import observed_log_likelihood_scorer

__all__ = ["engines_of", "importances_of"]

# Shuffles of every column, and rows that judge them.
REPEATS, ROWS = 3, 1_000
GAIN = "share of the total gain of the trees"
SHUFFLED = "loss of log-likelihood when the feature is shuffled"


def importances_of(model: Any, x: Any, z: Any, sample_weight: Any) -> tuple[NDArray, str] | None:
    """Return importances and what they are: the model's own or, by rows and labels, those of shuffled columns."""
    if hasattr(model, "feature_importances_"):
        return model.feature_importances_, GAIN
    if x is None or z is None:
        return None
    from sklearn.inspection import permutation_importance

    found = permutation_importance(
        model,
        x,
        z,
        scoring=observed_log_likelihood_scorer,
        n_repeats=REPEATS,
        max_samples=min(ROWS, x.shape[0]),
        sample_weight=sample_weight,
        random_state=0,
    )
    return np.maximum(found.importances_mean, 0.0), SHUFFLED


def engines_of(model: Any) -> dict[str, str]:
    """Return the versions of the packages that fitted a learner, as far as they are here."""
    found = {}
    for name in [model.engine] if hasattr(model, "engine") else ["torch", "skorch"]:
        try:
            found[name] = import_module(name).__version__
        except ImportError:
            continue
    return found
