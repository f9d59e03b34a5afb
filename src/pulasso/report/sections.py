"""The beginning of a report: the findings, the data, what was assumed, how the penalty was chosen."""

from collections.abc import Iterator

import numpy as np

from pulasso._messages import listed
from pulasso.estimators.summary import describe_refit
from pulasso.plots import CVCurveDisplay, PrevalenceDisplay
from pulasso.report.blocks import Block, Facts, Notice, Section, Table, Text, TextList, number, percent
from pulasso.report.figures import picture
from pulasso.report.material import Material
from pulasso.scenarios import Scenario, Sources, describe_scenario
from pulasso.tables import show_count

__all__ = ["about_assumptions", "about_choice", "about_data", "about_warnings", "in_short"]

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
RULES = {
    "min": "the smallest mean loss",
    "1se": "the largest penalty whose mean loss is within one standard error of the smallest",
}


def in_short(material: Material) -> Section:
    """Return the findings in a few sentences."""
    return Section("short", "In short", [TextList(list(_findings(material)))])


def _findings(material: Material) -> Iterator[str]:
    core, scores, sweep = material.core, material.scores, material.sensitivity
    yield (
        f"The model tells {len(material.classes)} classes apart: {listed(material.classes, 6, str)}; "
        f"{material.classes[0]} is the reference, class 0."
    )
    strongest = [material.features[j] for j in material.selected[:3]]
    named = f"; the strongest: {listed(strongest, show=str)}" if strongest else ""
    used = "" if material.importances is None else f"{show_count(len(material.selected))} of "
    yield f"It uses {used}{show_count(len(material.features))} features{named}."
    if scores is not None:
        low, high = scores["accuracy"].interval()
        yield (
            f"Estimated accuracy: {percent(scores['accuracy'].value)} (95 % interval {percent(low)} to "
            f"{percent(high)}), from labelled and unlabeled rows alone."
        )
    asked = core.scenario_.asks_for
    if asked is not None:
        how = "estimated" if hasattr(core, "prevalence_estimate_") else "assumed"
        yield f"This rests on an {how} {asked.replace('_', ' ')}, which the data cannot prove."
    if sweep is not None:
        always = len(sweep.always_selected)
        kept = f"; {always} {'feature is' if always == 1 else 'features are'} selected under all of them"
        changed = percent(float(np.max(sweep.changed)))
        yield f"Other assumed values change at most {changed} of the predictions{kept if material.is_linear else ''}."
    n_said = len(material.warnings)
    yield f"{n_said} {'warning' if n_said == 1 else 'warnings'}, see below." if n_said else "No warnings."


def about_warnings(material: Material) -> Section:
    """Return what was warned about, or a section without blocks."""
    return Section("warnings", "Please note", [Notice(words) for words in material.warnings])


def about_data(material: Material) -> Section:
    """Return which rows there were."""
    counts, reference = material.core.label_counts_, material.classes[0]
    rows = {f"labelled {name}": n for name, n in zip(material.classes[1:], counts.n_labeled[1:], strict=True)}
    rest = "unlabeled" if material.hides_labels else f"{reference}, without another label"
    rows[rest] = counts.n_unlabeled
    if counts.n_labeled[0] > 0:
        rows[f"confirmed as {reference}"] = float(counts.n_labeled[0])
    n_features = show_count(len(material.features))
    words = f"The model was fitted to {show_count(counts.total)} rows with {n_features} features."
    if material.hides_labels:
        words += (
            " A label is certain; the lack of one says nothing: an unlabeled row may belong to any class."
        )
    shares = {name: n / counts.total for name, n in rows.items()}
    cells = [[name, (show_count(n), n), (percent(shares[name], 1), shares[name])] for name, n in rows.items()]
    table = Table("Rows of the fit by observed label", ["observed label", "rows", "share"], cells)
    blocks: list[Block] = [Text(words), table]
    scale = getattr(material.core, "feature_scale_", np.ones(0))  # which no tree asks for
    constant = [material.features[j] for j in np.flatnonzero(scale == 0)]
    if constant:
        are = "feature is" if len(constant) == 1 else "features are"
        which = listed(constant, 5, str)
        blocks.append(Text(f"{show_count(len(constant))} {are} constant and cannot help: {which}."))
    return Section("data", "The data", blocks)


def name_of_scenario(scenario: Scenario) -> str:
    """Return the name of a scenario, of several sources with the scenario of each."""
    return describe_scenario(scenario) if isinstance(scenario, Sources) else scenario.name


