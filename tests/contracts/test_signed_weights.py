"""In every scenario signed weights add up: a row of class y counts for class y alone, on average over its label."""

import numpy as np
import pytest

from pulasso.metrics._reading import read_sample
from pulasso.metrics._signed_sample import SignedSample, signed_weights
from pulasso.scenarios import LabelModel
from support.cases import CASES

every_case = pytest.mark.parametrize("case", CASES, ids=repr)
each_n_positive = pytest.mark.parametrize("n_positive", [1, 3])


def make_sample(case, n_positive, weighted=True):
    drawn = case.labels(np.random.default_rng(7), 200, n_positive, weighted=weighted)
    weights = signed_weights(drawn.label_model, drawn.codes, drawn.weight)
    by_label = drawn.scenario.sampled_by_label
    return drawn, SignedSample(drawn.counts.classes, drawn.codes, drawn.weight, weights, by_label)


@every_case
@each_n_positive
def test_a_row_counts_for_its_true_class_alone(case, n_positive):
    drawn, sample = make_sample(case, n_positive)
    a, c = np.exp(drawn.label_model.log_labeled), np.exp(drawn.label_model.log_hidden)
    unlabeled = sample.class_weights[drawn.codes == 0][0]
    for y in range(n_positive + 1):
        of_label = sample.class_weights[drawn.codes == (y or n_positive + 1)][
            :1
        ]  # none without confirmed negatives
        expected = (np.arange(n_positive + 1) == y).astype(float)
        np.testing.assert_allclose(a[y] * of_label.sum(axis=0) + c[y] * unlabeled, expected, atol=1e-12)
    assert (sample.row_weights >= -1e-12).all()  # in the population of x no row counts negatively


@every_case
def test_a_label_model_may_differ_by_row(case):
    drawn, sample = make_sample(case, 3)
    by_row = [np.tile(log, (200, 1)) for log in (drawn.label_model.log_labeled, drawn.label_model.log_hidden)]
    found = signed_weights(LabelModel(*by_row), drawn.codes, drawn.weight)
    np.testing.assert_allclose(found, sample.class_weights, rtol=1e-12)


@every_case
@each_n_positive
def test_the_mean_of_a_constant_is_certain(case, n_positive):
    _, sample = make_sample(case, n_positive)
    ones = sample.mean(np.ones((200, n_positive + 1)))
    np.testing.assert_allclose(ones.value, 1.0)
    np.testing.assert_allclose(sample.variance(ones.influence), 0.0, atol=1e-25)
    np.testing.assert_allclose(sample.class_shares.sum(), 1.0)


@every_case
def test_known_shares_are_found(case):
    drawn, sample = make_sample(case, 3)
    if case.name.startswith("case-control"):
        np.testing.assert_allclose(sample.class_shares[1:], drawn.scenario.prevalence)
    elif not case.confirmed:
        shown = np.exp(drawn.scenario.label_model(drawn.counts).log_labeled[1:])
        np.testing.assert_allclose(
            sample.class_shares[1:], drawn.counts.n_labeled[1:] / shown / drawn.counts.total
        )


@every_case
def test_a_weight_is_a_repetition(case):
    """A weight of 2 is the row twice, in values and in variances."""
    rng = np.random.default_rng(3)
    drawn, _ = make_sample(case, 2, weighted=False)
    weight, values = rng.integers(0, 3, 200), rng.normal(size=(200, 3))
    weight[:4] = 2  # every label occurs
    rows = np.repeat(np.arange(200), weight)
    marks = {"unlabeled": 0, "negative": 3, "classes": [3, 1, 2]}
    settings = {"scenario": drawn.scenario, **marks}
    once = read_sample(drawn.codes, weight.astype(float), settings)
    repeated = read_sample(drawn.codes[rows], None, settings)
    one, other = once.mean(values), repeated.mean(values[rows])
    np.testing.assert_allclose(one.value, other.value)
    np.testing.assert_allclose(once.variance(one.influence), repeated.variance(other.influence))
