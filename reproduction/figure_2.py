"""Figure 2: the estimation error against the number of classes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduction.cells import at_scale, repetitions, run_cells
from reproduction.claims import Claim
from reproduction.drawing import LOOKS, band, legend_below, panels
from reproduction.estimation import estimate, mean_errors, size

TITLE = "Figure 2: error against the number of classes"
PAPER = (
    "p = 100, s = 2 and 3, n such that sqrt(s log p/n) = 0.02, several K. The error grows steadily with K for "
    "the multinomial model and does not change much for the ordinal model. Which K were tried is to be seen in "
    "the figure only; here K = 1 to 6."
)
NOTES = (
    "As in the paper, c is chosen for each s and K: here the value of the grid with the smallest mean error. "
    "Thin lines show every c of the grid held fixed. From K = 4 on (s = 3: from K = 3 on) the multinomial model is "
    "best at the smallest c, with nearly all features selected; a smaller one errs less, as the experiment "
    "figure-2-wide shows. Dotted lines have the smallest lam that a theorem allows, as in figure-1: it selects "
    "nothing, so that the error is the size of the truth, which grows with K in the multinomial model.",
    "K = 1 stands apart in the ordinal model: it errs half as much again as K = 2, and from there on the error is "
    "flat. The theorem's rate does not see this, the curvature of the loss does. A row tells 0.055 about a "
    "coefficient with one positive class, whose labelled rows can be compared with unlabeled ones only; 0.086 with "
    "two, as labelled rows of different classes are compared with each other, too; and 0.11 with six (column "
    "curvature: at the truth, per row, for a coefficient of size one). An error is proportional to the root of its "
    "inverse, and the error times the root of the curvature does not change much from K = 1 on. Hence the claims "
    "with K = 1 and without. Without it they are about several classes, as the paper is.",
    "The same number is behind the other panel. When all classes of the multinomial model move together against "
    "class 0, only unlabeled rows notice: the curvature in this direction falls from 0.055 at K = 1 to 0.0005 at "
    "K = 6, and its root, like the error, changes by a factor of eight to ten.",
    "The paper's theta of the ordinal model has the first threshold and the gaps between thresholds as entries. "
    "Whether the figure counts them is not said; claims that do are marked.",
)

_COMMON = {
    "sparsities": (2, 3),
    "p": 100,
    "rate": 0.02,
    "Ks": (1, 2, 3, 4, 5, 6),
    # Steps of sqrt(2): the best c of two neighbouring K may lie closer together than a factor of 2.
    "cs": {
        "multinomial": (0.36, 0.25, 0.18, 0.125, 0.09, 0.064, 0.045, 0.032),
        "ordinal": (0.4, 0.28, 0.2, 0.14, 0.1, 0.07),
    },
    "tol": 1e-5,
}
SETTINGS = {
    "tiny": {**_COMMON, "rate": 0.1, "p": 20, "Ks": (1, 3), "repetitions": {"multinomial": 2, "ordinal": 2}},
    "quick": {**_COMMON, "Ks": (1, 2, 4, 6), "repetitions": {"multinomial": 4, "ordinal": 8}},
    "paper": {**_COMMON, "repetitions": {"multinomial": 20, "ordinal": 30}},
}
# The largest mean error over the smallest; the multinomial error more than doubles over the same K.
FLAT = 1.5
ERRORS = {"error": "se", "error_with_offsets": "se_with_offsets"}


def run(scale: str = "quick", seed: int = 0, **how: Any) -> pd.DataFrame:
    """Return the error of every repetition, one row for each c."""
    return run_models("figure-2", at_scale(SETTINGS, scale), seed, **how)


def run_models(name: str, settings: Mapping[str, Any], seed: int, **how: Any) -> pd.DataFrame:
    """Return the error of every repetition for all models that have a grid of c."""
    p, tables = settings["p"], []
    for model, cs in settings["cs"].items():
        cells = [
            {"model": model, "s": s, "p": p, "K": k, "n": size(s * np.log(p) / settings["rate"] ** 2, k)}
            for s in settings["sparsities"]
            for k in settings["Ks"]
        ]
        fixed = {"cs": cs, "tol": settings["tol"]}
        all_cells = repetitions(cells, settings["repetitions"][model])
        tables.append(run_cells(f"{name} {model}", estimate, all_cells, fixed, seed, **how))
    return pd.concat(tables, ignore_index=True)


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean errors and mark the best c for each model, s and K: of coefficients, and with offsets."""
    means = mean_errors(table, ["model", "s", "p", "K", "n", "c"])
    for name, column in zip(("best_c", "best_c_with_offsets"), ERRORS, strict=True):
        means[name] = means[column] == means.groupby(["model", "s", "K"])[column].transform("min")
    return means


