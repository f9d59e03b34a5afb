"""How sure is it? Restarts, bootstrap and stability selection, each named for what it is.

None of them gives p-values or confidence intervals: coefficients are penalised, hence shrunk towards zero, and which
of them are zero was chosen by the same data.
"""

from pulasso.estimators.stationary import StationaryPoints
from pulasso.inference._bootstrap_result import BootstrapResult
from pulasso.inference._stability_result import StabilityResult
from pulasso.inference.bootstrap import bootstrap
from pulasso.inference.bounds import pairs_bound, selection_bound
from pulasso.inference.stability import stability_selection
from pulasso.inference.stationary import find_stationary_points

__all__ = [
    "BootstrapResult",
    "StabilityResult",
    "StationaryPoints",
    "bootstrap",
    "find_stationary_points",
    "pairs_bound",
    "selection_bound",
    "stability_selection",
]
