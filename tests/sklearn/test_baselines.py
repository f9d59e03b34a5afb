"""scikit-learn's own checks of the comparators."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulasso import MultinomialPULasso
from pulasso.baselines import ElkanNoto, MomentLasso, NonNegativePU, OneVsRestPU, PUBagging, mn_lasso

CASE_CONTROL = {"scenario": "case-control", "prevalence": 0.3}
SINGLE = {"scenario": "single-training-set", "label_frequency": 0.9}

ESTIMATORS = [
    ElkanNoto(mn_lasso(0.05), **SINGLE),
    ElkanNoto(LogisticRegression(), weighted=True, **CASE_CONTROL),
    OneVsRestPU(MultinomialPULasso(0.05), **CASE_CONTROL),
    PUBagging(n_estimators=3),
    # In the data of the checks all unlabeled rows are class 0, far from a sample of a population; methods that
    # trust the prevalence more than the likelihood does fail to separate such data.
    NonNegativePU(0.1, **SINGLE),
    MomentLasso(0.1, **SINGLE),
]

RANDOM = "bootstrap samples of two rows differ from those of one row of weight 2, though not in distribution"


def expected_failures(estimator):
    if not isinstance(estimator, PUBagging):
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": RANDOM,
        "check_sample_weight_equivalence_on_sparse_data": RANDOM,
    }


pytestmark = [
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning"),  # no sample of a population
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.LabelFrequencyWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
