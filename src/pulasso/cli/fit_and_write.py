"""What `fit` and `cv` have in common: load, fit, write, tell."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from pulasso.cli import results
from pulasso.cli.checkpoints import resumable, writing
from pulasso.cli.errors import command_line, note, say
from pulasso.cli.load_data import LoadedData, load_data
from pulasso.cli.options import ModelOptions, OutputOptions, RobustnessOptions, SourceOptions, TableOptions
from pulasso.cli.robustness import check_robustness, examine, robustness_for_json, show_robustness
from pulasso.metrics import pu_scores
from pulasso.model_selection import cross_fit
from pulasso.scenarios import as_scenario

__all__ = ["fit_and_write"]


def fit_and_write(
    command: str,
    make: Callable[[ModelOptions, LoadedData, SourceOptions], Any],
    options: tuple[TableOptions, ModelOptions, SourceOptions, RobustnessOptions, OutputOptions],
    *,
    seed: int,
    jobs: int,
    report: bool,
    checkpoint: Path | None = None,
    folds: int | None = None,
) -> None:
    """Fit an estimator to a table, write the model and its predictions, and show what was found.

    `make` returns the estimator; with `folds` every row is also predicted by a fit without it, unless the estimator
    does that by itself.
    """
    table_options, model_options, source_options, robustness, output = options
    data = load_data(table_options, model_options, source_options)
    model = make(model_options, data, source_options)
    scenario = as_scenario(model.scenario, prevalence=model.prevalence, label_frequency=model.label_frequency)
    check_robustness(robustness, scenario, data.label_counts)
    files = {"model": output.out / "model", "predictions": output.out / "predictions.csv"}
    if report and results.can_report():
        files["report"] = output.out / "report.html"
    elif report:
        note(f"No report.html: it needs {results.INSTALL_REPORT}.")
    x, z, weight = data.x, data.column.y, data.weight
    known = {name: value for name, value in model.get_params(deep=False).items() if name != "n_jobs"}
    key = [data.description["sha256"], known, seed]
    # A single fit has nothing to save before it ends.
    has_steps = "cv" in known or folds is not None or robustness.wants_any
    steps = resumable(output.out, key, checkpoint) if has_steps else nullcontext()
    with writing([*files.values()], output.force) as force, steps:
        if not output.json:
            say(f"{data}\n")
        where = {} if data.source is None else {"source": data.source}
        if folds is None:
            model.fit(x, z, sample_weight=weight, **where)
        else:
            cross_fit(model, x, z, cv=folds, sample_weight=weight, random_state=seed, n_jobs=jobs)
        rows = {"X": x, "z": z, "sample_weight": weight}
        if folds is None and not hasattr(model, "coef_"):
            rows = {}
            note(
                "No scores: boosted trees and networks look too good on their own rows. `cv` holds some out."
            )
        elif (
            not where
        ):  # scores are one source's each; warns of scores that cannot be, and of one class for all
            rows["scores"] = pu_scores(model, y_proba=getattr(model, "cv_proba_", None), **rows)
        found = {}
        if robustness.wants_any:
            found = examine(model, x, z, weight, robustness, seed=seed, jobs=jobs)
        results.save_model(model, files["model"], force, results.notes_of(command, data, seed))
        results.write_csv(results.prediction_table(model, x, data.rows, z), files["predictions"], force)
        if "report" in files:
            how = {"command": command_line(), "seed": seed, "data_hash": data.description["sha256"]}
            results.write_page(model, files["report"], force=force, **how, **rows, **found)
    if output.json:
        results.print_json(command, **results.describe_model(model), **robustness_for_json(found), **files)
    else:
        results.show_model(model)
        show_robustness(found)
        results.show_written([*files.values()])
