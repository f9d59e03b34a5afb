"""The options that commands share, each written down once, in groups.

A command names the groups that it takes, `def cv(data: TableOptions, model: ModelOptions, ...)`, and `flat`
makes every field of them an option of its own. Any option can also stand in a file given by `--config`.
"""

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from pulasso.cli.config import read_config

__all__ = [
    "CertaintyOptions",
    "GridOptions",
    "Missing",
    "ModelOptions",
    "OutputOptions",
    "ScenarioName",
    "TableOptions",
    "flat",
    "one_of",
]

DATA, MODEL, CHOICE, OUTPUT = "Data", "Model", "Choice of lam", "Output"
CERTAINTY = "How sure is it? (takes many more fits)"


class Missing(StrEnum):
    """What becomes of missing values of features."""

    refuse = "refuse"
    drop = "drop"
    mean = "mean"
    median = "median"


class ScenarioName(StrEnum):
    """How labels came to be."""

    case_control = "case-control"
    single_training_set = "single-training-set"
    fully_observed = "fully-observed"


def _option(*names: str, panel: str, help: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=panel, help=help, **more)


def one_of(choices: type[StrEnum]) -> dict[str, Any]:
    """Return what an option needs that takes one of a few words: a slip of the pen is met with a suggestion."""
    names = [each.value for each in choices]

    def parse(text: str) -> StrEnum:
        if text in names:
            return choices(text)
        close = get_close_matches(text.strip().casefold(), names, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise typer.BadParameter(f"{text!r} is none of {', '.join(map(repr, names))}.{hint}")

    return {"parser": parse, "autocompletion": lambda: names}


@dataclass(frozen=True)
class TableOptions:
    """Which table, and what its columns are."""

    table: Annotated[
        Path,
        typer.Argument(
            help="A table: .csv, .tsv (also .gz), .parquet, .feather, .svmlight or .npz (X and y)."
        ),
    ]
    label: Annotated[
        str | None, _option("--label", panel=DATA, help="Column that holds the class of labelled rows.")
    ] = None
    unlabeled: Annotated[
        str | None,
        _option(
            "--unlabeled", panel=DATA, help='What marks unlabeled rows in that column; "" is an empty cell.'
        ),
    ] = None
    negative: Annotated[
        str | None,
        _option("--negative", panel=DATA, help="Name of class 0; rows labelled so are confirmed negatives."),
    ] = None
    weights: Annotated[
        str | None, _option("--weights", panel=DATA, help="Column of row weights: 2 counts as the row twice.")
    ] = None
    drop: Annotated[
        list[str] | None,
        _option("--drop", panel=DATA, help="Columns to leave out, separated by commas; * matches anything."),
    ] = None
    keep: Annotated[
        list[str] | None, _option("--keep", panel=DATA, help="The only columns to use as features.")
    ] = None
    missing: Annotated[
        Missing,
        _option(
            "--missing",
            panel=DATA,
            metavar="HOW",
            help="Missing values of features: refuse, drop (rows), or fill in by mean or median.",
            **one_of(Missing),
        ),
    ] = Missing.refuse
    na: Annotated[
        list[str] | None,
        _option("--na", panel=DATA, help='Text that stands for a missing value, such as "?".'),
    ] = None


@dataclass(frozen=True)
class ModelOptions:
    """What is known about the labels, and what is to be fitted."""

    scenario: Annotated[
        ScenarioName | None,
        _option(
            "--scenario",
            panel=MODEL,
            metavar="NAME",
            help="How labels came to be: case-control, single-training-set or fully-observed.",
            **one_of(ScenarioName),
        ),
    ] = None
    prevalence: Annotated[
        str | None,
        _option(
            "--prevalence", panel=MODEL, help="Case-control: shares oak=0.2,fir=0.1, one number, or estimate."
        ),
    ] = None
    label_frequency: Annotated[
        str | None,
        _option(
            "--label-frequency",
            panel=MODEL,
            help="Single training set: how often members of a class carry their label, or estimate.",
        ),
    ] = None
    negative_label_frequency: Annotated[
        float | None,
        _option(
            "--negative-label-frequency",
            panel=DATA,
            help="Single training set with confirmed negatives: how often class 0 is confirmed.",
        ),
    ] = None
    ordered: Annotated[
        str | None,
        _option("--ordered", panel=MODEL, help='Order of the classes, class 0 first: "low<mid<high".'),
    ] = None
    groups: Annotated[
        str | None,
        _option(
            "--groups",
            panel=MODEL,
            help="rows, entries, or a .csv with the columns column, group and perhaps weight.",
        ),
    ] = None
    standardize: Annotated[
        bool,
        _option("--standardize/--no-standardize", panel=MODEL, help="Penalise per standard deviation."),
    ] = True


@dataclass(frozen=True)
class GridOptions:
    """The lams of a path, and how one of them is chosen."""

    n_lams: Annotated[int, _option("--n-lams", panel=CHOICE, min=1, help="Number of lams on the path.")] = 100
    lam_min_ratio: Annotated[
        float, _option("--lam-min-ratio", panel=CHOICE, help="Smallest lam, as a share of the largest.")
    ] = 0.05


@dataclass(frozen=True)
class CertaintyOptions:
    """What else to examine, for the report and for the terminal."""

    sensitivity: Annotated[
        bool,
        _option(
            "--sensitivity",
            panel=CERTAINTY,
            help="Fit again under other assumed numbers, from half to twice the odds.",
        ),
    ] = False
    sensitivity_values: Annotated[
        str | None,
        _option(
            "--sensitivity-values",
            panel=CERTAINTY,
            help='The numbers to try: 0.2,0.3 for all classes, or "oak=0.2,fir=0.1; oak=0.3,fir=0.1".',
        ),
    ] = None
    stability: Annotated[
        bool,
        _option(
            "--stability", panel=CERTAINTY, help="Fit halves of the rows: which features are found again?"
        ),
    ] = False
    halves: Annotated[int, _option("--halves", panel=CERTAINTY, min=2, help="How many halves.")] = 100

    @property
    def asks_for_sweep(self) -> bool:
        """Whether other assumed numbers are to be tried."""
        return self.sensitivity or self.sensitivity_values is not None

    @property
    def asks(self) -> bool:
        """Whether anything is to be examined."""
        return self.stability or self.asks_for_sweep


@dataclass(frozen=True)
class OutputOptions:
    """Where results go."""

    out: Annotated[
        Path, _option("--out", "-o", panel=OUTPUT, help="Folder for the results; made if it is not there.")
    ] = Path(".")
    force: Annotated[
        bool, _option("--force", "-f", panel=OUTPUT, help="Replace results of an earlier run.")
    ] = False
    json: Annotated[bool, _option("--json", panel=OUTPUT, help="Print the result as JSON.")] = False


def flat(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command in which every field of its groups of options is an option, beside `--config`."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}
    own = [each for name, each in inspect.signature(command).parameters.items() if name not in groups]
    parameters = [_parameter(name, *rest) for group in groups.values() for name, *rest in _fields_of(group)]
    parameters += [each.replace(annotation=hints[each.name], kind=each.KEYWORD_ONLY) for each in own]
    config = inspect.Parameter("config", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=CONFIG)

    @functools.wraps(command)
    def run(*, config: Path | None = None, **given: Any) -> None:
        filled = {
            name: group(**{each.name: given.pop(each.name) for each in fields(group)})
            for name, group in groups.items()
        }
        command(**filled, **given)

    run.__signature__ = inspect.Signature([*parameters, config])  # type: ignore[attr-defined]
    run.__annotations__ = {}
    return run


CONFIG = Annotated[
    Path | None,
    typer.Option(
        "--config",
        callback=read_config,
        is_eager=True,
        help="A .toml file of options: label = 'species'. What is given here as well wins.",
    ),
]


def _fields_of(group: type) -> list[tuple[str, Any, Any]]:
    hints = get_type_hints(group, include_extras=True)
    return [(each.name, hints[each.name], each.default) for each in fields(group)]


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    empty = inspect.Parameter.empty
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=empty if default is MISSING else default,
        annotation=annotation,
    )
