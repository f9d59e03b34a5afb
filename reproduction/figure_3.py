"""Figure 3 (sim4 in the paper's source): prediction error against the prevalence of the positive classes."""

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

TITLE = "Figure 3: prediction error against prevalence"
PAPER = (
    "s = 2, K = 2, p = 400, X with variance 4, lam by 5-fold cross-validation for every method, a test set "
    "of 100. The model without features has pi_0 = 0.1, ..., 0.7. PULasso outperforms the lasso that takes "
    "unlabeled rows for class 0, especially when the positive classes are frequent; the more extreme the "
    "prevalences, the smaller its error and that of the oracle."
)
NOTES = (
    "The paper has 'n = 200' and 'n_u = n/2 = 200, n_j = 50', which contradict each other. Both readings are "
    "shown: n = 300 (n_u = 200, n_j = 50) and n = 200 (n_u = 100, n_j = 50).",
    "Errors are on a test set of 2000 rows per repetition for a clean curve; dotted lines are its first 100 rows, "
    "the paper's size. Every repetition has its own coefficients, the same ones for all points of the curves, and "
    "methods are compared on the same data. The axis is the true 1 - pi_0 of the full model, by integration, "
    "averaged over repetitions. PULasso and Lasso predict the most probable class, which does not minimise a "
    "squared error; nor does the oracle, then.",
    NOTE,
)

_WHOLE = {
    "anchor": ANCHOR,
    "design": DESIGN,
    "sizes": ((300, 200), (200, 100)),  # n and n_u of the two readings
    "pi_0": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {
        **_WHOLE,
        "design": TINY_DESIGN,
        "sizes": ((300, 200),),
        "pi_0": (0.1, 0.7),
        "repetitions": 2,
    },
    "quick": {**_WHOLE, "repetitions": 4},
    "paper": {**_WHOLE, "repetitions": 30},
}


def run(scale: str = "quick", seed: int = 0, **how: Any) -> pd.DataFrame:
    """Return the errors of every repetition and method."""
    settings = at_scale(SETTINGS, scale)
    cells = [
        {"model": model, "n": n, "n_unlabeled": n_unlabeled, "pi_0": pi_0}
        for n, n_unlabeled in settings["sizes"]
        for model in MODELS
        for pi_0 in settings["pi_0"]
    ]
    all_cells = repetitions(cells, settings["repetitions"])
    fixed = {**settings["design"], "anchor": settings["anchor"]}
    return run_cells("figure-3", compare, all_cells, fixed, seed, **how)


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean errors by method."""
    return mean_by_method(table, ["n", "model", "pi_0"])


def judge(table: pd.DataFrame) -> list[Claim]:
    """PULasso wins clearly wherever positives are frequent, and the more the more frequent they are."""
    gains = advantage(table, ["n", "model", "pi_0"])
    claims = []
    for (n, model), part in gains.groupby(["n", "model"], sort=False):
        who = f"{model}, n = {n}"
        claims.append(beats_lasso(who, part, "positive_share", "1 - pi_0", ".2f"))
        claims.append(_hardest_in_the_middle(who, table[(table["n"] == n) & (table["model"] == model)]))
        ends = part.sort_values("positive_share").iloc[[0, -1]].to_dict("records")
        claims.append(
            Claim(
                f"{who}: the advantage is larger when positives are frequent",
                bool(ends[1]["gain"] > ends[0]["gain"]),
                " and ".join(f"{end['gain']:.3f} at {end['positive_share']:.2f}" for end in ends),
            )
        )
    for (n, model), part in table.groupby(["n", "model"], sort=False):
        claims.append(anchored_no_worse(f"{model}, n = {n}", part, "pi_0", "pi_0"))
    return claims


def _hardest_in_the_middle(who: str, table: pd.DataFrame) -> Claim:
    """Where one class is rare or common, guessing is easier: errors are largest in between."""
    means = summarize(table).sort_values("positive_share")
    curves = {
        method: means.loc[means["method"] == method, "error"].tolist() for method in ("PULasso", "oracle")
    }
    return Claim(
        f"{who}: the errors of PULasso and of the oracle become smaller towards extreme prevalences",
        all(max(errors) not in (errors[0], errors[-1]) for errors in curves.values()),
        "; ".join(f"{method} {', '.join(f'{e:.3f}' for e in errors)}" for method, errors in curves.items()),
    )


def draw(table: pd.DataFrame) -> Figure:
    """Draw errors against the true share of positive rows."""
    return draw_errors(summarize(table), "positive_share", r"true prevalence of positives, $1 - \pi_0$")
