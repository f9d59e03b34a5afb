"""Without hidden labels: glmnet's binomial lasso and, with the symmetric norm, its grouped multinomial."""

import numpy as np
import pytest

from pulasso import Groups, MultinomialPULasso, OrdinalPULasso, fit_path
from support.reference import features, numbers, table

TOL = 1e-10


@pytest.fixture(scope="module")
def binomial():
    reference, data = numbers("glmnet_binomial.json"), table("glmnet_binomial_data.csv")
    return reference, features(data), data["y"].astype(int)


@pytest.fixture(scope="module")
def multinomial():
    reference, data = numbers("glmnet_multinomial.json"), table("glmnet_multinomial_data.csv")
    return reference, features(data), data["y"].astype(int)


@pytest.mark.parametrize("solver", ["working-set", "proximal-gradient"])
def test_binomial_lasso(binomial, solver):
    reference, x, y = binomial
    path = fit_path(x, y, scenario="fully-observed", lams=reference["lambda"], solver=solver, tol=TOL)
    assert path.lam_max == pytest.approx(reference["lam_max"], rel=1e-10)
    np.testing.assert_allclose(path.coefs[:, 0], reference["coef"], atol=1e-5)
    np.testing.assert_allclose(path.intercepts[:, 0], reference["intercept"], atol=1e-5)
    np.testing.assert_array_equal(path.coefs[:, 0] != 0, np.array(reference["coef"]) != 0)


def test_binomial_lasso_by_the_ordinal_model(binomial):
    reference, x, y = binomial
    for lam, coef, intercept in zip(
        reference["lambda"], reference["coef"], reference["intercept"], strict=True
    ):
        model = OrdinalPULasso(lam=lam, scenario="fully-observed", tol=TOL).fit(x, y)
        np.testing.assert_allclose(model.coef_, coef, atol=1e-5)
        assert model.thresholds_[0] == pytest.approx(-intercept, abs=1e-5)


def test_grouped_multinomial(multinomial):
    reference, x, y = multinomial
    path = fit_path(
        x,
        y,
        scenario="fully-observed",
        groups=Groups.rows(weights=1.0, symmetric=True),
        lams=reference["lambda"],
        tol=TOL,
    )
    assert path.lam_max == pytest.approx(reference["lam_max"], rel=1e-10)
    # glmnet's coefficients sum to zero over the classes; ours are differences to class 0.
    coef, intercept = np.array(reference["coef"]), np.array(reference["intercept"])
    np.testing.assert_allclose(path.coefs, coef[:, 1:] - coef[:, :1], atol=1e-5)
    np.testing.assert_allclose(path.intercepts, intercept[:, 1:] - intercept[:, :1], atol=1e-5)


@pytest.mark.parametrize("reference_class", [0, 1, 2, 3])
def test_the_symmetric_norm_does_not_care_which_class_is_class_0(multinomial, reference_class):
    reference, x, y = multinomial
    lam = reference["lambda"][3]
    # Exchange the names of class 0 and another one.
    renamed = np.where(y == 0, reference_class, np.where(y == reference_class, 0, y))
    settings = {
        "lam": lam,
        "scenario": "fully-observed",
        "groups": Groups.rows(weights=1.0, symmetric=True),
        "tol": TOL,
    }
    proba = MultinomialPULasso(**settings).fit(x, renamed).predict_proba(x)
    order = np.arange(4)
    order[[0, reference_class]] = order[[reference_class, 0]]
    scores = x @ np.array(reference["coef"][3]).T + reference["intercept"][3]
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(proba[:, order], expected, atol=1e-6)


def test_the_plain_norm_does_care(multinomial):
    reference, x, y = multinomial
    settings = {
        "lam": reference["lambda"][3],
        "scenario": "fully-observed",
        "groups": Groups.rows(weights=1.0),
    }
    proba = MultinomialPULasso(**settings).fit(x, y).predict_proba(x)
    exchanged = MultinomialPULasso(**settings).fit(x, np.array([3, 1, 2, 0])[y]).predict_proba(x)
    assert np.abs(proba - exchanged[:, [3, 1, 2, 0]]).max() > 1e-3
