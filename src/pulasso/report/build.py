"""From a fitted model to one HTML file."""

import base64
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from pulasso._messages import listed
from pulasso._version import __version__
from pulasso.export.writing import check_target, write_file
from pulasso.metrics import Scores
from pulasso.report.features import about_features, about_path
from pulasso.report.importances import about_importances, about_rounds
from pulasso.report.material import Material
from pulasso.report.sections import about_assumptions, about_choice, about_data, about_warnings, in_short
from pulasso.report.shares import about_shares
from pulasso.report.trust import about_certainty, about_reproduction, about_scores, about_words

__all__ = ["write_report"]

SECTIONS: tuple[Callable, ...] = (
    in_short,
    about_warnings,
    about_data,
    about_assumptions,
    about_shares,
    about_choice,
    about_features,
    about_path,
    about_scores,
    about_certainty,
    about_reproduction,
    about_words,
)
# Boosted trees and networks have neither coefficients nor a path of penalties.
OF_LEARNERS = {about_choice: about_rounds, about_features: about_importances}


def write_report(
    model: Any,
    path: str | os.PathLike,
    *,
    X: Any = None,
    z: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    scores: Scores | None = None,
    cv: Any = None,
    sensitivity: Any = None,
    stability: Any = None,
    labelling: Any = None,
    command: str | None = None,
    seed: Any = None,
    data_hash: str | None = None,
    show_parameter: Callable[[str, str | None], str] | None = None,
    force: bool = False,
) -> Path:
    """Write one self-contained HTML page about a fitted model, for readers who never saw the code.

    It says what the data are, what was assumed, what was chosen and how sure that is, which features matter for
    which class, how good the model is as estimated from positive and unlabeled rows, what was warned about,
    and how to do it again. The page loads nothing from anywhere and also works without JavaScript.

    Parameters
    ----------
    model : fitted estimator of this package, or a pipeline or search that ends in one
    path : str or path
        The file to write; folders on the way are made.
    X : array-like of shape (n_samples, n_features), optional
        Rows to judge by, better not those of the fit.
    z : array-like of shape (n_samples,), optional
        Their observed labels. Without X and z there are no scores.
    sample_weight : array-like of shape (n_samples,), optional
        How much each of these rows counts.
    scores : Scores, optional
        Of ``pulasso.metrics.pu_scores`` for these rows, if they were computed before.
    cv : fitted MultinomialPULassoCV or OrdinalPULassoCV, optional
        Where lam was chosen, if `model` itself did not cross-validate.
    sensitivity : SensitivitySweep, optional
        Of ``pulasso.prevalence.sensitivity_sweep``.
    stability : StabilityResult, optional
        Of ``pulasso.inference.stability_selection``.
    labelling : LabellingTest, optional
        Of ``pulasso.inference.test_labelling``.
    command, seed : optional
        How the model came about, for those who want to repeat it.
    data_hash : str, optional
        By default ``joblib.hash([X, z, sample_weight], "sha1")``.
    show_parameter : callable, optional
        How warnings write the name of a parameter and the value that they advise, as readers who use another face
        of the library know it: the command line has options.
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
    >>> from pulasso.report import write_report
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> z = ((X[:, 0] + rng.logistic(size=200) > 0) & (rng.random(200) < 0.5)).astype(int)
    >>> model = MultinomialPULasso(lam=0.02, scenario="single-training-set", label_frequency=0.5).fit(X, z)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(model, f"{folder}/report.html", X=X, z=z)
    ...     "<h1" in page.read_text(encoding="utf-8")
    True
    """
    target = check_target(path, force, "report.html")
    found = {"given_scores": scores, "cv": cv, "sensitivity": sensitivity, "stability": stability}
    found["labelling"] = labelling
    history = {"command": command, "seed": seed, "data_hash": data_hash}
    material = Material(model, X, z, sample_weight, **found, **history, show_parameter=show_parameter)
    return write_file(target, _render(material), force)


def _render(material: Material) -> str:
    """Return the page."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise ImportError("A report needs jinja2; install it with `pip install pulasso[report]`.") from None
    environment = Environment(
        loader=PackageLoader("pulasso.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["data"] = _as_data
    script, core = _asset("script.js"), material.core
    names = listed(material.classes[1:], 3, str)  # tabs of a browser tell pages apart by them
    ordered = "ordered " if material.is_ordered else ""
    return environment.get_template("page.html.j2").render(
        title=f"{len(material.classes)} {ordered}classes from positive and unlabeled data: {names}",
        subtitle=f"{type(core).__name__}, {core.scenario_.name}, pulasso {__version__}",
        sections=[section for about in _sections_of(material) if (section := about(material)).blocks],
        style=_asset("style.css"),
        script=script,
        # The page runs this script and no other, whatever names the data bring along.
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def _sections_of(material: Material) -> list[Callable]:
    if material.is_linear:
        return list(SECTIONS)
    return [OF_LEARNERS.get(about, about) for about in SECTIONS]


def _asset(name: str) -> str:
    return files("pulasso.report").joinpath("templates", name).read_text(encoding="utf-8")


def _as_data(value: Mapping[str, Any]) -> Any:
    """Return JSON that is safe inside a script element."""
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
