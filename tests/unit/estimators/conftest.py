"""Small data sets that every test of the estimators can ask for."""

import numpy as np
import pytest


@pytest.fixture(name="X")
def features():
    """Features of 120 rows; class 1 differs in the first, class 2 in the second."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    X[40:80, 0] += 2.0
    X[80:, 1] += 2.0
    return X


@pytest.fixture(name="y")
def labels():
    """Observed labels: three quarters of classes 1 and 2 are labelled, 0 marks the unlabeled."""
    y = np.repeat([0, 1, 2], 40)
    y[40:50] = y[80:90] = 0
    return y
