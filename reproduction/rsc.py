"""Restricted strong convexity: the curvature of the loss around the truth, and what the theorems guarantee of it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pulasso.theory import MultinomialConstants, OrdinalConstants, curvature_along
from reproduction.cells import Cell, at_scale, generator, repetitions, run_cells
from reproduction.claims import Claim
from reproduction.drawing import LOOKS, panels
from reproduction.estimation import MODELS, SIMULATE

TITLE = "Restricted strong convexity"
PAPER = (
    "The loss is not convex, but within a radius R_0 of the truth it is concentrated around a function with "
    "curvature at least h^MN(R_0) (multinomial) or gamma_0 (ordinal). Assumptions 3.3 and 3.4 bound R_0; the "
    "paper calls the first 'a little stringent' and starts at the model without features all the same."
)
NOTES = (
    "Measured: <grad L(theta* + t D) - grad L(theta*), D>/t for unit directions D that touch s features, "
    "with t up to 4; 'together' moves all classes alike against class 0, 'apart' moves two classes in "
    "opposite directions. Moving together has the smaller curvature: only unlabeled rows tell about it.",
    "Guaranteed: constants for features bounded by C_x, equal sampling ratios of 1, and K = 2. The "
    "guaranteed radius is smaller than what is measured by orders of magnitude; the theorems describe the "
    "rate, not the size, of the error.",
)

KINDS = ("random", "together", "apart")
NEAR = 1.0  # a radius about as large as the truth
_COMMON = {
    "n": 4000,
    "p": 100,
    "s": 3,
    "K": 2,
    "radii": (-4.0, -3.0, -2.0, -1.0, -0.5, -0.1, 0.1, 0.5, 1.0, 2.0, 3.0, 4.0),
    "feature_bounds": (1.0, 2.0),
    "norms": (0.0, 0.25, 0.5, 1.0, 1.5, 2.0),
    "smallest_gap": 1.0,
}
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {**_COMMON, "n": 1000, "repetitions": 3},
    "quick": {**_COMMON, "repetitions": 30},
    "paper": {**_COMMON, "repetitions": 200},
}


def measure(cell: Cell, fixed: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the curvature along one direction of each kind, in data of their own."""
    model, radii = cell["model"], np.array(fixed["radii"])
    rng = generator(seed, "curvature", model, cell["repetition"])
    data = SIMULATE[model](
        fixed["n"], fixed["p"], n_active=fixed["s"], n_positive=fixed["K"], random_state=rng
    )
    kinds = KINDS if model == "multinomial" else KINDS[:1]
    curves = [curvature_along(data, _direction(kind, data.coef, fixed["s"], rng), radii) for kind in kinds]
    return {
        "kind": np.repeat(kinds, len(radii)),
        "t": np.tile(radii, len(kinds)),
        "curvature": np.concatenate(curves),
    }


def _direction(kind: str, coef: NDArray, s: int, rng: np.random.Generator) -> NDArray:
    """Return a unit direction that touches s features."""
    direction = np.zeros_like(coef)
    features = rng.choice(coef.shape[-1], s, replace=False)
    steps = rng.normal(size=(*coef.shape[:-1], s))
    if kind == "together":
        steps[:] = steps[:1]
    elif kind == "apart":
        steps[1:] = 0.0
        steps[1] = -steps[0]
    direction[..., features] = steps
    return direction / np.linalg.norm(direction)


def run(scale: str = "quick", seed: int = 0, **how: Any) -> pd.DataFrame:
    """Return measured curvatures, and below them the constants of the theorems (part "guaranteed")."""
    settings = at_scale(SETTINGS, scale)
    fixed = {name: settings[name] for name in ("n", "p", "s", "K", "radii")}
    cells = repetitions([{"model": model} for model in MODELS], settings["repetitions"])
    measured = run_cells("rsc", measure, cells, fixed, seed, **how).assign(part="measured")
    guaranteed = pd.DataFrame(_guaranteed(settings)).assign(part="guaranteed", warned="")
    return pd.concat([measured, guaranteed], ignore_index=True)


