"""From options to the arguments of an estimator."""

import re
import shlex
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pulasso._messages import listed
from pulasso.cli.labels import Observed
from pulasso.cli.names import suggestion
from pulasso.cli.oddities import say_what_is_odd
from pulasso.cli.options import ModelOptions, ScenarioName
from pulasso.cli.preparing import Prepared
from pulasso.cli.running import CommandError, note, warn

__all__ = ["known_scenario", "make_settings", "parse_shares", "positive_classes"]

SCENARIOS = (
    "Say how labels came to be: --scenario case-control (labelled rows were collected class by class, beside a sample "
    "of everybody; needs --prevalence), single-training-set (one sample, in which some rows got their label; needs "
    "--label-frequency), or fully-observed (no label means class 0 for certain)."
)
WANTED = {
    ScenarioName.case_control: ("prevalence", "the share of each class in the population"),
    ScenarioName.single_training_set: (
        "label_frequency",
        "how often a member of the class carries its label",
    ),
}
SHARE = re.compile(r"\s*(.+?)\s*=\s*([^=,]+?)\s*(?:,|$)")


def make_settings(options: ModelOptions, prepared: Prepared) -> dict[str, Any]:
    """Return keyword arguments for an estimator of the response that was asked for."""
    observed = prepared.observed
    for words in say_what_is_odd(observed, options.ordered is not None):
        warn(words)
    scenario = known_scenario(options, observed)
    _check(scenario, prepared, options.ordered is not None)
    return {
        **scenario,
        **observed.settings,
        "groups": _groups(options, prepared),
        "standardize": options.standardize,
    }


