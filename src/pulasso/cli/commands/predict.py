"""`pulasso predict`: a saved model is applied to a new table."""

from pathlib import Path

import typer

from pulasso.cli.errors import say
from pulasso.cli.options import MODEL_FOLDER, NA, option

__all__ = ["predict"]


def predict(
    model: Path = MODEL_FOLDER,
    table: Path = typer.Argument(help="Table with the columns of the fit, in any order."),
    out: Path = option(Path("predictions.csv"), None, "File for the predictions.", "--out", "-o"),
    na: list[str] | None = NA,
    id: str | None = option(
        None, None, "Column that tells rows apart, written beside the predictions.", "--id"
    ),
    prevalence: str | None = option(
        None, None, "Shares oak=0.2,fir=0.1 of the population of this table, where it is not that of the fit."
    ),
    rule: str | None = option(
        None,
        None,
        "Ordered classes: mode (the most probable class), median (least absolute error) or mean (least squared error).",
        "--rule",
    ),
    force: bool = option(False, None, "Replace the file.", "--force", "-f"),
    json: bool = option(False, None, "Print the result as JSON.", "--json"),
) -> None:
    """Predict classes for the rows of a new table.

    Columns are found by name. Rows with missing values stay empty, unless the fit was told how to fill them in.
    """
    import numpy as np

    from pulasso.cli.apply import SavedModel
    from pulasso.cli.build_estimator import parse_numbers
    from pulasso.cli.checkpoints import writing
    from pulasso.cli.results import prediction_table, print_json, write_csv
    from pulasso.exceptions import InputError

    saved = SavedModel(model)
    shares = None
    if prevalence is not None:
        shares = parse_numbers(prevalence, "prevalence", saved.fitted.classes_.tolist())
    if rule is not None and not saved.fitted.response_.is_ordered:
        raise InputError(
            "--rule is for ordered classes, and this model has unordered ones; leave it out.",
            parameter="rule",
        )
    with writing([out], force, "another file by --out") as replace:
        applied = saved.apply_to(table, na, id)
        rows = np.arange(1, applied.x.shape[0] + 1)
        found = prediction_table(
            saved.fitted, applied.x, rows, complete=applied.complete, prevalence=shares, rule=rule
        )
        if applied.ids is not None:
            if id in found.columns:
                raise InputError(
                    f"--id {id!r} is also the name of a column of predictions; rename it.", parameter="id"
                )
            found.insert(1, id, applied.ids.to_numpy())
        write_csv(found, out, replace)
    counts = {str(name): int(n) for name, n in found["predicted"].value_counts().items()}
    if json:
        print_json("predict", rows=len(found), predicted=counts, predictions=out)
    else:
        say(f"{len(found)} rows: " + ", ".join(f"{name} {n}" for name, n in counts.items()))
        say(f"Written: {out}")
