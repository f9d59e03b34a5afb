"""`pulasso compare`: several models on the same folds, judged without negatives."""

from typing import Annotated

import typer

from pulasso.cli.options import ModelOptions, OutputOptions, TableOptions, flat

__all__ = ["compare"]

DEFAULT = "pulasso, mn-lasso, elkan-noto, one-vs-rest, nnpu"


@flat
def compare(
    data: TableOptions,
    model: ModelOptions,
    output: OutputOptions,
    models: Annotated[
        str,
        typer.Option(
            "--models", help="Names, separated by commas; `--models all` takes every one that fits."
        ),
    ] = DEFAULT,
    folds: Annotated[int, typer.Option("--folds", min=2, help="Number of folds.")] = 5,
    seed: Annotated[int, typer.Option("--seed", help="Of random numbers: which row is in which fold.")] = 0,
) -> None:
    """Compare models on the same folds, by scores of the true classes that need no negatives.

    Each model chooses its lam on its own training rows. Writes compare.csv.
    """
    from pulasso.cli.comparing import compare_models, show_comparison
    from pulasso.cli.modelling import make_settings
    from pulasso.cli.outputs import print_json, refuse_all, show_written, write_csv
    from pulasso.cli.preparing import prepare

    table = output.out / "compare.csv"
    prepared = prepare(data, model)
    settings = make_settings(model, prepared)
    refuse_all([table], output.force)
    found = compare_models(prepared, settings, models, folds, seed, ordered=model.ordered is not None)
    write_csv(found, table, output.force)
    if output.json:
        print_json("compare", models=found.to_dict(orient="records"), table=table)
        return
    typer.echo(f"{prepared}\n")
    typer.echo(show_comparison(found))
    show_written([table])
