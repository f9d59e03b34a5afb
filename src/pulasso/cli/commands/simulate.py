"""`pulasso simulate`: a table whose truth is known, to try things on."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from pulasso.cli.options import ScenarioName, one_of

__all__ = ["simulate"]


class Response(StrEnum):
    """The model that the rows are drawn from."""

    multinomial = "multinomial"
    ordinal = "ordinal"


def simulate(
    out: Annotated[Path, typer.Argument(help="File to write, .csv.")],
    response: Annotated[
        Response,
        typer.Option(
            "--model", metavar="NAME", help="multinomial or ordinal: ordered classes.", **one_of(Response)
        ),
    ] = Response.multinomial,
    rows: Annotated[int, typer.Option("--rows", min=2, help="Number of rows.")] = 300,
    features: Annotated[int, typer.Option("--features", min=1, help="Number of features.")] = 20,
    active: Annotated[int, typer.Option("--active", min=0, help="Features that matter.")] = 2,
    classes: Annotated[int, typer.Option("--classes", min=1, help="Classes besides class 0.")] = 2,
    scenario: Annotated[
        ScenarioName,
        typer.Option(
            "--scenario", metavar="NAME", help="How labels come to be, as for `cv`.", **one_of(ScenarioName)
        ),
    ] = ScenarioName.case_control,
    unlabeled_share: Annotated[
        float, typer.Option("--unlabeled-share", help="Share of unlabeled rows in case-control data.")
    ] = 0.5,
    label_frequency: Annotated[
        float, typer.Option("--label-frequency", help="How often a label is seen in a single training set.")
    ] = 0.5,
    correlation: Annotated[float, typer.Option("--correlation", help="Of neighbouring features.")] = 0.0,
    truth: Annotated[bool, typer.Option("--truth", help="Add the column true_class.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of random numbers.")] = 0,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace the file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the truth as JSON.")] = False,
) -> None:
    """Write a table of simulated presence-only data, in which 0 marks unlabeled rows.

    Prints the true number that the scenario needs, and the features that matter.
    """
    from pulasso.cli.outputs import print_json, refuse_all, write_csv
    from pulasso.datasets import simulate_multinomial, simulate_ordinal

    refuse_all([out], force, "name")
    draw = simulate_multinomial if response is Response.multinomial else simulate_ordinal
    data = draw(
        rows,
        features,
        n_active=active,
        n_positive=classes,
        scenario=scenario.value,
        unlabeled_share=unlabeled_share,
        label_frequency=label_frequency,
        correlation=correlation,
        random_state=seed,
    )
    write_csv(_as_table(data, truth), out, force)
    known = {name: _shares(value) for name, value in data.scenario_params.items() if name != "scenario"}
    names = [f"x{j}" for j in (data.coef != 0).reshape(-1, features).any(axis=0).nonzero()[0]]
    if json:
        print_json("simulate", file=out, scenario=data.scenario, **known, matter=names, coef=data.coef)
        return
    order = f' --ordered "{"<".join(map(str, range(classes + 1)))}"' if response is Response.ordinal else ""
    numbers = "".join(f" --{name.replace('_', '-')} {text}" for name, text in known.items())
    typer.echo(f"{out}: {rows} rows, {features} features, of which {', '.join(names) or 'none'} matter.")
    typer.echo(
        f"Try: pulasso cv {out} --label label --scenario {data.scenario}{numbers}{order}"
        + (" --drop true_class" if truth else "")
    )


def _as_table(data: Any, truth: bool) -> Any:
    import pandas as pd

    table = pd.DataFrame(data.X, columns=[f"x{j}" for j in range(data.X.shape[1])])
    table.insert(0, "label", data.z)
    if truth:
        table.insert(1, "true_class", data.y)
    return table


def _shares(values: Any) -> str:
    return ",".join(f"{k + 1}={value:.3g}" for k, value in enumerate(values))
