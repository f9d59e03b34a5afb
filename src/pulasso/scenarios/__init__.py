"""Labelling scenarios: from what is known about the labels to the two arrays of their likelihood."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import arg, did_you_mean, plain
from pulasso.exceptions import ScenarioError
from pulasso.scenarios._per_class import PerClass, all_shares, per_class
from pulasso.scenarios._protocol import LabelCounts, Scenario
from pulasso.scenarios.case_control import CaseControl
from pulasso.scenarios.fully_observed import FullyObserved
from pulasso.scenarios.label_model import LabelModel
from pulasso.scenarios.propensity import Propensity
from pulasso.scenarios.selected_labelling import SelectedLabelling
from pulasso.scenarios.single_training_set import SingleTrainingSet
from pulasso.scenarios.sources import Sources

__all__ = [
    "SCENARIOS",
    "CaseControl",
    "FullyObserved",
    "LabelCounts",
    "LabelModel",
    "PerClass",
    "Propensity",
    "Scenario",
    "SelectedLabelling",
    "SingleTrainingSet",
    "Sources",
    "all_shares",
    "as_scenario",
    "describe_scenario",
    "label_model_of",
    "per_class",
    "told_shares",
]

SCENARIOS = (
    CaseControl,
    SingleTrainingSet,
    FullyObserved,
)


def as_scenario(scenario: Any, **numbers: Any) -> Scenario:
    """Return a scenario object from its name and the number that goes with it.

    Parameters
    ----------
    scenario : str or Scenario
        "case-control", "single-training-set", "fully-observed", or an object.
    **numbers : prevalence, label_frequency
        What the user gave; None for what was not given.
    """
    given = {name: value for name, value in numbers.items() if value is not None}
    if isinstance(scenario, type):
        raise ScenarioError(
            f"{arg('scenario')} is the class {scenario.__name__}; pass an object, {scenario.__name__}(...).",
            parameter="scenario",
        )
    if not isinstance(scenario, str):
        if not hasattr(scenario, "label_model"):
            raise ScenarioError(
                f"{arg('scenario', repr(scenario))} is neither one of {_names()} nor a scenario object.",
                parameter="scenario",
            )
        if given:
            raise ScenarioError(
                f"{arg('scenario')} is an object and holds its own numbers; do not pass {_and(given)} as well.",
                parameter=next(iter(given)),
            )
        return scenario
    by_name = {cls.name: cls for cls in SCENARIOS}
    if scenario not in by_name:
        raise ScenarioError(
            f"{arg('scenario', repr(scenario))} is unknown; use one of {_names()} or a scenario object.",
            parameter="scenario",
            remedy=did_you_mean(scenario, by_name).strip(),
        )
    chosen = by_name[scenario]
    wanted = chosen.asks_for
    unwanted = {name: value for name, value in given.items() if name != wanted}
    if unwanted:
        raise ScenarioError(
            f"{arg('scenario', repr(scenario))} does not use {_and(unwanted)}.",
            parameter=next(iter(unwanted)),
            remedy=chosen.explanation,
        )
    if wanted is not None and wanted not in given:
        raise ScenarioError(
            f"{arg('scenario', repr(scenario))} needs {arg(wanted)}.",
            parameter=wanted,
            remedy=chosen.explanation,
        )
    return chosen(**given)


def label_model_of(
    scenario: Scenario,
    counts: LabelCounts,
    x: Any,
    feature_names: Sequence[str] | None = None,
    source: NDArray | None = None,
) -> LabelModel:
    """Return the arrays a and c of a scenario for these rows; most scenarios need no more than their counts.

    Parameters
    ----------
    scenario : Scenario
        With a true ``by_row`` its labelling depends on the row, and `label_model` is shown the features, too.
    counts : LabelCounts
        Of the rows that the model is fitted to.
    x : array, sparse matrix or Chunks of shape (n_samples, n_features)
    feature_names : sequence of str, optional
    source : array of shape (n_samples,), optional
        Where each row comes from, for :class:`pulasso.Sources`.
    """
    if isinstance(scenario, Sources):
        return scenario.label_model(counts, x, feature_names, source)
    if not getattr(scenario, "by_row", False):
        return scenario.label_model(counts)
    if not hasattr(type(x), "map_concat"):
        return scenario.label_model(counts, x, feature_names)  # type: ignore[call-arg]
    both = x.map_concat(_label_rows, scenario, counts, feature_names)
    return LabelModel(*np.hsplit(both, 2))


def told_shares(
    scenario: Scenario, counts: LabelCounts, model: LabelModel, codes: NDArray, weight: NDArray
) -> NDArray | None:
    """Return the class shares that a scenario implies, class 0 first, in the rows that are a sample of the population.

    Those of unlabeled rows where rows were sampled by label (case-control): the prevalence. Else those of all rows:
    every labelled row stands for as many as its label frequency says, ``n_k / (n label_frequency_k)``; class 0 has the
    rest, which is negative where the labels ask for more than everything. None where a scenario does not say.

    Parameters
    ----------
    scenario : Scenario
    counts : LabelCounts
    model : LabelModel
        Of the same rows.
    codes, weight : array of shape (n_samples,)
    """
    if hasattr(scenario, "told_shares"):
        return scenario.told_shares(counts)
    if scenario.sampled_by_label:
        return None
    n_positive = model.n_positive
    rows = np.flatnonzero((codes > 0) & (codes <= n_positive))
    log_stands_for = (model.log_total - model.log_labeled)[..., 1:]
    at = (codes[rows] - 1,) if log_stands_for.ndim == 1 else (rows, codes[rows] - 1)
    each = weight[rows] * np.exp(log_stands_for[at])
    positive = np.bincount(codes[rows], weights=each, minlength=n_positive + 1)[1:] / counts.total
    return np.append(1.0 - positive.sum(), positive)


def _label_rows(x: Any, scenario: Any, counts: LabelCounts, feature_names: Sequence[str] | None) -> NDArray:
    """Return both arrays of a chunk of rows, side by side."""
    model = scenario.label_model(counts, x, feature_names)
    return np.hstack([model.log_labeled, model.log_hidden])


def describe_scenario(scenario: Scenario, leave_out: Sequence[str] = ()) -> str:
    """Return the name of a scenario and its numbers, in one line for tables.

    Parameters
    ----------
    scenario : Scenario
    leave_out : sequence of str, optional
        What is told elsewhere.

    Examples
    --------
    >>> describe_scenario(SingleTrainingSet(label_frequency=0.4))
    'single-training-set, label_frequency 0.4'
    >>> describe_scenario(CaseControl(prevalence={"oak": 1 / 3, "fir": 0.1}))
    "case-control, prevalence {'oak': 0.3333, 'fir': 0.1}"
    >>> describe_scenario(Sources({"records": CaseControl(prevalence=0.1), "survey": "fully-observed"}))
    'sources: records (case-control, prevalence 0.1), survey (fully-observed)'
    """
    if isinstance(scenario, Sources):
        each = (f"{name} ({describe_scenario(own, leave_out)})" for name, own in scenario.scenarios.items())
        shifted = f"; predictions for {scenario.reference}, the others shifted" if scenario.shift else ""
        return f"{scenario.name}: {', '.join(each)}{shifted}"
    told = {name: value for name, value in vars(scenario).items() if name not in leave_out}
    numbers = {name: value for name, value in told.items() if not _is_unset(value)}
    return scenario.name + "".join(f", {name} {_shown(value)}" for name, value in numbers.items())


def _shown(value: Any) -> str:
    """Return numbers with no more digits than anybody reads."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{plain(name)!r}: {_shown(each)}" for name, each in value.items()) + "}"
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    with np.printoptions(precision=4):
        return str(value)


def _is_unset(value: Any) -> bool:
    # A prior of no rows is none.
    return value is None or value is False or (isinstance(value, tuple | float) and not value)


def _names() -> str:
    return ", ".join(repr(cls.name) for cls in SCENARIOS)


def _and(names: Any) -> str:
    return " and ".join(map(arg, names))
