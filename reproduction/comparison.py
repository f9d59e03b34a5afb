"""Prediction error of PULasso, of the naive lasso, of a constant and of the truth itself, which figures 3 and 4 share.

Two features matter, X has variance 4, K = 2. PULasso knows the true prevalence, and is shown as in the paper and held
to this prevalence; the naive lasso takes unlabeled rows for class 0 and penalises by l1; all choose lam by 5-fold
cross-validation of observed labels. The constant knows the true prevalence, and no features.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pulasso import MultinomialPULassoCV, OrdinalPULassoCV
from pulasso.metrics import pu_ranked_probability_score
from reproduction.anchored import ANCHORED, AS_IN_THE_PAPER, excess, no_worse
from reproduction.cells import Cell, generator
from reproduction.claims import Claim, standard_error
from reproduction.curves import CLEAR, Trend, points
from reproduction.drawing import GREY, LOOKS, band, legend_below, panels
from reproduction.estimation import GROUPS, SIMULATE
from reproduction.masked import constant_class

CONSTANT = "constant"
METHODS = ("PULasso", ANCHORED, "Lasso", CONSTANT, "oracle")
LOOKS_OF = {
    "PULasso": LOOKS[0],
    ANCHORED: LOOKS[3],
    "Lasso": LOOKS[1],
    CONSTANT: {**LOOKS[4], "color": "#999999", "linestyle": "none"},
    "oracle": {**LOOKS[2], "color": "#777777"},
}
ESTIMATORS: dict[str, Any] = {"multinomial": MultinomialPULassoCV, "ordinal": OrdinalPULassoCV}
# By what a model is judged; the first is the paper's.
YARDSTICKS = {
    "multinomial": {"error": "misclassification"},
    "ordinal": {
        "error": "squared error of the most probable class",
        "error_of_median": "squared error of the median class",
        "error_of_mean": "squared error of the expected class",
        "rps": "ranked probability score",
    },
}
DRAWN = (("multinomial", "error"), ("ordinal", "error"), ("ordinal", "error_of_mean"))
SMALL_TEST = "the same on 100 test rows"
RULES = (
    "The paper's error of the ordinal model is E(y_hat - y)^2. It predicts the digits of table 1 by the most probable "
    "class, and its table 2 has errors that only whole classes give, so y_hat is taken for the most probable class. "
    "This is a poor judge: where PULasso is unsure between classes 0 and 2 it must say one of them, and a constant "
    "that is always in the middle errs less. So the ordinal model is judged by the median class, the expected "
    "class and the ranked probability score as well, beside 'constant', which knows the true prevalence and nothing "
    "else: the class nearest to the mean (for misclassification the most frequent one, for the expected class the "
    "mean, for the score the prevalence)."
)
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
    shares = np.concatenate([[1 - data.prevalence.sum()], data.prevalence])
    probas = [each.predict_proba(x) for each in fitted]
    probas += [np.broadcast_to(shares, (len(y), 3)), data.truth.predict_proba(x)]
    small = slice(0, fixed["n_test_small"])
    scores = pd.DataFrame(
        [_scores(model, proba, y, name) for name, proba in zip(METHODS, probas, strict=True)]
    )
    few = [_scores(model, proba[small], y[small], name) for name, proba in zip(METHODS, probas, strict=True)]
    known = [np.nan, np.nan]  # of the constant and of the truth
    return {
        "method": np.array(METHODS),
        **{name: scores[name].to_numpy() for name in scores},
        "error_small_test": np.array([each["error"] for each in few]),
        "positive_share": float(data.prevalence.sum()),
        "lam_over_max": np.array([*(each.lam_ / each.lam_max_ for each in fitted), *known]),
        "n_selected": np.array([*(np.count_nonzero(each.group_norms_) for each in fitted), 0, fixed["s"]]),
    }


def _scores(model: str, proba: NDArray, y: NDArray, method: str) -> dict[str, float]:
    """Return all errors of predicted probabilities; those of ordered classes are nan for unordered ones."""
    numbers = np.arange(proba.shape[1])
    likely = proba.argmax(axis=1)
    with np.errstate(divide="ignore"):
        log_loss = float(-np.log(proba[np.arange(len(y)), y]).mean())
    if model == "multinomial":
        ordered = dict.fromkeys(("error_of_median", "error_of_mean", "rps"), np.nan)
        return {"error": float(np.mean(likely != y)), **ordered, "log_loss": log_loss}
    median = (np.cumsum(proba[:, :-1], axis=1) < 0.5).sum(axis=1)
    if method == CONSTANT:  # one class for all rows; it need not be the most probable one
        likely = median = np.full(len(y), constant_class(proba[0]))
    score = pu_ranked_probability_score(y, proba, scenario="fully-observed", classes=numbers)
    return {
        "error": float(np.mean((likely - y) ** 2.0)),
        "error_of_median": float(np.mean((median - y) ** 2.0)),
        "error_of_mean": float(np.mean((proba @ numbers - y) ** 2.0)),
        "rps": float(score),
        "log_loss": log_loss,
    }


def mean_by_method(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return mean errors with standard errors for every point and method."""
    numbers: dict[str, Any] = {"error": ("error", "mean"), "se": ("error", standard_error)}
    for name in ("error_of_median", "error_of_mean", "rps", "error_small_test", "log_loss"):
        numbers |= {name: (name, "mean"), f"se_{name}": (name, standard_error)}
    return table.groupby([*by, "method"], sort=False, as_index=False).agg(
        positive_share=("positive_share", "mean"),
        n_selected=("n_selected", "mean"),
        **numbers,
        repetitions=("error", "size"),
    )


