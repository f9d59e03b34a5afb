"""The option --learner: what a flexible learner takes, what it refuses, and how it is fitted."""

from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pulasso.cli.options import (
    MODEL,
    Missing,
    ModelOptions,
    RobustnessOptions,
    SourceOptions,
    TableOptions,
    one_of,
    option,
)

if TYPE_CHECKING:
    from pulasso.cli.load_data import LoadedData

__all__ = [
    "LEARNER",
    "LearnerName",
    "check_missing",
    "given_of",
    "make_learner",
    "refuse_options_of_linear_models",
]

# Of the options that commands share, those that are about coefficients and their penalty.
OF_PENALTY = ("groups", "penalty", "standardize", "leave_indicators")


class LearnerName(StrEnum):
    """What is fitted by the likelihood of observed labels."""

    linear = "linear"
    boosting = "boosting"
    neural = "neural"


LEARNER = option(
    LearnerName.linear,
    MODEL,
    "linear, which can be read, boosting (trees of LightGBM) or neural (a network).",
    metavar="NAME",
    **one_of(LearnerName),
)


def check_missing(learner: LearnerName, table: TableOptions) -> None:
    """Refuse to keep missing values for a model that cannot take them."""
    from pulasso.exceptions import InputError

    if table.missing is Missing.keep and learner is not LearnerName.boosting:
        raise InputError(
            f"--missing keep: a model of --learner {learner} takes no missing values, only boosting does.",
            parameter="missing",
            remedy="Say --missing median (or mean, or drop), or --learner boosting.",
        )


def given_of(options: Any) -> dict[str, bool]:
    """Return which options of a group were given: those that are not at their defaults."""
    defaults: dict[str, Any] = {each.name: each.default for each in fields(options)}
    return {name: getattr(options, name) != default.default for name, default in defaults.items()}


def refuse_options_of_linear_models(
    learner: LearnerName, model: ModelOptions, robustness: RobustnessOptions, given: Mapping[str, bool]
) -> None:
    """Refuse options that a flexible learner has no use for, by name; `given` are those of the command itself."""
    from pulasso.exceptions import InputError

    shared = given_of(model)
    found = {name: shared[name] for name in OF_PENALTY} | {"stability": robustness.stability} | dict(given)
    for name, is_given in found.items():
        if is_given:
            raise InputError(
                f"--{name.replace('_', '-')} is about the linear model, which --learner {learner} does not fit.",
                parameter=name,
                remedy="Leave it out.",
            )


def make_learner(
    learner: LearnerName, seed: int, options: ModelOptions, data: "LoadedData", sources: SourceOptions
) -> Any:
    """Return the unfitted estimator."""
    from pulasso.cli.build_estimator import parse_anchor, what_is_told
    from pulasso.model_selection.learners import LEARNERS

    held = {} if options.anchor is None else {"anchor": parse_anchor(options.anchor)}
    told = what_is_told(options, data, sources)
    return LEARNERS[learner.value].make(response=options.response, random_state=seed, **told, **held)
