"""`pulasso report`: a page about a saved model, for somebody who never saw the code."""

from pathlib import Path
from typing import Annotated

import typer

from pulasso.cli.options import CERTAINTY, CertaintyOptions, flat

__all__ = ["report"]


@flat
def report(
    certainty: CertaintyOptions,
    model: Annotated[Path, typer.Argument(help="Folder of a saved model, as `fit` and `cv` write it.")],
    table: Annotated[
        Path | None,
        typer.Argument(help="Labelled and unlabeled rows to judge by, better not those of the fit."),
    ] = None,
    fitted_to: Annotated[
        Path | None,
        typer.Option(
            "--fitted-to",
            rich_help_panel=CERTAINTY,
            help="Table of the fit, if TABLE is another one: needed to fit again.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write.")] = Path("report.html"),
    na: Annotated[
        list[str] | None, typer.Option("--na", help="Text that stands for a missing value.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of random numbers: which rows are in which half.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1 is one for each core.")] = 1,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace the file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    r"""Write one HTML page about a saved model: what was assumed, chosen and found, and how good it is.

    Without a table the page has no scores. Interrupted while fitting again, it goes on from what is finished when
    called again. It needs `pip install "pulasso\[report]"`.
    """
    from pulasso.cli.certainty import certainty_for_json, show_certainty
    from pulasso.cli.outputs import print_json
    from pulasso.cli.reporting import PageRequest, write_page

    found = write_page(PageRequest(model, table, fitted_to, out, na, force), certainty, seed=seed, jobs=jobs)
    if json:
        print_json("report", report=out, **certainty_for_json(found))
    else:
        show_certainty(found)
        typer.echo(f"Written: {out}")
