"""The beginning of a report: the findings, the data, what was assumed, how the penalty was chosen."""

from typing import Any

import numpy as np

from pulasso._messages import listed
from pulasso.plots import (
    CVCurveDisplay,
    PrevalenceDisplay,
)
from pulasso.report.blocks import (
    Block,
    Facts,
    Notice,
    Section,
    Table,
    Text,
    TextList,
    count,
    number,
    percent,
)
from pulasso.report.figures import draw_figure, offscreen
from pulasso.report.material import Material

__all__ = [
    "about_assumptions",
    "about_choice",
    "about_data",
    "about_warnings",
    "in_short",
]

SCENARIOS = {
    "case-control": (
        "Unlabeled rows are a sample of the whole population, so they contain members of every class. Labelled rows "
        "were collected separately, class by class. What must be known is the prevalence: the share of each class "
        "in the population."
    ),
    "single-training-set": (
        "All rows are one sample of the population. A member of a class shows its label only with some probability, "
        "the label frequency, whatever its features are; the rest of the class is among the unlabeled rows."
    ),
    "fully-observed": (
        "Every label was taken as the truth, and every unlabeled row as a member of class 0. If members of other "
        "classes are hidden among the unlabeled rows, this model describes who got a label, not who belongs where."
    ),
}


def in_short(material: Material) -> Section:
    """Return the findings in a few sentences."""
    core, scores = material.core, material.scores
    names = [material.features[j] for j in material.selected[:3]]
    strongest = f"; the strongest: {listed(names, show=str)}" if names else ""
    items = [
        f"The model tells {len(material.classes)} classes apart: {listed(material.classes, 6, str)}; "
        f"{material.classes[0]} is the reference, class 0.",
        f"It uses {count(len(material.selected))} of {count(len(material.features))} features{strongest}.",
    ]
    if scores is not None:
        low, high = scores["accuracy"].interval()
        items.append(
            f"Estimated accuracy: {percent(scores['accuracy'].value)} (95 % interval {percent(low)} to "
            f"{percent(high)}), from labelled and unlabeled rows alone."
        )
    asked = core.scenario_.asks_for
    if asked is not None:
        how = "estimated" if hasattr(core, "prevalence_estimate_") else "assumed"
        items.append(f"This rests on an {how} {asked.replace('_', ' ')}, which the data cannot prove.")
    if material.sensitivity is not None:
        always = len(material.sensitivity.always_selected)
        changed = float(np.max(material.sensitivity.changed))
        items.append(
            f"Other assumed values change at most {percent(changed)} of the predictions; {always} "
            f"{'feature is' if always == 1 else 'features are'} selected under all of them."
        )
    n_said = len(material.warnings)
    items.append(
        f"{n_said} {'warning' if n_said == 1 else 'warnings'}, see below." if n_said else "No warnings."
    )
    return Section("short", "In short", [TextList(items)])


def about_warnings(material: Material) -> Section:
    """Return what was warned about, or a section without blocks."""
    return Section("warnings", "Please note", [Notice(words) for words in material.warnings])


def about_data(material: Material) -> Section:
    """Return which rows there were."""
    counts = material.core.label_counts_
    total = counts.total
    rows = [
        (f"labelled {name}", n) for name, n in zip(material.classes[1:], counts.n_labeled[1:], strict=True)
    ]
    hidden = material.core.scenario_.name != "fully-observed"
    rows.append(
        ("unlabeled" if hidden else f"{material.classes[0]}, without another label", counts.n_unlabeled)
    )
    if counts.n_labeled[0] > 0:
        rows.append((f"confirmed as {material.classes[0]}", float(counts.n_labeled[0])))
    table = Table(
        "Rows of the fit by observed label",
        ["observed label", "rows", "share"],
        [[name, (count(n), n), (percent(n / total, 1), n / total)] for name, n in rows],
    )
    words = (
        f"The model was fitted to {count(total)} rows with {count(len(material.features))} features. "
        "A label is certain; the lack of one says nothing: an unlabeled row may belong to any class."
        if hidden
        else f"The model was fitted to {count(total)} rows with {count(len(material.features))} features."
    )
    n_constant = int(np.count_nonzero(material.core.feature_scale_ == 0))
    blocks: list[Block] = [Text(words), table]
    if n_constant:
        which = [material.features[j] for j in np.flatnonzero(material.core.feature_scale_ == 0)]
        are = "feature is" if n_constant == 1 else "features are"
        blocks.append(Text(f"{n_constant} {are} constant and cannot help: {listed(which, 5, str)}."))
    return Section("data", "The data", blocks)


