"""What must hold for any predictions and labels."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pulasso.metrics import _formulas
from pulasso.metrics._reading import read_sample
from support.cases import CASES


@st.composite
def scored_samples(draw):
    """Labels under some scenario, predictions, scores with ties, and weights."""
    case = draw(st.sampled_from(CASES))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_positive, n = draw(st.integers(1, 3)), draw(st.integers(12, 60))
    drawn = case.labels(rng, n, n_positive)
    names = [n_positive + 1, *range(1, n_positive + 1)]
    settings = {"scenario": drawn.scenario, "unlabeled": 0, "negative": n_positive + 1, "classes": names}
    sample = read_sample(drawn.codes, drawn.weight * draw(st.sampled_from([1, 10])), settings)
    return sample, rng.integers(0, n_positive + 1, n), rng.integers(0, 5, (n, n_positive + 1)) / 4


@given(scored_samples())
def test_variances_are_never_negative(given_):
    sample, predicted, scores = given_
    for statistic in (
        _formulas.accuracy(sample, predicted),
        _formulas.recall(sample, predicted),
        _formulas.confusion_matrix(sample, predicted, "all"),
        _formulas.roc_auc(sample, scores),
        _formulas.brier_score(sample, scores),
    ):
        variance = sample.variance(statistic.influence)
        assert (variance[~np.isnan(variance)] >= 0).all()
        assert statistic.influence.shape == (len(predicted), *statistic.value.shape)


@given(scored_samples())
def test_shares_add_up(given_):
    sample, predicted, _ = given_
    joint = _formulas.confusion_matrix(sample, predicted, "all").value
    np.testing.assert_allclose(joint.sum(), 1.0)
    np.testing.assert_allclose(joint.sum(axis=1), sample.class_shares, atol=1e-12)
    predicted_shares = _formulas.predicted_shares(sample, predicted).value
    np.testing.assert_allclose(joint.sum(axis=0), predicted_shares, atol=1e-12)
    np.testing.assert_allclose(np.trace(joint), _formulas.accuracy(sample, predicted).value)


@given(scored_samples())
def test_the_area_only_knows_the_order(given_):
    sample, _, scores = given_
    one = _formulas.roc_auc(sample, scores)
    other = _formulas.roc_auc(sample, np.exp(3 * scores))
    mirrored = _formulas.roc_auc(sample, -scores)
    np.testing.assert_allclose(one.value, other.value)
    np.testing.assert_allclose(one.value, 1.0 - mirrored.value, atol=1e-9)