def judge(table: pd.DataFrame) -> list[Claim]:
    """Growing for the multinomial model, flat for the ordinal one."""
    means = summarize(table)
    best = means[means["best_c"]].sort_values("K")
    claims = [inside(means)]
    claims += [_grows(s, line) for s, line in best[best["model"] == "multinomial"].groupby("s")]
    for s, line in best[best["model"] == "ordinal"].groupby("s"):
        for least in (1, 2):
            claims.append(_flat(f"ordinal, s = {s}: the error", line[line["K"] >= least], "error"))
        scaled = line.assign(**line[["error", "se"]].mul(line["curvature"] ** 0.5, axis=0))
        claims.append(_flat(f"ordinal, s = {s}: the error times the root of the curvature", scaled, "error"))
    best = means[means["best_c_with_offsets"] & (means["model"] == "ordinal")].sort_values("K")
    for s, line in best.groupby("s"):
        claims.append(_flat(f"ordinal, s = {s}, thresholds counted: the error", line, "error_with_offsets"))
    return claims


def inside(means: pd.DataFrame) -> Claim:
    """Claim that no best c is at an end of its grid: no other would have erred less."""
    grids = means[np.isfinite(means["c"])].groupby("model")["c"].agg(["min", "max"])
    best = means[means["best_c"]].join(grids, on="model")
    ends = best[(best["c"] <= best["min"]) | (best["c"] >= best["max"])]
    said = [
        f"{row['model']}, s = {row['s']}, K = {row['K']}: {row['c']:g}" for row in ends.to_dict("records")
    ]
    cs = best.groupby("model", sort=False)["c"].agg(["min", "max"])
    ranges = "; ".join(f"{model} {low:g} to {high:g}" for model, low, high in cs.itertuples())
    return Claim(
        "the best c lies inside of its grid for every s and K (not in the paper)",
        ends.empty,
        f"best c: {ranges}" + (f"; at an end: {', '.join(said)}" if said else ""),
    )


def _grows(s: int, errors: pd.DataFrame) -> Claim:
    first, last = errors.iloc[0], errors.iloc[-1]
    apart = (last["error"] - first["error"]) / np.hypot(last["se"], first["se"])
    return Claim(
        f"multinomial, s = {s}: the error grows with every step in K",
        bool((np.diff(errors["error"]) > 0).all() and apart > 2),
        f"{_numbers(errors, 'error')}; first and last differ by {apart:.1f} standard errors",
    )


def _flat(words: str, errors: pd.DataFrame, column: str) -> Claim:
    least, ratio = errors["K"].min(), errors[column].max() / errors[column].min()
    return Claim(
        f"{words} does not change much from K = {least} on (largest over smallest below {FLAT})",
        bool(ratio < FLAT),
        f"{_numbers(errors, column)}; ratio {ratio:.2f}",
    )


def _numbers(errors: pd.DataFrame, column: str) -> str:
    cells = zip(errors["K"], errors[column], errors[ERRORS[column]], strict=True)
    return ", ".join(f"K={k}: {error:.3f}±{se:.3f}" for k, error, se in cells)


def draw(table: pd.DataFrame) -> Figure:
    """Draw errors against K, one panel per model."""
    means = summarize(table)
    models = means["model"].unique().tolist()
    figure, axes = panels(len(models))
    for ax, model in zip(axes, models, strict=True):
        of_model = means[means["model"] == model]
        for look, (s, line) in zip(LOOKS, of_model.groupby("s"), strict=False):
            best = line[line["best_c"]]
            band(ax, best["K"], best["error"], best["se"], look, label=f"s = {s}, c chosen for each K")
            for c, part in line.groupby("c"):
                thin = {"color": look["color"], "linewidth": 0.8}
                if np.isinf(c):
                    ax.plot(
                        part["K"], part["error"], **thin, linestyle=":", label=f"s = {s}, lam of the theorem"
                    )
                else:
                    ax.plot(part["K"], part["error"], **thin, alpha=0.25, label=f"s = {s}, a fixed c")
        ax.set(title=model, xlabel="number of classes K", ylabel="mean estimation error")
        ax.set_xticks(sorted(set(of_model["K"])))
        ax.set_yscale("log")
    legend_below(figure)
    return figure
