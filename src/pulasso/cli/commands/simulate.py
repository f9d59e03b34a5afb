"""`pulasso simulate`: a table whose truth is known, to try things on."""

from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from pulasso.cli.options import SEED, ScenarioName, one_of, option

__all__ = ["simulate"]


class Response(StrEnum):
    """The model that the rows are drawn from."""

    multinomial = "multinomial"
    ordinal = "ordinal"


def simulate(
    out: Path = typer.Argument(help="File to write, .csv."),
    response: Response = option(
        Response.multinomial,
        None,
        "multinomial or ordinal: ordered classes.",
        "--model",
        metavar="NAME",
        **one_of(Response),
    ),
    rows: int = option(300, None, "Number of rows.", min=2),
    features: int = option(20, None, "Number of features.", min=1),
    active: int = option(2, None, "Features that matter.", min=0),
    classes: int = option(2, None, "Classes besides class 0.", min=1),
    scenario: ScenarioName = option(
        ScenarioName.case_control,
        None,
        "How labels come to be, as for `cv`.",
        metavar="NAME",
        **one_of(ScenarioName),
    ),
    unlabeled_share: float = option(0.5, None, "Share of unlabeled rows in case-control data."),
    label_frequency: float = option(0.5, None, "How often a label is seen in a single training set."),
    correlation: float = option(0.0, None, "Of neighbouring features."),
    truth: bool = option(False, None, "Add the column true_class.", "--truth"),
    seed: int = SEED,
    force: bool = option(False, None, "Replace the file.", "--force", "-f"),
    json: bool = option(False, None, "Print the truth as JSON.", "--json"),
) -> None:
    """Write a table of simulated presence-only data, in which 0 marks unlabeled rows.

    Prints the true number that the scenario needs, and the features that matter.
    """
    import pandas as pd

    from pulasso.cli.checkpoints import writing
    from pulasso.cli.results import print_json, write_csv
    from pulasso.datasets import simulate_multinomial, simulate_ordinal

    data = (simulate_multinomial if response is Response.multinomial else simulate_ordinal)(
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
    names = [f"x{j}" for j in range(features)]
    labels = {"label": data.z, **({"true_class": data.y} if truth else {})}
    with writing([out], force, "another name") as force:
        write_csv(pd.DataFrame({**labels, **dict(zip(names, data.X.T, strict=True))}), out, force)
    known = {name: _as_typed(each) for name, each in data.scenario_params.items() if name != "scenario"}
    matter = [names[j] for j in (data.coef != 0).reshape(-1, features).any(axis=0).nonzero()[0]]
    if json:
        print_json("simulate", file=out, scenario=data.scenario, **known, matter=matter, coef=data.coef)
        return
    order = f' --ordered "{"<".join(map(str, range(classes + 1)))}"' if response is Response.ordinal else ""
    numbers = "".join(f" --{name.replace('_', '-')} {text}" for name, text in known.items())
    known_as = f"--label label --scenario {data.scenario}{numbers}{order}" + " --drop true_class" * truth
    typer.echo(f"{out}: {rows} rows, {features} features, of which {', '.join(matter) or 'none'} matter.")
    typer.echo(f"Try: pulasso cv {out} {known_as}")


def _as_typed(numbers: Any) -> str:
    return ",".join(f"{k}={number:.3g}" for k, number in enumerate(numbers, start=1))
