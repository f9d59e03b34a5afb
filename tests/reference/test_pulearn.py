"""Elkan and Noto's correction and non-negative risk, beside pulearn's of the same names."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from pulasso.baselines import ElkanNoto, NonNegativePU
from pulasso.datasets import simulate_multinomial

pulearn = pytest.importorskip("pulearn")


def test_elkan_noto_with_the_same_rows_and_label_frequency_is_theirs():
    data = simulate_multinomial(
        800, 4, n_positive=1, scenario="single-training-set", label_frequency=0.6, random_state=0
    )
    theirs = pulearn.ElkanotoPuClassifier(LogisticRegression(), hold_out_ratio=0.25, random_state=7)
    theirs.fit(data.X, data.z)
    order = np.arange(len(data.z))  # the rows it holds out, as its source has them
    np.random.RandomState(7).shuffle(order)
    learn = np.sort(order[200:])
    ours = ElkanNoto(LogisticRegression(), label_frequency=theirs.c).fit(data.X[learn], data.z[learn])
    expected = theirs.predict_proba(data.X)[:, 1]
    possible = expected <= 1.0  # theirs may exceed 1, ours end there
    assert 0.5 < possible.mean() < 1.0
    np.testing.assert_allclose(ours.predict_proba(data.X)[possible, 1], expected[possible], rtol=1e-10)
    assert (ours.predict_proba(data.X)[~possible, 1] == 1.0).all()


@pytest.mark.parametrize("non_negative", [True, False])
def test_the_risk_of_positive_and_unlabeled_data_decides_as_theirs(non_negative):
    """Theirs has the sigmoid loss, ours the convex logistic one: other coefficients, nearly the same decisions."""
    data = simulate_multinomial(
        3000, 3, n_active=3, n_positive=1, variance=4.0, unlabeled_share=0.6, random_state=1
    )
    prior = float(data.prevalence[0])
    theirs = pulearn.NNPUClassifier(
        prior, nnpu=non_negative, max_iter=3000, learning_rate=0.3, random_state=0
    )
    theirs.fit(data.X, data.z)
    ours = NonNegativePU(1e-4, non_negative=non_negative, **data.scenario_params).fit(data.X, data.z)
    x, y = data.truth.draw(4000, random_state=2)
    by_them, by_us = theirs.predict(x) == 1, ours.predict(x) == 1
    assert np.mean(by_them == by_us) > 0.93
    assert np.mean(by_us == y) >= np.mean(by_them == y) - 0.01
    direction = theirs.coef_ / np.linalg.norm(theirs.coef_)
    assert direction @ ours.coef_[0] / np.linalg.norm(ours.coef_) > 0.98
