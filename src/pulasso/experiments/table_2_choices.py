"""Table 2, one choice changed at a time: criterion, standardisation, tolerance, grid of lams, no choice of lam."""

from typing import TYPE_CHECKING, Any

from pulasso.experiments import table_2
from pulasso.experiments.choices import AS_IN_THE_TABLE, draw_choices, mean_choices, run_choices
from pulasso.experiments.claims import Claim
from pulasso.experiments.masked import NAIVE
from pulasso.experiments.runner import at_scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

__all__ = ["NOTES", "PAPER", "SETTINGS", "TITLE", "draw", "judge", "run", "summarize"]

TITLE = "Table 2: what the open choices are worth"
PAPER = (
    "The paper does not say whether columns are standardised, which lams are tried, "
    "nor which loss cross-validation compares."
)
NOTES = (
    "Each row changes one setting of table-2 for both methods, on the same splits, with pi_hat = pi; 'difference' "
    "is the mean of what the change adds on the same split, with its standard error.",
    "Only the criterion matters. By default cross-validation compares the likelihood of observed labels, for Lasso "
    "as well. 'Estimated' scores are those of pulasso.metrics: what the score would be on true classes, from observed "
    "labels and the label frequency; Lasso believes that all labels are observed, and is scored by this belief. "
    "The squared error of the most probable class, which the table reports, asks for a smaller lam than either "
    "likelihood; chosen by its own estimate it falls by about one for PULasso. 'Always' leaves cross-validation out.",
)

CHOICES: dict[str, dict[str, Any]] = {
    AS_IN_THE_TABLE: {},
    "columns as they come": {"standardize": False},
    "one-standard-error rule": {"select": "1se"},
    "criterion: estimated squared error": {"scoring": "pu_neg_mean_squared_error"},
    "criterion: estimated log-loss": {"scoring": "pu_neg_log_loss"},
    "grid down to 0.002 lam_max": {"lam_min_ratio": 0.002, "n_lams": 40},
    "tol 1e-6, 100 lams": {"tol": 1e-6, "n_lams": 100},
    "always lam = 0.1 lam_max": {"lam_over_max": 0.1},
    "always lam = 0.01 lam_max": {"lam_over_max": 0.01},
}
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {
        "design": table_2.SETTINGS["tiny"]["design"],
        "label_frequencies": (0.6,),
        "choices": {name: CHOICES[name] for name in (AS_IN_THE_TABLE, "columns as they come")},
        "splits": 2,
    },
    "quick": {"design": table_2.DESIGN, "label_frequencies": (0.6,), "choices": CHOICES, "splits": 4},
    "paper": {
        "design": table_2.DESIGN,
        "label_frequencies": (0.6, 0.8),
        "choices": CHOICES,
        "splits": 6,
    },
}


def run(scale: str = "quick", seed: int = 0, **how: Any) -> "DataFrame":
    """Return the scores of every split and choice."""
    return run_choices("table-2-choices", at_scale(SETTINGS, scale), seed, how)


def summarize(table: "DataFrame") -> "DataFrame":
    """Return mean squared errors, and their differences from table-2."""
    return mean_choices(table, "mse")


def judge(table: "DataFrame") -> list[Claim]:
    """PULasso at the truth errs less than Lasso, however both are set up."""
    means = summarize(table)
    pu = means[means["method"] == "PULasso"].set_index(["pi", "change"])["mse"]
    naive = means[means["method"] == NAIVE].set_index(["pi", "change"])["mse"]
    gain = naive - pu
    return [
        Claim(
            "PULasso with the correct pi_hat errs less than Lasso under every choice",
            bool((gain > 0).all()),
            f"by {gain.min():.2f} to {gain.max():.2f}",
        )
    ]


def draw(table: "DataFrame") -> "Figure":
    """Draw the error under every choice."""
    return draw_choices(summarize(table), "mse", "mean squared error on test images")
