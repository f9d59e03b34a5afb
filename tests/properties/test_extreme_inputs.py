"""Scales from 1e-8 to 1e8, constant columns, few rows: never a NaN in what is fitted or predicted."""

import warnings

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pulasso import MultinomialPULasso, OrdinalPULasso
from pulasso.exceptions import ConvergenceWarning, LabelFrequencyWarning

KNOWN = {
    "case-control": {"prevalence": 0.2},
    "single-training-set": {"label_frequency": 0.5},
    "fully-observed": {},
}


@st.composite
def data(draw):
    """Return X with columns of wildly different scale and place, and labels of 1 to 4 positive classes."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_positive = draw(st.integers(1, 4))
    n, p = draw(st.integers(n_positive + 2, 25)), draw(st.integers(1, 6))
    scale = 10.0 ** np.array(draw(st.lists(st.integers(-8, 8), min_size=p, max_size=p)))
    shift = np.array(draw(st.lists(st.sampled_from([0.0, 1.0, -100.0]), min_size=p, max_size=p)))
    x = (rng.normal(size=(n, p)) + shift) * scale
    x[:, rng.random(p) < 0.2] = draw(st.sampled_from([0.0, 1.0, -3.7e8, 1e-8]))
    z = rng.integers(0, n_positive + 1, n)
    z[: n_positive + 1] = np.arange(n_positive + 1)
    return x, z


@settings(max_examples=25)
@given(
    data(),
    st.sampled_from([MultinomialPULasso, OrdinalPULasso]),
    st.sampled_from(list(KNOWN)),
    st.sampled_from([0.0, 1e-6, 1e-2, 1.0]),
    st.booleans(),
    st.sampled_from([np.float64, np.float32]),
    st.sampled_from(["working-set", "proximal-gradient"]),
)
def test_nothing_is_ever_nan(data, cls, scenario, lam, standardize, dtype, solver):
    x, z = data
    settings = dict(standardize=standardize, solver=solver, max_iter=50, **KNOWN[scenario])
    model = cls(lam=lam, scenario=scenario, **settings)
    with warnings.catch_warnings():
        # Separable data without penalty, or columns of wild scale as they are, need not converge in 50 steps.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", LabelFrequencyWarning)
        model.fit(x.astype(dtype), z)
    free = model.thresholds_ if cls is OrdinalPULasso else model.intercept_
    for name, value in (("coef_", model.coef_), ("free", free), ("lam_max_", model.lam_max_)):
        assert np.isfinite(value).all(), name
    assert np.isfinite(model.objective_) and np.isfinite(model.kkt_)
    if cls is OrdinalPULasso:
        assert (np.diff(model.thresholds_) >= 0).all()
    proba = model.predict_proba(x.astype(dtype))
    assert not np.isnan(proba).any()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-4)
    observed = model.predict_observed_proba(x.astype(dtype))
    np.testing.assert_allclose(observed.sum(axis=1), 1.0, rtol=1e-4)
    assert np.isin(model.predict(x.astype(dtype)), model.classes_).all()