def _guaranteed(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    ratios, gap, rows = np.ones(settings["K"]), settings["smallest_gap"], []
    for bound in settings["feature_bounds"]:
        for norm in settings["norms"]:
            multinomial = MultinomialConstants(bound, norm, ratios)
            ordinal = OrdinalConstants(bound, norm, gap, ratios)
            at = {"feature_bound": bound, "norm_of_truth": norm}
            radius = multinomial.largest_radius()
            rows.append({"model": "multinomial", **at, "radius": radius, "h": float(multinomial.h(radius))})
            radius, shrink = ordinal.largest_radius(gap / 2), gap / 2
            numbers = {
                "h": float(ordinal.h(radius, shrink)),
                "gamma_0": float(ordinal.gamma_0(radius, shrink)),
                "L_0": float(ordinal.L_0(radius, shrink)),
            }
            rows.append({"model": "ordinal", **at, "radius": radius, **numbers})
    return rows


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Return smallest, mean and largest curvature at every radius, then the constants."""
    measured = table[table["part"] == "measured"]
    curves = measured.groupby(["part", "model", "kind", "t"], sort=False)["curvature"]
    constants = ["part", "model", "feature_bound", "norm_of_truth", "radius", "h", "gamma_0", "L_0"]
    summary = curves.agg(["min", "mean", "max"]).reset_index()
    return pd.concat([summary, table.loc[table["part"] == "guaranteed", constants]], ignore_index=True)


def judge(table: pd.DataFrame) -> list[Claim]:
    """The loss curves upward near the truth, and the constants behave as the lemmas say."""
    measured, constants = (table[table["part"] == part] for part in ("measured", "guaranteed"))
    claims = []
    for model in MODELS:
        here = measured[measured["model"] == model]
        near, far = here.loc[here["t"].abs() <= NEAR, "curvature"], here["curvature"]
        claims.append(
            Claim(
                f"{model}: the curvature is positive within distance {NEAR:g} of the truth, in every direction tried",
                bool((near > 0).all()),
                f"smallest {near.min():.4f}; within {here['t'].abs().max():g}: {far.min():.4f}, "
                f"negative in {(far < 0).mean():.1%}",
            )
        )
    h = constants.loc[constants["model"] == "multinomial", "h"]
    words = "h^MN is positive at the largest radius that Assumption 3.3 allows (Lemma A.3)"
    claims.append(Claim(words, bool((h > 0).all()), f"from {h.min():.1e} to {h.max():.1e}"))
    for model in MODELS:
        radius = constants.loc[constants["model"] == model, "radius"]
        words = f"{model}: the guaranteed radius is far below {NEAR:g}: stringent"
        evidence = f"{radius.min():.1e} to {radius.max():.1e} for these constants"
        claims.append(Claim(words, bool(radius.max() < 0.1), evidence))
    return claims


def draw(table: pd.DataFrame) -> Figure:
    """Draw measured curvatures, and the guaranteed radius."""
    summary = summarize(table)
    figure, axes = panels(3)
    small: dict[str, Any] = {"frameon": False, "fontsize": 8}
    for ax, model in zip(axes, MODELS, strict=False):
        here = summary[(summary["part"] == "measured") & (summary["model"] == model)]
        for look, (kind, part) in zip(LOOKS, here.groupby("kind", sort=False), strict=False):
            ax.plot(part["t"], part["mean"], color=look["color"], linestyle=look["linestyle"], label=kind)
            ax.fill_between(part["t"], part["min"], part["max"], color=look["color"], alpha=0.15, linewidth=0)
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set(title=f"{model}: measured", xlabel="distance t from the truth")
        ax.set(
            ylabel="mean curvature on the way", ylim=(None, 1.25 * here["max"].max())
        )  # room for the legend
        ax.legend(title="direction", title_fontsize=8, loc="upper center", ncols=3, columnspacing=1, **small)
    constants = summary[summary["part"] == "guaranteed"]
    for look, (model, part) in zip(LOOKS, constants.groupby("model"), strict=False):
        for style, (bound, line) in zip(("-", "--", ":"), part.groupby("feature_bound"), strict=False):
            label = rf"{model}, $C_x$ = {bound:g}"
            shown = {"color": look["color"], "marker": look["marker"], "markersize": 4, "linestyle": style}
            axes[2].plot(line["norm_of_truth"], line["radius"], label=label, **shown)
    axes[2].set(title="guaranteed", xlabel=r"size of the truth, $R^*$", ylabel=r"largest radius $R_0$")
    axes[2].set(yscale="log")
    axes[2].legend(**small)
    return figure
