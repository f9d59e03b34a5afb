"""A saved model meets another table: its columns become the features of the fit."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import listed
from pulasso.cli.labels import settle_labels
from pulasso.cli.preparing import column_weight
from pulasso.cli.reading import read_table
from pulasso.cli.recipe import Column, Recipe
from pulasso.cli.running import CommandError, note, warn

__all__ = ["Applied", "apply_to", "load_model"]

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
    """

    x: Any
    complete: NDArray
    labels: NDArray | None
    weight: NDArray | None = None

    def whole(self) -> "Applied":
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


def load_model(folder: Path) -> tuple[Any, dict[str, Any]]:
    """Return a saved model that can predict, and its notes; or say where one is."""
    from pulasso.estimators import load, load_notes

    inside = folder / "model"
    if not (folder / DESCRIPTION).exists() and (inside / DESCRIPTION).exists():
        raise CommandError(f"{folder} holds results, and the model is a folder in it. Give {inside}.")
    fitted = load(folder)
    if not hasattr(fitted, "predict"):
        raise CommandError(f"{folder} holds a path, not one model. Choose one with `cv` or `fit`.")
    return fitted, load_notes(folder)


def apply_to(fitted: Any, notes: dict[str, Any], path: Path, na: list[str] | None, model: Path) -> Applied:
    """Read a table for a model that was loaded from the folder `model`, with these notes."""
    known = notes.get("table")
    known = known if isinstance(known, dict) else {}
    label = known.get("label") if isinstance(known.get("label"), str) else None
    n_features = fitted.n_features_in_
    if path.suffix.lower() == ".npz":
        label = None  # labels of a matrix are found by themselves, and need not be there
    read = read_table(path, label=label, na=na, n_features=n_features if "n_features" in known else None)
    if read.frame is None:
        if read.matrix.shape[1] != n_features or "columns" in known:
            what = "named columns" if "columns" in known else f"{n_features} features"
            raise CommandError(
                f"{path} is a matrix of {read.matrix.shape[1]} features; the model needs {what}."
            )
        labels = None if read.labels is None else settle_labels(read.labels)
        return Applied(read.matrix, np.ones(read.matrix.shape[0], dtype=bool), labels)
    if "n_features" in known:
        raise CommandError(
            f"{path} has named columns, but {model} was fitted to a matrix of {n_features} features."
        )
    frame = read.frame.rename(columns=str)
    labels = settle_labels(frame[label]) if label in frame.columns else None
    weight = column_weight(frame.get(known["weights"]), known["weights"]) if known.get("weights") else None
    x, complete = _encode(fitted, known, frame, path, model)
    return Applied(x, complete, labels, weight)


def _encode(fitted: Any, known: dict[str, Any], frame: Any, path: Path, model: Path) -> tuple[Any, NDArray]:
    """Return features, and which rows are complete; says what is extra, new or missing."""
    recipe = _recipe_of(fitted, known)
    for words in recipe.check(frame, path):
        warn(words)
    used = {each.name for each in recipe.columns} | {known.get("label"), known.get("weights")}
    extra = [name for name in frame.columns if name not in used]
    if extra:
        note(f"Not used: {'column' if len(extra) == 1 else 'columns'} {listed(extra)}.")
    x = recipe.encode(frame)
    if list(x.columns) != list(getattr(fitted, "feature_names_in_", x.columns)):
        raise CommandError(f"{model} is damaged: its columns do not fit its coefficients.")
    complete = x.notna().all(axis=1).to_numpy()
    if not complete.all():
        bad = listed([each.name for each in recipe.columns if x[each.outputs].isna().to_numpy().any()])
        warn(
            f"{(~complete).sum()} of {len(x)} rows of {path} have missing values (in {bad}) and get no prediction. "
            "Fill them in, or fit the model with --missing median."
        )
    return x, np.asarray(complete)


def _recipe_of(fitted: Any, known: dict[str, Any]) -> Recipe:
    """Return how columns become features; a model saved from Python takes them as they are."""
    if "columns" in known:
        return Recipe.from_json(known["columns"])
    if not hasattr(fitted, "feature_names_in_"):
        raise CommandError("The model was fitted without column names; give a matrix (.npz or .svmlight).")
    return Recipe(tuple(Column(str(name)) for name in fitted.feature_names_in_))
