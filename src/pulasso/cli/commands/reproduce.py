"""`pulasso reproduce`: the paper's figures and tables."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["reproduce"]


def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="all, or some of figure-1, figure-2, figure-3, figure-4, table-1, table-1-choices, table-2, "
            "table-2-choices, pgd-vs-em, rsc.",
        ),
    ],
    scale: Annotated[
        str, typer.Option(help="tiny (seconds), quick (minutes) or paper (all repetitions).")
    ] = "quick",
    out: Annotated[Path, typer.Option(help="Folder for tables, figures and the page.")] = Path("runs/paper"),
    seed: Annotated[int, typer.Option(help="The same seed gives the same tables.", min=0)] = 0,
    jobs: Annotated[int, typer.Option(help="Processes; -1 is one for each core.")] = 1,
) -> None:
    """Compute the paper's figures and tables again, and put them beside the paper's own numbers.

    Writes CSV, PNG and SVG for each experiment, and one page, index.html, that says which claims hold. A run that
    was interrupted goes on where it stopped. Tables 1 and 2 download their data, or read the folder that
    PULASSO_DATA names.
    """
    from pulasso.experiments import reproduce as run

    run(names, scale, out, seed=seed, n_jobs=jobs, say=typer.echo)
