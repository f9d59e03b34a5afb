"""Real data with labels hidden at random: what tables 1 and 2, and the choices tried on them, share.

Of 70 % of the rows every positive label is kept with probability pi, else replaced by 0; models are told pi_hat,
choose lam by 5-fold cross-validation of the observed labels, and predict the true classes of the other 30 %.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from pulasso.datasets import Dataset, load_colposcopy, load_mfeat, mask_labels
from pulasso.estimators import MultinomialPULassoCV, OrdinalPULassoCV
from pulasso.experiments.claims import mean_and_se
from pulasso.experiments.drawing import LOOKS, band, legend_below, panels
from pulasso.experiments.runner import Cell, generator
from pulasso.plots.style import GREY, PALETTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

__all__ = ["NAIVE", "cells_of", "draw_by_assumed", "in_columns", "mean_scores", "predict_masked"]

NAIVE = "Lasso"
LOADERS: dict[str, Any] = {"mfeat": load_mfeat, "colposcopy": load_colposcopy}
ESTIMATORS: dict[str, Any] = {"mfeat": MultinomialPULassoCV, "colposcopy": OrdinalPULassoCV}
TEST_SHARE = 0.3
NAMES_DRAWN = ("PULasso", NAIVE, "PULasso in the paper", f"{NAIVE} in the paper")


@lru_cache(maxsize=1)
def _load(name: str) -> Dataset:
    return LOADERS[name]()


def cells_of(settings: Mapping[str, Any]) -> list[Cell]:
    """Return one cell for every label frequency and every assumed one, the naive lasso among them."""
    return [
        {"pi": pi, "assumed": assumed}
        for pi in settings["label_frequencies"]
        for assumed in (NAIVE, *settings["assumed"])
    ]


def predict_masked(cell: Cell, fixed: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the scores of one fit on the rows that were kept apart.

    All cells of a repetition share the split, and those of one label frequency also which labels are hidden.
    """
    data = _load(fixed["data"])
    rows = _some_rows(data, fixed.get("n_rows"), seed)
    split = int(generator(seed, fixed["data"], cell["repetition"]).integers(2**31))
    train, test = train_test_split(rows, test_size=TEST_SHARE, random_state=split, stratify=data.y[rows])
    z = mask_labels(data.y[train], cell["pi"], generator(seed, fixed["data"], cell["repetition"], cell["pi"]))
    naive = cell["assumed"] == NAIVE
    settings = {**fixed["naive" if naive else "estimator"], **cell.get("choice", {})}
    if not naive:
        settings["label_frequency"] = cell["assumed"]
    lam_over_max = settings.pop("lam_over_max", None)
    model = ESTIMATORS[fixed["data"]](random_state=split, progress=False, **settings)
    if lam_over_max is not None:
        _give_lam(model, lam_over_max, data.X[train], z)
    return _scores(model.fit(data.X[train], z), data.X[test], data.y[test])


def _give_lam(model: Any, lam_over_max: float, x: Any, z: Any) -> None:
    """Leave nothing to choose: the grid has one lam, a share of the smallest one that selects nothing."""
    lam_max = clone(model).set_params(n_lams=2, lam_min_ratio=0.9, cv=2).fit(x, z).lam_max_
    model.set_params(lams=[lam_over_max * lam_max], cv=2)


def _some_rows(data: Dataset, n_rows: int | None, seed: int) -> Any:
    """Return all rows, or a few for a quick look."""
    if n_rows is None:
        return np.arange(len(data.y))
    return generator(seed, "rows").permutation(len(data.y))[:n_rows]


def _scores(model: Any, x: Any, y: Any) -> dict[str, Any]:
    predicted = model.predict(x)
    proba = model.predict_proba(x)
    expected = proba @ np.arange(len(model.classes_))
    median = (np.cumsum(proba, axis=1) < 0.5).sum(axis=1)
    return {
        "accuracy": float(np.mean(predicted == y)),
        "mse": float(np.mean((predicted - y) ** 2.0)),
        "mse_of_median": float(np.mean((median - y) ** 2.0)),
        "mse_of_mean": float(np.mean((expected - y) ** 2.0)),
        "lam_over_max": model.lam_ / model.lam_max_,
        "n_selected": int(np.count_nonzero(np.atleast_2d(model.coef_).any(axis=0))),
    }


def mean_scores(table: "DataFrame", by: list[str], scores: list[str]) -> "DataFrame":
    """Return means and standard errors of scores over splits."""
    rows = []
    for key, part in table.groupby(by, sort=False):
        row = dict(zip(by, key, strict=True))
        for score in scores:
            row[score], row[f"{score}_se"] = mean_and_se(part[score])
        rows.append({**row, "n_selected": part["n_selected"].mean(), "splits": len(part)})
    return type(table)(rows)


def in_columns(means: "DataFrame", score: str, digits: str) -> "DataFrame":
    """Return the table as the paper prints it: our mean ± standard error, the paper's number in brackets."""
    rows: dict[float, dict[str, str]] = {}
    for row in means.to_dict("records"):
        published = "" if np.isnan(row["paper"]) else f" ({row['paper']:{digits}})"
        name = NAIVE if row["assumed"] == NAIVE else f"pi_hat = {row['assumed']:g}"
        cell = f"{row[score]:{digits}} ± {row[f'{score}_se']:{digits}}{published}"
        rows.setdefault(row["pi"], {"pi": f"{row['pi']:g}"})[name] = cell
    return type(means)(list(rows.values()))


def draw_by_assumed(means: "DataFrame", score: str, label: str, paper: Mapping[Any, Any]) -> "Figure":
    """Draw a score against the assumed label frequency, one panel for each true one.

    Lines are the naive lasso, crosses and the dashed line are the paper's numbers, the dotted line is the truth.
    """
    frequencies = list(dict.fromkeys(means["pi"].tolist()))
    figure, axes = panels(len(frequencies), sharey=True)
    for ax, pi in zip(axes, frequencies, strict=True):
        here = means[means["pi"] == pi]
        pu = here[here["assumed"] != NAIVE]
        at = pu["assumed"].astype(float)
        band(ax, at, pu[score], pu[f"{score}_se"], LOOKS[0], label=NAMES_DRAWN[0])
        naive = here.loc[here["assumed"] == NAIVE, score].iloc[0]
        ax.axhline(naive, color=PALETTE[1], label=NAMES_DRAWN[1])
        known = [(a, paper[pi, a]) for a in at if (pi, a) in paper]
        if known:
            ax.plot(*zip(*known, strict=True), "x", color=PALETTE[0], label=NAMES_DRAWN[2])
        if (pi, NAIVE) in paper:
            ax.axhline(paper[pi, NAIVE], color=PALETTE[1], linestyle="--", label=NAMES_DRAWN[3])
        ax.axvline(pi, color=GREY, linestyle=":", linewidth=1)
        ax.set(title=f"label frequency {pi:g}", xlabel="assumed label frequency")
    axes[0].set_ylabel(label)
    legend_below(figure, axes[-1], NAMES_DRAWN)
    return figure
