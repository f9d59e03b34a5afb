"""From a file and the options about it to features, labels and weights."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import listed
from pulasso.cli.gaps import warn_of_telling_gaps
from pulasso.cli.labels import Observed, read_labels
from pulasso.cli.names import find_column, find_columns
from pulasso.cli.options import Missing, ModelOptions, ScenarioName, TableOptions
from pulasso.cli.reading import Table, file_hash, read_table
from pulasso.cli.recipe import Recipe, learn_recipe, refuse_missing
from pulasso.cli.running import CommandError, note

if TYPE_CHECKING:
    from pandas import DataFrame, Series

__all__ = ["Prepared", "column_weight", "prepare"]


@dataclass(frozen=True)
class Prepared:
    """Data ready for an estimator.

    Attributes
    ----------
    x : DataFrame, array or sparse matrix
    observed : Observed
    weight : array of shape (n_rows,), or None
    rows : array of shape (n_rows,)
        Numbers of the rows in the file, from 1; rows that were dropped are missing here.
    recipe : Recipe or None
        How columns became features; None for matrices.
    description : dict
        What a saved model should remember of its table.
    """

    x: Any
    observed: Observed
    weight: NDArray | None
    rows: NDArray
    recipe: Recipe | None
    description: dict[str, Any]

    def __str__(self) -> str:
        labels = [f"{name} {count}" for name, count in self.observed.counts.items()]
        rest = "unlabeled" if self.observed.hidden else self.observed.marker
        where = f"{self.description['file']}: {self.x.shape[0]} rows, {self.x.shape[1]} features"
        return f"{where}; {', '.join([*labels, f'{rest} {self.observed.n_unlabeled}'])}"


def prepare(options: TableOptions, model: ModelOptions) -> Prepared:
    """Read the table and sort its columns into label, weights and features."""
    table = read_table(options.table, label=options.label, na=options.na)
    description: dict[str, Any] = {"file": options.table.name, "sha256": file_hash(options.table)}
    description["label"] = options.label
    if table.frame is None:
        return _prepare_matrix(table, options, model, description)
    label, weights, frame = _take_columns(table.frame, options)
    rows = np.arange(1, len(frame) + 1)
    observed = _observed(label, options, model, str(options.label))
    if options.missing == Missing.refuse:
        refuse_missing(frame, options.table)
    else:
        warn_of_telling_gaps(frame, observed.is_unlabeled, options.missing.value)
    if options.missing == Missing.drop:
        kept = frame.notna().all(axis=1).to_numpy()
        if not kept.all():
            note(f"{(~kept).sum()} of {len(kept)} rows have missing values and are left out.")
        frame, observed, rows = frame[kept], observed.only(kept), rows[kept]
        weights = None if weights is None else weights[kept]
    recipe = learn_recipe(frame, options.missing.value, options.table)
    description |= {"weights": options.weights, "missing": options.missing.value, "columns": recipe.to_json()}
    return Prepared(
        recipe.encode(frame), observed, column_weight(weights, options.weights), rows, recipe, description
    )


def _prepare_matrix(
    table: Table, options: TableOptions, model: ModelOptions, description: dict[str, Any]
) -> Prepared:
    unused = [name for name in ("weights", "drop", "keep") if getattr(options, name)]
    if unused:
        raise CommandError(f"{options.table} is a matrix without column names; --{unused[0]} needs names.")
    if table.labels is None:
        raise CommandError(
            f"{options.table} holds no labels; put them into the file as y, or name them by --label."
        )
    observed = _observed(table.labels, options, model, options.label or "y")
    rows = np.arange(1, table.matrix.shape[0] + 1)
    return Prepared(
        table.matrix, observed, None, rows, None, {**description, "n_features": table.matrix.shape[1]}
    )


def _observed(column: Any, options: TableOptions, model: ModelOptions, name: str) -> Observed:
    return read_labels(
        column,
        unlabeled=options.unlabeled,
        negative=options.negative,
        ordered=model.ordered,
        name=name,
        hidden=model.scenario is not ScenarioName.fully_observed,
    )


def _take_columns(frame: "DataFrame", options: TableOptions) -> "tuple[Series, Series | None, DataFrame]":
    """Return label, weights and the columns that are features."""
    frame = _without_row_numbers(frame.rename(columns=str))
    names, path = list(frame.columns), options.table
    if options.label is None:
        raise CommandError(
            f"--label is needed: which column of {path} holds the labels? It has {listed(names)}."
        )
    find_column(options.label, names, "--label", path)
    if options.weights is not None:
        find_column(options.weights, names, "--weights", path)
        if options.weights == options.label:
            raise CommandError(
                f"--weights and --label both name {options.label!r}. Name the column that holds numbers, or leave "
                "--weights out: then all rows count alike."
            )
    others = [name for name in names if name not in (options.label, options.weights)]
    if options.keep:
        others = find_columns(options.keep, others, "--keep", path)
    if options.drop:
        dropped = find_columns(options.drop, others, "--drop", path)
        others = [name for name in others if name not in dropped]
    # Taking columns out leaves the others where they are; selecting the others would copy them.
    label = frame.pop(options.label)
    weights = None if options.weights is None else frame.pop(options.weights)
    return label, weights, frame if list(frame.columns) == others else frame[others]


def _without_row_numbers(frame: "DataFrame") -> "DataFrame":
    """Leave out a first column without a title that only counts the rows: many programs write one."""
    first = frame.columns[0] if len(frame.columns) else ""
    if first.startswith("Unnamed: 0") and frame[first].dtype.kind in "if":
        steps = np.diff(frame[first].to_numpy())
        if len(steps) and (steps == 1).all():
            note("The first column has no title and counts the rows; it is not used.")
            return frame.drop(columns=first)
    return frame


def column_weight(column: "Series | None", name: Any) -> NDArray | None:
    """Return a column of row weights as numbers."""
    if column is None:
        return None
    try:
        return column.to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise CommandError(f"--weights: column {name!r} holds something that is not a number.") from None
