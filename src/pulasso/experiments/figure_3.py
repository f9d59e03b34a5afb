"""Figure 3 (sim4 in the paper's source): prediction error against the prevalence of the positive classes."""

from typing import TYPE_CHECKING, Any

from pulasso.experiments.claims import Claim
from pulasso.experiments.comparison import advantage, compare, draw_errors, mean_by_method
from pulasso.experiments.estimation import MODELS
from pulasso.experiments.runner import at_scale, repetitions, run_cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

__all__ = ["NOTES", "PAPER", "SETTINGS", "TITLE", "draw", "judge", "run", "summarize"]

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
)

ENOUGH = 0.5  # the share of positive rows from which PULasso must win clearly
DESIGN = {
    "p": 400,
    "s": 2,
    "variance": 4.0,
    "cv": 5,
    "n_lams": 30,
    "lam_min_ratio": 0.05,
    "tol": 1e-4,
    "n_test": 2000,
    "n_test_small": 100,
}
_SIZES = ((300, 200), (200, 100))  # n and n_u of the two readings
_PI_0 = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {
        "design": {**DESIGN, "p": 30, "cv": 2, "n_lams": 5, "n_test": 200},
        "sizes": ((300, 200),),
        "pi_0": (0.1, 0.7),
        "repetitions": 2,
    },
    "quick": {"design": DESIGN, "sizes": _SIZES, "pi_0": _PI_0, "repetitions": 4},
    "paper": {"design": DESIGN, "sizes": _SIZES, "pi_0": _PI_0, "repetitions": 30},
}


def run(scale: str = "quick", seed: int = 0, **how: Any) -> "DataFrame":
    """Return the errors of every repetition and method."""
    settings = at_scale(SETTINGS, scale)
    cells = [
        {"model": model, "n": n, "n_unlabeled": n_unlabeled, "pi_0": pi_0}
        for n, n_unlabeled in settings["sizes"]
        for model in MODELS
        for pi_0 in settings["pi_0"]
    ]
    all_cells = repetitions(cells, settings["repetitions"])
    return run_cells("figure-3", compare, all_cells, settings["design"], seed, **how)


def summarize(table: "DataFrame") -> "DataFrame":
    """Return mean errors by method."""
    return mean_by_method(table, ["n", "model", "pi_0"])


def judge(table: "DataFrame") -> list[Claim]:
    """PULasso wins clearly wherever positives are frequent, and the more the more frequent they are."""
    gains = advantage(table, ["n", "model", "pi_0"])
    claims = []
    for (n, model), part in gains.groupby(["n", "model"], sort=False):
        frequent = part[part["positive_share"] >= ENOUGH]
        worst = frequent.loc[frequent["in_se"].idxmin()]
        claims.append(
            Claim(
                f"{model}, n = {n}: PULasso beats Lasso by more than two standard errors wherever 1 - pi_0 >= {ENOUGH}",
                bool((frequent["in_se"] > 2).all()),
                f"{(frequent['in_se'] > 2).sum()} of {len(frequent)} points; smallest advantage {worst['gain']:.3f}, "
                f"{worst['in_se']:.1f} standard errors, at 1 - pi_0 = {worst['positive_share']:.2f}",
            )
        )
        claims.append(_hardest_in_the_middle(table, n, model))
        ends = part.sort_values("positive_share")
        first, last = ends.iloc[0], ends.iloc[-1]
        claims.append(
            Claim(
                f"{model}, n = {n}: the advantage is larger when positives are frequent",
                bool(last["gain"] > first["gain"]),
                " and ".join(f"{end['gain']:.3f} at {end['positive_share']:.2f}" for end in (first, last)),
            )
        )
    return claims


def _hardest_in_the_middle(table: "DataFrame", n: int, model: str) -> Claim:
    """Where one class is rare or common, guessing is easier: errors are largest in between."""
    means = summarize(table)
    here = means[(means["n"] == n) & (means["model"] == model)]
    curves = {
        method: here[here["method"] == method].sort_values("positive_share")["error"].tolist()
        for method in ("PULasso", "oracle")
    }
    return Claim(
        f"{model}, n = {n}: the errors of PULasso and of the oracle become smaller towards extreme prevalences",
        all(max(errors) not in (errors[0], errors[-1]) for errors in curves.values()),
        "; ".join(f"{method} {', '.join(f'{e:.3f}' for e in errors)}" for method, errors in curves.items()),
    )


def draw(table: "DataFrame") -> "Figure":
    """Draw errors against the true share of positive rows."""
    means = summarize(table)
    sizes = list(dict.fromkeys(means["n"].tolist()))
    return draw_errors(means, sizes, "positive_share", r"true prevalence of positives, $1 - \pi_0$")
