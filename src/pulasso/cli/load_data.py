"""From a file and the options about it to features, labels and weights."""

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.cli.errors import note, warn
from pulasso.cli.options import Missing, ModelOptions, ScenarioName, SourceOptions, TableOptions
from pulasso.data.column_roles import row_weights, split_columns, take_source
from pulasso.data.inputs import check_weight
from pulasso.data.label_checks import LabelColumn, label_warnings, read_label_column
from pulasso.data.labels import Labels, encode_labels
from pulasso.data.missingness import missingness_warning, refuse_missing
from pulasso.data.recipe import Recipe, learn_recipe
from pulasso.data.tables import Table, file_hash, read_table
from pulasso.exceptions import InputError
from pulasso.scenarios import LabelCounts

__all__ = ["LoadedData", "load_data", "load_table"]


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
    source : array of shape (n_rows,), or None
        Where each row comes from.
    """

    x: Any
    column: LabelColumn
    weight: NDArray | None
    rows: NDArray
    recipe: Recipe | None
    description: dict[str, Any]
    hidden: bool
    source: NDArray | None = None

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
        return LabelCounts.from_codes(self.labels.codes, self.labels.classes, weight, self.source)

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


def load_data(
    options: TableOptions, model: ModelOptions, sources: SourceOptions = SourceOptions(None, None, None)
) -> LoadedData:
    """Read the table and sort its columns into label, weights, source and features."""
    table = load_table(options.table, label=options.label, na=options.na)
    about = {"file": options.table.name, "sha256": file_hash(options.table), "label": options.label}
    if table.frame is not None:
        data = _from_frame(table, options, model, sources.source, about)
    elif sources.source is not None:
        raise InputError(f"{options.table} is a matrix without column names.", parameter="source")
    else:
        data = _from_matrix(table, options, model, about)
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
    table: Table, options: TableOptions, model: ModelOptions, named: str | None, about: dict[str, Any]
) -> LoadedData:
    source, features = take_source(table.frame, named, options.label, options.table)
    label, weights, frame = split_columns(
        features,
        options.label,
        weights=options.weights,
        keep=options.keep or (),
        drop=options.drop or (),
        path=options.table,
    )
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
        source = None if source is None else source[complete]
    recipe = learn_recipe(frame, options.missing, options.table)
    about |= {"source": named} if named else {}
    about |= {"weights": options.weights, "missing": options.missing.value, "columns": recipe.to_json()}
    weight = None if weights is None else row_weights(weights)
    return LoadedData(recipe.encode(frame), column, weight, rows, recipe, about, hidden, source)


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
