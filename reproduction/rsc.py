"""Restricted strong convexity: the curvature of the loss around the truth, and what the theorems guarantee of it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pulasso.datasets import Simulation
from pulasso.theory import MultinomialConstants, OrdinalConstants, curvature_along, least_curved_direction
from reproduction.cells import Cell, at_scale, generator, repetitions, run_cells
from reproduction.claims import Claim, standard_error
from reproduction.drawing import GREY, LOOKS, legend_below, panels
from reproduction.estimation import MODELS, SIMULATE

TITLE = "Restricted strong convexity"
PAPER = (
    "The loss is not convex, but within a radius R_0 of the truth it is concentrated around a function with "
    "curvature at least h^MN(R_0) (multinomial) or gamma_0 (ordinal). Assumptions 3.3 and 3.4 bound R_0; the "
    "paper calls the first 'a little stringent' and starts at the model without features all the same."
)
NOTES = (
    "Measured: <grad L(theta* + t D) - grad L(theta*), D>/t for directions D of length one, with t up to 4. 'Random', "
    "'together' (all classes alike against class 0), 'apart' (two classes in opposite directions) and 'least in s "
    "features' touch s features; the last is the eigenvector of the Hessian at the truth with the smallest eigenvalue "
    "in these. Together has a small curvature: only unlabeled rows tell about it.",
    "'Least in all features' is that eigenvector in all coefficients. In long data (4,000 rows, 100 features) it still "
    "curves upward or nearly so. In wide data (200 rows, 400 features, as in figures 3 and 4) it curves downward at "
    "the truth itself: there are more coefficients than rows, and along such a direction unlabeled rows can be "
    "explained as they please. The direction has a large l1 norm, and what the lemma of restricted strong convexity "
    "subtracts grows with its square: the inequality holds there, but says nothing. Where s features move, the "
    "curvature is positive, but for a few triples of features in wide multinomial data, whose rows are too few for it.",
    "Guaranteed: constants for features bounded by C_x, equal sampling ratios of 1, and K = 2. The "
    "guaranteed radius is smaller than what is measured by orders of magnitude; the theorems describe the "
    "rate, not the size, of the error.",
)

RANDOM, FEW, ALL = "random", "least in s features", "least in all features"
KINDS = {
    "multinomial": (RANDOM, "together", "apart", FEW, ALL),
    "ordinal": (RANDOM, FEW, ALL),
}
NEAR = 1.0  # a radius about as large as the truth
WIDE, LONG = "wide", "long"
_COMMON = {
    "shapes": {LONG: (4000, 100), WIDE: (200, 400)},  # n and p
    "s": 3,
    "K": 2,
    "radii": (-4.0, -3.0, -2.0, -1.0, -0.5, -0.1, 0.1, 0.5, 1.0, 2.0, 3.0, 4.0),
    "feature_bounds": (1.0, 2.0),
    "norms": (0.0, 0.25, 0.5, 1.0, 1.5, 2.0),
    "smallest_gap": 1.0,
}
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {**_COMMON, "shapes": {LONG: (1000, 20), WIDE: (60, 80)}, "repetitions": 3},
    "quick": {**_COMMON, "repetitions": 15},
    "paper": {**_COMMON, "repetitions": 50},
}


def measure(cell: Cell, fixed: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the curvature along one direction of each kind, in data of their own."""
    model, radii = cell["model"], np.array(fixed["radii"])
    rng = generator(seed, "curvature", model, cell["repetition"])
    n, p = fixed["shapes"][cell["shape"]]
    data = SIMULATE[model](n, p, n_active=fixed["s"], n_positive=fixed["K"], random_state=rng)
    kinds = KINDS[model]
    directions = [_direction(kind, data, fixed["s"], rng) for kind in kinds]
    return {
        "kind": np.repeat(kinds, len(radii)),
        "t": np.tile(radii, len(kinds)),
        "curvature": np.concatenate([curvature_along(data, each, radii) for each in directions]),
        "norm": np.repeat([np.abs(each).sum() for each in directions], len(radii)),
    }


