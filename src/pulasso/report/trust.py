"""The end of a report: how good, how sure, how to do it again."""

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from pulasso._messages import listed, plain
from pulasso._version import __version__
from pulasso.plots import (
    PUCalibrationDisplay,
    PUConfusionMatrixDisplay,
    SensitivityDisplay,
    StabilityPathDisplay,
)
from pulasso.report.blocks import Block, Facts, Notice, Section, Table, Text, TextList, number, percent
from pulasso.report.figures import picture
from pulasso.report.material import Material
from pulasso.tables import show_count

__all__ = ["about_certainty", "about_reproduction", "about_scores", "about_words"]

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
WORDS = {
    "unlabeled": "a row without label; it may belong to any class, class 0 included",
    "class 0": "the reference: everything that is none of the labelled classes",
    "prevalence": "share of a class in the population",
    "label frequency": "probability that a member of a class carries its label",
    "lam": "strength of the penalty; larger means fewer features",
    "group": "coefficients that are selected together or not at all",
    "importance": "how much a model uses a feature, in whichever direction",
    "early stopping": "an end to the fit where held-out labels were the most likely",
    "log odds": "logarithm of the odds; 0.7 doubles the odds, −0.7 halves them",
    "standard error": "how far an estimate typically is from the truth, by chance alone",
}
OF_PENALTIES, OF_LEARNERS = ("lam", "group", "log odds"), ("importance", "early stopping")


def about_scores(material: Material) -> Section:
    """Return how good the model is, as far as labelled and unlabeled rows tell."""
    title, scores = "How good is it?", material.scores
    if scores is None:
        return Section("scores", title, [Text(material.why_no_scores)])
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
    if material.held_out:
        blocks.append(
            Text(
                "The rows are those of the fit; each was judged by the model of the cross-validation that did not see "
                f"it{', at the same lam' if material.is_linear else ''}."
            )
        )
    elif material.same_rows:
        blocks.append(
            Notice(
                "These look like the rows that the model was fitted to. A model always looks too good on its own rows: "
                "for honest scores, keep some rows apart and judge by those."
            )
        )
    return Section("scores", title, [*blocks, *_score_tables(material), *_score_figures(material)])


def _score_tables(material: Material) -> list[Block]:
    scores: Any = material.scores
    overall, rows = [], []
    for name, estimate in scores.overall.items():
        low, high = estimate.interval(scores.level)
        value = (f"{estimate.value:.3f}", estimate.value)
        overall.append([name, value, f"{low:.3f} to {high:.3f}", MEANING.get(name, "")])
    for c, name in enumerate(material.classes):
        each = [(e.value[c], e.standard_error[c]) for e in scores.by_class.values()]
        rows.append([name, *((_with_error(value, error), float(value)) for value, error in each)])
    meaning = "; ".join(f"{name}: {BY_CLASS[name]}" for name in scores.by_class if name in BY_CLASS)
    header = ["score", "estimate", f"{percent(scores.level)} interval", "what it is"]
    return [
        Table("Estimated scores of the true classes", header, overall),
        Table("By class, ± one standard error", ["class", *scores.by_class], rows, f"{meaning}."),
    ]


def _with_error(value: float, error: float) -> str:
    return f"{value:.3f} ± {error:.3f}".replace("-", "−") if np.isfinite(value) else "unknown"


def _score_figures(material: Material) -> list[Block]:
    rows, weight = (material.judged, material.X, material.z), material.sample_weight
    return [
        picture(
            "confusion",
            PUConfusionMatrixDisplay.from_estimator,
            *rows,
            sample_weight=weight,
            caption="Where each true class goes. Each row sums to 1.",
            alt="Estimated confusion matrix of the true classes",
        ),
        picture(
            "calibration",
            PUCalibrationDisplay.from_estimator,
            *rows,
            sample_weight=weight,
            caption="Do predicted probabilities come true? On the dashed diagonal they do. Bars are 95 % intervals. "
            "Hollow marks rest on less than 1 % of the rows.",
            alt="Calibration curves of the classes",
        ),
    ]


def about_certainty(material: Material) -> Section:
    """Return how sure one can be of the selection and of the numbers."""
    core, blocks = material.core, [*_stability(material), *_sensitivity(material)]
    if not blocks and core.scenario_.asks_for is not None:
        stability = (
            "how often the same features would be selected from other samples (stability selection), and "
        )
        blocks.append(
            Text(
                f"Not examined: {stability if material.is_linear else ''}what other assumed numbers would change "
                "(sensitivity sweep)."
            )
        )
    if material.labelling is not None:
        blocks.append(Text(material.labelling.sentence))
    if not material.is_linear:
        words = (
            "No certificate says that another fit could not do better: with another random_state other rows are held "
            "out, and the model becomes another one. Fit some to see how far predictions depend on that."
        )
        return Section("certainty", "How sure is it?", [*blocks, Text(words)])
    blocks.append(
        Text(
            f"The computation ended {'within' if core.converged_ else 'NOT within'} its tolerance: the violation of "
            f"the optimality conditions is {core.kkt_:.1e} of lam_max, the tolerance {core.tol:g}. With hidden labels "
            "the likelihood can have several local optima; this one is reached from the model without features, which "
            "makes it reproducible, not provably the best."
        )
    )
    return Section("certainty", "How sure is it?", blocks)


