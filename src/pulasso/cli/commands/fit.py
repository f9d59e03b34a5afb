"""`pulasso fit`: one model, at a lam that the user chose."""

from functools import partial
from typing import Any

import typer

from pulasso.cli.learner import (
    LEARNER,
    LearnerName,
    check_missing,
    given_of,
    make_learner,
    refuse_options_of_linear_models,
)
from pulasso.cli.options import (
    JOBS,
    SEED,
    ModelOptions,
    OutputOptions,
    RobustnessOptions,
    SourceOptions,
    TableOptions,
    flat,
    option,
)

__all__ = ["fit"]


@flat
def fit(
    data: TableOptions,
    model: ModelOptions,
    sources: SourceOptions,
    robustness: RobustnessOptions,
    output: OutputOptions,
    lam: float | None = option(None, None, "Strength of the penalty; the linear model needs it.", min=0.0),
    learner: LearnerName = LEARNER,
    restarts: int = option(0, None, "Also try so many random starts.", min=0),
    seed: int = SEED,
    jobs: int = JOBS,
    report: bool = option(
        False, None, "Also write report.html, a page about the model.", "--report/--no-report"
    ),
) -> None:
    """Fit one model to a table, at a given lam; `cv` chooses lam for you.

    Writes model/ and predictions.csv.
    """
    from pulasso.cli.build_estimator import estimator_settings
    from pulasso.cli.fit_and_write import fit_and_write
    from pulasso.estimators import MultinomialPULasso, OrdinalPULasso

    check_missing(learner, data)
    options = (data, model, sources, robustness, output)
    how: dict[str, Any] = {"seed": seed, "jobs": jobs, "report": report}
    if learner is not LearnerName.linear:
        given = {"lam": lam is not None, "restarts": restarts > 0}
        refuse_options_of_linear_models(learner, model, robustness, given | given_of(sources))
        fit_and_write("fit", partial(make_learner, learner, seed), options, **how)
        return
    if lam is None:
        raise typer.BadParameter("The linear model needs --lam; `cv` chooses it for you.", param_hint="--lam")
    settings = {"lam": lam, **({"n_restarts": restarts, "random_state": seed} if restarts else {})}
    kind = {"multinomial": MultinomialPULasso, "ordinal": OrdinalPULasso}[model.response]
    fit_and_write("fit", lambda *of: kind(**estimator_settings(*of), **settings), options, **how)
