"""Real data with labels hidden at random: what tables 1 and 2, and the choices tried on them, share.

Of 70 % of the rows every positive label is kept with probability pi, else replaced by 0; models are told pi_hat,
choose lam by 5-fold cross-validation of the observed labels, and predict the true classes of the other 30 %.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from pulasso import MultinomialPULassoCV, OrdinalPULassoCV
from pulasso.datasets import Dataset, load_colposcopy, load_mfeat, mask_labels
from pulasso.metrics import pu_ranked_probability_score
from reproduction.anchored import AS_IN_THE_PAPER, excess, no_worse
from reproduction.cells import Cell, generator, repetitions, run_cells
from reproduction.claims import Claim, standard_error

NAIVE = "Lasso"
ESTIMATORS: dict[str, Any] = {
    "mfeat": MultinomialPULassoCV,
    "colposcopy": OrdinalPULassoCV,
    "colposcopy, 0 and 1 merged": OrdinalPULassoCV,
}
TEST_SHARE = 0.3
COLUMNS = (NAIVE, 0.5, 0.6, 0.7, 0.8, 0.9)  # of both tables of the paper


@dataclass(frozen=True)
class Score:
    """What a table is about: its column, how it is printed, what it is called, and whether more is better."""

    column: str
    digits: str
    label: str
    more_is_better: bool
    near: float  # a difference that a figure of differences shows in full

    def show(self, mean: float, se: float) -> str:
        """Return a mean with its standard error."""
        return f"{mean:{self.digits}} ± {se:{self.digits}}"


ACCURACY = Score("accuracy", ".1%", "accuracy on test digits", True, 0.015)
SQUARED_ERROR = Score("mse", ".2f", "mean squared error on test images", False, 4.0)


def published(rows: Mapping[float, Sequence[float]]) -> dict[tuple[float, Any], float]:
    """Return the numbers of the paper by pi and pi_hat."""
    return {
        (pi, assumed): value
        for pi, values in rows.items()
        for assumed, value in zip(COLUMNS, values, strict=True)
    }


def design(
    data: str, grid: Mapping[str, Any], groups: tuple[str, str] | None = None, **more: Any
) -> dict[str, Any]:
    """Return the settings of PULasso and of the naive lasso, which differ in scenario and perhaps in groups."""
    pu, naive = ({}, {}) if groups is None else ({"groups": each} for each in groups)
    return {
        "data": data,
        "estimator": {"scenario": "single-training-set", **pu, **grid},
        "naive": {"scenario": "fully-observed", **naive, **grid},
        **more,
    }


def cells_of(settings: Mapping[str, Any]) -> list[Cell]:
    """Return one cell for every label frequency and every assumed one, the naive lasso among them."""
    return [
        {"pi": pi, "assumed": assumed}
        for pi in settings["label_frequencies"]
        for assumed in (NAIVE, *settings["assumed"])
    ]


def chosen(settings: Mapping[str, Any], **choice: Any) -> dict[str, Any]:
    """Return what is the same for all cells: the design, and the paper's estimator unless `choice` changes it."""
    return {**settings["design"], "choice": {"anchor": AS_IN_THE_PAPER, **choice}}


def run_both(name: str, settings: Mapping[str, Any], seed: int, **how: Any) -> pd.DataFrame:
    """Return the scores of all cells by the paper's estimator, and of the diagonal by the anchored one as well."""
    cells, anchor = repetitions(cells_of(settings), settings["splits"]), settings["anchor"]
    plain = run_cells(name, predict_masked, cells, chosen(settings), seed, **how)
    fixed = chosen(settings, anchor=anchor)
    held = run_cells(f"{name} anchored", predict_masked, on_diagonal(cells), fixed, seed, **how)
    return pd.concat([plain.assign(anchor=AS_IN_THE_PAPER), held.assign(anchor=anchor)], ignore_index=True)


