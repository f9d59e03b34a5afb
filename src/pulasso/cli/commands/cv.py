"""`pulasso cv`: a model whose lam is chosen by cross-validation."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from pulasso.cli.learner import (
    LEARNER,
    LearnerName,
    check_missing,
    given_of,
    make_learner,
    refuse_options_of_linear_models,
)
from pulasso.cli.options import (
    CHOICE,
    JOBS,
    SEED_OF_FOLDS,
    GridOptions,
    ModelOptions,
    OutputOptions,
    RobustnessOptions,
    SourceOptions,
    TableOptions,
    flat,
    one_of,
    option,
)

__all__ = ["cv"]


class Select(StrEnum):
    """How one of the lams is chosen."""

    min = "min"
    one_se = "1se"


class Refit(StrEnum):
    """What becomes of the groups that were selected."""

    relaxed = "relaxed"


@flat
def cv(
    data: TableOptions,
    model: ModelOptions,
    sources: SourceOptions,
    grid: GridOptions,
    robustness: RobustnessOptions,
    output: OutputOptions,
    learner: LearnerName = LEARNER,
    folds: int = option(5, CHOICE, "Number of folds.", min=2),
    select: Select = option(
        Select.min,
        CHOICE,
        "min, the smallest loss, or 1se, fewer features within one standard error.",
        metavar="RULE",
        **one_of(Select),
    ),
    max_active: int | None = option(
        None, CHOICE, "Choose among models with at most this many features (groups).", metavar="N", min=1
    ),
    refit: Refit | None = option(
        None,
        CHOICE,
        "relaxed fits what was selected again, with a ridge: for few rows and many columns.",
        metavar="HOW",
        **one_of(Refit),
    ),
    seed: int = SEED_OF_FOLDS,
    jobs: int = JOBS,
    report: bool = option(
        True, None, "Also write report.html, a page about the model.", "--report/--no-report"
    ),
    checkpoint: Path | None = option(None, None, "Folder for finished steps; by default beside the results."),
) -> None:
    """Fit a model to a table, with lam chosen by cross-validation: the place to start.

    Writes model/, predictions.csv and report.html. Interrupted, it resumes from the finished folds when called again.
    Boosted trees and networks have no lam: they stop early, and folds are for honest scores.
    """
    from pulasso.cli.build_estimator import estimator_settings
    from pulasso.cli.fit_and_write import fit_and_write
    from pulasso.estimators import MultinomialPULassoCV, OrdinalPULassoCV

    check_missing(learner, data)
    options = (data, model, sources, robustness, output)
    how: dict[str, Any] = {"seed": seed, "jobs": jobs, "report": report, "checkpoint": checkpoint}
    if learner is not LearnerName.linear:
        given = {**given_of(grid), "select": select is not Select.min, "refit": refit is not None}
        refuse_options_of_linear_models(learner, model, robustness, given | given_of(sources))
        fit_and_write("cv", partial(make_learner, learner, seed), options, folds=folds, **how)
        return
    settings = {
        "n_lams": grid.n_lams,
        "lam_min_ratio": grid.lam_min_ratio,
        "cv": folds,
        "select": select.value,
        "max_active": max_active,
        "refit": None if refit is None else refit.value,
        "random_state": seed,
        "n_jobs": jobs,
    }
    kind = {"multinomial": MultinomialPULassoCV, "ordinal": OrdinalPULassoCV}[model.response]
    fit_and_write("cv", lambda *of: kind(**estimator_settings(*of), **settings), options, **how)
