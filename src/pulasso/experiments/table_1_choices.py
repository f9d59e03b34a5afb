"""Table 1, one choice changed at a time: criterion, grouping, standardisation, grid of lams."""

from typing import TYPE_CHECKING, Any

from pulasso.experiments import table_1
from pulasso.experiments.choices import AS_IN_THE_TABLE, draw_choices, mean_choices, run_choices
from pulasso.experiments.claims import Claim
from pulasso.experiments.masked import NAIVE
from pulasso.experiments.runner import at_scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

__all__ = ["NOTES", "PAPER", "SETTINGS", "TITLE", "draw", "judge", "run", "summarize"]

TITLE = "Table 1: what the open choices are worth"
PAPER = (
    "The paper does not say how coefficients of the digits are grouped, whether columns are standardised, "
    "which lams are tried, nor which loss cross-validation compares."
)
NOTES = (
    "Each row changes one setting of table-1 for both methods, on the same splits, with pi_hat = pi; 'difference' "
    "is the mean of what the change adds on the same split, with its standard error. A change to what a method has "
    "in the table anyway (rows for PULasso, entries for Lasso) is a check: it changes nothing.",
    "Columns must be standardised: they differ in scale by factors of thousands, and without it two or four features "
    "take all of the path. Larger lams than those of the least loss (one-standard-error rule, estimated accuracy) are "
    "better for PULasso, smaller ones lose the zeros. Groups matter little. 'Estimated' scores are those of "
    "pulasso.metrics: what the score would be on true classes, from observed labels and the label frequency; Lasso "
    "believes that all labels are observed, and is scored by this belief. 'Always' leaves cross-validation out.",
)

CHOICES: dict[str, dict[str, Any]] = {
    AS_IN_THE_TABLE: {},
    "groups: rows": {"groups": "rows"},
    "groups: entries": {"groups": "entries"},
    "columns as they come": {"standardize": False},
    "one-standard-error rule": {"select": "1se"},
    "criterion: estimated accuracy": {"scoring": "pu_accuracy"},
    "criterion: estimated log-loss": {"scoring": "pu_neg_log_loss"},
    "grid down to 0.01 lam_max": {"lam_min_ratio": 0.01, "n_lams": 20},
    "always lam = 0.05 lam_max": {"lam_over_max": 0.05},
    "always lam = 0.01 lam_max": {"lam_over_max": 0.01},
}
SLOW = ("criterion: estimated log-loss", "grid down to 0.01 lam_max", "always lam = 0.01 lam_max")
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {
        "design": table_1.SETTINGS["tiny"]["design"],
        "label_frequencies": (0.6,),
        "choices": {name: CHOICES[name] for name in (AS_IN_THE_TABLE, "groups: entries")},
        "splits": 2,
    },
    "quick": {
        "design": table_1.DESIGN,
        "label_frequencies": (0.6,),
        "choices": {name: choice for name, choice in CHOICES.items() if name not in SLOW},
        "splits": 2,
    },
    "paper": {
        "design": table_1.DESIGN,
        "label_frequencies": (0.6,),
        "choices": CHOICES,
        "splits": 3,
    },
}


def run(scale: str = "quick", seed: int = 0, **how: Any) -> "DataFrame":
    """Return the scores of every split and choice."""
    return run_choices("table-1-choices", at_scale(SETTINGS, scale), seed, how)


def summarize(table: "DataFrame") -> "DataFrame":
    """Return mean accuracies, and their differences from table-1."""
    return mean_choices(table, "accuracy")


def judge(table: "DataFrame") -> list[Claim]:
    """PULasso at the truth beats Lasso, however both are set up."""
    means = summarize(table)
    pu = means[means["method"] == "PULasso"].set_index(["pi", "change"])["accuracy"]
    naive = means[means["method"] == NAIVE].set_index(["pi", "change"])["accuracy"]
    gain = pu - naive
    return [
        Claim(
            "PULasso with the correct pi_hat beats Lasso under every choice",
            bool((gain > 0).all()),
            f"by {gain.min():.1%} to {gain.max():.1%}",
        )
    ]


def draw(table: "DataFrame") -> "Figure":
    """Draw the accuracy under every choice."""
    return draw_choices(summarize(table), "accuracy", "accuracy on test digits")
