"""The options that commands share, each written down once, in groups.

A command names the groups that it takes, `def cv(data: TableOptions, model: ModelOptions, ...)`, and `flat` makes
every field of them an option of its own. Any option can also stand in a file given by `--config`.
"""

import functools
import inspect
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, get_type_hints

import typer

__all__ = [
    "CHOICE",
    "JOBS",
    "MODEL",
    "MODEL_FOLDER",
    "NA",
    "ROBUSTNESS",
    "SEED",
    "SEED_OF_FOLDS",
    "GridOptions",
    "Missing",
    "ModelOptions",
    "OutputOptions",
    "RobustnessOptions",
    "ScenarioName",
    "SourceOptions",
    "TableOptions",
    "flat",
    "one_of",
    "option",
]

DATA, MODEL, CHOICE, OUTPUT = "Data", "Model", "Choice of lam", "Output"
ROBUSTNESS = "How sure is it? (takes many more fits)"


class Missing(StrEnum):
    """What becomes of missing values of features."""

    refuse = "refuse"
    drop = "drop"
    mean = "mean"
    median = "median"
    keep = "keep"


class ScenarioName(StrEnum):
    """How labels came to be."""

    case_control = "case-control"
    single_training_set = "single-training-set"
    fully_observed = "fully-observed"


def one_of(choices: type[StrEnum]) -> dict[str, Any]:
    """Return what an option needs that takes one of a few words: a misspelt one is met with a suggestion."""
    names = [each.value for each in choices]

    def parse(text: str) -> StrEnum:
        from pulasso._messages import did_you_mean

        if text in names:
            return choices(text)
        raise typer.BadParameter(
            f"{text!r} is none of {', '.join(map(repr, names))}.{did_you_mean(text, names)}"
        )

    return {"parser": parse, "autocompletion": lambda: names}


def option(default: Any, panel: str | None, help: str, *names: str, **more: Any) -> Any:
    """Return an option; without names it is called as its parameter, or field of a group."""
    return typer.Option(default, *names, rich_help_panel=panel, help=help, **more)


# Options of several commands that are in no group.
MODEL_FOLDER = typer.Argument(help="Folder of a saved model, as `fit` and `cv` write it.")
SEED = option(0, None, "Of random numbers.")
SEED_OF_FOLDS = option(0, None, "Of random numbers: which row is in which fold.")
JOBS = option(1, None, "Processes; -1 is one for each core.", "--jobs", "-j")
NA = option(None, None, "Text that stands for a missing value.")


@dataclass(frozen=True)
class TableOptions:
    """Which table, and what its columns are."""

    table: Path = typer.Argument(
        help="A table: .csv, .tsv (also .gz), .parquet, .feather, .svmlight or .npz (X and y)."
    )
    label: str | None = option(None, DATA, "Column that holds the class of labelled rows.")
    unlabeled: str | None = option(
        None, DATA, 'What marks unlabeled rows in that column; "" is an empty cell.'
    )
    negative: str | None = option(None, DATA, "Name of class 0; rows labelled so are confirmed negatives.")
    weights: str | None = option(None, DATA, "Column of row weights: 2 counts as the row twice.")
    drop: list[str] | None = option(
        None, DATA, "Columns to leave out, separated by commas; * matches anything."
    )
    keep: list[str] | None = option(None, DATA, "The only columns to use as features.")
    missing: Missing = option(
        Missing.refuse,
        DATA,
        "Missing values of features: refuse, drop (rows), fill in by mean or median, or (boosting only) keep.",
        metavar="HOW",
        **one_of(Missing),
    )
    na: list[str] | None = option(None, DATA, 'Text that stands for a missing value, such as "?".')


@dataclass(frozen=True)
class ModelOptions:
    """What is known about the labels, and what is to be fitted."""

    scenario: ScenarioName | None = option(
        None,
        MODEL,
        "How labels came to be: case-control, single-training-set or fully-observed.",
        metavar="NAME",
        **one_of(ScenarioName),
    )
    prevalence: str | None = option(
        None, MODEL, "Case-control: shares oak=0.2,fir=0.1, one number, or estimate."
    )
    label_frequency: str | None = option(
        None, MODEL, "Single training set: how often members of a class carry their label, or estimate."
    )
    negative_label_frequency: float | None = option(
        None, DATA, "Single training set with confirmed negatives: how often class 0 is confirmed."
    )
    ordered: str | None = option(None, MODEL, 'Order of the classes, class 0 first: "low<mid<high".')
    groups: str | None = option(
        None, MODEL, "rows, entries, or a .csv with the columns column, group and perhaps weight."
    )
    penalty: str | None = option(
        None,
        MODEL,
        "group-lasso (the default), elastic-net, sparse-group-lasso, adaptive-group-lasso, group-scad or group-mcp; "
        "its number after a comma: elastic-net,l1_ratio=0.9.",
    )
    anchor: str | None = option(
        None,
        MODEL,
        "How strongly the model is held to the class shares that prevalence or label frequency tell; 0 does not hold "
        "it. By default 3 where lam is chosen by cross-validation, else 0. cv chooses between several: 0,3.",
    )
    standardize: bool = option(
        True, MODEL, "Penalise per standard deviation.", "--standardize/--no-standardize"
    )
    leave_indicators: bool = option(
        False,
        MODEL,
        "Leave columns of only 0 and 1 on their own scale, where they may be rare (one-hot data).",
        "--leave-indicators",
    )

    @property
    def response(self) -> str:
        """What estimators call the model: ordered classes make it ordinal."""
        return "multinomial" if self.ordered is None else "ordinal"


