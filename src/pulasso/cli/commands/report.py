"""`pulasso report`: a page about a saved model, for somebody who never saw the code."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["report"]


def report(
    model: Annotated[Path, typer.Argument(help="Folder of a saved model, as `fit` and `cv` write it.")],
    table: Annotated[
        Path | None,
        typer.Argument(help="Labelled and unlabeled rows to judge by, better not those of the fit."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write.")] = Path("report.html"),
    na: Annotated[
        list[str] | None, typer.Option("--na", help="Text that stands for a missing value.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace the file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    r"""Write one HTML page about a saved model: what was assumed, chosen and found, and how good it is.

    Without a table the page has no scores. It needs `pip install "pulasso\[report]"`.
    """
    from pulasso.cli.outputs import print_json, refuse_all
    from pulasso.cli.reporting import write_page
    from pulasso.estimators import load, load_notes

    refuse_all([out], force)
    write_page(load(model), load_notes(model), table, out, model=model, na=na, force=force)
    if json:
        print_json("report", report=out)
    else:
        typer.echo(f"Written: {out}")
