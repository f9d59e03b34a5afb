"""Which rows are held out, what they say about every lam, and which lam that recommends."""

from pulasso.model_selection.curve import SELECTIONS, LossCurve
from pulasso.model_selection.folds import Fold, check_folds, make_splitter, split_rows

__all__ = ["SELECTIONS", "Fold", "LossCurve", "check_folds", "make_splitter", "split_rows"]
