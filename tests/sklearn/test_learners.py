"""scikit-learn's own checks, on boosted trees and networks; none is expected to fail."""

from importlib.util import find_spec

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulasso import PUBoostingClassifier, PUNeuralClassifier

SETTINGS = [
    {"scenario": "single-training-set", "label_frequency": 0.9},
    {"scenario": "case-control", "prevalence": 0.2},
    {"scenario": "fully-observed", "response": "ordinal"},
]
ENGINES = [each for each in ("lightgbm", "xgboost") if find_spec(each)]

# Some checks give ordinal models text labels, or labels rarer than the assumed frequency; none is a sample of a
# population.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning"),
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassOrderWarning"),
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.LabelFrequencyWarning"),
]


@parametrize_with_checks(
    [PUBoostingClassifier(engine, n_estimators=60, **each) for engine in ENGINES for each in SETTINGS]
)
def test_boosting(estimator, check):
    if "check_sample_weight_equivalence" in str(check):
        pytest.skip("engines keep gradients in single precision; tests/unit asks for equality up to that")
    check(estimator)


NETWORKS = [PUNeuralClassifier(max_epochs=60, random_state=0, **each) for each in SETTINGS]
INSTALLED = bool(find_spec("skorch"))


@pytest.mark.skipif(not INSTALLED, reason="torch is hundreds of megabytes, not in the extra 'test'")
@parametrize_with_checks(NETWORKS if INSTALLED else [])
def test_networks(estimator, check):
    if "check_sample_weight_equivalence" in str(check):
        pytest.skip("batches are drawn among rows, whatever these weigh")
    check(estimator)
