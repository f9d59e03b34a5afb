"""Small data for tests of restarts, bootstrap and stability selection."""

import numpy as np
import pytest

from pulasso import MultinomialPULasso, OrdinalPULasso
from pulasso.datasets import simulate_multinomial, simulate_ordinal


@pytest.fixture(scope="module")
def case_control():
    """60 unlabeled rows and 30 of each class; features 0..7, two of which matter."""
    return simulate_multinomial(120, 8, signal=(2, 3), random_state=0)


@pytest.fixture(scope="module")
def single_set():
    return simulate_multinomial(
        200, 8, scenario="single-training-set", label_frequency=0.6, signal=(2, 3), random_state=1
    )


@pytest.fixture
def model(case_control):
    return MultinomialPULasso(lam=0.05, **case_control.scenario_params)


@pytest.fixture(scope="module")
def several_points():
    """Return an estimator, X and z; at this lam the path does not lead to the best stationary point."""
    data = simulate_ordinal(80, 20, n_active=4, signal=(2, 3), random_state=7)
    estimator = OrdinalPULasso(**data.scenario_params)
    lam_max = estimator.fit(data.X, data.z).lam_max_
    return estimator.set_params(lam=0.1 * lam_max), data.X, data.z


@pytest.fixture
def rng():
    return np.random.default_rng(0)
