"""What must hold for any predictions and labels."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pulasso.metrics import _statistics
from pulasso.metrics._sample import read_sample
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
    sample = read_sample(drawn.codes, settings, drawn.weight * draw(st.sampled_from([1, 10])))
    return sample, rng.integers(0, n_positive + 1, n), rng.integers(0, 5, (n, n_positive + 1)) / 4


@given(scored_samples())
def test_variances_are_never_negative(given_):
    sample, predicted, scores = given_
    for statistic in (
        _statistics.accuracy(sample, predicted),
        _statistics.recall(sample, predicted),
        _statistics.confusion_matrix(sample, predicted, "all"),
        _statistics.roc_auc(sample, scores, range(scores.shape[1])),
        _statistics.brier_score(sample, scores),
    ):
        variance = sample.variance(statistic.influence)
        assert (variance[~np.isnan(variance)] >= 0).all()
        assert statistic.influence.shape == (len(predicted), len(statistic.value))


@given(scored_samples())
def test_shares_add_up(given_):
    sample, predicted, _ = given_
    joint = _statistics.confusion_matrix(sample, predicted, "all").value.reshape([len(sample.classes)] * 2)
    np.testing.assert_allclose(joint.sum(), 1.0)
    np.testing.assert_allclose(joint.sum(axis=1), sample.class_shares, atol=1e-12)
    np.testing.assert_allclose(
        joint.sum(axis=0), _statistics.predicted_share(sample, predicted).value, atol=1e-12
    )
    np.testing.assert_allclose(np.trace(joint), _statistics.accuracy(sample, predicted).value[0])


@given(scored_samples())
def test_the_area_only_knows_the_order(given_):
    sample, _, scores = given_
    every = range(scores.shape[1])
    one = _statistics.roc_auc(sample, scores, every)
    other = _statistics.roc_auc(sample, np.exp(3 * scores), every)
    mirrored = _statistics.roc_auc(sample, -scores, every)
    np.testing.assert_allclose(one.value, other.value)
    np.testing.assert_allclose(one.value, 1.0 - mirrored.value, atol=1e-9)
