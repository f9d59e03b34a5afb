"""`pulasso path`: how coefficients grow as the penalty weakens."""

from collections.abc import Iterator
from typing import Any

from pulasso.cli.errors import say
from pulasso.cli.options import GridOptions, ModelOptions, OutputOptions, TableOptions, flat

__all__ = ["path"]

ENTRIES_SHOWN = 10


@flat
def path(data: TableOptions, model: ModelOptions, grid: GridOptions, output: OutputOptions) -> None:
    """Follow the whole path of lams, from no feature to many.

    Writes path/, which Python reads by pulasso.load, and path.csv with every coefficient that is not zero.
    """
    from pulasso.cli import results
    from pulasso.cli.build_estimator import estimator_settings
    from pulasso.cli.checkpoints import writing
    from pulasso.cli.load_data import load_data
    from pulasso.estimators import fit_path
    from pulasso.estimators.shares import describe_shares

    loaded = load_data(data, model)
    settings = estimator_settings(model, loaded)
    folder, table = output.out / "path", output.out / "path.csv"
    with writing([folder, table], output.force) as force:
        found = fit_path(
            loaded.x,
            loaded.column.y,
            response=model.response,
            n_lams=grid.n_lams,
            lam_min_ratio=0.05 if grid.lam_min_ratio is None else grid.lam_min_ratio,
            sample_weight=loaded.weight,
            **settings,
        )
        results.save_model(found, folder, force, results.notes_of("path", loaded, 0))
        results.write_csv(_coefficients(found), table, force, digits=10)
    if output.json:
        lines = {
            name: getattr(found, name) for name in ("lams", "n_active", "objective", "kkt", "class_shares")
        }
        told = found.model(-1).told_shares_
        results.print_json("path", **lines, told_shares=told, path=folder, coefficients=table)
    else:
        shares = describe_shares(found.model(-1))
        last = [f"  class shares at the smallest lam: {shares}"] if shares else []
        say("\n".join([str(loaded), repr(found), *_order_of_entry(found), *last]))
        results.show_written([folder, table])


def _names(found: Any) -> list[str]:
    names = found.feature_names
    return [f"x{j}" for j in range(found.coefs.shape[-1])] if names is None else list(names)


def _coefficients(found: Any) -> Any:
    """Return a table of lam, feature, class (if coefficients have one) and coefficient, without the zeros."""
    import numpy as np
    import pandas as pd

    lam, *output, feature = np.nonzero(found.coefs)
    columns = {"lam": found.lams[lam], "feature": np.array(_names(found), dtype=object)[feature]}
    if output:  # ordered classes share their coefficients
        columns["class"] = found.classes[1:][output[0]]
    return pd.DataFrame({**columns, "coefficient": found.coefs[(lam, *output, feature)]})


def _order_of_entry(found: Any) -> Iterator[str]:
    """Yield a line for each of the first features that enter."""
    import numpy as np

    active = (found.coefs != 0).reshape(len(found.lams), -1, found.coefs.shape[-1]).any(axis=1)
    ever = np.flatnonzero(active.any(axis=0))
    first = active.argmax(axis=0)[ever]
    yield f"  {len(ever)} of {active.shape[1]} features enter" + (", in this order:" if len(ever) else ".")
    names = _names(found)
    for j in np.argsort(first, kind="stable")[:ENTRIES_SHOWN]:
        yield f"  {names[ever[j]]}  at lam {found.lams[first[j]]:.4g}"
    if len(ever) > ENTRIES_SHOWN:
        yield f"  ... and {len(ever) - ENTRIES_SHOWN} more"
