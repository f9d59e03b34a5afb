"""Figure 4 (sim5 in the paper's source): prediction error against the share of unlabeled rows."""

from typing import TYPE_CHECKING, Any

from pulasso.experiments.claims import Claim
from pulasso.experiments.comparison import advantage, compare, draw_errors, mean_by_method
from pulasso.experiments.estimation import MODELS
from pulasso.experiments.figure_3 import DESIGN
from pulasso.experiments.runner import at_scale, repetitions, run_cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

__all__ = ["NOTES", "PAPER", "SETTINGS", "TITLE", "draw", "judge", "run", "summarize"]

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
)

_SHARES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {
        "design": {**DESIGN, "p": 30, "cv": 2, "n_lams": 5, "n_test": 200},
        "n": 200,
        "pi_0": 0.3,
        "shares": (0.3, 0.9),
        "repetitions": 2,
    },
    "quick": {"design": DESIGN, "n": 200, "pi_0": 0.3, "shares": _SHARES, "repetitions": 6},
    "paper": {"design": DESIGN, "n": 200, "pi_0": 0.3, "shares": _SHARES, "repetitions": 30},
}


def run(scale: str = "quick", seed: int = 0, **how: Any) -> "DataFrame":
    """Return the errors of every repetition and method."""
    settings = at_scale(SETTINGS, scale)
    n = settings["n"]
    cells = [
        {"model": model, "n": n, "n_unlabeled": round(share * n), "pi_0": settings["pi_0"]}
        for model in MODELS
        for share in settings["shares"]
    ]
    all_cells = repetitions(cells, settings["repetitions"])
    table = run_cells("figure-4", compare, all_cells, settings["design"], seed, **how)
    return table.assign(unlabeled_share=table["n_unlabeled"] / table["n"])


def summarize(table: "DataFrame") -> "DataFrame":
    """Return mean errors by method."""
    return mean_by_method(table, ["n", "model", "unlabeled_share"])


def judge(table: "DataFrame") -> list[Claim]:
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
        most = gains[(gains["model"] == model) & (gains["unlabeled_share"] >= 0.5)]
        worst = most.loc[most["in_se"].idxmin()]
        claims.append(
            Claim(
                f"{model}: PULasso beats Lasso by more than two standard errors wherever n_u/n >= 0.5",
                bool((most["in_se"] > 2).all()),
                f"{(most['in_se'] > 2).sum()} of {len(most)} points; smallest advantage {worst['gain']:.3f}, "
                f"{worst['in_se']:.1f} standard errors, at n_u/n = {worst['unlabeled_share']:.1f}",
            )
        )
    return claims


def draw(table: "DataFrame") -> "Figure":
    """Draw errors against the share of unlabeled rows."""
    means = summarize(table)
    sizes = list(dict.fromkeys(means["n"].tolist()))
    return draw_errors(means, sizes, "unlabeled_share", r"share of unlabeled rows, $n_u/n$")
