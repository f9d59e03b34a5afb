"""`pulasso cv`: a model whose lam is chosen by cross-validation."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pulasso.cli.options import (
    CHOICE,
    CertaintyOptions,
    GridOptions,
    ModelOptions,
    OutputOptions,
    TableOptions,
    flat,
    one_of,
)

__all__ = ["cv"]


class Select(StrEnum):
    """How one of the lams is chosen."""

    min = "min"
    one_se = "1se"


@flat
def cv(
    data: TableOptions,
    model: ModelOptions,
    grid: GridOptions,
    certainty: CertaintyOptions,
    output: OutputOptions,
    folds: Annotated[
        int, typer.Option("--folds", min=2, rich_help_panel=CHOICE, help="Number of folds.")
    ] = 5,
    select: Annotated[
        Select,
        typer.Option(
            "--select",
            rich_help_panel=CHOICE,
            metavar="RULE",
            help="min, the smallest loss, or 1se, fewer features within one standard error.",
            **one_of(Select),
        ),
    ] = Select.min,
    seed: Annotated[int, typer.Option("--seed", help="Of random numbers: which row is in which fold.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1 is one for each core.")] = 1,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Also write report.html, a page about the model.")
    ] = True,
    checkpoint: Annotated[
        Path | None,
        typer.Option("--checkpoint", help="Folder for what is finished; by default beside the results."),
    ] = None,
) -> None:
    """Fit a model to a table, with lam chosen by cross-validation: the place to start.

    Writes model/, predictions.csv and report.html. Interrupted, it goes on from the finished folds when called again.
    """
    from pulasso.cli.fitting import fit_and_write
    from pulasso.estimators import MultinomialPULassoCV, OrdinalPULassoCV

    estimator = MultinomialPULassoCV if model.ordered is None else OrdinalPULassoCV
    settings = {
        "n_lams": grid.n_lams,
        "lam_min_ratio": grid.lam_min_ratio,
        "cv": folds,
        "select": select.value,
        "random_state": seed,
        "n_jobs": jobs,
    }
    fit_and_write(
        "cv",
        estimator,
        data,
        model,
        certainty,
        output,
        settings,
        seed=seed,
        jobs=jobs,
        report=report,
        checkpoint=checkpoint,
        resumable=True,
    )
