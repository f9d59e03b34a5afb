"""`pulasso compare`: several models on the same folds, judged without negatives."""

from pulasso.cli.errors import say
from pulasso.cli.options import SEED_OF_FOLDS, ModelOptions, OutputOptions, TableOptions, flat, option

__all__ = ["compare"]


@flat
def compare(
    data: TableOptions,
    model: ModelOptions,
    output: OutputOptions,
    models: str = option(
        "pulasso, mn-lasso, elkan-noto, one-vs-rest, nnpu, pu-bagging",
        None,
        "Names, separated by commas; boosting and neural are flexible learners. `--models all` takes all that fit.",
    ),
    folds: int = option(5, None, "Number of folds.", min=2),
    seed: int = SEED_OF_FOLDS,
) -> None:
    """Compare models on the same folds, by scores of the true classes that need no negatives.

    Each model chooses its lam on its own training rows. Of boosted trees and networks a verdict says whether they are
    worth it. Writes compare.csv.
    """
    from pulasso.cli.build_estimator import estimator_settings
    from pulasso.cli.checkpoints import writing
    from pulasso.cli.load_data import load_data
    from pulasso.cli.results import print_json, show_written, write_csv
    from pulasso.model_selection import compare as compare_models

    table = output.out / "compare.csv"
    loaded = load_data(data, model)
    settings = estimator_settings(model, loaded)
    with writing([table], output.force) as force:
        found = compare_models(
            loaded.x,
            loaded.column.y,
            "all"
            if models.strip() == "all"
            else [each.strip() for each in models.split(",") if each.strip()],
            response=model.response,
            cv=folds,
            random_state=seed,
            sample_weight=loaded.weight,
            **settings,
        )
        write_csv(found.to_frame(), table, force)
    if output.json:
        print_json("compare", models=list(found.lines), verdict=found.verdict or None, table=table)
    else:
        say(f"{loaded}\n\n{found!r}")
        show_written([table])