def _check(scenario: dict[str, Any], prepared: Prepared, ordered: bool) -> None:
    """Refuse labels and numbers as a fit would, before anything else is looked at."""
    from pulasso.data.inputs import check_weight
    from pulasso.data.labels import encode_labels
    from pulasso.scenarios import LabelCounts, as_scenario

    weight = check_weight(prepared.weight, prepared.x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit gives them
        labels = encode_labels(
            prepared.observed.y, sample_weight=weight, ordered=ordered, **prepared.observed.settings
        )
    found = as_scenario(**scenario)
    if found.asks_for is None or not isinstance(getattr(found, found.asks_for), str):  # "estimate"
        found.label_model(LabelCounts.from_codes(labels.codes, labels.classes, weight))


# --- the scenario and its number --------------------------------------------------------------------------


def known_scenario(options: ModelOptions, observed: Observed) -> dict[str, Any]:
    """Return scenario= and its number."""
    scenario = options.scenario or _guess_scenario(options)
    wanted, meaning = WANTED.get(scenario, (None, ""))
    for name in ("prevalence", "label_frequency"):
        if name != wanted and getattr(options, name) is not None:
            needs = f"needs {_flag(wanted)}" if wanted else "needs no number"
            raise CommandError(
                f"{_flag(name)} does not go with --scenario {scenario.value}, which {needs}. {SCENARIOS}"
            )
    if wanted is None:
        return {"scenario": scenario.value}
    text = getattr(options, wanted)
    if text is None:
        raise CommandError(_number_missing(scenario, wanted, meaning, observed))
    number = _parse_number(text, wanted, observed)
    if options.negative_label_frequency is not None and scenario is ScenarioName.single_training_set:
        from pulasso.scenarios import SingleTrainingSet

        return {"scenario": SingleTrainingSet(number, options.negative_label_frequency)}
    return {"scenario": scenario.value, wanted: number}


def _guess_scenario(options: ModelOptions) -> ScenarioName:
    """Take the scenario whose number was given."""
    if (options.prevalence is None) == (options.label_frequency is None):
        raise CommandError(SCENARIOS)
    scenario = ScenarioName.single_training_set if options.prevalence is None else ScenarioName.case_control
    note(f"Scenario: {scenario.value}, the one that {_flag(WANTED[scenario][0])} belongs to.")
    return scenario


def _number_missing(scenario: ScenarioName, wanted: str, meaning: str, observed: Observed) -> str:
    classes = positive_classes(observed)
    example = ",".join(f"{name}={0.1 * (1 + i % 3):.1f}" for i, name in enumerate(classes))
    found = listed([f"{name!r} ({observed.counts[name]} rows)" for name in classes], show=str)
    return (
        f"--scenario {scenario.value} needs {_flag(wanted)}, {meaning}: one number for each of {found}. For example "
        f"{_flag(wanted)} {example}, with your numbers, from a census, a pilot study or the literature. "
        f"{_flag(wanted)} estimate has it estimated from the table, which is far less sure."
    )


def _parse_number(text: str, wanted: str, observed: Observed) -> Any:
    """Read 0.1, oak=0.2,fir=0.1 or estimate."""
    if text.strip() == "estimate":
        return "estimate"
    if "=" not in text:
        try:
            return _share(text, wanted)
        except ValueError:
            shares = ",".join(f"{name}=..." for name in positive_classes(observed))
            raise CommandError(
                f"{_flag(wanted)} {text!r} is neither a number, nor {shares}, nor the word estimate."
            ) from None
    classes = positive_classes(observed)
    found = parse_shares(text, wanted, classes, observed.marker)
    lacking = [name for name in classes if name not in found]
    if lacking:
        example = ",".join(f"{name}={found.get(name, 0.1):g}" for name in classes)
        raise CommandError(
            f"{_flag(wanted)} has no number for {listed(lacking)}, and every class needs one. For example "
            f"{_flag(wanted)} {shlex.quote(example)}, with your number."
        )
    return found


def parse_shares(text: str, wanted: str, classes: Sequence[Any], marker: Any = None) -> dict[Any, float]:
    """Read oak=0.2,fir=0.1 for these classes; `marker` is what marks unlabeled rows."""
    pairs = SHARE.findall(text)
    if SHARE.sub("", text).strip():
        raise CommandError(f"{_flag(wanted)} {text!r} cannot be read; write class=number,class=number.")
    return {_class(name, wanted, classes, marker): _number(number, name, wanted) for name, number in pairs}


def _class(name: str, wanted: str, classes: Sequence[Any], marker: Any) -> Any:
    for label in classes:
        if str(label) == name:
            return label
    other = "marks unlabeled rows" if name == str(marker) else "is no class of the table"
    raise CommandError(
        f"{_flag(wanted)}: {name!r} {other}.{suggestion(name, classes)} The classes are {listed(classes)}."
    )


def _number(text: str, name: str, wanted: str) -> float:
    try:
        return _share(text, wanted)
    except ValueError:
        raise CommandError(f"{_flag(wanted)}: {text!r} for {name!r} is not a number.") from None


def _share(text: str, wanted: str) -> float:
    """Read 0.33 or 33%; a number that must be meant in percent is not taken for a share."""
    if text.strip().endswith("%"):
        return float(text.strip()[:-1]) / 100.0
    number = float(text)
    if 2.0 <= number <= 100.0:
        raise CommandError(
            f"{_flag(wanted)} {text.strip()}: a share lies between 0 and 1. Did you mean {number / 100:g}?"
        )
    return number


def positive_classes(observed: Observed) -> list[Any]:
    """Return all classes of the table but class 0."""
    return [name for name in observed.counts if name != observed.settings.get("negative")]


def _flag(name: str | None) -> str:
    return f"--{name}".replace("_", "-")


# --- groups -----------------------------------------------------------------------------------------------


def _groups(options: ModelOptions, prepared: Prepared) -> Any:
    """Return groups=: as asked for, with all features of one categorical column together."""
    from pulasso.penalties import Groups

    default = "rows" if options.ordered is None else "entries"
    asked = options.groups or default
    sets: Mapping[str, list[str]] = {} if prepared.recipe is None else prepared.recipe.categories
    weights = None
    if asked not in ("rows", "entries"):
        sets, weights = _read_groups(Path(asked), prepared)
        asked = default
    if not sets:
        return asked
    return Groups.from_columns(
        sets, weights=weights or None, rest="entries" if asked == "entries" else "rows"
    )


def _read_groups(path: Path, prepared: Prepared) -> tuple[dict[str, list[str]], dict[str, float]]:
    """Read a table of column, group and perhaps weight; columns it leaves out are groups of their own."""
    from pulasso.cli.reading import read_table

    if prepared.recipe is None:
        raise CommandError(f"--groups {path} names columns, but the table is a matrix without names.")
    frame = read_table(path).frame
    if frame is None or not {"column", "group"} <= set(frame.columns):
        raise CommandError(
            f"--groups {path} must be a table with the columns column, group and perhaps weight."
        )
    outputs = {each.name: each.outputs for each in prepared.recipe.columns}
    unknown = [name for name in frame["column"].map(str) if name not in outputs]
    if unknown:
        raise CommandError(
            f"--groups {path} names {listed(unknown)}, which is no feature of the table."
            f"{suggestion(unknown[0], outputs)}"
        )
    sets: dict[str, list[str]] = {}
    for column, group in zip(frame["column"].map(str), frame["group"].map(str), strict=True):
        sets.setdefault(group, []).extend(outputs[column])
    named = {each for members in sets.values() for each in members}
    for name, members in prepared.recipe.categories.items():
        if members[0] not in named:
            sets[name] = members
    weights = {}
    if "weight" in frame.columns:
        given = frame.dropna(subset=["weight"])
        try:
            weights = dict(zip(given["group"].map(str), given["weight"].map(float), strict=True))
        except (TypeError, ValueError):
            raise CommandError(f"--groups {path} holds a weight that is not a number.") from None
    return sets, weights
