"""What must not matter does not: the order of features and classes, the units of a column, its zero point."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulasso import Groups, MultinomialPULasso, OrdinalPULasso

N, P, K = 80, 5, 3
TOL = 1e-9
PREVALENCE = {1: 0.25, 2: 0.15, 3: 0.1}
KNOWN = {
    "case-control": {"prevalence": PREVALENCE},
    "single-training-set": {"label_frequency": {1: 0.8, 2: 0.7, 3: 0.9}},
    "fully-observed": {},
}
MODELS = (MultinomialPULasso, OrdinalPULasso)

seeds = st.integers(0, 1_000)
scenarios = st.sampled_from(list(KNOWN))
few = settings(max_examples=15)


def draw(seed):
    """Return features and labels in which every class is seen and most rows are unlabeled."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(N, P))
    z = np.where(rng.random(N) < 0.4, np.digitize(x[:, 0] + rng.logistic(size=N), [-0.5, 0.5, 1.5]), 0)
    z[: K + 1] = np.arange(K + 1)
    return x, z


def fit(cls, x, z, scenario, known=None, **settings):
    known = KNOWN[scenario] if known is None else known
    # Far enough from the null model to select something, close enough for the path to be unique.
    return cls(lam=0.04, scenario=scenario, tol=TOL, **known, **settings).fit(x, z)


@few
@given(seeds, scenarios, st.sampled_from(MODELS), st.permutations(range(P)))
def test_permuting_features_permutes_coefficients(seed, scenario, cls, order):
    x, z = draw(seed)
    plain, permuted = fit(cls, x, z, scenario), fit(cls, x[:, order], z, scenario)
    np.testing.assert_allclose(permuted.coef_, plain.coef_[..., order], atol=1e-6)
    assert permuted.objective_ == pytest.approx(plain.objective_, abs=1e-10)


@few
@given(seeds, scenarios, st.sampled_from(MODELS), seeds)
def test_permuting_rows_changes_nothing(seed, scenario, cls, other_seed):
    x, z = draw(seed)
    order = np.random.default_rng(other_seed).permutation(N)
    np.testing.assert_allclose(
        fit(cls, x[order], z[order], scenario).coef_, fit(cls, x, z, scenario).coef_, atol=1e-6
    )


@few
@given(seeds, scenarios, st.permutations(range(1, K + 1)), st.sampled_from(["rows", "entries"]))
def test_permuting_classes_permutes_coefficients(seed, scenario, names, groups):
    x, z = draw(seed)
    new_name = np.array([0, *names])
    known = {
        what: {new_name[k]: v for k, v in by_class.items()} for what, by_class in KNOWN[scenario].items()
    }
    plain = fit(MultinomialPULasso, x, z, scenario, groups=groups)
    renamed = fit(MultinomialPULasso, x, new_name[z], scenario, known, groups=groups)
    np.testing.assert_allclose(renamed.coef_[new_name[1:] - 1], plain.coef_, atol=1e-6)
    np.testing.assert_allclose(renamed.intercept_[new_name[1:] - 1], plain.intercept_, atol=1e-6)


@few
@given(
    seeds, scenarios, st.sampled_from(MODELS), st.integers(0, P - 1), st.floats(-3, 3), st.floats(-100, 100)
)
def test_units_and_zero_point_of_a_column_do_not_matter(seed, scenario, cls, column, log10_scale, shift):
    x, z = draw(seed)
    other = x.copy()
    other[:, column] = 10.0**log10_scale * (x[:, column] + shift)
    plain, changed = fit(cls, x, z, scenario), fit(cls, other, z, scenario)
    np.testing.assert_allclose(changed.predict_proba(other), plain.predict_proba(x), atol=1e-6)
    assert changed.objective_ == pytest.approx(plain.objective_, abs=1e-9)
    np.testing.assert_allclose(
        changed.coef_[..., column] * 10.0**log10_scale, plain.coef_[..., column], atol=1e-5
    )


@few
@given(seeds, scenarios, st.sampled_from(MODELS))
def test_a_constant_column_changes_nothing(seed, scenario, cls):
    x, z = draw(seed)
    plain, wider = fit(cls, x, z, scenario), fit(cls, np.column_stack([x, np.full(N, 3.3)]), z, scenario)
    np.testing.assert_allclose(wider.coef_[..., :P], plain.coef_, atol=1e-6)
    assert not wider.coef_[..., P].any()


@few
@given(seeds, st.integers(1, K))
def test_the_symmetric_norm_does_not_care_which_class_is_class_0(seed, other):
    x, z = draw(seed)
    exchange = np.arange(K + 1)
    exchange[[0, other]] = exchange[[other, 0]]
    groups = Groups.rows(symmetric=True)
    plain = fit(MultinomialPULasso, x, z, "fully-observed", groups=groups)
    exchanged = fit(MultinomialPULasso, x, exchange[z], "fully-observed", groups=groups)
    np.testing.assert_allclose(exchanged.predict_proba(x)[:, exchange], plain.predict_proba(x), atol=1e-6)
    assert exchanged.objective_ == pytest.approx(plain.objective_, abs=1e-10)


@few
@given(seeds, scenarios)
def test_one_positive_class_makes_the_models_one(seed, scenario):
    x, z = draw(seed)
    known = {what: 0.4 if what == "prevalence" else 0.8 for what in KNOWN[scenario]}
    binary = (z > 0).astype(int)
    multinomial = fit(MultinomialPULasso, x, binary, scenario, known)
    ordinal = fit(OrdinalPULasso, x, binary, scenario, known)
    np.testing.assert_allclose(ordinal.coef_, multinomial.coef_[0], atol=1e-6)
    np.testing.assert_allclose(ordinal.thresholds_, -multinomial.intercept_, atol=1e-6)
