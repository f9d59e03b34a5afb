"""Boosted trees and networks with the likelihood, the parameters and the predictions of the other estimators."""

from pulasso.estimators.learners.boosting import PUBoostingClassifier

__all__ = ["PUBoostingClassifier"]
