"""The null model where it is saturated: fitted and observed frequencies are equal."""

import numpy as np
import pytest

from support.cases import CASES

# With confirmed negatives there are K + 2 labels for K intercepts, unless hidden and confirmed negatives
# are the same by definition.
SATURATED = [case for case in CASES if not case.confirmed or case.name.startswith("fully-observed")]


@pytest.mark.parametrize("n_positive", [1, 2, 5])
@pytest.mark.parametrize("case", SATURATED, ids=repr)
def test_frequencies_are_matched(case, n_positive):
    sample = case.labels(np.random.default_rng(3), 80, n_positive)
    proba = np.exp(sample.likelihood.log_proba(sample.null.log_odds[None, :]))[0]
    np.testing.assert_allclose(proba, sample.counts.frequencies[: len(proba)], rtol=1e-10)


@pytest.mark.parametrize("case", [case for case in CASES if case.confirmed], ids=repr)
def test_no_other_intercept_is_better(case):
    rng = np.random.default_rng(4)
    sample = case.labels(rng, 80, 3)
    best = sample.loss.value_and_grad(np.tile(sample.null.log_odds, (80, 1)))[0]
    for size in (1e-3, 0.1, 1.0):
        for _ in range(10):
            other = sample.null.log_odds + size * rng.normal(size=3)
            assert sample.loss.value_and_grad(np.tile(other, (80, 1)))[0] >= best - 1e-14
