"""What is said about labelling that is to be fitted: columns that cannot serve, and what the data can tell."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import listed, warn
from pulasso.data.pu_data import PUData
from pulasso.estimators._row_labelling import RowLabelling, Selection
from pulasso.exceptions import IdentifiabilityWarning, ScenarioError
from pulasso.problem import Problem
from pulasso.scenarios import FullyObserved, SelectedLabelling, Sources

__all__ = ["check_columns", "what_is_told", "words_about_level"]

NEARLY_ALL, LARGEST_LOG_ODDS = 0.99, 100.0


def check_columns(data: PUData, scenario: SelectedLabelling) -> tuple[str, ...]:
    """Refuse columns that are constant, and warn of those that part labelled from unlabeled rows."""
    w, effort = scenario.effort(data.x, data.feature_names)
    counted = data.weight > 0
    if np.abs(effort[counted]).max(initial=0.0) > LARGEST_LOG_ODDS:
        raise ScenarioError(
            f"offset={scenario.offset!r} is added to log odds and holds values beyond {LARGEST_LOG_ODDS:g}, which is "
            "certainty.",
            parameter="offset",
            remedy="Give the logarithm of the effort.",
        )
    w, labeled = w[counted], data.codes[counted] > 0
    constant = [name for name, each in zip(scenario.columns, w.T, strict=True) if np.ptp(each) == 0]
    if constant:
        raise ScenarioError(
            f"columns names {listed(constant)}, which {'is' if len(constant) == 1 else 'are'} the same in every row: "
            "labelling cannot depend on it.",
            parameter="columns",
            remedy="Leave it out; without any column, SingleTrainingSet is the scenario.",
        )
    apart = [
        name
        for name, each in zip(scenario.columns, w.T, strict=True)
        if labeled.any() and not labeled.all() and _part(each[labeled], each[~labeled])
    ]
    if not apart:
        return ()
    words = (
        f"Column {listed(apart)} parts all labelled rows from all unlabeled ones: where nobody looked, nothing tells "
        "the classes. The effect in the propensity is as large as its lam allows, and classes of unlabeled rows "
        "are read off the labelled ones. Check that the column was not made from the labels."
    )
    return (warn(words, IdentifiabilityWarning),)


def _part(one: NDArray, other: NDArray) -> bool:
    return bool(one.min() > other.max() or one.max() < other.min())


def what_is_told(problem: Problem, labelling: RowLabelling) -> tuple[str, tuple[str, ...]]:
    """Return what the data can tell, in words, and the warning if it is nothing; refuse that unless it is allowed."""
    found: list[str] = []
    said: list[str] = []
    for name, _, part in labelling.parts:
        words, about = _of_part(problem, part, labelling.scenario)
        found.append(words if name is None else f"{name}: {words}")
        said.extend(about)
    return " ".join(found), tuple(said)


def _of_part(problem: Problem, part: Selection, scenario: Any) -> tuple[str, tuple[str, ...]]:
    own, blocks, data = part.scenario, problem.blocks, part.data
    columns = own.positions(data.n_features, data.feature_names)[: len(own.columns)]
    others = scenario.scenarios.values() if isinstance(scenario, Sources) else ()
    holds, words = own.identification(
        len(data.classes) - 1,
        excluded=bool(blocks.is_excluded[blocks.index[columns]].all(axis=1).any()),
        told_shares=problem.anchor is not None and problem.anchor.is_active,
        confirmed_negatives=bool(data.counts.n_labeled[0] > 0)
        or any(isinstance(each, FullyObserved) for each in others),
    )
    if holds:
        return words, ()
    if not own.allow_unidentified:
        raise ScenarioError(
            words,
            parameter="scenario",
            remedy="If the columns decide who is looked at but not who belongs to a class, say excluded=True. Else "
            "tell the class shares (prevalence=, and anchor= of the estimator), or give confirmed negatives. "
            "allow_unidentified=True fits all the same.",
        )
    return words, (warn(f"{words} It was fitted because allow_unidentified=True.", IdentifiabilityWarning),)


def words_about_level(labelling: RowLabelling, gamma: NDArray) -> tuple[str, ...]:
    """Warn where nearly all members of a class are said to be labelled: then labelling has no part in the model."""
    model = labelling.model(gamma)
    for _, rows, part in labelling.parts:
        log_share = (model.log_labeled - model.log_total)[rows, 1:]
        frequency = part.weight / part.weight.sum() @ np.exp(log_share)
        if not part.scenario.sampled_by_label and (frequency > NEARLY_ALL).any():
            words = (
                f"By the fit more than {100 * NEARLY_ALL:g} % of the members of a class would be labelled, and "
                "unlabeled rows are read as class 0: the data hardly show how many are hidden. If the share of "
                "labelled members or that of the class is known, give label_frequency= or prevalence= of the scenario, "
                "with anchor=."
            )
            return (warn(words, IdentifiabilityWarning),)
    return ()
