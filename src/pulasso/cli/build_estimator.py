"""From options to the arguments of an estimator."""

import re
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from pulasso._messages import did_you_mean, listed
from pulasso.cli.errors import note, show_parameter
from pulasso.cli.load_data import LoadedData
from pulasso.cli.options import ModelOptions, ScenarioName, SourceOptions
from pulasso.data.inputs import check_weight
from pulasso.data.recipe import read_groups
from pulasso.exceptions import InputError
from pulasso.penalties import Groups, Penalty, as_penalty
from pulasso.scenarios import SingleTrainingSet, Sources, as_scenario

__all__ = ["estimator_settings", "parse_numbers", "parse_penalty", "what_is_told"]

SCENARIOS = (
    "Say how labels came to be: --scenario case-control (labelled rows were collected class by class, beside a sample "
    "of everybody; needs --prevalence), single-training-set (one sample, in which some rows got their label; needs "
    "--label-frequency), or fully-observed (no label means class 0 for certain)."
)
MEANINGS = {
    "prevalence": "the share of each class in the population",
    "label_frequency": "how often a member of the class carries its label",
}
NO_SOURCES = SourceOptions(None, None, None)
NUMBER_OF = {ScenarioName.case_control: "prevalence", ScenarioName.single_training_set: "label_frequency"}
SHARE = re.compile(r"(.+?)=([^=,]+?)(?:,|$)")


def what_is_told(
    options: ModelOptions, data: LoadedData, sources: SourceOptions = NO_SOURCES
) -> dict[str, Any]:
    """Return what any estimator is told of labels; refuses numbers as a fit would, before anything is computed."""
    known = scenario_of_sources(options, sources, data) or _scenario(options, data)
    scenario = as_scenario(**known)
    if isinstance(scenario, Sources):
        scenario.check_rows(data.source, check_weight(data.weight, data.x))
        scenario.label_model(data.label_counts, source=data.source)
    elif scenario.asks_for is None or not isinstance(getattr(scenario, scenario.asks_for), str):  # "estimate"
        scenario.label_model(data.label_counts)
    return {**known, **data.column.settings}


def estimator_settings(
    options: ModelOptions, data: LoadedData, sources: SourceOptions = NO_SOURCES
) -> dict[str, Any]:
    """Return keyword arguments for an estimator of coefficients."""
    told = what_is_told(options, data, sources)
    standardize = "auto" if options.standardize and options.leave_indicators else options.standardize
    how = {"groups": _groups(options, data), "standardize": standardize}
    if options.anchor is not None:
        how["anchor"] = parse_anchor(options.anchor)
    if options.penalty is not None:
        how["penalty"] = parse_penalty(options.penalty)
    return {**told, **how}


def parse_anchor(text: str) -> float | tuple[float, ...]:
    """Return one strength of the anchor, or several to choose from."""
    try:
        numbers = tuple(float(each) for each in text.split(","))
    except ValueError:
        raise InputError(
            f"{show_parameter('anchor')} {text} is neither a number nor numbers with commas between them.",
            parameter="anchor",
            remedy="For example 3, or 0,3 for cross-validation to choose from.",
        ) from None
    return numbers if len(numbers) > 1 else numbers[0]


# --- the scenario and its number --------------------------------------------------------------------------


def _scenario(options: ModelOptions, data: LoadedData) -> dict[str, Any]:
    """Return scenario= and the numbers that were given."""
    given = {name: getattr(options, name) for name in MEANINGS if getattr(options, name) is not None}
    scenario = options.scenario
    if scenario is None:
        if len(given) != 1:
            raise InputError(SCENARIOS, parameter="scenario")
        scenario = next(each for each, name in NUMBER_OF.items() if name in given)
        note(f"Scenario: {scenario}, the one that {show_parameter(*given)} belongs to.")
    wanted = NUMBER_OF.get(scenario)
    if wanted is not None and not given:
        raise _number_missing(scenario, wanted, data)
    classes = data.labels.classes[1:].tolist()
    numbers = {name: parse_numbers(text, name, classes) for name, text in given.items()}
    confirmed = options.negative_label_frequency
    if (
        confirmed is not None
        and scenario.value == SingleTrainingSet.name
        and [*numbers] == ["label_frequency"]
    ):
        return {"scenario": SingleTrainingSet(**numbers, negative_label_frequency=confirmed)}
    return {"scenario": scenario.value, **numbers}


def scenario_of_sources(options: ModelOptions, sources: SourceOptions, data: LoadedData) -> dict[str, Any]:
    """Return scenario=Sources(...) from records=case-control:oak=0.2 and the like; nothing where there is no source."""
    if sources.source is None:
        for name in ("source_scenario", "reference"):
            if getattr(sources, name):
                option = f"--{name}".replace("_", "-")
                raise InputError(f"{option} needs --source, the column of sources.", parameter=name)
        return {}
    told = [
        name
        for name in ("scenario", *MEANINGS, "negative_label_frequency")
        if getattr(options, name) is not None
    ]
    if told:
        raise InputError(
            f"{show_parameter(told[0])} is about all rows, and with --source each source has its own scenario.",
            parameter=told[0],
            remedy="Say it by --source-scenario.",
        )
    classes = data.labels.classes[1:].tolist()
    found = dict(_read_source(text, classes) for text in sources.source_scenario or ())
    shift = None if sources.reference is None else "intercept"
    if not found:
        names = listed(sorted(set(data.source)))  # type: ignore[arg-type]
        raise InputError(
            f"--source {sources.source} has the sources {names}: say how labels came to be in each.",
            parameter="source_scenario",
            remedy="For example --source-scenario records=case-control:0.2 --source-scenario survey=fully-observed.",
        )
    return {"scenario": Sources(found, shift, sources.reference)}


