"""`pulasso predict`: a saved model meets a new table."""

from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["predict"]


def predict(
    model: Annotated[Path, typer.Argument(help="Folder of a saved model, as `fit` and `cv` write it.")],
    table: Annotated[Path, typer.Argument(help="Table with the columns of the fit, in any order.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File for the predictions.")] = Path(
        "predictions.csv"
    ),
    na: Annotated[
        list[str] | None, typer.Option("--na", help="Text that stands for a missing value.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace the file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Predict classes for the rows of a new table.

    Columns are found by name. Rows with missing values stay empty, unless the fit was told how to fill them in.
    """
    import numpy as np

    from pulasso.cli.outputs import prediction_table, print_json, refuse_all, write_csv
    from pulasso.estimators import load, load_notes

    refuse_all([out], force)
    fitted = load(model)
    x, complete = _features(fitted, load_notes(model).get("table"), table, na, model)
    rows = np.arange(1, x.shape[0] + 1)
    found = prediction_table(fitted, x, rows, complete=complete)
    write_csv(found, out, force)
    counts = {str(name): int(n) for name, n in found["predicted"].value_counts().items()}
    if json:
        print_json("predict", rows=len(found), predicted=counts, predictions=out)
    else:
        typer.echo(f"{len(found)} rows: " + ", ".join(f"{name} {n}" for name, n in counts.items()))
        typer.echo(f"Written: {out}")


def _features(
    fitted: Any, description: Any, path: Path, na: list[str] | None, model: Path
) -> tuple[Any, Any]:
    """Return features for a model, and which rows are complete."""
    import numpy as np

    from pulasso.cli.reading import read_table
    from pulasso.cli.running import CommandError, note, warn
    from pulasso.words import listed

    if not hasattr(fitted, "predict"):
        raise CommandError(f"{model} holds a path, not one model. Choose one with `cv` or `fit`.")
    known = description if isinstance(description, dict) else {}
    n_features = fitted.n_features_in_
    read = read_table(path, na=na, n_features=n_features if "n_features" in known else None)
    if read.frame is None:
        if read.matrix.shape[1] != n_features or "columns" in known:
            what = "named columns" if "columns" in known else f"{n_features} features"
            raise CommandError(
                f"{path} is a matrix of {read.matrix.shape[1]} features; the model needs {what}."
            )
        return read.matrix, None
    if "n_features" in known:
        raise CommandError(
            f"{path} has named columns, but {model} was fitted to a matrix of {n_features} features."
        )
    frame = read.frame.rename(columns=str)
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


def _recipe_of(fitted: Any, known: dict[str, Any]) -> Any:
    """Return how columns become features; a model saved from Python takes them as they are."""
    from pulasso.cli.recipe import Column, Recipe
    from pulasso.cli.running import CommandError

    if "columns" in known:
        return Recipe.from_json(known["columns"])
    if not hasattr(fitted, "feature_names_in_"):
        raise CommandError("The model was fitted without column names; give a matrix (.npz or .svmlight).")
    return Recipe(tuple(Column(str(name)) for name in fitted.feature_names_in_))
