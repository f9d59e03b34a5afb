"""Data on which boosted trees and networks are better than lines."""

import numpy as np


def curved(n, seed, label_frequency=0.4):
    """Rows of two classes that no line tells apart, their true classes, and labels of which most are lost."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    eta = np.column_stack([2.0 * np.abs(x[:, 0]) - 2.0 + x[:, 1], 3.0 * (x[:, 0] * x[:, 1] > 0) - 2.0])
    proba = np.exp(np.column_stack([np.zeros(n), eta]))
    proba /= proba.sum(axis=1, keepdims=True)
    y = (rng.random(n)[:, None] > np.cumsum(proba, axis=1)).sum(axis=1)
    return x, y, np.where(rng.random(n) < label_frequency, y, 0)


def log_loss(proba, y):
    """Mean loss of true classes, which are numbered."""
    return -np.log(proba[np.arange(len(y)), y]).mean()
