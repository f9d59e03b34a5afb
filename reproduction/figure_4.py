"""Figure 4 (sim5 in the paper's source): prediction error against the share of unlabeled rows."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reproduction.anchored import ANCHOR, NOTE
from reproduction.cells import at_scale, repetitions, run_cells
from reproduction.claims import Claim
from reproduction.comparison import (
    DESIGN,
    TINY_DESIGN,
    advantage,
    anchored_no_worse,
    beats_lasso,
    compare,
    draw_errors,
    mean_by_method,
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
    "n = 200, as the text says. Coefficients are drawn anew in every repetition, so our prevalences vary "
    "around those of the paper's single draw; their mean is in the numbers.",
    NOTE,
)

_COMMON = {"n": 200, "pi_0": 0.3, "anchor": ANCHOR}
_WHOLE = {**_COMMON, "design": DESIGN, "shares": (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)}
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {**_COMMON, "design": TINY_DESIGN, "shares": (0.3, 0.9), "repetitions": 2},
    "quick": {**_WHOLE, "repetitions": 6},
    "paper": {**_WHOLE, "repetitions": 30},
}


def run(scale: str = "quick", seed: int = 0, **how: Any) -> pd.DataFrame:
    """Return the errors of every repetition and method."""
    settings = at_scale(SETTINGS, scale)
    n = settings["n"]
    cells = [
        {"model": model, "n": n, "n_unlabeled": round(share * n), "pi_0": settings["pi_0"]}
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
    """Errors grow with the share of unlabeled rows, the lasso's faster; PULasso wins where rows are unlabeled."""
    means, gains = summarize(table), advantage(table, ["n", "model", "unlabeled_share"])
    claims = []
    for model in MODELS:
        here = means[means["model"] == model].sort_values("unlabeled_share")
        ends = {
            method: here.loc[here["method"] == method, "error"].iloc[[0, -1]].tolist()
            for method in ("PULasso", "Lasso")
        }
        growth = {method: last - first for method, (first, last) in ends.items()}
        claims.append(
            Claim(
                f"{model}: both errors grow with n_u/n, the lasso's faster",
                bool(growth["Lasso"] > growth["PULasso"] > 0),
                "; ".join(f"{method} from {a:.3f} to {b:.3f}" for method, (a, b) in ends.items()),
            )
        )
        gains_here = gains[gains["model"] == model]
        claims.append(beats_lasso(model, gains_here, "unlabeled_share", "n_u/n", ".1f"))
    for model, part in table.groupby("model", sort=False):
        claims.append(anchored_no_worse(str(model), part, "unlabeled_share", "n_u/n"))
    return claims


def draw(table: pd.DataFrame) -> Figure:
    """Draw errors against the share of unlabeled rows."""
    return draw_errors(summarize(table), "unlabeled_share", r"share of unlabeled rows, $n_u/n$")
