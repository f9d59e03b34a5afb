"""What a fitted learner says about itself."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pulasso.estimators.shares import describe_shares
from pulasso.scenarios import describe_scenario
from pulasso.tables import Printable, Printout, make_frame, show_count

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["LearnerSummary", "summarize_learner"]

ROWS_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class LearnerSummary(Printable):
    """Features that a learner uses, the most important first, with how it was fitted.

    Attributes
    ----------
    title : str
    facts : dict of str to str
    features : list of str
    importances : array of shape (n_features,)
        Shares of the gain; empty for learners that have none.
    warnings : list of str
    """

    title: str
    facts: dict[str, str]
    features: list[str]
    importances: NDArray
    warnings: list[str] = field(default_factory=list)

    def to_frame(self) -> "DataFrame":
        """Return the table of features as a pandas data frame."""
        frame = make_frame(self.importances[:, None], index=self.features, columns=["importance"])
        frame.index.name = "feature"
        return frame

    def _printout(self) -> Printout:
        rows = [[name, f"{value:.3f}"] for name, value in zip(self.features, self.importances, strict=True)]
        tables = [(["feature", "importance"], rows)] if rows else []
        notes = [f"warning: {words}" for words in self.warnings]
        return Printout(self.title, self.facts, tables, notes, ROWS_SHOWN)


def summarize_learner(model: Any) -> LearnerSummary:
    """Return the summary of a fitted learner."""
    counts = model.label_counts_
    labeled = zip(counts.classes[1:], counts.n_labeled[1:], strict=True)
    facts = {
        "scenario": describe_scenario(model.scenario_),
        "class 0": str(counts.classes[0]),
        "labelled rows": ", ".join(f"{name}: {show_count(count)}" for name, count in labeled),
        "unlabeled rows": show_count(counts.n_unlabeled),
    }
    if counts.n_labeled[0] > 0:
        facts["confirmed negatives"] = show_count(counts.n_labeled[0])
    if shares := describe_shares(model):
        facts["class shares"] = shares
    if model.anchor_ > 0:
        facts["anchor"] = f"{model.anchor_:g}"
    facts[model._rounds] = f"{model.n_iter_}" + (
        "" if model.validation_loss_ is None else ", chosen by the observed labels of held-out rows"
    )
    facts["loss of observed labels"] = f"{model.loss_:.4g} in the rows of the fit"
    if model.validation_loss_ is not None:
        facts["loss of observed labels"] += f", {model.validation_loss_.min():.4g} in held-out rows"
    if hasattr(model, "fold_losses_"):
        n_folds = len(model.fold_losses_)
        facts["loss of observed labels"] += (
            f", {model.fold_losses_.mean():.4g} in {n_folds} folds without their rows"
        )
    importances = getattr(model, "feature_importances_", np.empty(0))
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(model.n_features_in_)])
    used = np.argsort(-importances, kind="stable")[: np.count_nonzero(importances)]
    engine = getattr(model, "engine", None)
    return LearnerSummary(
        title=f"{type(model).__name__}: {model.response}" + (f", {engine}" if engine else ""),
        facts=facts,
        features=[str(names[j]) for j in used],
        importances=importances[used],
        warnings=list(model.warnings_),
    )
