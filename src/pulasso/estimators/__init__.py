"""The scikit-learn face of the library."""

from pulasso.estimators.cv import MultinomialPULassoCV, OrdinalPULassoCV
from pulasso.estimators.fit_path import PathResult, fit_path
from pulasso.estimators.learners import PUBoostingClassifier, PUNeuralClassifier
from pulasso.estimators.multinomial import MultinomialPULasso
from pulasso.estimators.one_vs_rest import OneVsRestPULasso
from pulasso.estimators.ordinal import OrdinalPULasso
from pulasso.estimators.persistence import load, load_notes

__all__ = [
    "ESTIMATORS",
    "MultinomialPULasso",
    "MultinomialPULassoCV",
    "OneVsRestPULasso",
    "OrdinalPULasso",
    "OrdinalPULassoCV",
    "PUBoostingClassifier",
    "PUNeuralClassifier",
    "PathResult",
    "fit_path",
    "load",
    "load_notes",
]

ESTIMATORS = (MultinomialPULasso, OrdinalPULasso)
