"""`pulasso path`: how coefficients grow as the penalty weakens."""

from collections.abc import Iterator
from typing import Any

from pulasso.cli.options import GridOptions, ModelOptions, OutputOptions, TableOptions, flat

__all__ = ["path"]


@flat
def path(data: TableOptions, model: ModelOptions, grid: GridOptions, output: OutputOptions) -> None:
    """Follow the whole path of lams, from no feature to many.

    Writes path/, which Python reads by pulasso.load, and path.csv with every coefficient that is not zero.
    """
    import typer

    from pulasso.cli.fitting import notes_of
    from pulasso.cli.modelling import make_settings
    from pulasso.cli.outputs import print_json, refuse_all, save_model, show_written, write_csv
    from pulasso.cli.preparing import prepare
    from pulasso.estimators import fit_path

    prepared = prepare(data, model)
    settings = make_settings(model, prepared)
    folder, table = output.out / "path", output.out / "path.csv"
    refuse_all([folder, table], output.force)
    result = fit_path(
        prepared.x,
        prepared.observed.y,
        response="multinomial" if model.ordered is None else "ordinal",
        n_lams=grid.n_lams,
        lam_min_ratio=grid.lam_min_ratio,
        sample_weight=prepared.weight,
        **settings,
    )
    save_model(result, folder, output.force, notes_of("path", prepared, 0))
    write_csv(_coefficients(result), table, output.force, digits=10)
    if output.json:
        lines = {
            "lams": result.lams,
            "n_active": result.n_active,
            "objective": result.objective,
            "kkt": result.kkt,
        }
        print_json("path", **lines, path=folder, coefficients=table)
        return
    typer.echo(f"{prepared}\n{result!r}")
    typer.echo("\n".join(_order_of_entry(result)))
    show_written([folder, table])


def _names(result: Any) -> list[str]:
    n_features = result.coefs.shape[-1]
    return (
        [f"x{j}" for j in range(n_features)] if result.feature_names is None else list(result.feature_names)
    )


def _coefficients(result: Any) -> Any:
    """Return a table of lam, feature, class and coefficient, without the zeros."""
    import numpy as np
    import pandas as pd

    names = np.array(_names(result), dtype=object)
    if result.coefs.ndim == 2:
        lam, feature = np.nonzero(result.coefs)
        columns = {"lam": result.lams[lam], "feature": names[feature]}
        return pd.DataFrame({**columns, "coefficient": result.coefs[lam, feature]})
    lam, output, feature = np.nonzero(result.coefs)
    columns = {"lam": result.lams[lam], "feature": names[feature], "class": result.classes[1:][output]}
    return pd.DataFrame({**columns, "coefficient": result.coefs[lam, output, feature]})


def _order_of_entry(result: Any, shown: int = 10) -> Iterator[str]:
    """Yield a line for each of the first features that enter."""
    import numpy as np

    active = result.coefs != 0
    active = active if active.ndim == 2 else active.any(axis=1)
    ever = np.flatnonzero(active.any(axis=0))
    first = active.argmax(axis=0)[ever]
    names = _names(result)
    yield f"  {len(ever)} of {active.shape[1]} features enter" + (", in this order:" if len(ever) else ".")
    for j in np.argsort(first, kind="stable")[:shown]:
        yield f"  {names[ever[j]]}  at lam {result.lams[first[j]]:.4g}"
    if len(ever) > shown:
        yield f"  ... and {len(ever) - shown} more"
