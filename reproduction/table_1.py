"""Table 1: handwritten digits with lost labels, multinomial model."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.anchored import ANCHOR, ANCHORED, AS_IN_THE_PAPER, NOTE
from reproduction.cells import at_scale, repetitions, run_cells
from reproduction.claims import Claim
from reproduction.drawing import LOOKS, PALETTE, band, legend_below, panels
from reproduction.masked import (
    ACCURACY,
    NAIVE,
    anchored_no_worse,
    by_estimator,
    cells_of,
    chosen,
    design,
    in_columns,
    mean_scores,
    on_diagonal,
    predict_masked,
    published,
    run_both,
)
from reproduction.masked_drawing import NAMES_DRAWN, draw_by_assumed, share_y

TITLE = "Table 1: digits with lost labels"
PAPER = (
    "UCI Multiple Features, 2000 digits, 649 features, 70 % for training. The label of a digit 1..9 is kept "
    "with probability pi; MN-PULasso is told pi_hat, MN-Lasso takes unlabeled digits for zeros. Accuracy on "
    "the other 30 %, one split. PULasso outperforms Lasso at pi = 0.4 and 0.6 whatever pi_hat, and is best "
    "at pi_hat = pi."
)
NOTES = (
    "Accuracies are means over splits with standard errors; the paper has one split. PULasso has one group "
    "per feature, as in the paper's simulations, Lasso single entries; columns are standardised. The "
    "experiment table-1-choices tries the other ways, and pi_hat = 0.4 is added so that pi = 0.4 has its "
    "diagonal.",
    "On the diagonal PULasso passes the paper's 97.3 % at pi = 0.8 and stays below its 98.0 % at 0.6, by one to two "
    "points; single splits have from 93 to 98 %. The mean P(class 0) shows why. Nothing holds the fitted model to the "
    "share of zeros that pi_hat implies, and it takes unlabeled digits for zeros: at pi = 0.6 it was told 10 % on "
    "average, and says 18 %. Anchored it says 11 %, and accuracy rises from 96.3 to 98.0 % (from 94.7 to 97.7 % at pi "
    "= 0.4, and from 97.8 to 98.4 % at 0.8). An algorithm that is stopped early leaves the intercepts near those of "
    "the model without features and keeps the shares, too: the paper's own iterations, stopped after 300 steps, reach "
    "its 98 % at the same lams (experiment table-1-early). It does not say when it stopped.",
    "The choice of lam does not make up for it: chosen on the test digits of every split it reaches 97.3 % (experiment "
    "table-1-lams). The likelihood of observed labels is best near 0.036 lam_max (at pi = "
    "0.8 at 0.03, the end of the grid), past the best accuracy of the paper's estimator, which lies above 0.05: see "
    "'always' in table-1-choices. The one-standard-error rule, usual since glmnet, prefers larger lams; the diagonal "
    "is shown by this rule, too.",
    "Where pi_hat is smaller than pi, there would be more digits 1..9 than there are rows: the likelihood has no "
    "finite maximiser (the column warned of table.csv says LabelFrequencyWarning). On the path down from the null "
    "model class 0 is given up, and 89 to 90 % are right: nearly all but the zeros, as the paper's 88.5 % at pi = 0.6, "
    "pi_hat = 0.5, and 89.0 % at 0.8 and 0.7. But another stationary point has a smaller objective (by 0.047 in one "
    "split at pi = 0.6, pi_hat = 0.5): the one to which taking unlabeled for zeros leads. The estimator tries that "
    "start, too, and takes it, with a StationaryPointWarning; it keeps the zeros, and 98 % are right. That is more "
    "than at the correct pi_hat, because nothing is left over for class 0 then but the zeros, as with an anchor: so "
    "the correct pi_hat is not the best one at pi = 0.6 and 0.8. The paper's 82.5 % and 47.0 % at pi = 0.8 with 0.6 "
    "and 0.5 depend on where an algorithm stops on its way to infinity.",
    "Where pi_hat is larger than pi, PULasso passes the paper by one to six points, except at pi = 0.4 with pi_hat = "
    "0.8 and 0.9. There, as Lasso does at pi = 0.4, it takes most digits for zeros, and single splits differ by more "
    "than ten points; the paper's numbers lie among them.",
    NOTE,
)

PUBLISHED = published(
    {
        0.4: (0.2617, 0.7983, 0.665, 0.52, 0.435, 0.365),
        0.6: (0.6617, 0.885, 0.98, 0.9133, 0.82, 0.72),
        0.8: (0.9233, 0.47, 0.825, 0.89, 0.9733, 0.9433),
    }
)
# Least accuracy on the diagonal: the paper's minus 1.5 points, and 94 % where the paper has no number.
LEAST = {0.4: 0.94, 0.6: 0.98 - 0.015, 0.8: 0.9733 - 0.015}

# How lam is chosen from the losses of cross-validation.
LEAST_LOSS, SPARSER = "min", "1se"
RULES = {LEAST_LOSS: "lam of the least loss", SPARSER: "lam by the one-standard-error rule"}

_GRID = {"cv": 5, "n_lams": 15, "lam_min_ratio": 0.03, "tol": 1e-3}
_SMALL = {"cv": 2, "n_lams": 5, "lam_min_ratio": 0.2, "tol": 1e-2}
_GROUPS = ("rows", "entries")  # of PULasso and of Lasso
DESIGN = design("mfeat", _GRID, _GROUPS)
TINY_DESIGN = design("mfeat", _SMALL, _GROUPS, n_rows=200)
_WHOLE = {
    "anchor": ANCHOR,
    "design": DESIGN,
    "label_frequencies": (0.4, 0.6, 0.8),
    "assumed": (0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {
        "anchor": ANCHOR,
        "design": TINY_DESIGN,
        "label_frequencies": (0.6,),
        "assumed": (0.6, 0.9),
        "splits": 2,
    },
    "quick": {**_WHOLE, "splits": 2},
    "paper": {**_WHOLE, "splits": 20},
}


def run(scale: str = "quick", seed: int = 0, **how: Any) -> pd.DataFrame:
    """Return the accuracy of every split, label frequency and assumed one; the diagonal by two rules, and anchored."""
    settings = at_scale(SETTINGS, scale)
    table = run_both("table-1", settings, seed, **how)
    correct = on_diagonal(repetitions(cells_of(settings), settings["splits"]))
    sparser = chosen(settings, select=SPARSER)
    again = run_cells(f"table-1 {SPARSER}", predict_masked, correct, sparser, seed, **how)
    again = again.assign(anchor=AS_IN_THE_PAPER, rule=SPARSER)
    return pd.concat([table.assign(rule=LEAST_LOSS), again], ignore_index=True)


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean accuracies beside the paper's."""
    return mean_scores(table, ["pi", "assumed", "rule", "anchor"], ["accuracy"], PUBLISHED)


