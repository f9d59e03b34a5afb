"""scikit-learn's own checks, on the estimators that choose lam, in every scenario; none is expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulasso import MultinomialPULassoCV, OrdinalPULassoCV

SETTINGS = [
    {"scenario": "case-control", "prevalence": 0.2},
    {"scenario": "single-training-set", "label_frequency": 0.9},
    {"scenario": "fully-observed"},
]

# One lam, two folds and a loose tolerance, as the checks are about the interface. Their data are noise, or
# separable, or have text for ordered classes, or labels rarer than assumed; each has its documented warning.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning"),  # no sample of a population
    pytest.mark.filterwarnings(
        "ignore::pulasso.exceptions.StationaryPointWarning"
    ),  # the same: no scenario fits
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassOrderWarning"),
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.LabelFrequencyWarning"),
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning"),
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.DuplicateRowsWarning"),  # weights as repeated rows
]


@parametrize_with_checks(
    [
        cls(**settings, lams=(0.02,), cv=2, tol=1e-11, random_state=0)
        for cls in (MultinomialPULassoCV, OrdinalPULassoCV)
        for settings in SETTINGS
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
