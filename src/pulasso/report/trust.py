"""The second half of a report: how good, how sure, how to do it again."""

from datetime import UTC, datetime
from typing import Any

import numpy as np

from pulasso._messages import listed
from pulasso.plots import (
    PUCalibrationDisplay,
    PUConfusionMatrixDisplay,
    SensitivityDisplay,
    StabilityPathDisplay,
)
from pulasso.report.blocks import Block, Facts, Notice, Section, Table, Text, TextList, number, percent
from pulasso.report.figures import draw_figure, offscreen
from pulasso.report.material import Material

__all__ = ["about_certainty", "about_reproduction", "about_scores", "glossary", "score_tables"]

MEANING = {
    "accuracy": "share of rows whose predicted class is the true one",
    "balanced accuracy": "mean over classes of the share that is recognised",
    "log-loss": "surprise at the true class; smaller is better",
    "Brier score": "squared error of the probabilities; smaller is better",
    "mean squared error": "squared error in steps between ordered classes",
    "mean absolute error": "error in steps between ordered classes",
}
BY_CLASS = {
    "share": "share of the population that belongs to the class",
    "predicted": "share that is predicted as the class",
    "recall": "share of the class that is recognised",
    "precision": "share of the predictions that is right",
    "AUC": "chance that a member gets a higher probability than a non-member",
}


def about_scores(material: Material) -> Section:
    """Return how good the model is, as far as labelled and unlabeled rows tell."""
    if material.scores is None:
        words = "The report was written without rows to judge the model by (X and z), so it holds no scores."
        return Section("scores", "How good is it?", [Text(words)])
    return Section("scores", "How good is it?", [*score_tables(material), *_score_figures(material)])


def score_tables(material: Material) -> list[Block]:
    """Return the scores without their pictures."""
    scores = material.scores
    if scores is None:
        return []
    blocks: list[Block] = [
        Text(
            "Nobody has seen the true class of an unlabeled row, so accuracy cannot be counted. It can be estimated, "
            "because rows with a label are a fair sample of their class, and what is left of the whole belongs to "
            "class 0. These estimates have errors, which are given; they may lie a little outside 0 to 1; and they "
            "are only as right as the assumptions above."
        )
    ]
    if material.sample_weight is not None:
        blocks.append(Text("Rows count by their weights."))
    if material.same_rows:
        blocks.append(
            Notice(
                "These look like the rows that the model was fitted to. A model always looks too good on its own rows: "
                "for honest scores, keep some rows apart and judge by those."
            )
        )
    overall = []
    for name, estimate in scores.overall.items():
        low, high = estimate.interval(scores.level)
        value = (f"{estimate.value:.3f}", estimate.value)
        overall.append([name, value, f"{low:.3f} to {high:.3f}", MEANING.get(name, "")])
    blocks.append(
        Table(
            "Estimated scores of the true classes",
            ["score", "estimate", f"{percent(scores.level)} interval", "what it is"],
            overall,
        )
    )
    rows = []
    for c, name in enumerate(material.classes):
        each = list(scores.by_class.values())
        cells = [(_with_error(e.value[c], e.standard_error[c]), float(e.value[c])) for e in each]
        rows.append([name, *cells])
    header = ["class", *scores.by_class]
    meaning = "; ".join(f"{name}: {BY_CLASS[name]}" for name in scores.by_class if name in BY_CLASS)
    blocks.append(Table("By class, ± one standard error", header, rows, f"{meaning}."))
    return blocks


def _with_error(value: float, error: float) -> str:
    if not np.isfinite(value):
        return "unknown"
    return f"{value:.3f} ± {error:.3f}".replace("-", "−")


def _score_figures(material: Material) -> list[Block]:
    rows = (material.model, material.X, material.z)
    weight = material.sample_weight
    return [
        draw_figure(
            lambda: PUConfusionMatrixDisplay.from_estimator(*rows, sample_weight=weight, ax=offscreen),
            "confusion",
            "Where each true class goes. Each row sums to 1.",
            "Estimated confusion matrix of the true classes",
        ),
        draw_figure(
            lambda: PUCalibrationDisplay.from_estimator(*rows, sample_weight=weight, ax=offscreen),
            "calibration",
            "Do predicted probabilities come true? On the dashed diagonal they do. Bars are 95 % intervals. Hollow "
            "marks rest on less than 1 % of the rows.",
            "Calibration curves of the classes",
        ),
    ]


def about_certainty(material: Material) -> Section:
    """Return how sure one can be of the selection and of the numbers."""
    blocks: list[Block] = []
    if material.stability is not None:
        blocks.extend(_stability(material.stability))
    if material.sensitivity is not None:
        blocks.extend(_sensitivity(material.sensitivity))
    if not blocks and material.core.scenario_.asks_for is not None:
        blocks.append(
            Text(
                "Not examined: how often the same features would be selected from other samples (stability selection), "
                "and what other assumed numbers would change (sensitivity sweep)."
            )
        )
    core = material.core
    state = "within" if core.converged_ else "NOT within"
    blocks.append(
        Text(
            f"The computation ended {state} its tolerance: the violation of the optimality conditions is "
            f"{core.kkt_:.1e} of lam_max, the tolerance {core.tol:g}. With hidden labels the likelihood can have "
            "several local optima; this one is reached from the model without features, which makes it "
            "reproducible, not provably the best."
        )
    )
    return Section("certainty", "How sure is it?", blocks)


