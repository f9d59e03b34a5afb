"""A fit that says it converged is at its optimum, whatever the units of columns and the weights of groups."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulasso import Groups, MultinomialPULasso, OrdinalPULasso

N, P = 200, 4
SCENARIOS = [{"scenario": "fully-observed"}, {"scenario": "single-training-set", "label_frequency": 0.6}]
powers = st.lists(st.floats(-6.0, 6.0), min_size=P, max_size=P)


def draw(seed, hidden):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, P))
    eta = np.column_stack([np.zeros(N), X @ rng.normal(scale=1.2, size=(P, 2))])
    y = (eta + rng.gumbel(size=eta.shape)).argmax(axis=1)
    return X, np.where(rng.random(N) < 0.6, y, 0) if hidden else y


def assert_at_the_optimum(make, X, z):
    """Assert that a solve at far tighter tolerance predicts the same."""
    model, exact = make(tol=1e-6).fit(X, z), make(tol=1e-10).fit(X, z)
    assert model.converged_
    np.testing.assert_allclose(model.predict_proba(X), exact.predict_proba(X), atol=2e-4)


@pytest.mark.parametrize("known", SCENARIOS, ids=lambda known: known["scenario"])
@given(seed=st.integers(0, 1000), power=powers)
@settings(max_examples=15)
@pytest.mark.filterwarnings("ignore:.*did not reach")
def test_weights_of_groups(known, seed, power):
    X, z = draw(seed, hidden=known is SCENARIOS[1])
    groups = Groups.rows(weights=(10.0 ** np.array(power)).tolist())
    assert_at_the_optimum(lambda tol: MultinomialPULasso(0.02, tol=tol, groups=groups, **known), X, z)


@pytest.mark.parametrize("kind", [MultinomialPULasso, OrdinalPULasso])
@given(seed=st.integers(0, 1000), power=powers)
@settings(max_examples=15)
@pytest.mark.filterwarnings("ignore:.*did not reach")
def test_units_of_columns(kind, seed, power):
    X, z = draw(seed, hidden=False)
    scale = 10.0 ** np.array(power)
    assert_at_the_optimum(lambda tol: kind(0.02, tol=tol, standardize=False, **SCENARIOS[0]), X * scale, z)
    # Standardised columns have no units.
    fits = [
        kind(0.02, **SCENARIOS[0]).fit(X, z).predict_proba(X),
        kind(0.02, **SCENARIOS[0]).fit(X * scale, z).predict_proba(X * scale),
    ]
    np.testing.assert_allclose(fits[0], fits[1], atol=1e-4)


@pytest.mark.parametrize("kind", [MultinomialPULasso, OrdinalPULasso])
@given(seed=st.integers(0, 1000), power=powers, share=st.floats(0.005, 0.5))
@settings(max_examples=6)
@pytest.mark.filterwarnings("ignore:.*did not reach")
def test_indicators_beside_columns_of_any_unit(kind, seed, power, share):
    X, z = draw(seed, hidden=False)
    indicators = np.random.default_rng(seed).random((N, 2)) < [share, 0.3]
    table = np.hstack([X * 10.0 ** np.array(power), indicators])
    assert_at_the_optimum(lambda tol: kind(0.02, tol=tol, standardize="auto", **SCENARIOS[0]), table, z)
    plain = np.hstack([X, indicators])
    fits = [kind(0.02, standardize="auto", **SCENARIOS[0]).fit(each, z) for each in (table, plain)]
    np.testing.assert_allclose(fits[0].predict_proba(table), fits[1].predict_proba(plain), atol=1e-4)
