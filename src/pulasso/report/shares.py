"""The part of a report that sets told class shares beside those that the model says."""

from pulasso.estimators.shares import compared_shares, furthest_share
from pulasso.plots import ClassSharesDisplay
from pulasso.report.blocks import Block, Section, Table, Text, percent
from pulasso.report.figures import picture
from pulasso.report.material import Material

__all__ = ["about_shares"]


def about_shares(material: Material) -> Section:
    """Return told and predicted shares side by side, or a section without blocks where nothing was told."""
    core, title = material.core, "Does it keep the class shares it was told?"
    compared = compared_shares(core)
    if compared is None:
        return Section("shares", title, [])
    told, predicted = compared
    rows = "the unlabeled rows" if core.scenario_.sampled_by_label else "all rows"
    what = str(core.scenario_.asks_for or "scenario").replace("_", " ")
    blocks: list[Block] = [
        Text(
            f"The assumed {what} says which share of {rows} each class has. The mean of the model's probabilities over "
            f"the same rows should come to the same. {_verdict(material)}"
        )
    ]
    cells = [
        [name, *((percent(each, 1), each) for each in (a, b, b - a))]
        for name, a, b in zip(material.classes, told.tolist(), predicted.tolist(), strict=True)
    ]
    blocks.append(Table("Class shares", ["class", "told", "predicted", "difference"], cells))
    blocks.append(
        picture(
            "shares",
            ClassSharesDisplay.from_estimator,
            core,
            caption="The same as a picture. Thin lines: how far chance may lead the model from what it was told.",
            alt="Bars of the told and the predicted share of each class",
        )
    )
    return Section("shares", title, blocks)


def _verdict(material: Material) -> str:
    """Say whether they differ by more than chance, and whether an anchor held the model."""
    core, found = material.core, furthest_share(material.core)
    words = "Here it does, as far as chance allows."
    if found is not None:
        k, meaning = found
        words = f"Here it does not, most of all for {material.classes[k]}. {meaning}, if what it was told is right."
    rho, several = getattr(core, "anchor_", 0.0), getattr(core, "anchors_", ())
    if rho > 0:
        words += f" An anchor of strength {rho:g} held the model to these shares."
    if len(several):
        losses = [f"{each:g}: {loss:.4f}" for each, loss in zip(several, core.anchor_loss_, strict=True)]
        words += f" Held-out rows chose {rho:g}, by their losses with each strength: {', '.join(losses)}."
    return words
