"""Figure 2 on a wider grid of c, for the multinomial model from K = 3 on."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduction.cells import at_scale
from reproduction.claims import Claim, standard_error
from reproduction.curves import CLEAR
from reproduction.drawing import LOOKS, band, legend_below, panels
from reproduction.figure_2 import inside, run_models, summarize

__all__ = ["NOTES", "PAPER", "SETTINGS", "TITLE", "draw", "judge", "run", "summarize"]

TITLE = "Figure 2 on a wider grid of c"
PAPER = "lam = c sqrt(log p/n) for an 'appropriately chosen constant c for each s and K'."
NOTES = (
    "In figure-2 the multinomial model is best at the smallest c of its grid from K = 4 on (s = 3: from K = 3 on). "
    "Here the grid goes on to smaller ones, on the first of the same data, with few repetitions, as small lams cost "
    "most.",
    "The best c is then inside, and falls as K grows: all features are selected, and what lam still does is to hold "
    "the direction in which all classes move together against class 0, in which the curvature of the loss is smallest.",
)

EDGE = 0.032  # the smallest c of figure 2
_COMMON: dict[str, Any] = {
    "sparsities": (2, 3),
    "p": 100,
    "rate": 0.02,
    "Ks": (3, 4, 5, 6),
    "cs": {"multinomial": (0.125, 0.09, 0.064, 0.045, EDGE, 0.022, 0.016, 0.011, 0.008, 0.0055)},
    "tol": 1e-5,
}
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {**_COMMON, "rate": 0.1, "p": 20, "Ks": (3, 4), "repetitions": {"multinomial": 2}},
    "quick": {**_COMMON, "sparsities": (2,), "repetitions": {"multinomial": 2}},
    "paper": {**_COMMON, "repetitions": {"multinomial": 5}},
}


def run(scale: str = "quick", seed: int = 0, **how: Any) -> pd.DataFrame:
    """Return the error of every repetition, one row for each c."""
    return run_models("figure-2-wide", at_scale(SETTINGS, scale), seed, **how)


def judge(table: pd.DataFrame) -> list[Claim]:
    """The best c is inside, and better than the edge of the narrower grid; the error still grows with K."""
    means = summarize(table)
    best = means[means["best_c"]].set_index(["s", "K"])
    gains = []
    for (s, k), rows in table.groupby(["s", "K"]):
        errors = rows.pivot(index="repetition", columns="c", values="error")
        gain = errors[EDGE] / errors[best.loc[(s, k), "c"]] - 1.0
        gains.append((s, k, float(gain.mean()), standard_error(gain)))
    first, last = (table[table["K"] == k] for k in (table["K"].min(), table["K"].max()))
    grown = {s: _ratio(first, last, best, s) for s in table["s"].unique().tolist()}
    return [
        inside(means),
        Claim(
            f"c = {EDGE:g}, where figure-2 ends, errs more than the best c by two standard errors at the largest K",
            all(gain > CLEAR * se for _, k, gain, se in gains if k == table["K"].max()),
            "; ".join(f"s = {s}, K = {k}: {gain:+.1%} ± {se:.1%}" for s, k, gain, se in gains),
        ),
        Claim(
            "with the best c the error still grows, from the smallest K to the largest, by two standard errors",
            all(more > CLEAR * se for more, se in grown.values()),
            "; ".join(f"s = {s}: {more:+.3f} ± {se:.3f}" for s, (more, se) in grown.items()),
        ),
    ]


def _ratio(first: pd.DataFrame, last: pd.DataFrame, best: pd.DataFrame, s: int) -> tuple[float, float]:
    """Return by how much the error at the best c is larger at the last K than at the first, with standard error."""
    ends = []
    for rows in (first, last):
        here = rows[(rows["s"] == s) & (rows["c"] == best.loc[(s, rows["K"].iloc[0]), "c"])]
        ends.append((here["error"].mean(), standard_error(here["error"])))
    return ends[1][0] - ends[0][0], float(np.hypot(ends[0][1], ends[1][1]))


def draw(table: pd.DataFrame) -> Figure:
    """Draw errors against c, one panel for each s."""
    means = summarize(table)
    means = means[np.isfinite(means["c"])]
    sparsities = means["s"].unique().tolist()
    figure, axes = panels(len(sparsities), sharey=True)
    for ax, s in zip(axes, sparsities, strict=True):
        for look, (k, part) in zip(LOOKS, means[means["s"] == s].groupby("K"), strict=False):
            band(ax, part["c"], part["error"], part["se"], look, label=f"K = {k}")
        ax.axvline(EDGE, color="black", linestyle=":", linewidth=0.8, label="where the grid of figure-2 ends")
        ax.set(xscale="log", title=f"multinomial, s = {s}", xlabel="c")
    axes[0].set_ylabel("mean estimation error")
    legend_below(figure)
    return figure
