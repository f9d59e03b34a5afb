"""`pulasso fit`: one model, at a lam that the user chose."""

from typing import Annotated

import typer

from pulasso.cli.options import CertaintyOptions, ModelOptions, OutputOptions, TableOptions, flat

__all__ = ["fit"]


@flat
def fit(
    data: TableOptions,
    model: ModelOptions,
    certainty: CertaintyOptions,
    output: OutputOptions,
    lam: Annotated[float, typer.Option("--lam", min=0.0, help="Strength of the penalty.")],
    restarts: Annotated[int, typer.Option("--restarts", min=0, help="Also try so many random starts.")] = 0,
    seed: Annotated[int, typer.Option("--seed", help="Of random numbers.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1 is one for each core.")] = 1,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Also write report.html, a page about the model.")
    ] = False,
) -> None:
    """Fit one model to a table, at a given lam; `cv` chooses lam for you.

    Writes model/ and predictions.csv.
    """
    from pulasso.cli.fitting import fit_and_write
    from pulasso.estimators import MultinomialPULasso, OrdinalPULasso

    estimator = MultinomialPULasso if model.ordered is None else OrdinalPULasso
    settings = {"lam": lam, **({"n_restarts": restarts, "random_state": seed} if restarts else {})}
    fit_and_write(
        "fit", estimator, data, model, certainty, output, settings, seed=seed, jobs=jobs, report=report
    )
