"""The middle of a report: which features matter, and which would matter under another penalty."""

from functools import partial

import numpy as np

from pulasso.plots import ResponseCurveDisplay, SelectedFeaturesDisplay, ThresholdsDisplay
from pulasso.report.blocks import Block, Figure, Gallery, Section, Table, Text, count, number
from pulasso.report.figures import draw_figure, offscreen
from pulasso.report.material import Material
from pulasso.report.path_chart import make_path_chart

__all__ = ["about_features", "about_path", "feature_words"]

MAX_ROWS = 100
CURVES = 4


def about_features(material: Material) -> Section:
    """Return which features matter for which class."""
    if not len(material.selected):
        return Section("features", "Which features matter", feature_words(material))
    blocks: list[Block] = [
        *feature_words(material),
        draw_figure(
            lambda: SelectedFeaturesDisplay.from_estimator(material.core, ax=offscreen),
            "heat",
            "Orange speaks for the class, purple against it; an empty cell is exactly zero.",
            "Heat map of the coefficients in the table above",
        ),
    ]
    if material.is_ordinal:
        blocks.append(
            draw_figure(
                lambda: ThresholdsDisplay.from_estimator(material.core, _numeric(material), ax=offscreen),
                "thresholds",
                "The features place a row on one scale; the thresholds cut it into classes.",
                f"Probabilities of {len(material.classes)} ordered classes on the latent scale",
            )
        )
    blocks.extend(_response_curves(material))
    return Section("features", "Which features matter", blocks)


def feature_words(material: Material, most: int = MAX_ROWS) -> list[Block]:
    """Return the selected features as words and a table, without pictures."""
    if not len(material.selected):
        return [Text("No feature was selected: at this penalty the model predicts the same for every row.")]
    return [Text(_meaning(material)), _feature_table(material, most)]


def _meaning(material: Material) -> str:
    j = material.selected[0]
    k = int(np.argmax(np.abs(material.coefs[:, j])))
    value = float(material.coefs[k, j])
    towards = (
        "a higher class" if material.is_ordinal else f"{material.outputs[k]} against {material.classes[0]}"
    )
    return (
        "Numbers are log odds per standard deviation of the feature, so that features in different units compare. "
        f"Example: one standard deviation more of {material.features[j]} multiplies the odds of {towards} by "
        f"{number(float(np.exp(value)))}. Coefficients are shrunk towards zero by the penalty, and among features "
        "that say the same thing one may stand for the others: not selected does not mean unrelated."
    )


def _feature_table(material: Material, most: int) -> Table:
    shown, scale = material.selected[:most], material.core.feature_scale_
    rows = []
    for j in shown:
        cells = [(number(value) if value else "", value) for value in material.coefs[:, j].tolist()]
        strength = float(material.strength[j])
        if len(cells) > 1:
            cells.insert(0, (number(strength), strength))
        rows.append([material.features[j], (number(scale[j]), float(scale[j])), *cells])
    hidden = len(material.selected) - len(shown)
    note = f"The {len(shown)} strongest of {count(len(material.selected))} are shown." if hidden else ""
    strength_too = ["strength"] if len(material.outputs) > 1 else []
    header = ["feature", "standard deviation", *strength_too, *material.outputs]
    return Table("Selected features, the strongest first", header, rows, note)


def _numeric(material: Material) -> np.ndarray | None:
    """Return X where the classifier itself can read it."""
    return material.X if material.core is material.model else None


def _response_curves(material: Material) -> list[Block]:
    """Return response curves of the strongest features, where X has only numbers."""
    x = _numeric(material)
    if x is None:
        return []
    figures: list[Figure] = []
    for j in material.selected[:CURVES].tolist():
        try:
            figures.append(
                draw_figure(
                    partial(ResponseCurveDisplay.from_estimator, material.core, x, j, ax=offscreen),
                    f"response-{j}",
                    f"How the probabilities change with {material.features[j]}, every other feature at its mean. "
                    "Marks at the bottom: deciles.",
                    f"Response curves of {material.features[j]}",
                )
            )
        except ValueError:
            return []  # columns that are not numbers
    return [Gallery(figures)]


def about_path(material: Material) -> Section:
    """Return the path with its slider, or a section without blocks."""
    path = getattr(material.chooser, "path_", None)
    if path is None or len(path.lams) < 2 or not np.asarray(path.n_active).any():
        return Section("path", "", [])
    words = Text(
        "A stronger penalty keeps only the features that matter most.",
        hint="Move the slider to see which those are.",
    )
    return Section("path", "From few features to many", [words, make_path_chart(path, material.lam)])
