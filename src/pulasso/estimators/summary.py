"""What a fitted model says about itself: one object, four renderings."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pulasso.estimators.shares import describe_shares
from pulasso.penalties import as_penalty
from pulasso.scenarios import Sources, describe_scenario
from pulasso.tables import Printable, Printout, make_frame, show_count

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Summary", "describe_refit", "facts_about_labelling", "summarize", "summarize_species"]

ROWS_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Printable):
    """Selected features by class, with the certificate of the fit.

    Prints as text, renders as HTML in notebooks, and converts by :meth:`to_frame`.

    Attributes
    ----------
    title : str
    facts : dict of str to str
        What was fitted, to what, and how well: in the order in which it is shown.
    features : list of str
        Selected features, the strongest first.
    columns : list of str
        One for each class but class 0 (multinomial), or a single one (ordinal).
    coefficients : array of shape (n_selected, n_columns)
    groups : list of str
        Group of each selected feature; several where its classes belong to different groups.
    warnings : list of str
    """

    title: str
    facts: dict[str, str]
    features: list[str]
    columns: list[str]
    coefficients: NDArray
    groups: list[str]
    warnings: list[str] = field(default_factory=list)

    def to_frame(self) -> "DataFrame":
        """Return the table of selected features as a pandas data frame."""
        frame = make_frame(self.coefficients, index=self.features, columns=self.columns)
        frame.index.name = "feature"
        frame.insert(0, "group", self.groups)
        return frame

    def _printout(self) -> Printout:
        # Features that are their own groups need no column for them.
        show_groups = any(group != name for group, name in zip(self.groups, self.features, strict=True))
        header = ["feature", *(["group"] if show_groups else []), *self.columns]
        table = []
        for name, group, values in zip(self.features, self.groups, self.coefficients, strict=True):
            numbers = [f"{value:+.4g}" if value else "." for value in values]
            table.append([name, *([group] if show_groups else []), *numbers])
        notes = ["no feature was selected"] if not table else []
        notes += [f"warning: {words}" for words in self.warnings]
        return Printout(self.title, self.facts, [(header, table)], notes, ROWS_SHOWN)


def summarize(estimator: Any) -> Summary:
    """Return the summary of a fitted estimator."""
    coef = np.atleast_2d(estimator.coef_)
    # Per standard deviation, so that columns in different units compare.
    strength = np.linalg.norm(coef * estimator.feature_scale_, axis=0)
    selected = np.argsort(-strength, kind="stable")[: np.count_nonzero(strength)]
    names = getattr(estimator, "feature_names_in_", None)
    response = estimator.response_
    return Summary(
        title=f"{type(estimator).__name__}: {len(selected)} of {coef.shape[1]} features selected",
        facts=_facts(estimator),
        features=[str(names[j]) if names is not None else f"x{j}" for j in selected],
        columns=[str(name) for name in response.output_names(estimator.classes_)],
        coefficients=coef[:, selected].T,
        groups=[_group_names(estimator, j) for j in selected],
        warnings=list(estimator.warnings_),
    )


def summarize_species(model: Any) -> Summary:
    """Return the summary of a model of several species, one column for each."""
    models, species = model.estimators_, [str(name) for name in model.classes_]
    scaled = [np.square(each.coef_[0] * each.feature_scale_) for each in models]
    strength = np.sqrt(np.sum(scaled, axis=0))
    selected = np.argsort(-strength, kind="stable")[: np.count_nonzero(strength)]
    names = getattr(model, "feature_names_in_", None)
    features = [str(names[j]) if names is not None else f"x{j}" for j in selected]
    facts = {"scenario": models[0].scenario_.name}
    for name, each in zip(species, models, strict=True):
        lam = each.lam_ if hasattr(each, "lam_") else each.lam
        facts[name] = (
            f"{show_count(each.label_counts_.n_labeled[1])} labelled rows, {np.count_nonzero(each.coef_)} features, "
            f"lam {lam:.4g}, KKT violation {each.kkt_:.1e} of lam_max"
        )
    if (found := getattr(model, "propensity_", None)) is not None:
        facts["labelling"] = f"{found} (KKT violation {found.kkt:.1e} of lam_max)"
        facts["identification"] = found.identification
    said = [
        f"{name}: {words}" for name, each in zip(species, models, strict=True) for words in each.warnings_
    ]
    return Summary(
        title=f"{type(model).__name__}: {len(selected)} of {len(strength)} features selected",
        facts=facts,
        features=features,
        columns=species,
        coefficients=model.coef_[:, selected].T,
        groups=features,
        warnings=said,
    )


def _group_names(estimator: Any, feature: int) -> str:
    blocks = estimator.groups_
    numbers = dict.fromkeys(blocks.index[feature].tolist())
    active = [j for j in numbers if estimator.group_norms_[j] > 0]
    return ", ".join(blocks.names[j] for j in active)


def _facts(estimator: Any) -> dict[str, str]:
    counts = estimator.label_counts_
    labeled = ", ".join(
        f"{name}: {show_count(count)}"
        for name, count in zip(counts.classes[1:], counts.n_labeled[1:], strict=True)
    )
    # Where nothing is hidden, rows without another label are known to be class 0.
    rest = "rows of class 0" if estimator.scenario_.name == "fully-observed" else "unlabeled rows"
    if counts.by_source is not None:
        rest = "rows without label"  # of a survey they are class 0, of records they may be anything
    facts = {
        "scenario": describe_scenario(estimator.scenario_, leave_out=("propensity",)),
        "class 0": str(counts.classes[0]),
        "labelled rows": labeled,
        rest: show_count(counts.n_unlabeled),
    }
    if counts.n_labeled[0] > 0:
        facts["confirmed negatives"] = show_count(counts.n_labeled[0])
    facts |= facts_about_labelling(estimator)
    if shares := describe_shares(estimator):
        facts["class shares"] = shares
    several = getattr(estimator, "anchors_", ())
    if len(several) or getattr(estimator, "anchor_", 0.0) > 0:
        chosen = f"  (chosen from {', '.join(f'{each:g}' for each in several)} by held-out rows)"
        facts["anchor"] = f"{estimator.anchor_:g}" + (chosen if len(several) else "")
    offsets = estimator.response_.offsets_name
    plural = {"intercept_": "intercepts", "thresholds_": "thresholds"}.get(offsets, offsets.rstrip("_"))
    facts[plural] = ", ".join(f"{value:.4g}" for value in getattr(estimator, offsets))
    n_active = int(np.count_nonzero(estimator.group_norms_))
    lam, chosen = getattr(estimator, "lam", None), ""
    if hasattr(estimator, "cv_loss_"):
        lam, chosen = estimator.lam_, f"; chosen by {len(estimator.cv_loss_)} folds, {estimator.select}"
    # Zero, and not merely small: next to their terms all gradients cancel.
    unrelated = "" if estimator.lam_max_ > 0 else ": no penalised feature is related to the labels"
    penalty = as_penalty(estimator.penalty)
    if penalty.name != "group-lasso":
        facts["penalty"] = f"{penalty!r}"
    facts |= {
        "lam": f"{lam:.4g}  (lam_max {estimator.lam_max_:.4g}{unrelated}{chosen})",
        "groups": f"{n_active} of {estimator.groups_.n_blocks} selected",
        "objective": f"{estimator.objective_:.8g}",
        "KKT violation": f"{estimator.kkt_:.1e} of lam_max, "
        + ("converged" if estimator.converged_ else f"NOT converged (tol {estimator.tol:g})"),
    }
    if refit := describe_refit(estimator):
        facts["refit"] = refit
    if hasattr(estimator, "least_curvature_"):
        facts["concavity"] = _words_about_concavity(penalty, estimator.least_curvature_)
    return facts


def facts_about_labelling(estimator: Any) -> dict[str, str]:
    """Return what is told by each source, and what was fitted of the labelling, of all rows or of each source."""
    scenario, counts = estimator.scenario_, estimator.label_counts_
    parts = scenario.scenarios if isinstance(scenario, Sources) else {None: scenario}
    facts, is_told = {}, None
    if counts.by_source is not None:
        by_source = counts.by_source.items()
        facts["sources"] = ", ".join(f"{name}: {show_count(own.total)} rows" for name, own in by_source)
        told = scenario.told_by_source(counts)
        facts["shares told"] = "; ".join(
            f"{name}: "
            + ", ".join(f"{k} {100 * share:.3g} %" for k, share in zip(counts.classes, shares, strict=True))
            for name, (shares, _) in told.items()
        )
    for name, own in parts.items():
        found = getattr(own, "propensity", None)
        if found is None:
            continue
        of, is_told = "" if name is None else f" of {name}", found.identification
        facts[f"labelling{of}"] = f"{found} (KKT violation {found.kkt:.1e} of lam_max)"
    if is_told:
        facts["identification"] = is_told
    for name, shift in (getattr(scenario, "shifts", None) or {}).items():
        facts[f"shift of {name}"] = ", ".join(f"{value:+.3g}" for value in shift)
    return facts


def describe_refit(estimator: Any) -> str:
    """Say what a refit is and what held-out rows think of it; nothing if there was none."""
    if not hasattr(estimator, "refit_loss_"):
        return ""
    before = estimator.cv_loss_mean_[estimator.best_index_]
    words = f"ridge on what was selected; held-out loss {estimator.refit_loss_:.4g}, before {before:.4g}"
    return f"{estimator.refit}: {words}"


def _words_about_concavity(penalty: Any, curvature: float) -> str:
    """Say whether the objective is convex around the solution, and what would make it so."""
    words = f"{penalty.concavity:.3g} of the penalty, {curvature:.3g} the least curvature of the loss"
    if not curvature <= penalty.concavity:
        return f"{words}: convex within what is selected"
    needed = penalty.gamma_for(curvature) if hasattr(penalty, "gamma_for") else np.inf
    remedy = f", gamma above {needed:.3g} would make it so" if np.isfinite(needed) else ""
    return f"{words}: not convex even within what is selected{remedy}"
