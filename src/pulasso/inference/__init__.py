"""How sure is it? Restarts, bootstrap, stability selection and a test of the labelling, each named for what it is.

None of the first three gives p-values or confidence intervals: coefficients are penalised, hence shrunk towards zero,
and which of them are zero was chosen by the same data.
"""

from pulasso.estimators.stationary import StationaryPoints
from pulasso.inference._bootstrap_result import BootstrapResult
from pulasso.inference._stability_result import StabilityResult
from pulasso.inference.bootstrap import bootstrap
from pulasso.inference.bounds import pairs_bound, selection_bound
from pulasso.inference.labelling import LabellingTest, test_labelling
from pulasso.inference.learners import LearnerBootstrap
from pulasso.inference.stability import stability_selection
from pulasso.inference.stationary import find_stationary_points

__all__ = [
    "BootstrapResult",
    "LabellingTest",
    "LearnerBootstrap",
    "StabilityResult",
    "StationaryPoints",
    "bootstrap",
    "find_stationary_points",
    "pairs_bound",
    "selection_bound",
    "stability_selection",
    "test_labelling",
]
