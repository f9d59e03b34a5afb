"""Boosted trees and networks with the likelihood, the parameters and the predictions of the other estimators."""

from pulasso.estimators.learners.boosting import PUBoostingClassifier
from pulasso.estimators.learners.neural import PUNeuralClassifier

__all__ = ["LEARNERS", "PUBoostingClassifier", "PUNeuralClassifier"]

LEARNERS = (PUBoostingClassifier, PUNeuralClassifier)
