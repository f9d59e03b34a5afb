"""``prevalence="estimate"`` and ``label_frequency="estimate"``: the number that a scenario asks for, from the data."""

from dataclasses import replace
from typing import Any

from pulasso._messages import warn
from pulasso.data.pu_data import PUData
from pulasso.exceptions import IdentifiabilityWarning, ScenarioError
from pulasso.scenarios import Scenario, as_scenario

__all__ = ["asks_for_estimate", "find_scenario"]

ESTIMATE = "estimate"


def asks_for_estimate(scenario: Scenario) -> bool:
    """Say whether the scenario's number is to be estimated."""
    number = getattr(scenario, scenario.asks_for, None) if scenario.asks_for else None
    return isinstance(number, str) and number == ESTIMATE


def find_scenario(estimator: Any, data: PUData, along_path: bool = False) -> Scenario:
    """Return an estimator's scenario as an object, its number estimated by profile likelihood if it asks for that.

    A propensity that is to be fitted is, with the classes at the lam of the estimator, or with one for a whole path.

    The estimate is stored as ``prevalence_estimate_`` and ``prevalence_`` or ``label_frequency_``. Warns where the data
    do not identify the number.
    """
    for name in ("prevalence_", "label_frequency_", "prevalence_estimate_"):
        estimator.__dict__.pop(name, None)
    scenario: Any = as_scenario(
        estimator.scenario, prevalence=estimator.prevalence, label_frequency=estimator.label_frequency
    )
    from pulasso.estimators.labelling import fit_labelling, fits_labelling

    if fits_labelling(scenario):
        return fit_labelling(
            estimator, data, scenario, None if along_path else getattr(estimator, "lam", None)
        )
    if not asks_for_estimate(scenario):
        return scenario
    # Only here, because it loads much that other fits do not need.
    from pulasso.prevalence.by_profile import estimate_by_profile

    if getattr(scenario, "always_labeled", ()):
        raise ScenarioError(
            "prevalence='estimate' and always_labeled= do not go together: nothing in the data tells the prevalence of "
            "a class that is never unlabeled.",
            parameter="prevalence",
            remedy="Give the numbers.",
        )
    if data.is_chunked:
        raise ScenarioError(
            f"{scenario.asks_for}='estimate' needs all rows in memory.",
            parameter=scenario.asks_for,
            remedy="Estimate it on a sample of the rows with pulasso.prevalence.profile_likelihood, and pass it.",
        )
    estimate = estimate_by_profile(data, scenario.name, estimator._response.name)
    if not estimate.is_identified:
        warn(estimate.what_is_open, IdentifiabilityWarning)
    estimator.prevalence_estimate_ = estimate
    setattr(estimator, f"{estimate.parameter}_", estimate.numbers)
    return replace(scenario, **{estimate.parameter: estimate.values})
