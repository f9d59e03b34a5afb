"""Which rows are held out, what they say about every lam, and which lam that recommends."""

from pulasso.model_selection.blocks import spatial_blocks
from pulasso.model_selection.comparison import compare
from pulasso.model_selection.cross_fitting import cross_fit
from pulasso.model_selection.curve import SELECTIONS, LossCurve
from pulasso.model_selection.folds import (
    Fold,
    check_folds,
    keep_single_rows,
    make_splitter,
    split_rows,
)
from pulasso.model_selection.scoring import named_scorer, takes_weight
from pulasso.model_selection.verdict import Comparison

__all__ = [
    "SELECTIONS",
    "Comparison",
    "Fold",
    "LossCurve",
    "check_folds",
    "compare",
    "cross_fit",
    "keep_single_rows",
    "make_splitter",
    "named_scorer",
    "spatial_blocks",
    "split_rows",
    "takes_weight",
]
