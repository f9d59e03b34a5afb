"""The application: every command registered under its name.

A command is a function in `commands/`, whose docstring is its help. To add one, list it in `COMMANDS`.
"""

from typing import Annotated

import typer

from pulasso._version import __version__
from pulasso.cli.commands.compare import compare
from pulasso.cli.commands.cv import cv
from pulasso.cli.commands.doctor import doctor
from pulasso.cli.commands.fit import fit
from pulasso.cli.commands.path import path
from pulasso.cli.commands.predict import predict
from pulasso.cli.commands.report import report
from pulasso.cli.commands.simulate import simulate
from pulasso.cli.errors import reporting

__all__ = ["app", "main"]

COMMANDS = (cv, fit, path, predict, report, compare, simulate, doctor)

EPILOG = (
    "Exit codes: 0 done, 1 could not be done (the message says why and what to try), 2 wrong usage, "
    "130 interrupted by Ctrl-C."
)

app = typer.Typer(
    name="pulasso",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EPILOG,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pulasso {__version__}")
        raise typer.Exit


@app.callback()
def pulasso(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Classify from presence-only data: some rows carry a class, all others may be anything."""


for command in COMMANDS:
    app.command(epilog=EPILOG)(reporting(command))


def main() -> None:
    """Run the command line; the entry point of the installed `pulasso`."""
    app()


if __name__ == "__main__":
    main()
