"""What cross-validation says: of its folds, and of a grid that ends where the loss is smallest."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import Message, arg, listed, warn
from pulasso.estimators._folds import recorded_warnings
from pulasso.exceptions import FewLabelsWarning, LabelFrequencyWarning, RareIndicatorWarning
from pulasso.problem import Problem

__all__ = ["warn_of_folds", "words_about_edge"]

# What is said of all rows, if at all: folds have fewer labels, and rarer indicators.
OF_ALL_ROWS = (FewLabelsWarning, RareIndicatorWarning)


def warn_of_folds(estimator: Any, results: Sequence[Mapping[str, NDArray]], problem: Problem) -> list[str]:
    """Warn of what happened in folds, by their numbers, and return the words."""
    by_warning: dict[tuple[type[Warning], str], list[int]] = {}
    for number, result in enumerate(results, start=1):
        for kind, words in recorded_warnings(result):
            if kind in OF_ALL_ROWS:
                continue
            numbers = by_warning.setdefault((kind, words), [])
            numbers += [number] * (number not in numbers)  # a path that was extended says it again
        lost = np.flatnonzero(~np.isfinite(result["loss"]))
        if len(lost):
            words = (
                f"the loss on held-out rows is not finite at {len(lost)} of {len(estimator.lams_)} lams, the first "
                f"{estimator.lams_[lost[0]]:.4g}; these lams are not chosen."
            )
            by_warning.setdefault((UserWarning, words), []).append(number)
    said: list[str] = []
    for (kind, words), numbers in by_warning.items():
        # What all rows were warned about need not be said again for some of them.
        if Message(words) not in problem.warnings and not (
            kind is LabelFrequencyWarning and problem.warnings
        ):
            folds = f"Fold {numbers[0]}" if len(numbers) == 1 else f"Folds {listed(numbers)}"
            said.append(warn(f"{folds} of {len(results)}: {words}", kind))
    return said


def words_about_edge(estimator: Any, edge: str, lam_max: float) -> str:
    """Return what an end of the grid with the smallest loss means, and the remedy; empty where there is none."""
    if not edge:
        return ""
    lam = estimator.lams_[0 if edge == "largest" else -1]
    start = f"The smallest loss on held-out rows lies at the {edge} lam of the grid, {lam:.4g}"
    if edge == "smallest":
        smaller = f"smaller values in {arg('lams')}"
        reached = estimator.lams_[-1] / lam_max
        remedy = smaller if estimator.lams is not None else arg("lam_min_ratio", f"{reached / 5:.1g}")
        return f"{start}: a smaller one may be better still. Try {remedy}."
    if lam < lam_max:
        return f"{start}: a larger one may be better still. Try larger values in {arg('lams')}."
    return (
        f"{start}, where no penalised feature is selected: held-out rows do not show that features tell "
        "the labels apart. Check the labels and the assumed numbers, or try more rows or fewer features."
    )
