"""What `fit` and `cv` have in common: prepare, fit, write, tell."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from pulasso.cli.modelling import make_settings
from pulasso.cli.options import ModelOptions, OutputOptions, TableOptions
from pulasso.cli.outputs import (
    describe_model,
    prediction_table,
    print_json,
    refuse_all,
    show_model,
    show_written,
    write_csv,
)
from pulasso.cli.preparing import Prepared, prepare
from pulasso.cli.running import command_line, note
from pulasso.steps import describe

__all__ = ["fit_and_write", "notes_of"]

NAMES = ("model", "predictions", "report")  # of what is written, in JSON results


def fit_and_write(
    command: str,
    estimator: Any,
    data: TableOptions,
    options: ModelOptions,
    output: OutputOptions,
    settings: dict[str, Any],
    seed: int,
    *,
    checkpoint: Path | None = None,
    resumable: bool = False,
    report: bool = False,
) -> None:
    """Fit an estimator to a table, write the model and its predictions, and show what was found."""
    folder, table, page = (output.out / name for name in ("model", "predictions.csv", "report.html"))
    written = [folder, table, page] if report and _page_is_possible() else [folder, table]
    refuse_all(written, output.force)
    prepared = prepare(data, options.ordered)
    model = estimator(**make_settings(options, prepared), **settings)
    if not output.json:
        typer.echo(f"{prepared}\n")
    output.out.mkdir(parents=True, exist_ok=True)
    if resumable:
        with _kept(model, prepared, checkpoint, output.out):
            model.fit(prepared.x, prepared.observed.y, sample_weight=prepared.weight)
        model.set_params(checkpoint=None)  # the folder is gone, and a next fit would look for it
    else:
        model.fit(prepared.x, prepared.observed.y, sample_weight=prepared.weight)
    model.save(folder, force=output.force, notes=notes_of(command, prepared, seed))
    write_csv(prediction_table(model, prepared.x, prepared.rows, prepared.observed.y), table, output.force)
    if page in written:
        _write_page(model, prepared, page, seed, output.force)
    if output.json:
        print_json(command, **describe_model(model), **dict(zip(NAMES, written, strict=False)))
    else:
        show_model(model)
        show_written(written)


def _page_is_possible() -> bool:
    from pulasso.cli.reporting import INSTALL, can_report

    if not can_report():
        note(f"No report.html: it needs {INSTALL}.")
    return can_report()


def _write_page(model: Any, prepared: Prepared, page: Path, seed: int, force: bool) -> None:
    """Write the report of a fit to its own rows, which it says."""
    from pulasso.report import write_report

    about = {"command": command_line(), "seed": seed, "data_hash": prepared.description["sha256"]}
    write_report(model, page, X=prepared.x, z=prepared.observed.y, force=force, **about)


def notes_of(command: str, prepared: Prepared, seed: int) -> dict[str, Any]:
    """Return what a saved model should remember: where it comes from, and how its table is read."""
    return {
        "command": command,
        "command_line": command_line(),
        "seed": seed,
        "table": prepared.description,
    }


@contextmanager
def _kept(model: Any, prepared: Prepared, checkpoint: Path | None, out: Path) -> Iterator[None]:
    """Keep finished folds while a model is fitted; the folder goes once they are not needed any more.

    Its name tells runs with other data or settings apart: these find a folder of their own.
    """
    folder = checkpoint
    if folder is None:
        parts = [prepared.description["sha256"], describe(model.get_params(deep=False))]
        parts[1].pop("n_jobs")
        key = hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
        folder = out / f"checkpoint-{key[:8]}"
    model.set_params(checkpoint=folder)
    try:
        yield
    except Exception:
        if checkpoint is None and not any(folder.glob("fold *")):
            shutil.rmtree(folder, ignore_errors=True)  # nothing in it that a next run could use
        raise
    if checkpoint is None:
        shutil.rmtree(folder, ignore_errors=True)
