"""The middle of a report: which features matter, and which would matter under another penalty."""

import numpy as np

from pulasso.plots import ResponseCurveDisplay, SelectedFeaturesDisplay, ThresholdsDisplay
from pulasso.report.blocks import Block, Gallery, Section, Table, Text, coef_cells, number
from pulasso.report.figures import picture
from pulasso.report.material import Material
from pulasso.report.path_chart import make_path_chart
from pulasso.tables import show_count

__all__ = ["about_features", "about_path", "response_curves"]

CURVES = 4


def about_features(material: Material, most: int = 100) -> Section:
    """Return which features matter for which class; the table has no more than `most` rows."""
    title = "Which features matter"
    if not len(material.selected):
        words = "No feature was selected: at this penalty the model predicts the same for every row."
        return Section("features", title, [Text(words)])
    blocks: list[Block] = [
        Text(_meaning(material)),
        _feature_table(material, most),
        picture(
            "heat",
            SelectedFeaturesDisplay.from_estimator,
            material.core,
            caption="Orange speaks for the class, purple against it; an empty cell is exactly zero.",
            alt="Heat map of the coefficients in the table above",
        ),
    ]
    # Of a pipeline, the classifier reads other columns than those of X.
    x = material.X if material.core is material.model else None
    if material.is_ordered:
        blocks.append(
            picture(
                "thresholds",
                ThresholdsDisplay.from_estimator,
                material.core,
                x,
                caption="The features place a row on one scale; the thresholds cut it into classes.",
                alt=f"Probabilities of {len(material.classes)} ordered classes on the latent scale",
            )
        )
    if x is not None:
        blocks.append(response_curves(material, "every other feature at its mean"))
    return Section("features", title, blocks)


def _meaning(material: Material) -> str:
    j = material.selected[0]
    k = int(np.argmax(np.abs(material.coefs[:, j])))
    odds = number(float(np.exp(material.coefs[k, j])))
    against = f"{material.outputs[k]} against {material.classes[0]}"
    how = material.core.standardize
    left_alone = not how or (how == "auto" and material.core.feature_scale_[j] == 1.0)
    units = {
        True: "standard deviation of the feature, so that features in different units compare",
        False: "unit of the feature",
        "auto": "standard deviation of the feature, and for columns of only 0 and 1 those of a 1 against a 0",
    }
    return (
        f"Numbers are log odds per {units[how]}. "
        f"Example: one {'' if left_alone else 'standard deviation '}more of {material.features[j]} multiplies the odds "
        f"of {'a higher class' if material.is_ordered else against} by {odds}. Coefficients are shrunk towards zero by "
        "the penalty, and among features that say the same thing one may stand for the others: not selected does not "
        "mean unrelated."
    )


def _feature_table(material: Material, most: int) -> Table:
    shown, strength, rows = material.selected[:most], material.strength, []
    scale, n_outputs = material.core.feature_scale_, len(material.outputs)
    for j in shown:
        sizes = [scale[j], strength[j]] if n_outputs > 1 else [scale[j]]
        cells = [(number(size), float(size)) for size in sizes]
        rows.append([material.features[j], *cells, *coef_cells(material.coefs[:, j])])
    hidden = len(material.selected) - len(shown)
    note = f"The {len(shown)} strongest of {show_count(len(material.selected))} are shown." if hidden else ""
    sizes_of = ["standard deviation", "strength"] if n_outputs > 1 else ["standard deviation"]
    return Table(
        "Selected features, the strongest first", ["feature", *sizes_of, *material.outputs], rows, note
    )


def response_curves(material: Material, others: str) -> Gallery:
    """Return response curves of the strongest features; `others` says what the other features do."""
    names = material.features
    return Gallery(
        [
            picture(
                f"response-{j}",
                ResponseCurveDisplay.from_estimator,
                material.core,
                material.X,
                j,
                caption=f"How the probabilities change with {names[j]}, {others}. "
                "Marks at the bottom, if there are any: deciles.",
                alt=f"Response curves of {names[j]}",
            )
            for j in material.selected[:CURVES].tolist()
        ]
    )


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
