"""Boosted trees and networks with the likelihood, the parameters and the predictions of the other estimators."""

from pulasso.estimators.learners._base import LABELS_TO_STOP_BY, ROWS_TO_STOP_BY
from pulasso.estimators.learners.boosting import PUBoostingClassifier
from pulasso.estimators.learners.neural import PUNeuralClassifier

__all__ = ["LABELS_TO_STOP_BY", "LEARNERS", "ROWS_TO_STOP_BY", "PUBoostingClassifier", "PUNeuralClassifier"]

LEARNERS = (PUBoostingClassifier, PUNeuralClassifier)
