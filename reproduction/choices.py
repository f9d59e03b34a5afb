"""What the paper leaves open in its tables, each choice tried on its own; tables 1 and 2 share this."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reproduction.cells import at_scale, repetitions, run_cells
from reproduction.claims import Claim, standard_error
from reproduction.drawing import GREY, LOOKS, legend_below, panels
from reproduction.masked import NAIVE, Score, chosen, predict_masked

AS_IN_THE_TABLE = "as in the table"


def run_choices(
    name: str, scales: Mapping[str, Mapping[str, Any]], scale: str = "quick", seed: int = 0, **how: Any
) -> pd.DataFrame:
    """Return the scores of PULasso on the diagonal and of Lasso, for every split and choice."""
    settings, tables = at_scale(scales, scale), []
    for change, choice in settings["choices"].items():
        cells = [
            {"pi": pi, "assumed": assumed, "change": change}
            for pi in settings["label_frequencies"]
            for assumed in (NAIVE, pi)
        ]
        # Every choice has its own folder of finished cells: one that is added leaves the others as they are.
        all_cells, fixed = repetitions(cells, settings["splits"]), chosen(settings, **choice)
        tables.append(run_cells(name, predict_masked, all_cells, fixed, seed, **how))
    return pd.concat(tables, ignore_index=True)


def mean_choices(table: pd.DataFrame, score: Score) -> pd.DataFrame:
    """Return mean scores, and how they differ on the same splits from the score as in the table."""
    key, column = ["pi", "assumed", "repetition"], score.column
    base = table[table["change"] == AS_IN_THE_TABLE].set_index(key)[column]
    paired = table.assign(
        method=table["assumed"].where(table["assumed"] == NAIVE, "PULasso"),
        difference=table[column] - table.join(base.rename("base"), on=key)["base"],
    )
    numbers: dict[str, Any] = {}
    for name in (column, "difference"):
        numbers |= {name: (name, "mean"), f"{name}_se": (name, standard_error)}
    return paired.groupby(["pi", "method", "change"], sort=False, as_index=False).agg(
        **numbers, n_selected=("n_selected", "mean"), splits=("n_selected", "size")
    )


def judge_choices(table: pd.DataFrame, score: Score) -> list[Claim]:
    """PULasso at the truth is better than Lasso, however both are set up."""
    means = mean_choices(table, score).pivot(index=["pi", "change"], columns="method", values=score.column)
    gain = (means["PULasso"] - means[NAIVE]) * (1 if score.more_is_better else -1)
    words = "beats Lasso" if score.more_is_better else "errs less than Lasso"
    return [
        Claim(
            f"PULasso with the correct pi_hat {words} under every choice",
            bool((gain > 0).all()),
            f"by {gain.min():{score.digits}} to {gain.max():{score.digits}}",
        )
    ]


def draw_choices(table: pd.DataFrame, score: Score) -> Figure:
    """Draw the score of every choice, one panel for each label frequency."""
    means = mean_choices(table, score)
    frequencies, changes = means["pi"].unique().tolist(), means["change"].unique().tolist()
    figure, axes = panels(len(frequencies), sharey=True)
    for ax, pi in zip(axes, frequencies, strict=True):
        for look, method in zip(LOOKS, ("PULasso", NAIVE), strict=False):
            part = means[(means["pi"] == pi) & (means["method"] == method)].set_index("change").loc[changes]
            at, bars = part[score.column], 2 * part[f"{score.column}_se"]
            dots = {**look, "linestyle": "none"}
            ax.errorbar(at, range(len(changes)), xerr=bars, label=method, capsize=2.5, **dots)
            ax.axvline(at.iloc[0], color=look["color"], linestyle=look["linestyle"], linewidth=0.7)
        ax.set_yticks(range(len(changes)), changes)
        ax.set(title=f"label frequency {pi:g}", xlabel=score.label)
        ax.tick_params(axis="y", color=GREY)
    axes[0].invert_yaxis()
    legend_below(figure, axes[0])
    return figure
