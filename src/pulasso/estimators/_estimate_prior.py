"""``prevalence="estimate"`` and ``label_frequency="estimate"``: the number that a scenario asks for, from the data."""

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from pulasso.data.chunks import is_chunked
from pulasso.data.labels import Labels
from pulasso.exceptions import IdentifiabilityWarning, ScenarioError
from pulasso.scenarios import Scenario

if TYPE_CHECKING:
    from pulasso.prevalence.result import PrevalenceEstimate

__all__ = ["asks_for_estimate", "estimate_number"]

ESTIMATE = "estimate"


def asks_for_estimate(scenario: Scenario) -> bool:
    """Say whether the scenario's number is to be estimated."""
    number = getattr(scenario, scenario.asks_for, None) if scenario.asks_for else None
    return isinstance(number, str) and number == ESTIMATE


def estimate_number(
    scenario: Any, x: Any, labels: Labels, weight: NDArray, response: str
) -> tuple[Scenario, "PrevalenceEstimate"]:
    """Return the scenario with its number estimated by profile likelihood, and the estimate itself.

    Warns where the data do not identify the number.
    """
    # Only here, because it loads much that other fits do not need.
    from pulasso.prevalence.by_profile import estimate_by_profile
    from pulasso.prevalence.data import PUData

    if getattr(scenario, "always_labeled", ()):
        raise ScenarioError(
            "prevalence='estimate' and always_labeled= do not go together: nothing in the data tells the prevalence of "
            "a class that is never unlabeled. Give the numbers."
        )
    if is_chunked(x):
        raise ScenarioError(
            f"{scenario.asks_for}='estimate' needs data that fit into memory. Estimate it on a sample of rows with "
            "pulasso.prevalence.profile_likelihood, and give the numbers."
        )
    data = PUData(x, labels.codes, labels.classes, weight, scenario.name).ready()
    estimate = estimate_by_profile(data, response)
    if not estimate.is_identified:
        words = " ".join(each for each in estimate.diagnosis if "not identified" in each)
        warnings.warn(words, IdentifiabilityWarning, stacklevel=6)
    return replace(scenario, **{estimate.parameter: estimate.values}), estimate