def _read_source(text: str, classes: Sequence[Any]) -> tuple[str, Any]:
    """Read records=case-control:oak=0.2,fir=0.1."""
    source, _, rest = text.partition("=")
    name, _, numbers = (each.strip() for each in rest.partition(":"))
    if name not in list(ScenarioName):
        raise InputError(
            f"--source-scenario {text!r}: {name!r} is none of {', '.join(ScenarioName)}."
            f"{did_you_mean(name, list(ScenarioName))}",
            parameter="source_scenario",
            remedy="Write records=case-control:oak=0.2,fir=0.1, or survey=fully-observed.",
        )
    wanted = NUMBER_OF.get(ScenarioName(name))
    if (wanted is None) == bool(numbers):
        needs = f"needs {MEANINGS[wanted]}, after a colon" if wanted else "takes no number"
        raise InputError(f"--source-scenario {text!r}: {name} {needs}.", parameter="source_scenario")
    known = {} if wanted is None else {wanted: parse_numbers(numbers, wanted, classes)}
    return source.strip(), as_scenario(name, **known)


def _number_missing(scenario: ScenarioName, wanted: str, data: LoadedData) -> InputError:
    classes, option = data.labels.classes[1:].tolist(), show_parameter(wanted)
    example = ",".join(f"{name}={0.1 * (1 + i % 3):.1f}" for i, name in enumerate(classes))
    found = listed([f"{name!r} ({data.counts[name]} rows)" for name in classes], show=str)
    return InputError(
        f"--scenario {scenario} needs {option}, {MEANINGS[wanted]}: one number for each of {found}.",
        parameter=wanted,
        remedy=f"For example {option} {example}, with your numbers, from a census, a pilot study or the literature. "
        f"{option} estimate has it estimated from the table, which is far less sure.",
    )


def parse_numbers(text: str, name: str, classes: Sequence[Any]) -> Any:
    """Read 0.1, 10%, oak=0.2,fir=0.1 or estimate; names that are no classes are left to the scenario."""
    option = f"--{name}".replace("_", "-")
    if text.strip() == "estimate":
        return "estimate"
    if "=" not in text:
        return _share(text, name)
    if SHARE.sub("", text).strip():
        raise InputError(
            f"{option} {text!r} cannot be read; write class=number,class=number.", parameter=name
        )
    # Spaces around a name count only where two classes differ by nothing else.
    by_text = {str(each).strip(): each for each in classes} | {str(each): each for each in classes}
    return {
        by_text.get(label, by_text.get(label.strip(), label.strip())): _share(number, name)
        for label, number in SHARE.findall(text)
    }


def _share(text: str, name: str) -> float:
    """Read 0.33 or 33%; a number that must be meant in percent is not taken for a share."""
    text, option = text.strip(), f"--{name}".replace("_", "-")
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100.0
        number = float(text)
    except ValueError:
        raise InputError(
            f"{option}: {text!r} is no number. Write one for all classes, or class=number,class=number.",
            parameter=name,
        ) from None
    if 2.0 <= number <= 100.0:
        raise InputError(
            f"{option} {text}: a share lies between 0 and 1. Did you mean {number / 100:g}?", parameter=name
        )
    return number


# --- penalty and groups -----------------------------------------------------------------------------------------------


def parse_penalty(text: str) -> Penalty:
    """Read elastic-net or elastic-net,l1_ratio=0.9."""
    name, _, rest = text.partition(",")
    penalty = as_penalty(name.strip())
    if not rest:
        return penalty
    key, _, number = (each.strip() for each in rest.partition("="))
    takes = {each.name for each in fields(penalty)}  # type: ignore[arg-type]
    try:
        return type(penalty)(**{{each: each for each in takes}[key.replace("-", "_")]: float(number)})
    except (KeyError, ValueError) as error:
        why = f": {error}" if isinstance(error, InputError) else "."
        advice = f"Write {name},{takes.pop()}=NUMBER" if takes else f"{name} takes no number"
        raise InputError(f"--penalty {text!r} cannot be read{why} {advice}.", parameter="penalty") from None


def _groups(options: ModelOptions, data: LoadedData) -> Any:
    """Return groups=: as asked for, with all features of one categorical column together."""
    default = "rows" if options.ordered is None else "entries"
    asked: Any = options.groups or default
    sets = {} if data.recipe is None else data.recipe.categories
    weights: dict[str, float] = {}
    if asked not in ("rows", "entries"):
        sets, weights = read_groups(Path(asked), data.recipe)
        asked = default
    return Groups.from_columns(sets, weights=weights or None, rest=asked) if sets else asked
