"""Figure 4 (sim5 in the paper's source): prediction error against the share of unlabeled rows."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reproduction.anchored import ANCHOR, NOTE
from reproduction.cells import at_scale, repetitions, run_cells
from reproduction.claims import Claim
from reproduction.comparison import (
    DESIGN,
    RULES,
    TINY_DESIGN,
    anchored_no_worse,
    beats,
    compare,
    draw_errors,
    each_part,
    gap_of,
    mean_by_method,
    trend_of,
)
from reproduction.estimation import MODELS

TITLE = "Figure 4: prediction error against the share of unlabeled rows"
PAPER = (
    "As figure 3 with n_u/n from 0.3 to 0.9, the other rows shared evenly by the two classes; the model "
    "without features has 30, 35 and 35 %. Errors grow with n_u/n, those of the lasso much faster than those "
    "of PULasso. The paper's full model has prevalences 0.2584, 0.3677, 0.3739 (multinomial) and 0.3753, "
    "0.2153, 0.4095 (ordinal)."
)
NOTES = (
    "n = 400 and n = 200, for the reasons of figure 3. Coefficients are drawn anew in every repetition, so our "
    "prevalences vary around those of the paper's single draw; their mean is in the numbers. Trends are judged on all "
    "points, as in figure 3: the two ends of a curve do not tell what happens in between.",
    RULES,
    NOTE,
)

_COMMON = {"pi_0": 0.3, "anchor": ANCHOR}
_WHOLE = {**_COMMON, "design": DESIGN, "sizes": (400, 200), "shares": (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)}
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {**_COMMON, "design": TINY_DESIGN, "sizes": (200,), "shares": (0.3, 0.9), "repetitions": 2},
    "quick": {**_WHOLE, "repetitions": 6},
    "paper": {**_WHOLE, "repetitions": 10},
}


def run(scale: str = "quick", seed: int = 0, **how: Any) -> pd.DataFrame:
    """Return the errors of every repetition and method."""
    settings = at_scale(SETTINGS, scale)
    cells = [
        {"model": model, "n": n, "n_unlabeled": round(share * n), "pi_0": settings["pi_0"]}
        for n in settings["sizes"]
        for model in MODELS
        for share in settings["shares"]
    ]
    all_cells = repetitions(cells, settings["repetitions"])
    fixed = {**settings["design"], "anchor": settings["anchor"]}
    table = run_cells("figure-4", compare, all_cells, fixed, seed, **how)
    return table.assign(unlabeled_share=table["n_unlabeled"] / table["n"])


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean errors by method."""
    return mean_by_method(table, ["n", "model", "unlabeled_share"])


def judge(table: pd.DataFrame) -> list[Claim]:
    """Errors grow with the share of unlabeled rows, the lasso's faster, and PULasso wins everywhere."""
    claims, x, symbol = [], "unlabeled_share", "n_u/n"
    for who, model, part in each_part(table):
        trends = {method: trend_of(part, method, x) for method in ("PULasso", "Lasso")}
        claims.append(
            Claim(
                f"{who}: the errors of PULasso and of Lasso grow with n_u/n",
                all(trend.rises() for trend in trends.values()),
                "; ".join(f"{method} {trend.words(symbol)}" for method, trend in trends.items()),
            )
        )
        gap = gap_of(part, x)
        text = f"{who}: the error of Lasso grows faster than that of PULasso"
        claims.append(Claim(text, gap.rises(), f"what Lasso errs more: {gap.words(symbol)}"))
        claims += beats(who, model, part, x, symbol)
        claims.append(anchored_no_worse(who, part, x, symbol))
    return claims


def draw(table: pd.DataFrame) -> Figure:
    """Draw errors against the share of unlabeled rows."""
    return draw_errors(summarize(table), "unlabeled_share", r"share of unlabeled rows, $n_u/n$")