def _direction(kind: str, data: Simulation, s: int, rng: np.random.Generator) -> NDArray:
    """Return a unit direction, of all features or of s."""
    if kind == ALL:
        return least_curved_direction(data)[0]
    coef, direction = data.coef, np.zeros_like(data.coef)
    features = rng.choice(coef.shape[-1], s, replace=False)
    if kind == FEW:
        return least_curved_direction(data, features)[0]
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
    fixed = {name: settings[name] for name in ("shapes", "s", "K", "radii")}
    kinds = [{"model": model, "shape": shape} for shape in settings["shapes"] for model in MODELS]
    cells = repetitions(kinds, settings["repetitions"])
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
    curves = measured.groupby(["part", "shape", "model", "kind", "t"], sort=False)["curvature"]
    constants = ["part", "model", "feature_bound", "norm_of_truth", "radius", "h", "gamma_0", "L_0"]
    summary = curves.agg(["min", "mean", "max"]).reset_index()
    return pd.concat([summary, table.loc[table["part"] == "guaranteed", constants]], ignore_index=True)


def judge(table: pd.DataFrame) -> list[Claim]:
    """The loss curves upward near the truth, and the constants behave as the lemmas say."""
    measured, constants = (table[table["part"] == part] for part in ("measured", "guaranteed"))
    claims = []
    for (shape, model), here in measured.groupby(["shape", "model"], sort=False):
        few = here[here["kind"] != ALL]
        near = few.loc[few["t"].abs() <= NEAR, "curvature"]
        claims.append(
            Claim(
                f"{model}, {shape} data: the curvature is positive within distance {NEAR:g} of the truth, in every "
                "direction tried that touches s features",
                bool((near > 0).all()),
                f"smallest {near.min():.4f}; within {here['t'].abs().max():g}: {few['curvature'].min():.4f}, "
                f"negative in {(few['curvature'] < 0).mean():.1%}",
            )
        )
    for model in MODELS:
        here = measured[
            (measured["model"] == model) & (measured["shape"] == WIDE) & (measured["kind"] == ALL)
        ]
        least = here[here["t"].abs() == here["t"].abs().min()].groupby("repetition")["curvature"].mean()
        long = measured[
            (measured["model"] == model) & (measured["shape"] == LONG) & (measured["kind"] == ALL)
        ]
        words = f"{model}: in wide data the loss curves downward at the truth, in a direction through all features"
        evidence = (
            f"mean {least.mean():.4f} ± {standard_error(least):.4f}, negative in {(least < 0).mean():.0%} of data "
            f"sets; the l1 norm of a direction of length 1 is {here['norm'].mean():.1f}; in long data "
            f"{long['curvature'].min():.4f} "
            "or more at all distances"
        )
        claims.append(Claim(words, bool((least < 0).all()), evidence))
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
    """Draw measured curvatures in data of both shapes, and the guaranteed radius."""
    summary = summarize(table)
    measured = summary[summary["part"] == "measured"]
    shapes = measured["shape"].unique().tolist()
    figure, axes = panels(3, len(shapes))
    for row, shape in enumerate(shapes):
        for ax, model in zip(axes[3 * row :], MODELS, strict=False):
            here = measured[(measured["shape"] == shape) & (measured["model"] == model)]
            for look, kind in zip(LOOKS, KINDS["multinomial"], strict=False):
                part = here[here["kind"] == kind]
                if len(part):
                    drawn = {"color": look["color"], "linestyle": look["linestyle"]}
                    ax.plot(part["t"], part["mean"], **drawn, label=f"direction: {kind}")
                    ends = (part["min"], part["max"])
                    ax.fill_between(part["t"], *ends, color=look["color"], alpha=0.15, linewidth=0)
            ax.fill_between([], [], color=GREY, alpha=0.3, linewidth=0, label="from smallest to largest")
            ax.axhline(0, color="black", linewidth=0.8)
            ax.set(title=f"{model}, {shape} data", xlabel="distance t from the truth")
            ax.set_ylabel("mean curvature on the way")
    constants = summary[summary["part"] == "guaranteed"]
    for look, (model, part) in zip(LOOKS, constants.groupby("model"), strict=False):
        for style, (bound, line) in zip(("-", "--", ":"), part.groupby("feature_bound"), strict=False):
            label = rf"{model}, $C_x$ = {bound:g}"
            shown = {"color": look["color"], "marker": look["marker"], "markersize": 4, "linestyle": style}
            axes[2].plot(line["norm_of_truth"], line["radius"], label=label, **shown)
    axes[2].set(title="guaranteed", xlabel=r"size of the truth, $R^*$", ylabel=r"largest radius $R_0$")
    axes[2].set(yscale="log")
    for ax in axes[5:]:
        figure.delaxes(ax)
    legend_below(figure)
    return figure
