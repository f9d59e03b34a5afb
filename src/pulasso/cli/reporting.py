"""Pages about models, from the command line."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pulasso.cli.applying import Applied, apply_to, load_model
from pulasso.cli.certainty import check_certainty, examine
from pulasso.cli.keeping import kept_folder
from pulasso.cli.options import CertaintyOptions
from pulasso.cli.outputs import refuse_all
from pulasso.cli.reading import file_hash
from pulasso.cli.running import CommandError, as_option, note, warn

__all__ = ["INSTALL", "PageRequest", "can_report", "write_page"]

NEEDED = ("jinja2", "matplotlib")
INSTALL = "`pip install pulasso[report]`"


@dataclass(frozen=True)
class PageRequest:
    """Which model, which tables, and where the page goes.

    Attributes
    ----------
    model : Path
        Folder of the saved model.
    table : Path or None
        Rows to judge by.
    fitted_to : Path or None
        Rows of the fit, where they are not those of `table`.
    out : Path
    na : list of str or None
    force : bool
    """

    model: Path
    table: Path | None
    fitted_to: Path | None
    out: Path
    na: list[str] | None = None
    force: bool = False


def can_report() -> bool:
    """Say whether the packages that pages need are installed."""
    return all(find_spec(name) is not None for name in NEEDED)


def write_page(asked: PageRequest, certainty: CertaintyOptions, *, seed: int, jobs: int) -> dict[str, Any]:
    """Write a page about a saved model, judged by the rows of a table if there is one.

    Returns
    -------
    dict
        What was examined beside it, as `examine` gives it.
    """
    from pulasso.report import write_report

    if not can_report():
        raise CommandError(f"A report needs matplotlib and jinja2; install them with {INSTALL}.")
    fitted, notes = load_model(asked.model)
    check_certainty(certainty, fitted.scenario_, fitted.classes_[1:].tolist())
    digest = _digest_of_fit(notes)
    refits = _table_of_fit(asked, notes, digest) if certainty.asks else None
    refuse_all([asked.out], asked.force, "file")
    judged = (
        None if asked.table is None else apply_to(fitted, notes, asked.table, asked.na, asked.model).whole()
    )
    about: dict[str, Any] = {"command": notes.get("command_line"), "seed": notes.get("seed")}
    about |= {"data_hash": digest, "show_parameter": as_option}
    if judged is not None and judged.labels is None:
        note(f"{asked.table} has no labels like those of the fit, so the page has no scores.")
    elif judged is not None:
        about |= {"X": judged.x, "z": judged.labels, "sample_weight": judged.weight}
        _note_lost_weights(judged, notes, asked.table)
    if refits is None:
        write_report(fitted, asked.out, force=asked.force, **about)
        return {}
    apart = refits != asked.table
    rows = apply_to(fitted, notes, refits, asked.na, asked.model).whole() if apart else judged
    held_out = (about["X"], about["z"], about["sample_weight"]) if apart and "X" in about else None
    with kept_folder(asked.out.parent, [notes, file_hash(refits), seed]) as kept:
        how: dict[str, Any] = {"seed": seed, "jobs": jobs, "checkpoint": kept, "held_out": held_out}
        found = examine(fitted, *_rows_of_fit(rows, refits), certainty, **how)
        write_report(fitted, asked.out, force=asked.force, **about, **found)
    return found


def _note_lost_weights(judged: Applied, notes: dict[str, Any], table: Path | None) -> None:
    """Say so if rows of the fit had weights, and these have none."""
    known = notes.get("table")
    name = known.get("weights") if isinstance(known, dict) else None
    if name is not None and judged.weight is None:
        note(f"{table} has no column {name!r}, the weights of the fit, so its rows count alike.")


def _digest_of_fit(notes: dict[str, Any]) -> str | None:
    known = notes.get("table")
    found = known.get("sha256") if isinstance(known, dict) else None
    return found if isinstance(found, str) else None


def _table_of_fit(asked: PageRequest, notes: dict[str, Any], digest: str | None) -> Path:
    """Return the table that the model was fitted to, which fitting again needs."""
    known = notes.get("table")
    name = known.get("file") if isinstance(known, dict) else None
    for path in (asked.fitted_to, asked.table):
        if path is not None and not path.exists():
            raise CommandError(f"{path} does not exist.")
    if asked.fitted_to is not None:
        if digest is not None and file_hash(asked.fitted_to) != digest:
            warn(
                f"{asked.fitted_to} is not the table that {asked.model} was fitted to, or has changed since. Stability "
                "and sensitivity are about its rows."
            )
        return asked.fitted_to
    if asked.table is not None and (digest is None or file_hash(asked.table) == digest):
        return asked.table
    called = f"{name!r}" if isinstance(name, str) else "which is not known"
    raise CommandError(
        "--sensitivity and --stability fit the model again, and need the table that it was fitted to, "
        f"{called}: give --fitted-to FILE."
    )


def _rows_of_fit(rows: Applied | None, path: Path) -> tuple[Any, Any, Any]:
    if rows is None or rows.labels is None:
        raise CommandError(
            f"{path} has no labels like those of the fit, so the model cannot be fitted again."
        )
    return rows.x, rows.labels, rows.weight
