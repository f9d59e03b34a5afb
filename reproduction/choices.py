"""What the paper leaves open in its tables, each choice tried on its own; tables 1 and 2 share this."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reproduction.cells import at_scale, repetitions, run_cells
from reproduction.claims import Claim, standard_error
from reproduction.curves import CLEAR
from reproduction.drawing import GREY, LOOKS, legend_below, panels
from reproduction.masked import NAIVE, Score, chosen, predict_masked

AS_IN_THE_TABLE = "as in the table"
OURS = "PULasso"


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
        method=table["assumed"].where(table["assumed"] == NAIVE, OURS),
        difference=table[column] - table.join(base.rename("base"), on=key)["base"],
    )
    numbers: dict[str, Any] = {}
    for name in (column, "difference"):
        numbers |= {name: (name, "mean"), f"{name}_se": (name, standard_error)}
    return paired.groupby(["pi", "method", "change"], sort=False, as_index=False).agg(
        **numbers, n_selected=("n_selected", "mean"), splits=("n_selected", "size")
    )


def judge_choices(table: pd.DataFrame, score: Score) -> list[Claim]:
    """PULasso at the truth is clearly better than Lasso on the same splits, however both are set up."""
    named = table.assign(method=table["assumed"].where(table["assumed"] == NAIVE, OURS))
    scores = named.pivot(index=["pi", "change", "repetition"], columns="method", values=score.column)
    gains = (scores[OURS] - scores[NAIVE]) * (1 if score.more_is_better else -1)
    gain = gains.groupby(level=["pi", "change"], sort=False).agg(["mean", standard_error])
    clear = gain["mean"] > CLEAR * gain["standard_error"]
    words = "beats Lasso" if score.more_is_better else "errs less than Lasso"
    least, most = (f"{end:{score.digits}}" for end in (gain["mean"].min(), gain["mean"].max()))
    evidence = f"{clear.sum()} of {len(clear)} choices and label frequencies, by {least} to {most}"
    unclear = [f"{change} at {pi:g}" for pi, change in gain.index[~clear]]
    return [
        Claim(
            f"PULasso with the correct pi_hat {words} by more than two standard errors under every choice",
            bool(clear.all()),
            evidence + (f"; not {', '.join(unclear)}" if unclear else ""),
        )
    ]


def draw_choices(table: pd.DataFrame, score: Score) -> Figure:
    """Draw what every choice adds to the score of the table, one panel for each method and label frequency.

    Axes show small differences; what lies beyond is an arrow at the edge, with the difference beside it.
    """
    means = mean_choices(table, score)
    frequencies, changes = means["pi"].unique().tolist(), means["change"].unique().tolist()
    figure, axes = panels(2, len(frequencies), sharey=True)
    figure.set_figheight(max(figure.get_figheight(), 0.28 * len(changes) * len(frequencies) + 1.2))
    places = [
        (pi, look, method) for pi in frequencies for look, method in zip(LOOKS, (OURS, NAIVE), strict=False)
    ]
    for ax, (pi, look, method) in zip(axes, places, strict=True):
        part = means[(means["pi"] == pi) & (means["method"] == method)].set_index("change").loc[changes]
        reach = score.near if method == OURS else 4 * score.near
        ax.axvline(0, color=GREY, linewidth=0.8, label=AS_IN_THE_TABLE)
        for row, (more, se) in enumerate(zip(part["difference"], part["difference_se"], strict=True)):
            if abs(more) <= reach:
                dots = {**look, "linestyle": "none"}
                label = f"{method}: mean difference on the same splits"
                ax.errorbar(more, row, xerr=2 * se, capsize=2.5, label=label, **dots)
            else:
                edge, arrow = (reach, ">") if more > 0 else (-reach, "<")
                ax.plot(edge, row, arrow, color=look["color"], label=f"{method}: beyond the axis")
                words, side = f"{more:+{score.digits}}", "right" if more > 0 else "left"
                ax.annotate(words, (edge, row), xytext=(-8 if more > 0 else 8, -3), textcoords="offset points",
                            ha=side, fontsize=7)  # fmt: skip
        ax.set_yticks(range(len(changes)), changes, fontsize=7)
        ax.set(title=f"{method}, label frequency {pi:g}", xlabel=f"difference in {score.label}")
        ax.set_xlim(-1.1 * reach, 1.1 * reach)
    axes[0].invert_yaxis()
    legend_below(figure)
    return figure