def on_diagonal(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells in which the model is told the truth."""
    return [cell for cell in cells if cell["assumed"] == cell["pi"]]


def predict_masked(cell: Cell, fixed: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the scores of one fit on the rows that were kept apart.

    All cells of a repetition share the split, and those of one label frequency also which labels are hidden. The
    `choice` is about settings of both methods.
    """
    data, train, test, z = split_masked(cell, fixed, seed)
    split = _split_seed(cell, fixed, seed)
    naive = cell["assumed"] == NAIVE
    settings = {**fixed["naive" if naive else "estimator"], **fixed["choice"]}
    if not naive:
        settings["label_frequency"] = cell["assumed"]
    lam_over_max = settings.pop("lam_over_max", None)
    model = ESTIMATORS[fixed["data"]](random_state=split, progress=False, **settings)
    if lam_over_max is not None:
        _give_lam(model, lam_over_max, data.X[train], z)
    return _scores(model.fit(data.X[train], z), data.X[test], data.y[test])


def split_masked(
    cell: Cell, fixed: Mapping[str, Any], seed: int
) -> tuple[Dataset, NDArray, NDArray, NDArray]:
    """Return the data, rows to train on and to test on, and what is left of the labels of the former."""
    data = load(fixed["data"])
    rows, split = _some_rows(data, fixed.get("n_rows"), seed), _split_seed(cell, fixed, seed)
    train, test = train_test_split(rows, test_size=TEST_SHARE, random_state=split, stratify=data.y[rows])
    z = mask_labels(data.y[train], cell["pi"], generator(seed, fixed["data"], cell["repetition"], cell["pi"]))
    return data, train, test, z


def _split_seed(cell: Cell, fixed: Mapping[str, Any], seed: int) -> int:
    return int(generator(seed, fixed["data"], cell["repetition"]).integers(2**31))


@lru_cache(maxsize=1)
def load(name: str) -> Dataset:
    """Return a data set by name, once."""
    if name == "mfeat":
        return load_mfeat()
    data = load_colposcopy()
    return data if name == "colposcopy" else replace(data, y=np.maximum(data.y - 1, 0))


def _give_lam(model: Any, lam_over_max: float, x: NDArray, z: NDArray) -> None:
    """Leave nothing to choose: the grid has one lam, a share of the smallest one that selects nothing."""
    lam_max = clone(model).set_params(n_lams=2, lam_min_ratio=0.9, cv=2).fit(x, z).lam_max_
    model.set_params(lams=[lam_over_max * lam_max], cv=2)


def _some_rows(data: Dataset, n_rows: int | None, seed: int) -> NDArray:
    """Return all rows, or a few for a quick look."""
    if n_rows is None:
        return np.arange(len(data.y))
    return generator(seed, "rows").permutation(len(data.y))[:n_rows]


def _scores(model: Any, x: NDArray, y: NDArray) -> dict[str, Any]:
    """Return the accuracy, squared errors of three rules and of a constant, and the ranked probability score."""
    proba = model.predict_proba(x)
    numbers = np.arange(proba.shape[1])
    median = (np.cumsum(proba[:, :-1], axis=1) < 0.5).sum(axis=1)
    guesses = {"mse": proba.argmax(axis=1), "mse_of_median": median, "mse_of_mean": proba @ numbers}
    guesses["mse_of_constant"] = constant_class(model.told_shares_)
    score = pu_ranked_probability_score(y, proba, scenario="fully-observed", classes=numbers)
    return {
        "accuracy": float(np.mean(guesses["mse"] == y)),
        **{name: float(np.mean((guess - y) ** 2.0)) for name, guess in guesses.items()},
        "rps": float(score),
        "class_0": float(model.class_shares_[0]),
        "told_class_0": float(model.told_shares_[0]),
        "lam_over_max": model.lam_ / model.lam_max_,
        "n_selected": int(np.count_nonzero(np.atleast_2d(model.coef_).any(axis=0))),
    }


def constant_class(shares: NDArray) -> int:
    """Return the one class with the least squared error by these shares: that which is nearest to their mean.

    Shares that a wrong label frequency implies may leave less than nothing for class 0.

    Examples
    --------
    >>> constant_class(np.array([0.2, 0.2, 0.6]))
    1
    """
    possible = np.maximum(shares, 0.0)
    return int(np.rint(possible @ np.arange(len(possible)) / possible.sum()))


def mean_scores(
    table: pd.DataFrame, by: list[str], scores: list[str], paper: Mapping[tuple[float, Any], float]
) -> pd.DataFrame:
    """Return means and standard errors of scores over splits, the paper's number behind the first of them.

    `class_0` is the mean probability of class 0 over training rows, `told_class_0` what pi_hat leaves for this class.
    """
    numbers: dict[str, Any] = {}
    for score in scores:
        numbers |= {score: (score, "mean"), f"{score}_se": (score, standard_error)}
    means = table.groupby(by, sort=False, as_index=False).agg(
        **numbers,
        class_0=("class_0", "mean"),
        told_class_0=("told_class_0", "mean"),
        n_selected=("n_selected", "mean"),
        splits=("n_selected", "size"),
    )
    pairs = zip(means["pi"], means["assumed"], strict=True)
    means.insert(len(by) + 2, "paper", [paper.get(pair, np.nan) for pair in pairs])
    return means


def in_columns(means: pd.DataFrame, score: Score) -> pd.DataFrame:
    """Return the table as the paper prints it: our mean ± standard error, the paper's number in brackets.

    Behind it, for the correct pi_hat: the anchored estimator, and the share of class 0 as told and by both estimators.
    """
    rows: dict[float, dict[str, str]] = {}
    plain, anchored = by_estimator(means)
    for row in plain.to_dict("records"):
        in_paper = "" if np.isnan(row["paper"]) else f" ({row['paper']:{score.digits}})"
        name = NAIVE if row["assumed"] == NAIVE else f"pi_hat = {row['assumed']:g}"
        ours = score.show(row[score.column], row[f"{score.column}_se"])
        rows.setdefault(row["pi"], {"pi": f"{row['pi']:g}"})[name] = ours + in_paper
    correct = plain[plain["assumed"] == plain["pi"]].set_index("pi")
    for row in anchored.to_dict("records"):
        beside = correct.loc[row["pi"]]
        rows[row["pi"]] |= {
            "pi_hat = pi, anchored": score.show(row[score.column], row[f"{score.column}_se"]),
            "told P(class 0)": f"{row['told_class_0']:.1%}",
            "P(class 0), pi_hat = pi": f"{beside['class_0']:.1%}",
            "P(class 0), anchored": f"{row['class_0']:.1%}",
        }
    return pd.DataFrame(list(rows.values()))


def by_estimator(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of the paper's estimator, and those of the anchored one."""
    is_plain = table["anchor"] == AS_IN_THE_PAPER
    return table[is_plain], table[~is_plain]


def anchored_no_worse(table: pd.DataFrame, score: Score) -> list[Claim]:
    """Claim that the anchored estimator scores no worse at the correct pi_hat, if it was run."""
    loss = table[score.column] * (-1 if score.more_is_better else 1)
    plain, anchored = by_estimator(table.assign(loss=loss)[table["assumed"] == table["pi"]])
    if anchored.empty:
        return []
    name = "error" if score.more_is_better else score.label.split(" on")[0]
    return [no_worse("pi_hat = pi", "pi", {name: excess(plain, anchored, "pi", "loss")})]
