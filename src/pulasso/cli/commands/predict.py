"""`pulasso predict`: a saved model meets a new table."""

from pathlib import Path
from typing import Annotated

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

    from pulasso.cli.applying import apply_to, load_model
    from pulasso.cli.outputs import prediction_table, print_json, refuse_all, write_csv

    fitted, notes = load_model(model)
    refuse_all([out], force, "file")
    applied = apply_to(fitted, notes, table, na, model)
    rows = np.arange(1, applied.x.shape[0] + 1)
    found = prediction_table(fitted, applied.x, rows, complete=applied.complete)
    write_csv(found, out, force)
    counts = {str(name): int(n) for name, n in found["predicted"].value_counts().items()}
    if json:
        print_json("predict", rows=len(found), predicted=counts, predictions=out)
    else:
        typer.echo(f"{len(found)} rows: " + ", ".join(f"{name} {n}" for name, n in counts.items()))
        typer.echo(f"Written: {out}")
