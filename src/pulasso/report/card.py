"""From a fitted model to its card: one page of Markdown that stays beside it."""

import os
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from pulasso._messages import listed
from pulasso.report.blocks import Block, Facts, Section, Text, TextList, count, number
from pulasso.report.features import feature_words
from pulasso.report.markdown import escape, to_markdown
from pulasso.report.material import Material
from pulasso.report.sections import about_assumptions, about_data, about_warnings
from pulasso.report.trust import about_reproduction, score_tables
from pulasso.report.writing import check_target, write_text

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
    X : array-like of shape (n_samples, n_features), optional
        Rows to judge by, better not those of the fit.
    z : array-like of shape (n_samples,), optional
        Their observed labels. Without X and z the card has no scores, and says so.
    sample_weight : array-like of shape (n_samples,), optional
        How much each of these rows counts.
    name : str, optional
        The heading; by default the kind of the model and its classes.
    intended_use : str, optional
        Who should use the model for what; it stands before what holds for every model of this kind.
    cv : fitted MultinomialPULassoCV or OrdinalPULassoCV, optional
        Where lam was chosen, if `model` itself did not cross-validate.
    command, seed : optional
        How the model came about, for those who want to repeat it.
    data_hash : str, optional
        By default the hash of `X`, `z` and `sample_weight`.
    force : bool, default=False
        Replace a file that is there already.

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
    target = Path(path)
    check_target(target, force, example="card.md")
    material = Material(model, X, z, sample_weight, cv, command=command, seed=seed, given_hash=data_hash)
    material.check()
    sections = [
        _about_model(material),
        _about_use(material, intended_use),
        about_warnings(material),
        about_data(material),
        about_assumptions(material, pictures=False),
        Section("features", "Which features matter", feature_words(material, FEATURES_SHOWN)),
        _about_scores(material),
        about_reproduction(material),
    ]
    heading = f"# Model card: {escape(name or _default_name(material))}"
    text = "\n\n".join([heading, *(to_markdown(section) for section in sections if section.blocks)])
    write_text(target, text + "\n", force)
    return target


def _default_name(material: Material) -> str:
    return f"{type(material.core).__name__} of {listed(material.classes, 6, str)}"


def _about_model(material: Material) -> Section:
    """Return what the model is."""
    core, chooser = material.core, material.chooser
    kind = "ordinal (cumulative logit)" if material.is_ordinal else "multinomial (log odds against class 0)"
    how = "given" if chooser is None else f"chosen by {len(chooser.cv_loss_)}-fold cross-validation"
    if material.model is not core:
        kind += f", inside a {type(material.model).__name__}"
    facts = {
        "model": f"{type(core).__name__}, {kind}, with a group lasso penalty",
        "classes": f"{listed(material.classes, 20, str)}; {material.classes[0]} is the reference, class 0",
        "features": f"{count(len(material.selected))} of {count(len(material.features))} are used",
        "penalty": f"lam = {number(material.lam)}, {how}",
        "labelling scenario": core.scenario_.name,
        "written by": f"pulasso {material.versions()['pulasso']}",
    }
    return Section("model", "The model", [Facts("The model", facts)])


def _about_use(material: Material, intended: str | None) -> Section:
    """Return what the model is for, and what it is not for."""
    given = [Text(intended)] if intended else []
    names = "ordered classes" if material.is_ordinal else "classes"
    items = [
        f"For: probabilities of the true {names} of rows from the population that the unlabeled rows were drawn from, "
        "with the same features measured in the same way.",
        "Not for: rows from elsewhere, or from a time when the classes had other shares; the probabilities carry the "
        "assumed shares with them.",
        "Not for: saying what causes a class. Features are selected because they help to tell classes apart.",
        "Not for: decisions about people or places without somebody who knows them. No true class of an unlabeled row "
        "was ever seen, so errors were estimated, not counted.",
    ]
    if material.core.scenario_.name == "fully-observed":
        items[0] = (
            "For: comparison with models that know of hidden labels. Unlabeled rows were taken as class 0, so these "
            "are probabilities of being labelled wherever labels are missing."
        )
    return Section("use", "Intended use", [*given, TextList(items)])


def _about_scores(material: Material) -> Section:
    blocks: list[Block] = score_tables(material)
    missing = Text("Not given: the card was written without rows to judge the model by (X and z).")
    return Section("scores", "Scores, estimated from positive and unlabeled rows", blocks or [missing])