def beside_paper(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table as the paper prints it, its numbers in brackets."""
    means = summarize(table)
    beside = in_columns(means[means["rule"] == LEAST_LOSS], ACCURACY)
    again = means[means["rule"] == SPARSER]
    cells = list(map(ACCURACY.show, again["accuracy"], again["accuracy_se"]))
    return beside.assign(**{f"pi_hat = pi, {SPARSER}": cells}) if len(cells) == len(beside) else beside


def judge(table: pd.DataFrame) -> list[Claim]:
    """The diagonal is high, PULasso beats Lasso where the paper says so, and the diagonal is best."""
    means, _ = by_estimator(summarize(table))
    correct = means[means["pi"] == means["assumed"]].sort_values(["pi", "rule"], ascending=[True, False])
    claims = [_high(row) for row in correct.to_dict("records")]
    for pi, part in means[means["rule"] == LEAST_LOSS].groupby("pi"):
        accuracy = part.set_index("assumed")["accuracy"]
        if pi in accuracy.index:
            best = accuracy.drop(NAIVE).idxmax()
            claims.append(
                Claim(f"pi = {pi}: the correct pi_hat is the best one", bool(best == pi), f"best at {best}")
            )
        claims.append(_against_lasso(pi, accuracy))
    return claims + anchored_no_worse(table[table["rule"] == LEAST_LOSS], ACCURACY)


def _high(row: dict[str, Any]) -> Claim:
    pi = row["pi"]
    in_paper = f"paper {row['paper']:.2%}" if (pi, pi) in PUBLISHED else "not in the paper"
    return Claim(
        f"pi = pi_hat = {pi}, {RULES[row['rule']]}: accuracy at least {LEAST[pi]:.1%}",
        bool(row["accuracy"] >= LEAST[pi]),
        f"{row['accuracy']:.2%} ± {row['accuracy_se']:.2%}, {in_paper}",
    )


def _against_lasso(pi: float, accuracy: Any) -> Claim:
    """Compare with the naive lasso at every pi_hat at which the paper says that PULasso wins."""
    naive = accuracy[NAIVE]
    where = [a for a in accuracy.index if PUBLISHED.get((pi, a), -1) > PUBLISHED[pi, NAIVE]]
    lost = [a for a in where if accuracy[a] <= naive]
    return Claim(
        f"pi = {pi}: PULasso beats Lasso wherever it does in the paper (pi_hat {', '.join(map(str, where))})",
        not lost,
        f"Lasso {naive:.2%}; PULasso " + ", ".join(f"{accuracy[a]:.2%} at {a}" for a in where),
    )


def draw(table: pd.DataFrame) -> Figure:
    """Draw accuracies against pi_hat, the paper's as crosses, and the diagonal enlarged."""
    means = summarize(table)
    least = means[means["rule"] == LEAST_LOSS]
    figure, axes = panels(2, -(-(least["pi"].nunique() + 1) // 2))
    number = least["pi"].nunique()
    for ax in axes[number + 1 :]:
        ax.set_visible(False)
    draw_by_assumed(axes[:number], least, ACCURACY, PUBLISHED)
    share_y(axes[:number])
    _draw_diagonal(axes[number], means)
    legend_below(figure, NAMES_DRAWN)
    return figure


def _draw_diagonal(ax: Axes, means: pd.DataFrame) -> None:
    """Draw what a model that is told the truth reaches, by every rule, on an axis of its own."""
    correct = means[means["assumed"] == means["pi"]]
    plain, anchored = by_estimator(correct)
    ways = (
        (NAMES_DRAWN[0], LOOKS[0], plain[plain["rule"] == LEAST_LOSS]),
        (f"PULasso, {RULES[SPARSER]}", LOOKS[2], plain[plain["rule"] == SPARSER]),
        (ANCHORED, LOOKS[3], anchored),
    )
    for name, look, part in ways:
        if len(part):
            band(ax, part["pi"], part["accuracy"], part["accuracy_se"], look, label=name)
    known = plain[plain["rule"] == LEAST_LOSS].dropna(subset="paper")
    ax.plot(known["pi"], known["paper"], "x", color=PALETTE[0], label=NAMES_DRAWN[2])
    ax.set(title="pi_hat = pi, enlarged", xlabel="label frequency", ylabel=ACCURACY.label)
    ax.set_xticks(sorted(set(correct["pi"])))
