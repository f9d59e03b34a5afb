"""scikit-learn's own checks, on every estimator in every scenario; none is expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulasso import CaseControl, FullyObserved, MultinomialPULasso, OrdinalPULasso, SingleTrainingSet

SETTINGS = [
    {"scenario": "case-control", "prevalence": 0.2},
    {"scenario": "single-training-set", "label_frequency": 0.9},
    {"scenario": "single-training-set", "label_frequency": 0.9, "anchor": 1.0, "tol": 1e-8},
    {"scenario": "fully-observed"},
    {"scenario": CaseControl(prevalence=0.2)},
    {"scenario": SingleTrainingSet(label_frequency=0.9)},
    {"scenario": FullyObserved()},
]

# Some checks give ordinal models text labels, or labels rarer than the assumed frequency: both are documented
# warnings, not failures.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning"),  # no sample of a population
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassOrderWarning"),
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.LabelFrequencyWarning"),
]


@parametrize_with_checks(
    [cls(**settings) for cls in (MultinomialPULasso, OrdinalPULasso) for settings in SETTINGS]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