@dataclass(frozen=True)
class SourceOptions:
    """Rows of several sources, each with its own scenario."""

    source: str | None = option(None, DATA, "Column that says where each row comes from.")
    source_scenario: list[str] | None = option(
        None,
        MODEL,
        "How labels came to be in one source, once for each: records=case-control:0.2 or survey=fully-observed.",
        metavar="HOW",
    )
    reference: str | None = option(
        None,
        MODEL,
        "Let classes be more or less frequent in the other sources than in this one, for whose population predictions "
        "are.",
        metavar="SOURCE",
    )


@dataclass(frozen=True)
class GridOptions:
    """The lams of a path, and how one of them is chosen."""

    n_lams: int = option(100, CHOICE, "Number of lams on the path.", min=1)
    lam_min_ratio: float | None = option(
        None,
        CHOICE,
        "Smallest lam, as a share of the largest. By default 0.05; cross-validation goes further while that pays.",
    )


@dataclass(frozen=True)
class RobustnessOptions:
    """What else to examine, for the report and for the terminal."""

    sensitivity: bool = option(
        False,
        ROBUSTNESS,
        "Fit again under other assumed numbers, from half to twice the odds.",
        "--sensitivity",
    )
    sensitivity_values: str | None = option(
        None,
        ROBUSTNESS,
        'The numbers to try: 0.2,0.3 for all classes, or "oak=0.2,fir=0.1; oak=0.3,fir=0.1".',
    )
    stability: bool = option(
        False, ROBUSTNESS, "Fit subsamples of half the rows: which features are found again?", "--stability"
    )
    subsamples: int = option(100, ROBUSTNESS, "How many subsamples.", min=2)

    @property
    def wants_sweep(self) -> bool:
        """Whether other assumed numbers are to be tried."""
        return self.sensitivity or self.sensitivity_values is not None

    @property
    def wants_any(self) -> bool:
        """Whether anything is to be examined."""
        return self.stability or self.wants_sweep


@dataclass(frozen=True)
class OutputOptions:
    """Where results go."""

    out: Path = option(Path("."), OUTPUT, "Folder for the results; made if it is not there.", "--out", "-o")
    force: bool = option(False, OUTPUT, "Replace results of an earlier run.", "--force", "-f")
    json: bool = option(False, OUTPUT, "Print the result as JSON.", "--json")


def flat(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command in which every field of its groups of options is an option, beside `--config`."""
    hints = get_type_hints(command)
    groups = {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}
    parameters = {}
    for name, own in inspect.signature(command).parameters.items():
        for each in fields(groups[name]) if name in groups else [own]:
            hint = get_type_hints(groups[name])[each.name] if name in groups else hints[name]
            parameters[each.name] = (hint, each.default)
    parameters["config"] = (Path | None, CONFIG)

    @functools.wraps(command)
    def run(*, config: Path | None = None, **given: Any) -> None:
        filled = {
            name: group(**{each.name: given.pop(each.name) for each in fields(group)})
            for name, group in groups.items()
        }
        command(**filled, **given)

    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
            for name, (hint, default) in parameters.items()
        ]
    )
    run.__annotations__ = {}
    return run


# --- options from a file ----------------------------------------------------------------------------------


def read_config(context: typer.Context, path: Path | None) -> Path | None:
    """Make the options of a file, under the names they have on the command line, the defaults of a command."""
    if path is None or context.resilient_parsing:
        return path
    from pulasso._messages import did_you_mean

    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise typer.BadParameter(f"{path}: {error.strerror}.") from None
    except ValueError as error:
        raise typer.BadParameter(f"{path} is not TOML: {error}") from None
    options = [each for each in context.command.params if each.param_type_name == "option"]
    known = {str(each.name).replace("_", "-"): each for each in options if each.name != "config"}
    defaults = {}
    for key, value in given.items():
        name = key.replace("_", "-")
        if name not in known:
            hint = did_you_mean(name, known)
            raise typer.BadParameter(f"{path} sets {key!r}, which is no option of this command.{hint}")
        defaults[str(known[name].name)] = _as_typed(value, several=getattr(known[name], "multiple", False))
    context.default_map = {**(context.default_map or {}), **defaults}
    return path


def _as_typed(value: Any, several: bool) -> Any:
    """Return a value as it would have been typed: a table as oak=0.1,fir=0.2."""
    if isinstance(value, dict) and several:
        return [f"{name}={each}" for name, each in value.items()]
    if isinstance(value, dict):
        return ",".join(f"{name}={number}" for name, number in value.items())
    if several:
        return [str(each) for each in (value if isinstance(value, list) else [value])]
    return value if isinstance(value, bool) else str(value)


CONFIG = typer.Option(
    None,
    "--config",
    callback=read_config,
    is_eager=True,
    help="A .toml file of options: label = 'species'. What is given here as well wins.",
)
