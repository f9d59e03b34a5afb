"""What a report says of boosted trees and networks in place of coefficients: importances, response curves, rounds."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.plots import FeatureImportancesDisplay
from pulasso.report.blocks import Block, Facts, Section, Table, Text, number
from pulasso.report.features import response_curves
from pulasso.report.figures import picture
from pulasso.report.material import Material
from pulasso.tables import show_count

__all__ = ["about_importances", "about_rounds"]


def about_importances(material: Material, most: int = 100) -> Section:
    """Return which features a learner uses, and how its predictions change with them."""
    title, found = "Which features matter", material.importances
    if found is None:
        words = "Without rows to judge the model by (X and z) nothing tells how much each feature matters."
        return Section("features", title, [Text(words)])
    if not len(material.selected):
        return Section(
            "features", title, [Text("No feature matters: the model predicts the same for every row.")]
        )
    values, meaning = found
    blocks: list[Block] = [
        Text(
            f"This model has no coefficients. Importances, here the {meaning}, say how much it uses each feature, "
            "not in which direction; features that say the same thing share theirs."
        ),
        _table(material, values, most),
        picture(
            "importances",
            _draw,
            values,
            material.features,
            meaning,
            caption="The most important features.",
            alt="Bars of the importances in the table above",
        ),
    ]
    # Of a pipeline, the classifier reads other columns than those of X.
    if material.X is not None and material.core is material.model:
        blocks.append(response_curves(material, "averaged over rows that keep their other features"))
    return Section("features", title, blocks)


def _table(material: Material, values: NDArray, most: int) -> Table:
    shown = material.selected[:most]
    rows = [[material.features[j], (number(values[j]), float(values[j]))] for j in shown.tolist()]
    hidden = len(material.selected) - len(shown)
    note = (
        f"The {len(shown)} most important of {show_count(len(material.selected))} are shown."
        if hidden
        else ""
    )
    return Table("Features that are used, the most important first", ["feature", "importance"], rows, note)


def _draw(values: NDArray, names: list[str], meaning: str, ax: Any) -> FeatureImportancesDisplay:
    return FeatureImportancesDisplay(values, names, meaning).plot(ax)


def about_rounds(material: Material) -> Section:
    """Return how the number of rounds came about."""
    core, rounds = material.core, material.rounds
    if core.validation_loss_ is None:
        words = f"The model was fitted in {core.n_iter_} {rounds}, as many as were asked for."
        return Section("choice", f"How the number of {rounds} was chosen", [Text(words)])
    facts = {
        rounds: str(core.n_iter_),
        "loss of held-out labels": f"{number(core.validation_loss_.min(), 4)} at the best",
        "loss of labels in the fit": number(core.loss_, 4),
    }
    if hasattr(core, "fold_losses_"):
        shown = (
            f"{number(core.fold_losses_.mean(), 4)}, after {', '.join(map(str, core.fold_rounds_))} {rounds}"
        )
        facts["loss in folds that the fit did not see"] = shown
    best, tried = int(np.argmin(core.validation_loss_)) + 1, len(core.validation_loss_)
    words = (
        f"With every one of its {rounds} the model bends further to the rows of the fit, in the end to their noise. It "
        "was stopped where the observed labels of rows that were held out were the most likely (this needs no true "
        f"classes): after {best} of {tried} {rounds} that were tried. Then it was fitted to all rows."
    )
    return Section(
        "choice", f"How the number of {rounds} was chosen", [Text(words), Facts("Early stopping", facts)]
    )