def _stability(material: Material) -> list[Block]:
    result = material.stability
    if result is None:
        return []
    stable = [str(name) for name in result.stable]
    were = "group was" if len(stable) == 1 else "groups were"
    return [
        Text(
            f"Stability: the model was fitted to {show_count(result.n_subsamples)} random subsamples, each with half "
            f"of the rows. {show_count(len(stable))} {were} selected in at least {percent(result.threshold)} of them: "
            f"{listed(stable, 20, str) or 'none'}. At most {number(result.bound, 2)} of the groups found in this way "
            "are expected to be chance finds, as far as the assumptions of that bound hold."
        ),
        picture(
            "stability",
            StabilityPathDisplay.from_result,
            result,
            caption="How often every group is selected when rows are drawn again.",
            alt=f"Stability paths; {len(stable)} groups reach the threshold",
        ),
    ]


def _sensitivity(material: Material) -> list[Block]:
    sweep = material.sensitivity
    if sweep is None:
        return []
    what = sweep.parameter.replace("_", " ")
    positions, names = sweep.positions()
    values = [f"{value:.3g}" for value in positions] if names is None else names
    always, sometimes = (listed(each, 20, str) for each in (sweep.always_selected, sweep.sometimes_selected))
    sentences = []
    if sweep.knows_features:
        verb = "Selected" if material.is_linear else "Used"
        sentences = [f"{verb} whatever is assumed: {always or 'no feature'}."]
        sentences += [f"{verb} under some of the values only: {sometimes}."] if sometimes else []
    for name, said in zip(values, sweep.warnings, strict=True):
        sentences += [f"Warned about at {name}: {words}" for words in material.in_words(said)]
    how = "and the same penalty" if np.ptp(sweep.lam) == 0 else "and the penalty chosen anew"
    if not material.is_linear:
        how = f"and as many {material.rounds} as then fit best"
        sentences.append(
            "Accuracies are too high where they rest on rows of the fit; look at how they differ."
        )
    return [
        Text(f"Sensitivity: the model was fitted again with other assumed values of the {what}, {how}."),
        _sweep_table(sweep, what, values),
        picture(
            "sensitivity",
            SensitivityDisplay.from_sweep,
            sweep,
            caption="The same as a picture. Scores are each computed under their own assumption, so that they do not "
            "tell which value is right.",
            alt=f"Panels of what depends on the assumed {what}",
        ),
        *([TextList(sentences)] if sentences else []),
    ]


def _sweep_table(sweep: Any, what: str, values: list[str]) -> Table:
    selected = (np.count_nonzero(sweep.selected, axis=1), show_count)
    columns = {
        **({f"features {sweep.verb}": selected} if sweep.knows_features else {}),
        "predictions that change": (sweep.changed, lambda value: percent(value, 1)),
        "log-likelihood of labels": (sweep.log_likelihood, lambda value: number(value, 4)),
    }
    if "accuracy" in sweep.scores:
        columns["estimated accuracy"] = (sweep.scores["accuracy"], "{:.3f}".format)
    cells = [[(show(value), float(value)) for value in column] for column, show in columns.values()]
    marked = [f"{name} (assumed)" if i == sweep.reference else name for i, name in enumerate(values)]
    rows = list(zip(marked, *cells, strict=True))
    return Table(f"What changes with the assumed {what}", [f"assumed {what}", *columns], rows)


def about_reproduction(material: Material) -> Section:
    """Return what somebody needs to get the same numbers."""
    core, facts = material.core, {"pulasso": __version__, "Python": platform.python_version()}
    facts |= {name: version(name.lower()) for name in ("NumPy", "SciPy", "scikit-learn")}
    known = {
        "written": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "command": material.command,
        "seed": material.seed,
        "data hash": material.data_hash,
        **material.loss_of_fit,
        **material.engines,
    }
    facts |= {name: str(value) for name, value in known.items() if value is not None}
    rows = [[name, _shown(value)] for name, value in core.get_params(deep=False).items()]
    blocks: list[Block] = [
        Facts("Versions and data", facts),
        Table(f"Settings of {type(core).__name__}", ["setting", "value"], rows),
    ]
    if material.data_hash is None:
        blocks.insert(0, Text("This was written without the data, so it cannot name their hash."))
    return Section("reproduce", "How to do it again", blocks)


def _shown(value: Any) -> str:
    words = repr(plain(value))
    return words if len(words) <= 200 else words[:199] + "…"


def about_words(material: Material) -> Section:
    """Return the words of the report, explained."""
    of_others = OF_LEARNERS if material.is_linear else OF_PENALTIES
    words = {word: meaning for word, meaning in WORDS.items() if word not in of_others}
    return Section("words", "Words", [Facts("What the words mean", words)])
