"""A saved model is applied to another table: its columns become the features of the fit."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import did_you_mean, listed
from pulasso.cli.errors import note, warn
from pulasso.cli.load_data import load_table
from pulasso.cli.options import Missing
from pulasso.data.column_roles import row_weights
from pulasso.data.label_checks import parse_labels
from pulasso.data.recipe import Column, Recipe
from pulasso.exceptions import InputError

__all__ = ["Applied", "SavedModel"]

DESCRIPTION = "model.json"  # in every saved model


@dataclass(frozen=True)
class Applied:
    """A table as a model takes it.

    Attributes
    ----------
    x : DataFrame, array or sparse matrix
    complete : array of bool of shape (n_rows,)
        Rows without missing values.
    labels : array or None
        Observed labels, if the table has the label column of the fit.
    weight : array or None
        Weights of the rows, if the fit had some and the table has them.
    ids : Series or None
        The column that tells rows apart, if one was asked for.
    """

    x: Any
    complete: NDArray
    labels: NDArray | None
    weight: NDArray | None = None
    ids: Any = None

    def complete_rows(self) -> "Applied":
        """Return it without the rows that have missing values."""
        if self.complete.all():
            return self
        rows = self.complete.nonzero()[0]
        return Applied(
            self.x.iloc[rows] if hasattr(self.x, "iloc") else self.x[rows],
            self.complete[rows],
            None if self.labels is None else self.labels[rows],
            None if self.weight is None else self.weight[rows],
        )


class SavedModel:
    """A model that was saved, with the notes about its table.

    Attributes
    ----------
    folder : Path
    fitted : estimator
    notes : dict
        As they were saved.
    table : dict
        Of these, what is known about the table of the fit.
    """

    def __init__(self, folder: Path):
        from pulasso.estimators import load, load_notes

        inside = folder / "model"
        if not (folder / DESCRIPTION).exists() and (inside / DESCRIPTION).exists():
            raise InputError(f"{folder} holds results, and the model is a folder in it. Give {inside}.")
        self.folder, self.fitted, self.notes = folder, load(folder), load_notes(folder)
        if not hasattr(self.fitted, "predict"):
            raise InputError(f"{folder} holds a path, not one model. Choose one with `cv` or `fit`.")
        table = self.notes.get("table")
        self.table: dict[str, Any] = table if isinstance(table, dict) else {}

    def noted(self, name: str) -> str | None:
        """Return a text that is known about the table, whatever a damaged file holds."""
        found = self.table.get(name)
        return found if isinstance(found, str) else None

    def apply_to(self, path: Path, na: list[str] | None, ids: str | None = None) -> Applied:
        """Read a table and return what the model takes, and the column that tells rows apart."""
        # Labels of a matrix are found by themselves, and need not be there.
        label = None if path.suffix.lower() == ".npz" else self.noted("label")
        n_features, from_matrix = self.fitted.n_features_in_, "n_features" in self.table
        width = n_features if from_matrix else None
        read = load_table(path, label=label, na=na, n_features=width, text=[] if ids is None else [ids])
        if ids is not None and (read.frame is None or ids not in read.frame.columns):
            names = [] if read.frame is None else list(read.frame.columns)
            raise InputError(f"{path} has no column {ids!r}.{did_you_mean(ids, names)}", parameter="id")
        if read.frame is None:
            if read.matrix.shape[1] != n_features or "columns" in self.table:
                what = "named columns" if "columns" in self.table else f"{n_features} features"
                raise InputError(
                    f"{path} is a matrix of {read.matrix.shape[1]} features; the model needs {what}."
                )
            labels = None if read.labels is None else parse_labels(read.labels)
            return Applied(read.matrix, np.ones(read.matrix.shape[0], dtype=bool), labels)
        if from_matrix:
            raise InputError(
                f"{path} has named columns, but {self.folder} was fitted to a matrix of {n_features} features."
            )
        frame = read.frame.rename(columns=str)
        labels = parse_labels(frame[label]) if label in frame.columns else None
        weights = self.noted("weights")
        weight = row_weights(frame[weights]) if weights in frame.columns else None
        found = self._encode(frame if ids in self._used() else frame.drop(columns=ids or []), path)
        return Applied(*found, labels, weight, None if ids is None else frame[ids])

    def _used(self) -> set:
        """Return the names of all columns that the fit used."""
        return {each.name for each in self._recipe().columns} | {self.noted("label"), self.noted("weights")}

    def _encode(self, frame: Any, path: Path) -> tuple[Any, NDArray]:
        """Return features, and which rows are complete; says what is extra, new or missing."""
        recipe = self._recipe()
        for message in recipe.check(frame, path):
            warn(message)
        used = self._used()
        extra = [name for name in frame.columns if name not in used]
        if extra:
            note(f"Not used: {'column' if len(extra) == 1 else 'columns'} {listed(extra)}.")
        x = recipe.encode(frame)
        if list(x.columns) != list(getattr(self.fitted, "feature_names_in_", x.columns)):
            raise InputError(f"{self.folder} is damaged: its columns do not fit its coefficients.")
        # Boosted trees were shown missing values, and know what to do with them.
        keeps = self.noted("missing") == Missing.keep
        complete = np.ones(len(x), dtype=bool) if keeps else x.notna().all(axis=1).to_numpy()
        if not complete.all():
            bad = listed([each.name for each in recipe.columns if x[each.outputs].isna().to_numpy().any()])
            warn(
                f"{(~complete).sum()} of {len(x)} rows of {path} have missing values (in {bad}) and get no prediction. "
                "Fill them in, or fit the model with --missing median."
            )
        return x, np.asarray(complete)

    def _recipe(self) -> Recipe:
        """Return how columns become features; a model saved from Python takes them as they are."""
        if "columns" in self.table:
            return Recipe.from_json(self.table["columns"])
        if not hasattr(self.fitted, "feature_names_in_"):
            raise InputError("The model was fitted without column names; give a matrix (.npz or .svmlight).")
        return Recipe(tuple(Column(str(name)) for name in self.fitted.feature_names_in_))