def about_assumptions(material: Material, *, pictures: bool = True) -> Section:
    """Return the scenario and its numbers."""
    scenario, counts = material.core.scenario_, material.core.label_counts_
    model = "ordered classes (cumulative logit)" if material.is_ordinal else "unordered classes (multinomial)"
    blocks: list[Block] = [
        Text(f"Model: {model}. LabelModel scenario: {scenario.name}."),
        Text(SCENARIOS.get(scenario.name, "")),
    ]
    if material.numbers and scenario.name == "case-control":
        rest = 1.0 - sum(material.numbers.values())
        shares = {**material.numbers, f"{material.classes[0]} (what is left)": rest}
        rows = [[name, (f"{value:.3g}", value)] for name, value in shares.items()]
        blocks.append(Table("Prevalence", ["class", "share of the population"], rows))
    elif material.numbers:
        blocks.append(_frequencies(material, counts.n_labeled[1:] / counts.total))
    if hasattr(material.core, "prevalence_estimate_"):
        blocks.extend(_estimated(material.core.prevalence_estimate_, pictures))
    if material.numbers:
        blocks.append(
            Text(
                "If these numbers are wrong, probabilities and scores are wrong with them; which features are selected "
                "is usually less affected. The labels must depend on the features through the class only: where "
                "easily found members are labelled more often, the model also describes who was found."
            )
        )
    return Section("assumptions", "What was assumed", [block for block in blocks if block != Text("")])


def _estimated(estimate: Any, pictures: bool) -> list[Block]:
    """Return where numbers come from that were estimated from the same data."""
    intervals = [
        f"{name} {number(low)} to {number(high)}" for name, (low, high) in estimate.intervals.items()
    ]
    what = estimate.parameter.replace("_", " ")
    words = Text(
        f"The {what} was not given but estimated from the same rows, by {estimate.method}; "
        f"{percent(estimate.level)} intervals: {listed(intervals, 20, str)}. " + " ".join(estimate.diagnosis)
    )
    if not pictures:
        return [words]
    return [
        words,
        draw_figure(
            lambda: PrevalenceDisplay.from_estimate(estimate, ax=offscreen),
            "prevalence",
            f"What the estimate of the {what} was read off; shaded: the intervals.",
            f"Curves behind the estimated {what}",
        ),
    ]


def _frequencies(material: Material, seen: np.ndarray) -> Table:
    """Return label frequencies with the class shares that they imply."""
    rows = []
    for (name, value), share in zip(material.numbers.items(), seen.tolist(), strict=True):
        follows = share / value
        rows.append(
            [name, (f"{value:.3g}", value), (percent(share, 1), share), (percent(follows, 1), follows)]
        )
    header = ["class", "label frequency", "share labelled", "share that follows for the class"]
    return Table("Label frequency, and the class sizes that follow from it", header, rows)


def about_choice(material: Material) -> Section:
    """Return how the penalty came about."""
    core, chooser = material.core, material.chooser
    what = (
        f"The penalty lam = {number(material.lam)} decides how many features are selected; at {number(core.lam_max_)} "
        "(lam_max) and above there would be none."
    )
    if chooser is None:
        blocks: list[Block] = [Text(f"{what} It was given, not chosen by the data.")]
        return Section("choice", "How the penalty was chosen", blocks)
    rule = {
        "min": "the smallest mean loss",
        "1se": "the largest penalty whose mean loss is within one standard error of the smallest",
    }[chooser.select]
    loss = (
        "how unlikely the observed labels of the rows left out are" if chooser.scoring is None else "a score"
    )
    blocks = [
        Text(what),
        Text(
            f"It was chosen by {len(chooser.cv_loss_)}-fold cross-validation: fits without some of the rows, judged by "
            f"{loss} (this needs no true classes). The rule: {rule}."
        ),
        draw_figure(
            lambda: CVCurveDisplay.from_estimator(chooser, ax=offscreen),
            "cv",
            "Loss on rows that were left out of the fit; smaller is better.",
            f"Curve of the held-out loss over lam, smallest at {number(chooser.lam_min_)}; "
            f"chosen {number(chooser.lam_)}",
        ),
        Facts(
            "Choice",
            {
                "smallest loss at lam": number(chooser.lam_min_),
                "one-standard-error rule": number(chooser.lam_1se_),
                "chosen": f"{number(chooser.lam_)} (select={chooser.select!r})",
            },
        ),
    ]
    return Section("choice", "How the penalty was chosen", blocks)
