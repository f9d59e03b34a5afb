"""What `fit` and `cv` have in common: load, fit, write, tell."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from pulasso.cli import results
from pulasso.cli.build_estimator import estimator_settings
from pulasso.cli.checkpoints import resumable, writing
from pulasso.cli.errors import command_line, note, say
from pulasso.cli.load_data import load_data
from pulasso.cli.options import ModelOptions, OutputOptions, RobustnessOptions, SourceOptions, TableOptions
from pulasso.cli.robustness import check_robustness, examine, robustness_for_json, show_robustness
from pulasso.metrics import pu_scores
from pulasso.scenarios import as_scenario

__all__ = ["fit_and_write"]


def fit_and_write(
    command: str,
    estimators: dict[str, Any],
    options: tuple[TableOptions, ModelOptions, SourceOptions, RobustnessOptions, OutputOptions],
    settings: dict[str, Any],
    *,
    seed: int,
    jobs: int,
    report: bool,
    checkpoint: Path | None = None,
) -> None:
    """Fit an estimator to a table, write the model and its predictions, and show what was found."""
    table_options, model_options, source_options, robustness, output = options
    data = load_data(table_options, model_options, source_options)
    how_labeled = estimator_settings(model_options, data, source_options)
    model = estimators[model_options.response](**how_labeled, **settings)
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
    steps = resumable(output.out, key, checkpoint) if "cv" in known or robustness.wants_any else nullcontext()
    with writing([*files.values()], output.force) as force, steps:
        if not output.json:
            say(f"{data}\n")
        where = {} if data.source is None else {"source": data.source}
        model.fit(x, z, sample_weight=weight, **where)
        # Warns of scores that cannot be, and of one class for all. Those of several sources are one source's each.
        held_out = getattr(model, "cv_proba_", None)
        scores = None if where else pu_scores(model, x, z, y_proba=held_out, sample_weight=weight)
        found = {}
        if robustness.wants_any:
            found = examine(model, x, z, weight, robustness, seed=seed, jobs=jobs)
        results.save_model(model, files["model"], force, results.notes_of(command, data, seed))
        results.write_csv(results.prediction_table(model, x, data.rows, z), files["predictions"], force)
        if "report" in files:
            how = {"command": command_line(), "seed": seed, "data_hash": data.description["sha256"]}
            rows = {"X": x, "z": z, "sample_weight": weight, "scores": scores}
            results.write_page(model, files["report"], force=force, **how, **rows, **found)
    if output.json:
        results.print_json(command, **results.describe_model(model), **robustness_for_json(found), **files)
    else:
        results.show_model(model)
        show_robustness(found)
        results.show_written([*files.values()])
