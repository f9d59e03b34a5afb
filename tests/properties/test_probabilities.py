"""Probabilities are probabilities and losses are numbers, for any finite input."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pulasso.responses import Multinomial, Ordinal
from support.cases import CASES

K, N = 3, 5
log_odds = arrays(float, (N, K), elements=st.floats(-1e4, 1e4))
predictors = arrays(float, (N, 1), elements=st.floats(-1e4, 1e4))
cutpoints = st.tuples(st.floats(-1e4, 1e4), arrays(float, K - 1, elements=st.floats(1e-12, 1e3))).map(
    lambda both: np.append(both[0], both[1])
)


def check_loss(case, eta):
    sample = case.labels(np.random.default_rng(0), N, K)
    value, grad = sample.loss.value_and_grad(eta)
    assert np.isfinite(value) and value >= -1e-9
    assert np.isfinite(grad).all() and np.abs(grad).sum(axis=1).max() <= 2.0
    proba = np.exp(sample.likelihood.log_proba(eta))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-9)
    yhat = sample.likelihood.responsibilities(eta, sample.codes)
    np.testing.assert_allclose(yhat.sum(axis=1), 1.0, rtol=1e-9)
    assert (yhat >= 0).all()
    curvature = sample.loss.curvature(eta).matrices()
    assert np.linalg.eigvalsh(curvature).min() >= -1e-12


@given(st.sampled_from(CASES), log_odds)
def test_any_log_odds(case, eta):
    check_loss(case, eta)
    log_proba = Multinomial(K).log_proba(eta, np.zeros(K))
    np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1.0, rtol=1e-9)


@given(st.sampled_from(CASES), predictors, cutpoints)
def test_any_cutpoints(case, u, offsets):
    response = Ordinal(K)
    log_proba = response.log_proba(u, offsets)
    assert (log_proba <= 1e-12).all() and np.isfinite(log_proba).all()
    np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1.0, rtol=1e-9)
    eta = response.log_odds(u, offsets)
    check_loss(case, eta)
    for part in response.pullback(u, offsets, np.ones((N, K))):
        assert np.isfinite(part).all()


# Shares that differ by more than exp(700) ask for gaps between cutpoints that are smaller than any number.
@given(arrays(float, K, elements=st.floats(-300.0, 300.0)))
def test_the_ordinal_null_model_of_any_shares(wanted):
    response = Ordinal(K)
    offsets = response.null_offsets(wanted)
    assert response.is_feasible(offsets)
    found = response.log_odds(np.zeros((1, 1)), offsets)[0]
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
