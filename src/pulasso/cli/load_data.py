"""From a file and the options about it to features, labels and weights."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import did_you_mean, listed
from pulasso.cli.errors import note, warn
from pulasso.cli.options import Missing, ModelOptions, ScenarioName, TableOptions
from pulasso.data.inputs import check_weight
from pulasso.data.label_checks import LabelColumn, label_warnings, read_label_column
from pulasso.data.labels import Labels, encode_labels
from pulasso.data.missingness import missingness_warning, refuse_missing
from pulasso.data.recipe import Recipe, learn_recipe
from pulasso.data.tables import Table, file_hash, read_table
from pulasso.exceptions import InputError
from pulasso.scenarios import LabelCounts

if TYPE_CHECKING:
    from pandas import DataFrame, Series

__all__ = ["LoadedData", "column_weight", "load_data", "load_table"]


@dataclass(frozen=True)
class LoadedData:
    """Data ready for an estimator.

    Attributes
    ----------
    x : DataFrame, array or sparse matrix
    column : LabelColumn
        Observed labels, and the arguments of estimators that explain them.
    weight : array of shape (n_rows,), or None
    rows : array of shape (n_rows,)
        Numbers of the rows in the file, from 1; rows that were dropped are missing here.
    recipe : Recipe or None
        How columns became features; None for matrices.
    description : dict
        What a saved model should remember of its table.
    hidden : bool
        Whether members of other classes may be among the unlabeled rows.
    """

    x: Any
    column: LabelColumn
    weight: NDArray | None
    rows: NDArray
    recipe: Recipe | None
    description: dict[str, Any]
    hidden: bool

    @cached_property
    def labels(self) -> Labels:
        """Classes and codes; labels are refused as a fit would do."""
        weight = check_weight(self.weight, self.x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the fit gives them
            ordered = "class_order" in self.column.settings
            return encode_labels(self.column.y, sample_weight=weight, ordered=ordered, **self.column.settings)

    @property
    def label_counts(self) -> LabelCounts:
        """Weighted counts of the labels, as a scenario takes them."""
        weight = check_weight(self.weight, self.x)
        return LabelCounts.from_codes(self.labels.codes, self.labels.classes, weight)

    @property
    def counts(self) -> dict[Any, int]:
        """Rows of each class but class 0, of confirmed negatives if there are some, and of those without a label."""
        negative, *positive = self.labels.classes.tolist()
        unlabeled, *labeled, confirmed = np.bincount(self.labels.codes, minlength=len(positive) + 2).tolist()
        found = dict(zip(positive, labeled, strict=True))
        if self.labels.has_negatives:
            found[negative] = confirmed
        return {**found, "unlabeled" if self.hidden else negative: unlabeled}

    def __str__(self) -> str:
        where = f"{self.description['file']}: {self.x.shape[0]} rows, {self.x.shape[1]} features"
        return f"{where}; {', '.join(f'{name} {count}' for name, count in self.counts.items())}"


def load_data(options: TableOptions, model: ModelOptions) -> LoadedData:
    """Read the table and sort its columns into label, weights and features."""
    table = load_table(options.table, label=options.label, na=options.na)
    about = {"file": options.table.name, "sha256": file_hash(options.table), "label": options.label}
    data = (_from_matrix if table.frame is None else _from_frame)(table, options, model, about)
    _ = data.labels  # refuses labels that contradict the options
    for message in label_warnings(data.column.y, data.column.settings.get("class_order")):
        warn(message)
    return data


def load_table(path: Path, *, na: list[str] | None, **how: Any) -> Table:
    """Read a file; says what is unusual about it."""
    table = read_table(path, na=na or [], **how)
    for words in table.notes:
        note(words)
    return table


def _from_matrix(
    table: Table, options: TableOptions, model: ModelOptions, about: dict[str, Any]
) -> LoadedData:
    unused = [name for name in ("weights", "drop", "keep") if getattr(options, name)]
    if unused:
        raise InputError(
            f"{options.table} is a matrix without column names; --{unused[0]} needs names.",
            parameter=unused[0],
        )
    if table.labels is None:
        raise InputError(
            f"{options.table} holds no labels; put them into the file as y, or name them by --label.",
            parameter="label",
        )
    n_rows, n_features = table.matrix.shape
    column, hidden = _read_labels(table.labels, options, model)
    about |= {"n_features": n_features}
    return LoadedData(table.matrix, column, None, np.arange(1, n_rows + 1), None, about, hidden)


def _from_frame(
    table: Table, options: TableOptions, model: ModelOptions, about: dict[str, Any]
) -> LoadedData:
    label, weights, frame = _take_columns(table.frame, options)
    column, hidden = _read_labels(label, options, model)
    rows = np.arange(1, len(frame) + 1)
    if options.missing == Missing.refuse:
        refuse_missing(frame, options.table)
    elif (message := missingness_warning(frame, column.is_unlabeled, options.missing)) is not None:
        warn(message)
    complete = (
        frame.notna().all(axis=1).to_numpy() if options.missing == Missing.drop else np.ones(len(rows), bool)
    )
    if not complete.all():
        note(f"{(~complete).sum()} of {len(rows)} rows have missing values and are left out.")
        frame, column, rows = frame[complete], replace(column, y=column.y[complete]), rows[complete]
        weights = None if weights is None else weights[complete]
    recipe = learn_recipe(frame, options.missing, options.table)
    about |= {"weights": options.weights, "missing": options.missing.value, "columns": recipe.to_json()}
    weight = column_weight(weights, options.weights)
    return LoadedData(recipe.encode(frame), column, weight, rows, recipe, about, hidden)


def _read_labels(values: Any, options: TableOptions, model: ModelOptions) -> tuple[LabelColumn, bool]:
    """Return the labels, and whether members of classes may be hidden among those without one."""
    hidden = model.scenario is not ScenarioName.fully_observed
    column = read_label_column(
        values,
        unlabeled=options.unlabeled,
        negative=options.negative,
        class_order=None if model.ordered is None else parse_order(model.ordered),
        name=options.label or "y",
        hidden=hidden,
    )
    if column.guess is not None:
        note(column.guess)
    return column, hidden


def parse_order(text: str) -> list[str]:
    """Return the classes of "low<mid<high"."""
    classes = [each.strip() for each in text.split("<")]
    if len(classes) < 2 or not all(classes):
        raise InputError(
            f'--ordered {text!r}: write the classes from lowest to highest with < between them, "low<mid<high". '
            "The first one is class 0.",
            parameter="class_order",
        )
    return classes


# --- columns ----------------------------------------------------------------------------------------------


def _take_columns(frame: Any, options: TableOptions) -> "tuple[Series, Series | None, DataFrame]":
    """Return label, weights and the columns that are features."""
    frame = frame.rename(columns=str)
    names, path = list(frame.columns), options.table
    if options.label is None:
        raise InputError(
            f"--label is needed: which column of {path} holds the labels? It has {listed(names)}.",
            parameter="label",
        )
    for option, name in (("label", options.label), ("weights", options.weights)):
        if name is not None and name not in names:
            raise _no_column(option, name, names, path)
    if options.weights == options.label:
        raise InputError(
            f"--weights and --label both name {options.label!r}. Name the column that holds numbers, or leave "
            "--weights out: then all rows count alike.",
            parameter="weights",
        )
    others = [name for name in names if name not in (options.label, options.weights)]
    if options.keep:
        others = _find_columns("keep", options.keep, others, path)
    if options.drop:
        dropped = _find_columns("drop", options.drop, others, path)
        others = [name for name in others if name not in dropped]
    # Taking columns out leaves the others where they are; selecting the others would copy them.
    label = frame.pop(options.label)
    weights = None if options.weights is None else frame.pop(options.weights)
    return label, weights, frame if list(frame.columns) == others else frame[others]


def _find_columns(option: str, patterns: Sequence[str], names: Sequence[str], path: Path) -> list[str]:
    """Return the columns that an option names, one by one, by commas, or by patterns such as soil_*."""
    found: list[str] = []
    for pattern in patterns:
        # A name with a comma in it is taken as it stands.
        for part in [pattern] if pattern in names else [each.strip() for each in pattern.split(",")]:
            matched = [name for name in names if part == name or fnmatchcase(name, part)]
            if not matched and part:
                raise _no_column(option, part, names, path)
            found.extend(name for name in matched if name not in found)
    return found


def _no_column(option: str, name: str, names: Sequence[str], path: Path) -> InputError:
    hint = did_you_mean(name, names)
    return InputError(
        f"--{option}: {path} has no column {name!r}.{hint} Its columns are {listed(names)}.", parameter=option
    )


def column_weight(column: "Series | None", name: Any) -> NDArray | None:
    """Return a column of row weights as numbers."""
    if column is None:
        return None
    try:
        return column.to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"--weights: column {name!r} holds something that is not a number.", parameter="weights"
        ) from None