def about_assumptions(material: Material) -> Section:
    """Return the scenario and its numbers."""
    scenario = material.core.scenario_
    model = "ordered classes (cumulative logit)" if material.is_ordered else "unordered classes (multinomial)"
    model += "" if material.is_linear else ", by a flexible learner in place of a linear predictor"
    blocks: list[Block] = [Text(f"Model: {model}. Labelling scenario: {name_of_scenario(scenario)}.")]
    if scenario.name in SCENARIOS:
        blocks.append(Text(SCENARIOS[scenario.name]))
    if scenario.asks_for == "prevalence":
        blocks.append(_prevalences(material))
    elif scenario.asks_for == "label_frequency":
        blocks.append(_frequencies(material))
    if hasattr(material.core, "prevalence_estimate_"):
        blocks += _estimated(material)
    if material.numbers:
        blocks.append(
            Text(
                "If these numbers are wrong, probabilities and scores are wrong with them; which features matter "
                "is usually less affected. The labels must depend on the features through the class only: where "
                "easily found members are labelled more often, the model also describes who was found."
            )
        )
    return Section("assumptions", "What was assumed", blocks)


def _prevalences(material: Material) -> Table:
    rest = 1.0 - sum(material.numbers.values())
    shares = {**material.numbers, f"{material.classes[0]} (what is left)": rest}
    rows = [[name, (f"{value:.3g}", value)] for name, value in shares.items()]
    return Table("Prevalence", ["class", "share of the population"], rows)


def _frequencies(material: Material) -> Table:
    """Return label frequencies with the class shares that they imply."""
    counts, rows = material.core.label_counts_, []
    seen = (counts.n_labeled[1:] / counts.total).tolist()
    for (name, value), share in zip(material.numbers.items(), seen, strict=True):
        shares = [(percent(each, 1), each) for each in (share, share / value)]
        rows.append([name, (f"{value:.3g}", value), *shares])
    header = ["class", "label frequency", "share labelled", "share that follows for the class"]
    return Table("Label frequency, and the class sizes that follow from it", header, rows)


def _estimated(material: Material) -> list[Block]:
    """Return where numbers come from that were estimated from the same data."""
    estimate = material.core.prevalence_estimate_
    intervals = [
        f"{name} {number(low)} to {number(high)}" for name, (low, high) in estimate.intervals.items()
    ]
    what = estimate.parameter.replace("_", " ")
    words = (
        f"The {what} was not given but estimated from the same rows, by {estimate.method}; "
        f"{percent(estimate.level)} intervals: {listed(intervals, 20, str)}."
    )
    return [
        Text(" ".join([words, *material.in_words(estimate.diagnosis)])),
        picture(
            "prevalence",
            PrevalenceDisplay.from_estimate,
            estimate,
            caption=f"What the estimate of the {what} was read off; shaded: the intervals.",
            alt=f"Curves behind the estimated {what}",
        ),
    ]


def about_choice(material: Material) -> Section:
    """Return how the penalty came about."""
    title, chooser = "How the penalty was chosen", material.chooser
    what = (
        f"The penalty lam = {number(material.lam)} decides how many features are selected; at "
        f"{number(material.core.lam_max_)} (lam_max) and above there would be none."
    )
    if chooser is None:
        return Section("choice", title, [Text(f"{what} It was given, not chosen by the data.")])
    unlikely = "how unlikely the observed labels of the rows left out are"
    smallest, chosen = number(chooser.lam_min_), number(chooser.lam_)
    blocks = [
        Text(what),
        Text(
            f"It was chosen by {len(chooser.cv_loss_)}-fold cross-validation: fits without some of the rows, judged by "
            f"{unlikely if chooser.scoring is None else 'a score'} (this needs no true classes). The rule: "
            f"{RULES[chooser.select]}."
        ),
        picture(
            "cv",
            CVCurveDisplay.from_estimator,
            chooser,
            caption="Loss on rows that were left out of the fit; smaller is better.",
            alt=f"Curve of the held-out loss over lam, smallest at {smallest}; chosen {chosen}",
        ),
        Facts(
            "Choice",
            {
                "smallest loss at lam": smallest,
                "one-standard-error rule": number(chooser.lam_1se_),
                "chosen": f"{chosen} (select={chooser.select!r})",
                **({"refit": refit} if (refit := describe_refit(chooser)) else {}),
            },
        ),
    ]
    return Section("choice", title, blocks)
