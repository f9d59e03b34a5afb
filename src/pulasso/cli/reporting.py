"""Pages about models, from the command line."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pulasso.cli.applying import apply_to
from pulasso.cli.running import CommandError, note

__all__ = ["can_report", "write_page"]

NEEDED = ("jinja2", "matplotlib")
INSTALL = "`pip install pulasso[report]`"


def can_report() -> bool:
    """Say whether the packages that pages need are installed."""
    return all(find_spec(name) is not None for name in NEEDED)


def write_page(
    fitted: Any,
    notes: dict[str, Any],
    table: Path | None,
    out: Path,
    *,
    model: Path,
    na: list[str] | None = None,
    force: bool = False,
) -> None:
    """Write a page about a saved model, judged by the rows of a table if there is one."""
    from pulasso.report import write_report

    if not can_report():
        raise CommandError(f"A report needs matplotlib and jinja2; install them with {INSTALL}.")
    if not hasattr(fitted, "predict"):
        raise CommandError(f"{model} holds a path, not one model. Choose one with `cv` or `fit`.")
    about: dict[str, Any] = {"command": notes.get("command_line"), "seed": notes.get("seed")}
    known = notes.get("table")
    if isinstance(known, dict) and isinstance(known.get("sha256"), str):
        about["data_hash"] = known["sha256"]
    if table is not None:
        applied = apply_to(fitted, notes, table, na, model)
        if applied.labels is None:
            note(f"{table} has no labels like those of the fit, so the page has no scores.")
        else:
            rows = applied.complete.nonzero()[0]
            x = applied.x.iloc[rows] if hasattr(applied.x, "iloc") else applied.x[rows]
            about |= {"X": x, "z": applied.labels[rows]}
    write_report(fitted, out, force=force, **about)
