"""When the prevalence or the label frequency is not known: estimating it, and seeing what depends on it.

Case-control data need the prevalence of every class, a single training set the label frequency. Three
estimators, from the most to the least that they assume:

- :func:`profile_likelihood`: maximum likelihood under the model itself, with profile intervals. Assumes that log odds
  are linear in the features, not that classes are separable. This is what ``prevalence="estimate"`` and
  ``label_frequency="estimate"`` use in the estimators.
- :func:`elkan_noto`: held-out probabilities of labelled rows. Assumes that classes are separable, or that
  the surest rows of each class are certain (``quantile=``).
- :func:`best_bin`: a mixture-proportion estimator on held-out scores. Assumes only that some region holds each class
  alone; where none does, it is a bound.

Each returns a :class:`PrevalenceEstimate`, which says in words when the number is not identified. Two that
agree are worth more than one. :func:`sensitivity_sweep` fits a model under a range of assumed numbers and
shows which features, predictions and scores depend on them.
"""

from pulasso.prevalence.by_best_bin import best_bin
from pulasso.prevalence.by_elkan_noto import elkan_noto
from pulasso.prevalence.by_profile import profile_likelihood
from pulasso.prevalence.result import Curve, PrevalenceEstimate
from pulasso.prevalence.sweep import sensitivity_sweep
from pulasso.prevalence.sweep_result import SensitivitySweep

__all__ = [
    "METHODS",
    "Curve",
    "PrevalenceEstimate",
    "SensitivitySweep",
    "best_bin",
    "elkan_noto",
    "profile_likelihood",
    "sensitivity_sweep",
]

METHODS = {"profile": profile_likelihood, "elkan-noto": elkan_noto, "best-bin": best_bin}
