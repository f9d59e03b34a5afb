"""How tables 1 and 2 are drawn: a score against the assumed label frequency, beside the paper's numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from reproduction.anchored import ANCHORED
from reproduction.drawing import GREY, LOOKS, PALETTE, band
from reproduction.masked import NAIVE, Score, by_estimator

CONSTANT, TRUTH = "constant class", "true label frequency"
NAMES_DRAWN = ("PULasso", NAIVE, "PULasso in the paper", f"{NAIVE} in the paper", ANCHORED, CONSTANT, TRUTH)


def draw_by_assumed(
    axes: Sequence[Axes], means: pd.DataFrame, score: Score, paper: Mapping[tuple[float, Any], float]
) -> None:
    """Draw a score against the assumed label frequency, one panel for each true one.

    Lines are the naive lasso, crosses and the dashed line are the paper's numbers, the dotted line is the truth, on
    which the anchored estimator stands; squares are the constant class that the told shares name.
    """
    means, anchored = by_estimator(means)
    for ax, pi in zip(axes, means["pi"].unique().tolist(), strict=True):
        here = means[means["pi"] == pi]
        pu, naive = here[here["assumed"] != NAIVE], here[here["assumed"] == NAIVE]
        at = pu["assumed"].astype(float)
        band(ax, at, pu[score.column], pu[f"{score.column}_se"], LOOKS[0], label=NAMES_DRAWN[0])
        ax.axhline(naive[score.column].iloc[0], color=PALETTE[1], label=NAMES_DRAWN[1])
        held = anchored[anchored["pi"] == pi]
        if len(held):
            dot = {**LOOKS[3], "linestyle": "none"}
            band(ax, [pi], held[score.column], held[f"{score.column}_se"], dot, label=ANCHORED)
        if "mse_of_constant" in pu and not score.more_is_better:
            ax.plot(at, pu["mse_of_constant"], "s", color=GREY, markersize=4, label=CONSTANT)
        known = [(a, paper[pi, a]) for a in at if (pi, a) in paper]
        if known:
            ax.plot(*zip(*known, strict=True), "x", color=PALETTE[0], label=NAMES_DRAWN[2])
        if (pi, NAIVE) in paper:
            ax.axhline(paper[pi, NAIVE], color=PALETTE[1], linestyle="--", label=NAMES_DRAWN[3])
        ax.axvline(pi, color=GREY, linestyle=":", linewidth=1, label=TRUTH)
        ax.set(title=f"label frequency {pi:g}", xlabel="assumed label frequency")
    axes[0].set_ylabel(score.label)


def share_y(axes: Sequence[Axes]) -> None:
    """Give panels the same range, where not all panels of a figure share one."""
    ends = np.array([ax.get_ylim() for ax in axes])
    for ax in axes:
        ax.set_ylim(ends[:, 0].min(), ends[:, 1].max())
