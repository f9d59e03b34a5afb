"""SHAP values of the class log odds: features add up to what the model says."""

import numpy as np
import pytest

from pulasso import MultinomialPULasso, OrdinalPULasso
from support.small_models import SETTINGS, make_data

shap = pytest.importorskip("shap")


@pytest.mark.parametrize("n_positive", [1, 3])
def test_multinomial_log_odds(n_positive):
    X, z = make_data(n_positive)
    model = MultinomialPULasso(lam=0.02, **SETTINGS).fit(X, z)
    values = shap.LinearExplainer(model, X[:100])(X)
    parts = values.values.reshape(*X.shape, n_positive)
    eta = model.decision_function(X).reshape(len(X), -1)[:, -n_positive:]
    np.testing.assert_allclose(
        parts.sum(axis=1) + np.reshape(values.base_values, (len(X), -1)), eta, atol=1e-9
    )
    # Independent features: a coefficient times the distance from the mean, which is zero where nothing was selected.
    expected = (X - X[:100].mean(axis=0))[:, :, None] * model.coef_.T
    np.testing.assert_allclose(parts, expected, atol=1e-9)
    assert (parts[:, ~model.coef_.any(axis=0)] == 0).all() and (parts != 0).any()


def test_ordinal_latent_scale(data):
    X, z = data
    model = OrdinalPULasso(lam=0.02, **SETTINGS).fit(X, z)
    values = shap.LinearExplainer((model.coef_, 0.0), X[:100])(X)
    np.testing.assert_allclose(values.values.sum(axis=1) + values.base_values, X @ model.coef_, atol=1e-9)
