"""What `fit` and `cv` have in common: prepare, fit, write, tell."""

from pathlib import Path
from typing import Any

import typer

from pulasso.cli.certainty import certainty_for_json, check_certainty, examine, show_certainty
from pulasso.cli.keeping import kept_folder
from pulasso.cli.modelling import make_settings, positive_classes
from pulasso.cli.options import CertaintyOptions, ModelOptions, OutputOptions, TableOptions
from pulasso.cli.outputs import (
    describe_model,
    prediction_table,
    print_json,
    refuse_all,
    save_model,
    show_model,
    show_written,
    write_csv,
)
from pulasso.cli.preparing import Prepared, prepare
from pulasso.cli.running import as_option, command_line, note
from pulasso.metrics import pu_scores
from pulasso.runs import describe

__all__ = ["fit_and_write", "notes_of"]

NAMES = ("model", "predictions", "report")  # of what is written, in JSON results


def fit_and_write(
    command: str,
    estimator: Any,
    data: TableOptions,
    options: ModelOptions,
    certainty: CertaintyOptions,
    output: OutputOptions,
    settings: dict[str, Any],
    *,
    seed: int,
    jobs: int,
    report: bool,
    checkpoint: Path | None = None,
    resumable: bool = False,
) -> None:
    """Fit an estimator to a table, write the model and its predictions, and show what was found.

    `resumable` says that the estimator itself keeps finished folds; what `certainty` asks for always does.
    """
    prepared = prepare(data, options)
    model = estimator(**make_settings(options, prepared), **settings)
    check_certainty(certainty, model.scenario, positive_classes(prepared.observed))
    folder, table, page = (output.out / name for name in ("model", "predictions.csv", "report.html"))
    written = [folder, table, page] if report and _page_is_possible() else [folder, table]
    refuse_all(written, output.force)
    if not output.json:
        typer.echo(f"{prepared}\n")
    x, z, weight = prepared.x, prepared.observed.y, prepared.weight
    found: dict[str, Any] = {}
    with kept_folder(output.out, _key(model, prepared, seed), checkpoint) as kept:
        model.set_params(**({"checkpoint": kept} if resumable else {}))
        model.fit(x, z, sample_weight=weight)
        model.set_params(**({"checkpoint": None} if resumable else {}))  # a next fit would look for it
        pu_scores(
            model, x, z, sample_weight=weight
        )  # warns of scores that cannot be, and of one class for all
        if certainty.asks:
            found = examine(model, x, z, weight, certainty, seed=seed, jobs=jobs, checkpoint=kept)
        save_model(model, folder, output.force, notes_of(command, prepared, seed))
        write_csv(prediction_table(model, x, prepared.rows, z), table, output.force)
        if page in written:
            _write_page(model, prepared, page, found, seed, output.force)
    if output.json:
        files = dict(zip(NAMES, written, strict=False))
        print_json(command, **describe_model(model), **certainty_for_json(found), **files)
    else:
        show_model(model)
        show_certainty(found)
        show_written(written)


def _key(model: Any, prepared: Prepared, seed: int) -> list[Any]:
    """Return what finished steps depend on, as JSON holds it."""
    known = describe(model.get_params(deep=False))
    known.pop("n_jobs", None)
    return [prepared.description["sha256"], known, seed]


def _page_is_possible() -> bool:
    from pulasso.cli.reporting import INSTALL, can_report

    if not can_report():
        note(f"No report.html: it needs {INSTALL}.")
    return can_report()


def _write_page(
    model: Any, prepared: Prepared, page: Path, found: dict[str, Any], seed: int, force: bool
) -> None:
    """Write the report of a fit to its own rows, which it says."""
    from pulasso.report import write_report

    about: dict[str, Any] = {"command": command_line(), "seed": seed, "show_parameter": as_option}
    about["data_hash"] = prepared.description["sha256"]
    about |= {"X": prepared.x, "z": prepared.observed.y, "sample_weight": prepared.weight}
    write_report(model, page, force=force, **about, **found)


def notes_of(command: str, prepared: Prepared, seed: int) -> dict[str, Any]:
    """Return what a saved model should remember: where it comes from, and how its table is read."""
    return {
        "command": command,
        "command_line": command_line(),
        "seed": seed,
        "table": prepared.description,
    }
