"""Figure 2: the estimation error against the number of classes."""

from typing import TYPE_CHECKING, Any

import numpy as np

from pulasso.experiments.claims import Claim
from pulasso.experiments.drawing import COLOURS, band, panels
from pulasso.experiments.estimation import MODELS, estimate, mean_errors, size
from pulasso.experiments.runner import at_scale, repetitions, run_cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

__all__ = ["NOTES", "PAPER", "SETTINGS", "TITLE", "draw", "judge", "run", "summarize"]

TITLE = "Figure 2: error against the number of classes"
PAPER = (
    "p = 100, s = 2 and 3, n such that sqrt(s log p/n) = 0.02, K from 1 to 6. The error grows steadily with "
    "K for the multinomial model and does not change much for the ordinal model."
)
NOTES = (
    "As in the paper, c is chosen for each s and K: here the value of the grid with the smallest mean error. "
    "Thin lines show every c of the grid held fixed.",
    "K = 1 stands apart in the ordinal model, where it errs more than any other K: with a single positive class "
    "coefficients are seen only through the unlabeled rows (the experiment rsc shows how little curvature that "
    "leaves), while from K = 2 on labelled rows of different classes are compared with each other, too. From "
    "there on the error is flat. Hence two claims, with and without K = 1.",
)

_COMMON = {
    "sparsities": (2, 3),
    "p": 100,
    "rate": 0.02,
    "Ks": (1, 2, 3, 4, 5, 6),
    "cs": {"multinomial": (0.36, 0.18, 0.09, 0.045), "ordinal": (0.4, 0.2, 0.1)},
    "tol": 1e-5,
}
SETTINGS = {
    "tiny": {**_COMMON, "rate": 0.1, "p": 20, "Ks": (1, 3), "repetitions": 2},
    "quick": {**_COMMON, "Ks": (1, 2, 4, 6), "repetitions": 4},
    "paper": {**_COMMON, "repetitions": 12},
}
# The largest mean error over the smallest; the multinomial error more than doubles over the same K.
FLAT = 1.5


def run(scale: str = "quick", seed: int = 0, **how: Any) -> "DataFrame":
    """Return the error of every repetition, one row for each c."""
    import pandas as pd

    settings = at_scale(SETTINGS, scale)
    p, tables = settings["p"], []
    for model in MODELS:
        cells = [
            {"model": model, "s": s, "p": p, "K": k, "n": size(s * np.log(p) / settings["rate"] ** 2, k)}
            for s in settings["sparsities"]
            for k in settings["Ks"]
        ]
        fixed = {"cs": settings["cs"][model], "tol": settings["tol"]}
        all_cells = repetitions(cells, settings["repetitions"])
        tables.append(run_cells(f"figure-2 {model}", estimate, all_cells, fixed, seed, **how))
    return pd.concat(tables, ignore_index=True)


def summarize(table: "DataFrame") -> "DataFrame":
    """Return mean errors and mark the best c for each model, s and K."""
    means = mean_errors(table, ["model", "s", "p", "K", "n", "c"])
    best = means.groupby(["model", "s", "K"])["error"].transform("min")
    return means.assign(best_c=means["error"] == best)


def judge(table: "DataFrame") -> list[Claim]:
    """Growing for the multinomial model, flat for the ordinal one."""
    means = summarize(table)
    best = means[means["best_c"]]
    claims = []
    for s, line in best[best["model"] == "multinomial"].groupby("s"):
        errors = line.sort_values("K")
        first, last = errors.iloc[0], errors.iloc[-1]
        apart = (last["error"] - first["error"]) / np.hypot(last["se"], first["se"])
        claims.append(
            Claim(
                f"multinomial, s = {s}: the error grows with every step in K",
                bool((np.diff(errors["error"]) > 0).all() and apart > 2),
                f"{_numbers(errors)}; first and last differ by {apart:.1f} standard errors",
            )
        )
    for s, line in best[best["model"] == "ordinal"].groupby("s"):
        errors = line.sort_values("K")
        for least in (1, 2):
            some = errors[errors["K"] >= least]
            ratio = some["error"].max() / some["error"].min()
            words = f"the error does not change much from K = {least} on (largest over smallest below {FLAT})"
            evidence = f"{_numbers(some)}; ratio {ratio:.2f}"
            claims.append(Claim(f"ordinal, s = {s}: {words}", bool(ratio < FLAT), evidence))
    return claims


def _numbers(errors: "DataFrame") -> str:
    cells = zip(errors["K"], errors["error"], errors["se"], strict=True)
    return ", ".join(f"K={k}: {error:.3f}±{se:.3f}" for k, error, se in cells)


def draw(table: "DataFrame") -> "Figure":
    """Draw errors against K, one panel per model."""
    means = summarize(table)
    figure, axes = panels(2)
    for ax, model in zip(axes, MODELS, strict=True):
        of_model = means[means["model"] == model]
        for colour, (s, line) in zip(COLOURS, of_model.groupby("s"), strict=False):
            best = line[line["best_c"]]
            band(ax, best["K"], best["error"], best["se"], colour, label=f"s = {s}, c chosen for each K")
            for _, part in line.groupby("c"):
                ax.plot(part["K"], part["error"], color=colour, alpha=0.25, linewidth=0.8)
        ax.set(title=model, xlabel="number of classes K", ylabel="mean estimation error")
        ax.set_xticks(sorted(set(of_model["K"])))
        ax.set_ylim(0, 1.6 * means.loc[means["best_c"] & (means["model"] == model), "error"].max())
        ax.legend(frameon=False, fontsize=8, loc="upper left")
    return figure
