"""Prediction error of PULasso, of the naive lasso and of the truth itself, which figures 3 and 4 share.

Two features matter, X has variance 4, K = 2. PULasso knows the true prevalence, and is shown as in the paper and held
to this prevalence; the naive lasso takes unlabeled rows for class 0 and penalises by l1; all choose lam by 5-fold
cross-validation of observed labels.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pulasso import MultinomialPULassoCV, OrdinalPULassoCV
from reproduction.anchored import ANCHORED, AS_IN_THE_PAPER, excess, no_worse
from reproduction.cells import Cell, generator
from reproduction.claims import Claim, standard_error
from reproduction.drawing import LOOKS, band, legend_below, panels
from reproduction.estimation import GROUPS, MODELS, SIMULATE

METHODS = ("PULasso", ANCHORED, "Lasso", "oracle")
LOOKS_OF = {
    "PULasso": LOOKS[0],
    ANCHORED: LOOKS[3],
    "Lasso": LOOKS[1],
    "oracle": {**LOOKS[2], "color": "#777777"},
}
ESTIMATORS: dict[str, Any] = {"multinomial": MultinomialPULassoCV, "ordinal": OrdinalPULassoCV}
MEASURES = {"multinomial": "misclassification", "ordinal": "mean squared error"}
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
TINY_DESIGN = {**DESIGN, "p": 30, "cv": 2, "n_lams": 5, "n_test": 200}
ENOUGH = 0.5  # the share, of positive or of unlabeled rows, from which PULasso must win clearly


def compare(cell: Cell, fixed: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the prediction errors of all methods, on the paper's small test set and on a large one.

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
        null_proba=[cell["pi_0"], (1 - cell["pi_0"]) / 2, (1 - cell["pi_0"]) / 2],
        variance=fixed["variance"],
        random_state=rng,
    )
    grid = {name: fixed[name] for name in ("cv", "n_lams", "lam_min_ratio", "tol")}
    grid |= {"random_state": int(rng.integers(2**31)), "progress": False}
    pu, anchored = (
        ESTIMATORS[model](groups=GROUPS[model], anchor=anchor, **grid, **data.scenario_params)
        for anchor in (AS_IN_THE_PAPER, fixed["anchor"])
    )
    naive = ESTIMATORS[model](groups="entries", scenario="fully-observed", anchor=AS_IN_THE_PAPER, **grid)
    fitted = [each.fit(data.X, data.z) for each in (pu, anchored, naive)]
    x, y = data.truth.draw(fixed["n_test"], rng)
    few = slice(0, fixed["n_test_small"])
    predicted = [each.predict(x) for each in (*fitted, data.truth)]
    probas = [each.predict_proba(x) for each in (*fitted, data.truth)]
    return {
        "method": np.array(METHODS),
        "error": np.array([_error(model, guess, y) for guess in predicted]),
        "error_small_test": np.array([_error(model, guess[few], y[few]) for guess in predicted]),
        "log_loss": np.array([_log_loss(proba, y) for proba in probas]),
        "positive_share": float(data.prevalence.sum()),
        "lam_over_max": np.array([*(each.lam_ / each.lam_max_ for each in fitted), np.nan]),
        "n_selected": np.array([*(np.count_nonzero(each.group_norms_) for each in fitted), fixed["s"]]),
    }


def _error(model: str, predicted: NDArray, true: NDArray) -> float:
    if model == "multinomial":
        return float(np.mean(predicted != true))
    return float(np.mean((predicted - true) ** 2.0))


def _log_loss(proba: NDArray, true: NDArray) -> float:
    given = proba[np.arange(len(true)), true]
    return float(-np.log(given.clip(min=np.finfo(float).tiny)).mean())


def mean_by_method(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return mean errors with standard errors for every point and method."""
    return table.groupby([*by, "method"], sort=False, as_index=False).agg(
        positive_share=("positive_share", "mean"),
        n_selected=("n_selected", "mean"),
        error=("error", "mean"),
        se=("error", standard_error),
        error_small_test=("error_small_test", "mean"),
        se_small_test=("error_small_test", standard_error),
        log_loss=("log_loss", "mean"),
        se_log_loss=("log_loss", standard_error),
        repetitions=("error", "size"),
    )


def advantage(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return by how much the naive lasso errs more than PULasso on the same data, in standard errors."""
    key = [*by, "repetition"]
    errors = table.pivot(index=key, columns="method", values="error")
    shares = table[table["method"] == "PULasso"].set_index(key)["positive_share"]
    pairs = errors.assign(gain=errors["Lasso"] - errors["PULasso"], positive_share=shares)
    gains = pairs.groupby(level=by, sort=False).agg(
        positive_share=("positive_share", "mean"), gain=("gain", "mean"), se=("gain", standard_error)
    )
    return gains.assign(in_se=gains["gain"] / gains["se"]).reset_index()


def beats_lasso(who: str, gains: pd.DataFrame, column: str, symbol: str, digits: str) -> Claim:
    """Claim that PULasso wins clearly at every point from half of the rows on."""
    enough = gains[gains[column] >= ENOUGH]
    worst = enough.loc[enough["in_se"].idxmin()]
    return Claim(
        f"{who}: PULasso beats Lasso by more than two standard errors wherever {symbol} >= {ENOUGH}",
        bool((enough["in_se"] > 2).all()),
        f"{(enough['in_se'] > 2).sum()} of {len(enough)} points; smallest advantage {worst['gain']:.3f}, "
        f"{worst['in_se']:.1f} standard errors, at {symbol} = {worst[column]:{digits}}",
    )


def anchored_no_worse(who: str, table: pd.DataFrame, x: str, symbol: str) -> Claim:
    """Claim that the anchored curve lies nowhere clearly above that of the paper's estimator."""
    plain, anchored = (table[table["method"] == method] for method in ("PULasso", ANCHORED))
    losses = {"error": "error", "log-loss": "log_loss"}
    return no_worse(who, symbol, {name: excess(plain, anchored, x, loss) for name, loss in losses.items()})


def draw_errors(means: pd.DataFrame, x: str, label: str) -> Figure:
    """Draw the error of every method, one row of panels for each n; dotted: the paper's small test set."""
    sizes = means["n"].unique()
    figure, axes = panels(2, len(sizes))
    places = [(n, model) for n in sizes for model in MODELS]
    for ax, (n, model) in zip(axes, places, strict=True):
        here = means[(means["n"] == n) & (means["model"] == model)]
        for method, look in LOOKS_OF.items():
            part = here[here["method"] == method].sort_values(x)
            band(ax, part[x], part["error"], part["se"], look, label=method)
            if method != ANCHORED:
                ax.plot(part[x], part["error_small_test"], color=look["color"], linestyle=":", linewidth=0.9)
        ax.set(title=f"{model}, n = {n}", xlabel=label, ylabel=MEASURES[model], ylim=(0, None))
    legend_below(figure, axes[0], METHODS)
    return figure
