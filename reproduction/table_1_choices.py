"""Table 1, one choice changed at a time: criterion, grouping, standardisation, grid of lams."""

from functools import partial
from typing import Any

from reproduction.choices import AS_IN_THE_TABLE, draw_choices, judge_choices, mean_choices, run_choices
from reproduction.masked import ACCURACY
from reproduction.table_1 import DESIGN, TINY_DESIGN

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
    "better for PULasso; smaller ones take more unlabeled digits for zeros. Groups matter little. 'Estimated' "
    "scores are those of pulasso.metrics: what the score would be on true classes, from observed labels and the label "
    "frequency; Lasso believes that all labels are observed, and is scored by this belief. 'Always' leaves "
    "cross-validation out.",
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
        "design": TINY_DESIGN,
        "label_frequencies": (0.6,),
        "choices": {name: CHOICES[name] for name in (AS_IN_THE_TABLE, "groups: entries")},
        "splits": 2,
    },
    "quick": {
        "design": DESIGN,
        "label_frequencies": (0.6,),
        "choices": {name: choice for name, choice in CHOICES.items() if name not in SLOW},
        "splits": 2,
    },
    "paper": {
        "design": DESIGN,
        "label_frequencies": (0.6,),
        "choices": CHOICES,
        "splits": 3,
    },
}

run = partial(run_choices, "table-1-choices", SETTINGS)
summarize = partial(mean_choices, score=ACCURACY)
judge = partial(judge_choices, score=ACCURACY)
draw = partial(draw_choices, score=ACCURACY)
