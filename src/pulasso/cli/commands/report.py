"""`pulasso report`: a page about a saved model, for somebody who never saw the code."""

from pathlib import Path
from typing import Any

import typer

from pulasso.cli.errors import say
from pulasso.cli.options import JOBS, MODEL_FOLDER, NA, ROBUSTNESS, RobustnessOptions, flat, option

__all__ = ["report"]


@flat
def report(
    robustness: RobustnessOptions,
    model: Path = MODEL_FOLDER,
    table: Path | None = typer.Argument(
        None, help="Labelled and unlabeled rows to judge by, better not those of the fit."
    ),
    fitted_to: Path | None = option(
        None, ROBUSTNESS, "Table of the fit, if TABLE is another one: needed to fit again."
    ),
    out: Path = option(Path("report.html"), None, "File to write.", "--out", "-o"),
    na: list[str] | None = NA,
    seed: int = option(0, None, "Of random numbers: which rows are in which subsample."),
    jobs: int = JOBS,
    force: bool = option(False, None, "Replace the file.", "--force", "-f"),
    json: bool = option(False, None, "Print the result as JSON.", "--json"),
) -> None:
    r"""Write one HTML page about a saved model: what was assumed, chosen and found, and how good it is.

    Without a table the page has no scores. Interrupted while fitting again, it resumes from what is finished when
    called again. It needs `pip install "pulasso\[report]"`.
    """
    from pulasso.cli.apply import SavedModel
    from pulasso.cli.checkpoints import resumable, writing
    from pulasso.cli.results import INSTALL_REPORT, can_report, print_json, write_page
    from pulasso.cli.robustness import check_robustness, examine, robustness_for_json, show_robustness
    from pulasso.data.tables import file_hash
    from pulasso.exceptions import InputError

    if not can_report():
        raise ImportError(f"A report needs matplotlib and jinja2; install them with {INSTALL_REPORT}.")
    saved = SavedModel(model)
    check_robustness(robustness, saved.fitted.scenario_, saved.fitted.label_counts_)
    refits = _table_of_fit(saved, table, fitted_to) if robustness.wants_any else None
    judged = None if table is None else saved.apply_to(table, na).complete_rows()
    about: dict[str, Any] = {"command": saved.notes.get("command_line"), "seed": saved.notes.get("seed")}
    about |= {"data_hash": saved.noted("sha256"), **_rows_to_judge_by(saved, judged, table)}
    found: dict[str, Any] = {}
    with writing([out], force, "another file by --out") as replace:
        about["force"] = replace
        if refits is None:
            write_page(saved.fitted, out, **about)
        else:
            apart = refits != table
            rows = saved.apply_to(refits, na).complete_rows() if apart else judged
            if rows is None or rows.labels is None:
                raise InputError(
                    f"{refits} has no labels like those of the fit, so the model cannot be fitted again."
                )
            held_out = (about["X"], about["z"], about["sample_weight"]) if apart and "X" in about else None
            with resumable(out.parent, [saved.notes, file_hash(refits), seed]):
                how: dict[str, Any] = {"seed": seed, "jobs": jobs, "held_out": held_out}
                found = examine(saved.fitted, rows.x, rows.labels, rows.weight, robustness, **how)
                write_page(saved.fitted, out, **about, **found)
    if json:
        print_json("report", report=out, **robustness_for_json(found))
    else:
        show_robustness(found)
        say(f"Written: {out}")


def _rows_to_judge_by(saved: Any, judged: Any, table: Path | None) -> dict[str, Any]:
    """Return the rows of the table as `write_report` takes them; says what they lack."""
    from pulasso.cli.errors import note

    if judged is None:
        return {}
    if judged.labels is None:
        note(f"{table} has no labels like those of the fit, so the page has no scores.")
        return {}
    weights = saved.noted("weights")
    if weights is not None and judged.weight is None:
        note(f"{table} has no column {weights!r}, the weights of the fit, so its rows count alike.")
    return {"X": judged.x, "z": judged.labels, "sample_weight": judged.weight}


def _table_of_fit(saved: Any, table: Path | None, fitted_to: Path | None) -> Path:
    """Return the table that the model was fitted to, which fitting again needs."""
    from pulasso.cli.errors import warn
    from pulasso.data.tables import file_hash
    from pulasso.exceptions import InputError

    digest = saved.noted("sha256")
    for path in (fitted_to, table):
        if path is not None and not path.exists():
            raise InputError(f"{path} does not exist.")
    if fitted_to is not None:
        if digest is not None and file_hash(fitted_to) != digest:
            warn(
                f"{fitted_to} is not the table that {saved.folder} was fitted to, or has changed since. Stability and "
                "sensitivity are about its rows."
            )
        return fitted_to
    if table is not None and (digest is None or file_hash(table) == digest):
        return table
    name = saved.noted("file")
    called = "which is not known" if name is None else repr(name)
    raise InputError(
        "--sensitivity and --stability fit the model again, and need the table that it was fitted to, "
        f"{called}: give --fitted-to FILE."
    )