def _stability(result: Any) -> list[Block]:
    stable = [str(name) for name in result.stable]
    were = "group was" if len(stable) == 1 else "groups were"
    return [
        Text(
            f"Stability: the model was fitted to {result.n_subsamples} random halves of the rows. {len(stable)} {were} "
            f"selected in at least {percent(result.threshold)} of them: {listed(stable, 20, str) or 'none'}. "
            f"At most {number(result.bound, 2)} of the groups found in this way are expected to be chance finds, as "
            "far as the assumptions of that bound hold."
        ),
        draw_figure(
            lambda: StabilityPathDisplay.from_result(result, ax=offscreen),
            "stability",
            "How often every group is selected when rows are drawn again.",
            f"Stability paths; {len(stable)} groups reach the threshold",
        ),
    ]


def _sensitivity(sweep: Any) -> list[Block]:
    what = sweep.parameter.replace("_", " ")
    _, names = sweep.positions()
    values = [f"{value:.3g}" for value in sweep.positions()[0]] if names is None else names
    rows = []
    for i, name in enumerate(values):
        mark = " (assumed)" if i == sweep.reference else ""
        changed, selected = float(sweep.changed[i]), int(np.count_nonzero(sweep.selected[i]))
        cells: list[Any] = [(str(selected), selected), (percent(changed, 1), changed)]
        cells.append((number(float(sweep.log_likelihood[i]), 4), float(sweep.log_likelihood[i])))
        if "accuracy" in sweep.scores:
            cells.append((f"{sweep.scores['accuracy'][i]:.3f}", float(sweep.scores["accuracy"][i])))
        rows.append([f"{name}{mark}", *cells])
    header = [f"assumed {what}", "features selected", "predictions that change", "log-likelihood of labels"]
    header += ["estimated accuracy"] if "accuracy" in sweep.scores else []
    always, sometimes = sweep.always_selected, sweep.sometimes_selected
    items = [f"Selected whatever is assumed: {listed(always, 20, str) or 'no feature'}."]
    items += [f"Selected under some of the values only: {listed(sometimes, 20, str)}."] if sometimes else []
    said = list(zip(values, sweep.warnings, strict=True))
    items += [f"Warned about at {name}: {words}" for name, each in said for words in dict.fromkeys(each)]
    how = "and the same penalty" if np.ptp(sweep.lam) == 0 else "and the penalty chosen anew"
    return [
        Text(f"Sensitivity: the model was fitted again with other assumed values of the {what}, {how}."),
        Table(f"What changes with the assumed {what}", header, rows),
        draw_figure(
            lambda: SensitivityDisplay.from_sweep(sweep, ax=offscreen),
            "sensitivity",
            "The same as a picture. Scores are each computed under their own assumption, so that they do not tell "
            "which value is right.",
            f"Panels of what depends on the assumed {what}",
        ),
        TextList(items),
    ]


def about_reproduction(material: Material) -> Section:
    """Return what somebody needs to get the same numbers."""
    settings = material.core.get_params(deep=False)
    facts = {**material.versions(), "written": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"}
    if material.command is not None:
        facts["command"] = material.command
    if material.seed is not None:
        facts["seed"] = str(material.seed)
    if material.hash is not None:
        facts["data hash (SHA-256)"] = material.hash
    facts["objective"] = number(material.core.objective_, 9)
    rows = [[name, _shown(value)] for name, value in settings.items()]
    blocks: list[Block] = [
        Facts("Versions and data", facts),
        Table(f"Settings of {type(material.core).__name__}", ["setting", "value"], rows),
    ]
    if material.hash is None:
        blocks.insert(0, Text("This was written without the data, so it cannot name their hash."))
    return Section("reproduce", "How to do it again", blocks)


def _shown(value: Any) -> str:
    words = repr(value.item() if isinstance(value, np.generic) else value)
    return words if len(words) <= 200 else words[:199] + "…"


def glossary() -> Section:
    """Return the words of the report, explained."""
    return Section(
        "words",
        "Words",
        [
            Facts(
                "What the words mean",
                {
                    "unlabeled": "a row without label; it may belong to any class, class 0 included",
                    "class 0": "the reference: everything that is none of the labelled classes",
                    "prevalence": "share of a class in the population",
                    "label frequency": "probability that a member of a class carries its label",
                    "lam": "strength of the penalty; larger means fewer features",
                    "group": "coefficients that are selected together or not at all",
                    "log odds": "logarithm of the odds; 0.7 doubles the odds, −0.7 halves them",
                    "standard error": "how far an estimate typically is from the truth, by chance alone",
                },
            )
        ],
    )
