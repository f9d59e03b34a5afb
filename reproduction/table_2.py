"""Table 2: colposcopies with lost labels, ordinal model."""

from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reproduction.anchored import ANCHOR, NOTE
from reproduction.cells import at_scale
from reproduction.claims import Claim, standard_error
from reproduction.curves import CLEAR
from reproduction.drawing import legend_below, panels
from reproduction.masked import (
    NAIVE,
    SQUARED_ERROR,
    anchored_no_worse,
    by_estimator,
    design,
    in_columns,
    mean_scores,
    published,
    run_both,
)
from reproduction.masked_drawing import NAMES_DRAWN, draw_by_assumed, share_y

TITLE = "Table 2: colposcopies with lost labels"
PAPER = (
    "UCI Quality Assessment of Digital Colposcopies, 287 images, 62 features, 70 % for training; the class "
    "is the number of experts who call the quality good. The label of a class above 0 is kept with "
    "probability pi; ON-PULasso is told pi_hat. Mean squared error on the other 30 %, one split. ON-PULasso "
    "always outperforms ON-Lasso for moderate misspecification."
)
NOTES = (
    "The paper says that classes range from 0 to 5; the public files have six experts and counts from 0 to 6, so "
    "K = 6 here. The other reading, with 0 and 1 as one class, is the experiment table-2-merged, and comes nearer to "
    "the paper, above all for Lasso.",
    "All of the paper's numbers are whole multiples of 1/86: 86 test images, and hard predictions. By the most "
    "probable class the claims of the paper are judged, and by three other yardsticks. It is unkind to a model that is "
    "unsure between neighbours, and at its worst predicts class 0 for every image (19.0): a constant class, named by "
    "the told shares alone, errs less than PULasso. By the median and the expected class all errors are about half as "
    "large or less, and Lasso gains most: by the median class it is behind at pi = 0.6 (8.59 against 3.36 for the "
    "correct pi_hat) and 0.7 (4.34 against 3.29), and no longer at 0.8 (3.18 against 3.19); by the expected class "
    "PULasso stays ahead everywhere (3.15, 3.08, 3.05 against 5.86, 4.47, 3.57).",
    "PULasso misses the paper's 3.79 at pi = pi_hat = 0.6 with 5.90; single splits have from 3.8 to 9.2. It misses "
    "4.99 at 0.8 with 5.57. The criterion matters: the likelihood of observed labels is best at a lam of about "
    "0.4 lam_max with six features, the most probable class at a quarter of it. With lam chosen by the squared error "
    "that pulasso.metrics estimates without negatives, the error falls by more than one, to 4.5 for both; grid, "
    "tolerance and standardisation change little or make it worse (experiment table-2-choices).",
    "7.27 occurs four times in the paper, in one split: about the error of the highest class for every image. Three of "
    "the four are where pi_hat is below pi. The likelihood then has no finite maximiser, class 0 is given up, and "
    "where an algorithm stops is arbitrary.",
    "Lasso errs more than in the paper (18.79, 16.93, 10.65 against 10.70, 9.36, 7.97). No lam explains that: with "
    "lam = 0.1 and 0.01 lam_max instead of cross-validation it still has about 15 at pi = 0.6 and above 9 at 0.8 "
    "(table-2-choices). Five positive classes do: 11.8, 10.8 and 8.6 (table-2-merged).",
    NOTE,
)

PUBLISHED = published(
    {
        0.6: (10.70, 7.27, 3.79, 4.72, 6.92, 8.60),
        0.7: (9.36, 7.27, 7.27, 5.53, 6.28, 9.01),
        0.8: (7.97, 6.41, 4.51, 7.27, 4.99, 5.93),
    }
)
OF_MEAN = "squared error of the expected class"
YARDSTICKS = {
    "mse": "squared error of the most probable class",
    "mse_of_median": "squared error of the median class",
    "mse_of_mean": OF_MEAN,
    "rps": "ranked probability score",
}
MODERATE = 0.1  # misspecification at which PULasso must still win

