"""What the paper leaves open in its tables, each choice tried on its own; tables 1 and 2 share this."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pulasso.experiments.claims import mean_and_se
from pulasso.experiments.drawing import LOOKS, legend_below, panels
from pulasso.experiments.masked import NAIVE, predict_masked
from pulasso.experiments.runner import Cell, repetitions, run_cells
from pulasso.plots.style import GREY

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

__all__ = ["AS_IN_THE_TABLE", "draw_choices", "mean_choices", "run_choices"]

AS_IN_THE_TABLE = "as in the table"


def predict_chosen(cell: Cell, fixed: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the scores of one fit with one setting changed."""
    return predict_masked({**cell, "choice": fixed["choice"]}, fixed, seed)


def run_choices(name: str, settings: Mapping[str, Any], seed: int, how: dict[str, Any]) -> "DataFrame":
    """Return the scores of PULasso on the diagonal and of Lasso, for every choice."""
    import pandas as pd

    tables = []
    for change, choice in settings["choices"].items():
        cells = [
            {"pi": pi, "assumed": assumed, "change": change}
            for pi in settings["label_frequencies"]
            for assumed in (NAIVE, pi)
        ]
        # Every choice has its own folder of finished cells: one that is added leaves the others as they are.
        fixed = {**settings["design"], "choice": choice}
        all_cells = repetitions(cells, settings["splits"])
        tables.append(run_cells(name, predict_chosen, all_cells, fixed, seed, **how))
    return pd.concat(tables, ignore_index=True)


def mean_choices(table: "DataFrame", score: str) -> "DataFrame":
    """Return mean scores, and how they differ on the same splits from the score as in the table."""
    key = ["pi", "assumed", "repetition"]
    base = table[table["change"] == AS_IN_THE_TABLE].set_index(key)[score]
    paired = table.join(base.rename("base"), on=key)
    rows = []
    for (pi, assumed, change), part in paired.groupby(["pi", "assumed", "change"], sort=False):
        mean, se = mean_and_se(part[score])
        gain, gain_se = mean_and_se(part[score] - part["base"])
        method = NAIVE if assumed == NAIVE else "PULasso"
        row = {"pi": pi, "method": method, "change": change, score: mean, f"{score}_se": se}
        difference = {"difference": gain, "difference_se": gain_se}
        rows.append({**row, **difference, "n_selected": part["n_selected"].mean(), "splits": len(part)})
    return type(table)(rows)


def draw_choices(means: "DataFrame", score: str, label: str) -> "Figure":
    """Draw the score of every choice, one panel for each label frequency."""
    frequencies = list(dict.fromkeys(means["pi"].tolist()))
    changes = list(dict.fromkeys(means["change"].tolist()))
    figure, axes = panels(len(frequencies), sharey=True)
    for ax, pi in zip(axes, frequencies, strict=True):
        for look, method in zip(LOOKS, ("PULasso", NAIVE), strict=False):
            part = means[(means["pi"] == pi) & (means["method"] == method)].set_index("change").loc[changes]
            places = range(len(changes))
            ax.errorbar(
                part[score],
                places,
                xerr=2 * part[f"{score}_se"],
                **{**look, "linestyle": "none"},
                label=method,
                capsize=2.5,
            )
            ax.axvline(part[score].iloc[0], color=look["color"], linestyle=look["linestyle"], linewidth=0.7)
        ax.set_yticks(range(len(changes)), changes)
        ax.set(title=f"label frequency {pi:g}", xlabel=label)
        ax.tick_params(axis="y", color=GREY)
    axes[0].invert_yaxis()
    legend_below(figure, axes[0])
    return figure