def each_part(table: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Return, for every sample size and model: what to call it, the model, and its rows."""
    for (n, model), part in table.groupby(["n", "model"], sort=False):
        yield f"{model}, n = {n}", str(model), part


def advantage(
    table: pd.DataFrame, by: list[str], column: str = "error", other: str = "Lasso", than: str = "PULasso"
) -> pd.DataFrame:
    """Return by how much `other` errs more than `than` on the same data, at every point, with standard errors."""
    key = [*by, "repetition"]
    errors = table.pivot(index=key, columns="method", values=column)
    shares = table[table["method"] == "PULasso"].set_index(key)["positive_share"]
    pairs = errors.assign(gain=errors[other] - errors[than], positive_share=shares)
    return (
        pairs.groupby(level=by, sort=False)
        .agg(positive_share=("positive_share", "mean"), gain=("gain", "mean"), se=("gain", standard_error))
        .reset_index()
    )


def beats(who: str, model: str, table: pd.DataFrame, x: str, symbol: str) -> list[Claim]:
    """Claim that PULasso clearly beats Lasso at every point, by each yardstick; and that it beats a constant."""
    claims, against_constant = [], []
    for column, words in YARDSTICKS[model].items():
        gains = advantage(table, [x], column)
        holds, evidence = points(gains, x, lambda gain, se: gain > CLEAR * se, symbol)
        text = (
            f"{who}: PULasso beats Lasso by more than two standard errors at every {symbol}, by the {words}"
        )
        claims.append(Claim(text, holds, evidence))
        gains = advantage(table, [x], column, CONSTANT)
        against_constant.append((words, *points(gains, x, lambda gain, se: gain > CLEAR * se, symbol)))
    text = f"{who}: PULasso beats a constant by more than two standard errors at every {symbol} (not in the paper)"
    evidence = "; by the ".join(f"{words}: {said}" for words, _, said in against_constant)
    return [*claims, Claim(text, all(holds for _, holds, _ in against_constant), f"by the {evidence}")]


def gap_of(table: pd.DataFrame, x: str) -> Trend:
    """Return the trend of what Lasso errs more than PULasso."""
    errors = table.pivot(index=["repetition", x], columns="method", values="error")
    gaps = (errors["Lasso"] - errors["PULasso"]).rename("gain").reset_index()
    return Trend.of(gaps, x, "gain")


def trend_of(table: pd.DataFrame, method: str, x: str) -> Trend:
    """Return the trend of a method's error."""
    return Trend.of(table[table["method"] == method], x, "error")


def anchored_no_worse(who: str, table: pd.DataFrame, x: str, symbol: str) -> Claim:
    """Claim that the anchored curve lies nowhere clearly above that of the paper's estimator."""
    plain, anchored = (table[table["method"] == method] for method in ("PULasso", ANCHORED))
    losses = {"error": "error", "log-loss": "log_loss"}
    return no_worse(who, symbol, {name: excess(plain, anchored, x, loss) for name, loss in losses.items()})


def draw_errors(means: pd.DataFrame, x: str, label: str) -> Figure:
    """Draw the error of every method, one row of panels for each n; dotted: the paper's small test set."""
    sizes = means["n"].unique()
    figure, axes = panels(len(DRAWN), len(sizes))
    places = [(n, *drawn) for n in sizes for drawn in DRAWN]
    for ax, (n, model, column) in zip(axes, places, strict=True):
        here = means[(means["n"] == n) & (means["model"] == model)]
        for method, look in LOOKS_OF.items():
            part = here[here["method"] == method].sort_values(x)
            se = part["se" if column == "error" else f"se_{column}"]
            band(ax, part[x], part[column], se, look, label=method)
            if method != ANCHORED and column == "error":
                ax.plot(part[x], part["error_small_test"], color=look["color"], linestyle=":", linewidth=0.9)
        ax.plot([], [], color=GREY, linestyle=":", linewidth=0.9, label=SMALL_TEST)
        ax.set(title=f"{model}, n = {n}", xlabel=label, ylabel=YARDSTICKS[model][column], ylim=(0, None))
    legend_below(figure, METHODS)
    return figure
