"""A penalty in one file: the lasso whose coefficients may not be negative."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PositiveLasso:
    """``lam * sum_j weight_j sum(theta_j)``, and infinite where a coefficient is negative."""

    name = "positive-lasso"

    def value(self, values, segments, lam):
        if (values < 0).any():
            return np.inf
        return float(lam * segments.expand(segments.weights) @ values)

    def prox(self, values, segments, step, lam):
        return np.maximum(values - step * lam * segments.expand(segments.weights), 0.0)

    def subdiff_distance(self, values, gradient, segments, lam):
        # At zero any slope up to lam * weight will do, for larger coefficients only this one.
        slope = gradient + lam * segments.expand(segments.weights)
        return segments.norms(np.where(values > 0, slope, np.minimum(slope, 0.0)))

    def critical_lams(self, gradient, segments):
        needed = np.maximum(-gradient, 0.0) / segments.expand(segments.weights)
        return np.maximum.reduceat(needed, segments.starts)

    def thresholds(self, values, segments, lam):
        return None  # no sum of norms: the solver takes proximal steps
