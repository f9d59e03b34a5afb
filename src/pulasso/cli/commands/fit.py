"""`pulasso fit`: one model, at a lam that the user chose."""

from typing import Any

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
    lam: float = option(..., None, "Strength of the penalty.", min=0.0),
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
    from pulasso.cli.fit_and_write import fit_and_write
    from pulasso.estimators import MultinomialPULasso, OrdinalPULasso

    settings = {"lam": lam, **({"n_restarts": restarts, "random_state": seed} if restarts else {})}
    estimators = {"multinomial": MultinomialPULasso, "ordinal": OrdinalPULasso}
    how: dict[str, Any] = {"seed": seed, "jobs": jobs, "report": report}
    fit_and_write("fit", estimators, (data, model, sources, robustness, output), settings, **how)
