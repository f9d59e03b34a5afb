"""From a fitted model to its card: one page of Markdown that stays beside it."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from pulasso._messages import listed
from pulasso._version import __version__
from pulasso.data.parameters import check_text
from pulasso.estimators.summary import describe_refit
from pulasso.export.writing import check_target, write_file
from pulasso.penalties import as_penalty
from pulasso.report.blocks import Facts, Section, Text, TextList, number
from pulasso.report.features import about_features
from pulasso.report.importances import about_importances
from pulasso.report.markdown import escape, to_markdown
from pulasso.report.material import Material
from pulasso.report.sections import about_assumptions, about_data, about_warnings, name_of_scenario
from pulasso.report.shares import about_shares
from pulasso.report.trust import about_reproduction, about_scores
from pulasso.tables import show_count

__all__ = ["write_card"]

FEATURES_SHOWN = 20


def write_card(
    model: Any,
    path: str | os.PathLike,
    *,
    X: Any = None,
    z: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    name: str | None = None,
    intended_use: str | None = None,
    cv: Any = None,
    command: str | None = None,
    seed: Any = None,
    data_hash: str | None = None,
    show_parameter: Callable[[str, str | None], str] | None = None,
    force: bool = False,
) -> Path:
    """Write a model card: one page of Markdown that says what a fitted model is, and what it is not for.

    It names the model, its use, the data, the scenario and what was assumed, the strongest features, scores estimated
    from positive and unlabeled rows, every warning, and the versions and settings behind it. It needs no extras.

    Parameters
    ----------
    model : fitted estimator of this package, or a pipeline or search that ends in one
    path : str or path
        The file to write; folders on the way are made.
    name : str, optional
        The heading; by default the kind of the model and its classes.
    intended_use : str, optional
        Who should use the model for what; it stands before what holds for every model of this kind.
    X, z, sample_weight, cv, command, seed, data_hash, show_parameter, force
        As for :func:`write_report`.

    Returns
    -------
    Path
        Of the file. It appears complete or not at all.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from pulasso import MultinomialPULasso
    >>> from pulasso.report import write_card
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> z = ((X[:, 0] + rng.logistic(size=200) > 0) & (rng.random(200) < 0.5)).astype(int)
    >>> model = MultinomialPULasso(lam=0.02, scenario="single-training-set", label_frequency=0.5).fit(X, z)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     card = write_card(model, f"{folder}/card.md", name="Presence of one species")
    ...     print(card.read_text(encoding="utf-8").splitlines()[0])
    # Model card: Presence of one species
    """
    target = check_target(path, force, "card.md")
    check_text("name", name)
    check_text("intended_use", intended_use)
    history = {"command": command, "seed": seed, "data_hash": data_hash}
    material = Material(model, X, z, sample_weight, cv=cv, **history, show_parameter=show_parameter)
    sections = [
        _about_model(material),
        _about_use(material, intended_use),
        about_warnings(material),
        about_data(material),
        about_assumptions(material),
        about_shares(material),
        (about_features if material.is_linear else about_importances)(material, FEATURES_SHOWN),
        replace(about_scores(material), title="Scores, estimated from positive and unlabeled rows"),
        about_reproduction(material),
    ]
    heading = name or f"{type(material.core).__name__} of {listed(material.classes, 6, str)}"
    written = [to_markdown(section) for section in sections if section.blocks]
    return write_file(target, "\n\n".join([f"# Model card: {escape(heading)}", *written]) + "\n", force)


def _about_model(material: Material) -> Section:
    """Return what the model is."""
    core, chooser = material.core, material.chooser
    kind = "ordinal (cumulative logit)" if material.is_ordered else "multinomial (log odds against class 0)"
    inside = "" if material.model is core else f", inside a {type(material.model).__name__}"
    used = "" if material.importances is None else f"{show_count(len(material.selected))} of "
    facts = {
        "model": f"{type(core).__name__}, {kind}{inside}",
        "classes": f"{listed(material.classes, 20, str)}; {material.classes[0]} is the reference, class 0",
        "features": f"{used}{show_count(len(material.features))} are used",
    }
    if material.is_linear:
        how = "given" if chooser is None else f"chosen by {len(chooser.cv_loss_)}-fold cross-validation"
        facts["model"] += f", with a {as_penalty(core.penalty).name} penalty"
        facts["penalty"] = f"lam = {number(material.lam)}, {how}"
        facts |= {"refit": refit} if (refit := describe_refit(core)) else {}
    else:
        how = "given" if core.validation_loss_ is None else "chosen by held-out labels"
        facts[material.rounds] = f"{core.n_iter_}, {how}"
    facts |= {
        "labelling scenario": name_of_scenario(core.scenario_),
        "written by": f"pulasso {__version__}",
    }
    return Section("model", "The model", [Facts("The model", facts)])


def _about_use(material: Material, intended: str | None) -> Section:
    """Return what the model is for, and what it is not for."""
    if material.hides_labels:
        purpose = (
            f"For: probabilities of the true {'ordered ' if material.is_ordered else ''}classes of rows from the "
            "population that the unlabeled rows were drawn from, with the same features measured in the same way."
        )
    else:
        purpose = (
            "For: comparison with models that know of hidden labels. Unlabeled rows were taken as class 0, so these "
            "are probabilities of being labelled wherever labels are missing."
        )
    limits = [
        "Not for: rows from elsewhere, or from a time when the classes had other shares; the probabilities carry the "
        "assumed shares with them.",
        "Not for: saying what causes a class. Features are used because they help to tell classes apart.",
        "Not for: decisions about people or places without somebody who knows them. No true class of an unlabeled row "
        "was ever seen, so errors were estimated, not counted.",
    ]
    given = [Text(intended)] if intended else []
    return Section("use", "Intended use", [*given, TextList([purpose, *limits])])