DESIGN = design("colposcopy", {"cv": 5, "n_lams": 30, "lam_min_ratio": 0.02, "tol": 1e-4})
TINY_DESIGN = design("colposcopy", {"cv": 2, "n_lams": 5, "lam_min_ratio": 0.3, "tol": 1e-3})
_WHOLE = {
    "anchor": ANCHOR,
    "design": DESIGN,
    "label_frequencies": (0.6, 0.7, 0.8),
    "assumed": (0.5, 0.6, 0.7, 0.8, 0.9),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {
        "anchor": ANCHOR,
        "design": TINY_DESIGN,
        "label_frequencies": (0.6,),
        "assumed": (0.6, 0.9),
        "splits": 2,
    },
    "quick": {**_WHOLE, "splits": 5},
    "paper": {**_WHOLE, "splits": 20},
}


def run(scale: str = "quick", seed: int = 0, **how: Any) -> pd.DataFrame:
    """Return the errors of every split, label frequency and assumed one; the correct one also anchored."""
    return run_both("table-2", at_scale(SETTINGS, scale), seed, **how)


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean errors by every yardstick, and of a constant, beside the paper's."""
    return mean_scores(table, ["pi", "assumed", "anchor"], [*YARDSTICKS, "mse_of_constant"], PUBLISHED)


def beside_paper(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table as the paper prints it, its numbers in brackets."""
    return in_columns(summarize(table), SQUARED_ERROR)


def judge(table: pd.DataFrame) -> list[Claim]:
    """PULasso is better than Lasso wherever it is told nearly the truth, and than a constant, by every yardstick."""
    plain, _ = by_estimator(table)
    claims = [_beats_lasso(plain, column, words) for column, words in YARDSTICKS.items()]
    # A score of probabilities cannot be compared with a constant class.
    claims += [_beats_constant(plain, column, words) for column, words in list(YARDSTICKS.items())[:3]]
    return claims + anchored_no_worse(table, SQUARED_ERROR)


def _beats_lasso(plain: pd.DataFrame, column: str, words: str) -> Claim:
    key = ["pi", "repetition"]
    lasso = plain[plain["assumed"] == NAIVE].set_index(key)[column]
    # A tenth is not exact in binary, hence the rounding.
    apart = (pd.to_numeric(plain["assumed"], errors="coerce") - plain["pi"]).abs().round(6)
    near = plain[apart <= MODERATE]
    gains = near.assign(gain=near.join(lasso.rename("lasso"), on=key)["lasso"] - near[column])
    text = (
        f"PULasso errs less than Lasso by more than two standard errors wherever |pi_hat - pi| <= {MODERATE}, by the "
        f"{words}"
    )
    return Claim(text, *_clear(gains))


def _beats_constant(plain: pd.DataFrame, column: str, words: str) -> Claim:
    correct = plain[plain["assumed"] == plain["pi"]]
    gains = correct.assign(gain=correct["mse_of_constant"] - correct[column])
    text = (
        f"pi_hat = pi: PULasso errs less than a constant class by more than two standard errors, by the {words} (not "
        f"in "
        "the paper)"
    )
    return Claim(text, *_clear(gains))


def _clear(gains: pd.DataFrame) -> tuple[bool, str]:
    """Return whether all mean gains on the same splits are clear, and what they are."""
    rows = gains.groupby(["pi", "assumed"], sort=False)["gain"].agg(["mean", standard_error]).reset_index()
    holds = (rows["mean"] > CLEAR * rows["standard_error"]).all()
    said = [
        f"{mean:+.2f} ± {se:.2f} at {pi:g} told {assumed:g}"
        for pi, assumed, mean, se in rows.itertuples(index=False)
    ]
    return bool(holds), ", ".join(said)


def draw(table: pd.DataFrame) -> Figure:
    """Draw errors of the most probable and of the expected class against pi_hat, the paper's as crosses."""
    means = summarize(table)
    number = means["pi"].nunique()
    figure, axes = panels(number, 2)
    draw_by_assumed(axes[:number], means, SQUARED_ERROR, PUBLISHED)
    draw_by_assumed(axes[number:], means, replace(SQUARED_ERROR, column="mse_of_mean", label=OF_MEAN), {})
    for row in (axes[:number], axes[number:]):
        share_y(row)
    legend_below(figure, NAMES_DRAWN)
    return figure
