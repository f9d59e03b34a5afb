"""Figure 3 (sim4 in the paper's source): prediction error against the prevalence of the positive classes."""

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

TITLE = "Figure 3: prediction error against prevalence"
PAPER = (
    "s = 2, K = 2, p = 400, X with variance 4, lam by 5-fold cross-validation for every method, a test set "
    "of 100. The model without features has pi_0 = 0.1, ..., 0.7. PULasso outperforms the lasso that takes "
    "unlabeled rows for class 0, especially when the positive classes are frequent; the more extreme the "
    "prevalences, the smaller its error and that of the oracle."
)
NOTES = (
    "The paper has 'n = 200' and 'n_u = n/2 = 200, n_j = n/(2K) = 50', which contradict each other. n = 400 (n_u = "
    "200, n_j = 100) is the one reading with n_u = n/2 = 200, and n = 200 (n_u = 100, n_j = 50) the one with n = 200 "
    "and n_j = 50: both are shown and judged. Footnote: n = 300 (n_u = 200, n_j = 50) has both printed counts, but "
    "then n_u is not n/2; three of its points are among the numbers.",
    "Errors are on a test set of 2000 rows per repetition for a clean curve; dotted lines are its first 100 rows, "
    "the paper's size. Every repetition has its own coefficients, the same ones for all points of the curves, and "
    "methods are compared on the same data. The axis is the true 1 - pi_0 of the full model, by integration, "
    "averaged over repetitions. Trends are judged on all points: the slope of the curve must be clear, that is beyond "
    "two standard errors, and no single step may clearly go the other way.",
    RULES,
    NOTE,
)

FOOTNOTE = 300  # rows of the reading that is neither drawn nor judged
_WHOLE = {
    "anchor": ANCHOR,
    "design": DESIGN,
    "sizes": ((400, 200), (200, 100)),  # n and n_u of the two readings
    "pi_0": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7),
    "footnote": {"sizes": ((FOOTNOTE, 200),), "pi_0": (0.1, 0.4, 0.7)},
}
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {
        **_WHOLE,
        "design": TINY_DESIGN,
        "sizes": ((400, 200),),
        "pi_0": (0.1, 0.7),
        "footnote": {"sizes": ((FOOTNOTE, 200),), "pi_0": (0.1,)},
        "repetitions": 2,
    },
    "quick": {**_WHOLE, "repetitions": 4},
    "paper": {**_WHOLE, "repetitions": 10},
}


def run(scale: str = "quick", seed: int = 0, **how: Any) -> pd.DataFrame:
    """Return the errors of every repetition and method."""
    settings = at_scale(SETTINGS, scale)
    cells = [
        {"model": model, "n": n, "n_unlabeled": n_unlabeled, "pi_0": pi_0}
        for reading in (settings, settings["footnote"])
        for n, n_unlabeled in reading["sizes"]
        for model in MODELS
        for pi_0 in reading["pi_0"]
    ]
    all_cells = repetitions(cells, settings["repetitions"])
    fixed = {**settings["design"], "anchor": settings["anchor"]}
    return run_cells("figure-3", compare, all_cells, fixed, seed, **how)


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean errors by method."""
    return mean_by_method(table, ["n", "model", "pi_0"])


def judge(table: pd.DataFrame) -> list[Claim]:
    """PULasso wins everywhere, the more the more frequent positives are, and has most trouble in the middle."""
    claims = []
    # Trends are judged along the axis of the figure: positives become more frequent as pi_0 falls.
    table = table[table["n"] != FOOTNOTE].assign(positive=lambda rows: 1 - rows["pi_0"])
    for who, model, part in each_part(table):
        claims += beats(who, model, part, "pi_0", "pi_0")
        gap = gap_of(part, "positive")
        text = f"{who}: the advantage over Lasso grows with the prevalence of positives"
        claims.append(Claim(text, gap.rises(), gap.words("1 - pi_0")))
        peaks = {each: trend_of(part, each, "positive").peaks_inside() for each in ("PULasso", "oracle")}
        claims.append(
            Claim(
                f"{who}: the errors of PULasso and of the oracle become smaller towards both extremes of prevalence",
                all(holds for holds, _ in peaks.values()),
                "; ".join(f"{method} {words}" for method, (_, words) in peaks.items()),
            )
        )
        claims.append(anchored_no_worse(who, part, "pi_0", "pi_0"))
    return claims


def draw(table: pd.DataFrame) -> Figure:
    """Draw errors against the true share of positive rows."""
    means = summarize(table[table["n"] != FOOTNOTE])
    return draw_errors(means, "positive_share", r"true prevalence of positives, $1 - \pi_0$")
