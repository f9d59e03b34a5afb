"""Prediction error of PULasso, of the naive lasso and of the truth itself, which figures 3 and 4 share.

Two features matter, X has variance 4, K = 2. PULasso knows the true prevalence; the naive lasso takes
unlabeled rows for class 0 and penalises by l1; both choose lam by 5-fold cross-validation of observed labels.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pulasso.estimators import MultinomialPULassoCV, OrdinalPULassoCV
from pulasso.experiments.claims import mean_and_se
from pulasso.experiments.drawing import LOOKS, band, legend_below, panels
from pulasso.experiments.estimation import GROUPS, MODELS, SIMULATE
from pulasso.experiments.runner import Cell, generator

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

__all__ = ["MEASURES", "METHODS", "advantage", "compare", "draw_errors", "mean_by_method"]

METHODS = ("PULasso", "Lasso", "oracle")
LOOKS_OF = {**dict(zip(METHODS, LOOKS, strict=False)), "oracle": {**LOOKS[2], "color": "#777777"}}
ESTIMATORS: dict[str, Any] = {"multinomial": MultinomialPULassoCV, "ordinal": OrdinalPULassoCV}
MEASURES = {"multinomial": "misclassification", "ordinal": "mean squared error"}


def compare(cell: Cell, fixed: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the prediction errors of the three methods, on the paper's small test set and on a large one.

    The true coefficients depend on the repetition only: points of a curve are compared on the same truths.
    """
    model, n = cell["model"], cell["n"]
    rng = generator(seed, "comparison", model, cell["repetition"])
    data = SIMULATE[model](
        n,
        fixed["p"],
        n_active=fixed["s"],
        n_positive=2,
        unlabeled_share=cell["n_unlabeled"] / n,
        null_proba=cell_null(cell),
        variance=fixed["variance"],
        random_state=rng,
    )
    grid = {name: fixed[name] for name in ("cv", "n_lams", "lam_min_ratio", "tol")}
    folds = int(rng.integers(2**31))
    estimator = ESTIMATORS[model]
    pu = estimator(groups=GROUPS[model], random_state=folds, progress=False, **grid, **data.scenario_params)
    naive = estimator(groups="entries", scenario="fully-observed", random_state=folds, progress=False, **grid)
    fitted = [each.fit(data.X, data.z) for each in (pu, naive)]
    x, y = data.truth.draw(fixed["n_test"], rng)
    few = slice(0, fixed["n_test_small"])
    predicted = [each.predict(x) for each in (*fitted, data.truth)]
    return {
        "method": np.array(METHODS),
        "error": np.array([_error(model, guess, y) for guess in predicted]),
        "error_small_test": np.array([_error(model, guess[few], y[few]) for guess in predicted]),
        "positive_share": float(data.prevalence.sum()),
        "lam_over_max": np.array([*(each.lam_ / each.lam_max_ for each in fitted), np.nan]),
        "n_selected": np.array([*(np.count_nonzero(each.group_norms_) for each in fitted), fixed["s"]]),
    }


def cell_null(cell: Cell) -> NDArray:
    """Return the probabilities at x = 0: the share of class 0, and the rest in equal parts."""
    return np.array([cell["pi_0"], (1 - cell["pi_0"]) / 2, (1 - cell["pi_0"]) / 2])


def _error(model: str, predicted: NDArray, true: NDArray) -> float:
    if model == "multinomial":
        return float(np.mean(predicted != true))
    return float(np.mean((predicted - true) ** 2.0))


def mean_by_method(table: "DataFrame", by: list[str]) -> "DataFrame":
    """Return mean errors with standard errors for every point and method."""
    rows = []
    for key, part in table.groupby([*by, "method"], sort=False):
        error, se = mean_and_se(part["error"])
        small, small_se = mean_and_se(part["error_small_test"])
        numbers = {"error": error, "se": se, "error_small_test": small, "se_small_test": small_se}
        shares = {"positive_share": part["positive_share"].mean(), "n_selected": part["n_selected"].mean()}
        rows.append(
            {**dict(zip([*by, "method"], key, strict=True)), **shares, **numbers, "repetitions": len(part)}
        )
    return type(table)(rows)


def advantage(table: "DataFrame", by: list[str]) -> "DataFrame":
    """Return by how much the naive lasso errs more than PULasso on the same data, in standard errors."""
    errors = table.pivot(index=[*by, "repetition"], columns="method", values="error")
    shares = table[table["method"] == "PULasso"].set_index([*by, "repetition"])["positive_share"]
    joined = errors.assign(gain=errors["Lasso"] - errors["PULasso"], positive_share=shares)
    rows = []
    for key, part in joined.groupby(level=by, sort=False):
        gain, se = mean_and_se(part["gain"])
        share = part["positive_share"].mean()
        rows.append(
            {**dict(zip(by, key, strict=True)), "positive_share": share, "gain": gain, "in_se": gain / se}
        )
    return type(table)(rows)


def draw_errors(means: "DataFrame", sizes: list[int], x: str, label: str) -> "Figure":
    """Draw the error of every method, one row of panels for each n; dotted: the paper's small test set."""
    figure, axes = panels(2, len(sizes))
    places = [(n, model) for n in sizes for model in MODELS]
    for ax, (n, model) in zip(axes, places, strict=True):
        here = means[(means["n"] == n) & (means["model"] == model)]
        for method, look in LOOKS_OF.items():
            part = here[here["method"] == method].sort_values(x)
            band(ax, part[x], part["error"], part["se"], look, label=method)
            ax.plot(part[x], part["error_small_test"], color=look["color"], linestyle=":", linewidth=0.9)
        ax.set(title=f"{model}, n = {n}", xlabel=label, ylabel=MEASURES[model], ylim=(0, None))
    legend_below(figure, axes[0], METHODS)
    return figure
