"""Without penalty and hidden labels: scikit-learn's multinomial and statsmodels' ordinal regression."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from pulasso import Groups, MultinomialPULasso, OrdinalPULasso


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(21).normal(size=(400, 4)) @ np.diag([1.0, 2.0, 0.5, 1.0]) + 0.3


@pytest.fixture(scope="module")
def unordered(x):
    rng = np.random.default_rng(22)
    scores = x @ rng.normal(size=(4, 4)) + rng.gumbel(size=(400, 4))
    return scores.argmax(axis=1)


@pytest.fixture(scope="module")
def ordered(x):
    rng = np.random.default_rng(23)
    return np.digitize(x @ np.array([1.0, -0.5, 0.8, 0.0]) + rng.logistic(size=400), [-1.0, 0.4, 2.0])


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize(
    "groups", ["rows", "entries", Groups.rows(symmetric=True)], ids=["rows", "entries", "symmetric"]
)
def test_multinomial_is_scikit_learns(x, unordered, n_classes, groups):
    y = unordered % n_classes
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(x, y)
    ours = MultinomialPULasso(lam=0.0, scenario="fully-observed", groups=groups, tol=1e-9).fit(x, y)
    coef, intercept = theirs.coef_, theirs.intercept_
    if n_classes > 2:  # one vector per class, up to a common one; ours are differences to class 0
        coef, intercept = coef[1:] - coef[0], intercept[1:] - intercept[0]
    np.testing.assert_allclose(ours.coef_, coef, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, intercept, atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-6)


def test_multinomial_without_intercept(x, unordered):
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000, fit_intercept=False).fit(x, unordered)
    ours = MultinomialPULasso(lam=0.0, scenario="fully-observed", fit_intercept=False, tol=1e-9).fit(
        x, unordered
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_[1:] - theirs.coef_[0], atol=1e-5)
    assert not ours.intercept_.any()


def test_multinomial_with_weights(x, unordered):
    weight = np.random.default_rng(24).uniform(0.1, 3.0, len(x))
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(x, unordered, weight)
    ours = MultinomialPULasso(lam=0.0, scenario="fully-observed", tol=1e-9).fit(x, unordered, weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_[1:] - theirs.coef_[0], atol=1e-5)


@pytest.fixture(scope="module")
def statsmodels_fit(x, ordered):
    """Parameters, cutpoints, probabilities and log-likelihood, polished by Newton steps."""
    ordinal_model = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    model = ordinal_model.OrderedModel(ordered, x, distr="logit")
    start = model.fit(method="bfgs", maxiter=1000, gtol=1e-6, disp=False)
    fitted = model.fit(start_params=start.params, method="newton", tol=1e-12, disp=False)
    cutpoints = model.transform_threshold_params(fitted.params)[1:-1]
    return fitted.params[:4], cutpoints, model.predict(fitted.params), fitted.llf


@pytest.mark.parametrize("standardize", [True, False])
def test_ordinal_is_statsmodels(x, ordered, statsmodels_fit, standardize):
    coef, cutpoints, proba, log_likelihood = statsmodels_fit
    ours = OrdinalPULasso(lam=0.0, scenario="fully-observed", standardize=standardize, tol=1e-9).fit(
        x, ordered
    )
    np.testing.assert_allclose(ours.coef_, coef, atol=1e-5)
    np.testing.assert_allclose(ours.thresholds_, cutpoints, atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(x), proba, atol=1e-6)
    assert -len(x) * ours.objective_ == pytest.approx(log_likelihood, rel=1e-9)
