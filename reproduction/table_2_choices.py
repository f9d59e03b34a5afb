"""Table 2, one choice changed at a time: criterion, standardisation, tolerance, grid of lams, no choice of lam."""

from functools import partial
from typing import Any

from reproduction.choices import AS_IN_THE_TABLE, draw_choices, judge_choices, mean_choices, run_choices
from reproduction.masked import SQUARED_ERROR
from reproduction.table_2 import DESIGN, TINY_DESIGN

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
        "design": TINY_DESIGN,
        "label_frequencies": (0.6,),
        "choices": {name: CHOICES[name] for name in (AS_IN_THE_TABLE, "columns as they come")},
        "splits": 2,
    },
    "quick": {"design": DESIGN, "label_frequencies": (0.6,), "choices": CHOICES, "splits": 4},
    "paper": {
        "design": DESIGN,
        "label_frequencies": (0.6, 0.8),
        "choices": CHOICES,
        "splits": 6,
    },
}

run = partial(run_choices, "table-2-choices", SETTINGS)
summarize = partial(mean_choices, score=SQUARED_ERROR)
judge = partial(judge_choices, score=SQUARED_ERROR)
draw = partial(draw_choices, score=SQUARED_ERROR)
