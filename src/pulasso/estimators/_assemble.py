"""From validated data and what the user knows to a `Problem`, its null model, and the way back."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.chunked import ChunkedProblem, MeasuredChunks
from pulasso.data.chunks import is_chunked
from pulasso.data.labels import Labels
from pulasso.design import StandardizedDesign, as_design, standardize
from pulasso.exceptions import GroupError, LabelFrequencyWarning
from pulasso.path import scale_by_null
from pulasso.penalties import Blocks, GroupLasso, Groups
from pulasso.problem import Params, Problem
from pulasso.responses import Multinomial, Ordinal, Response
from pulasso.scenarios import LabelCounts, LabelModel, NullModel, ObservedLoss, Scenario

__all__ = ["Assembled", "Coefficients", "assemble"]


@dataclass(frozen=True, eq=False)
class Coefficients:
    """A solution on the scale of the user's X.

    Attributes
    ----------
    coef : array of shape (n_outputs, n_features)
    offsets : array of shape (n_offsets,)
        Intercepts, or first cutpoint and gaps.
    """

    coef: NDArray
    offsets: NDArray


@dataclass(frozen=True, eq=False)
class Assembled:
    """A problem ready to be solved, with what is needed to report about it."""

    problem: Problem | ChunkedProblem
    design: StandardizedDesign
    null: Params
    labels: Labels
    counts: LabelCounts
    label_model: LabelModel
    scenario: Scenario
    blocks: Blocks
    weight: NDArray
    warnings: tuple[str, ...]

    def coefficients(self, params: Params) -> Coefficients:
        """Undo standardisation and contrast: the one place where theta becomes coef."""
        design, response = self.design, self.problem.response
        theta, offset = design.to_original(params.theta)
        offsets = response.shift(params.offsets, -offset)
        if isinstance(response, Multinomial) and response.symmetric:
            theta = theta @ response.contrast
        # Columns far from zero make large cutpoints; in single precision the gaps between them would vanish.
        return Coefficients(np.ascontiguousarray(theta.T).astype(design.dtype, copy=False), offsets)


def assemble(
    x: Any,
    labels: Labels,
    weight: NDArray,
    *,
    response: str,
    scenario: Scenario,
    groups: str | Groups,
    standardized: bool,
    fit_intercept: bool = True,
    feature_names: Sequence[str] | None = None,
) -> Assembled:
    """Build the problem that an estimator or a path solves.

    Parameters
    ----------
    x : array or sparse matrix
        Validated features.
    labels : Labels
        Encoded observed labels.
    weight : array of shape (n_samples,)
    response : {"multinomial", "ordinal"}
    scenario : Scenario
    groups : str or Groups
    standardized : bool
        Whether the penalty acts on coefficients of unit-variance columns.
    fit_intercept : bool
        Without it columns are not centred, as nothing could absorb their means.
    feature_names : sequence of str, optional
    """
    counts = LabelCounts.from_codes(labels.codes, labels.classes, weight)
    label_model = scenario.label_model(counts)
    n_positive = len(labels.classes) - 1
    class_names = None if response == Ordinal.name else labels.classes[1:].tolist()
    n_outputs = 1 if class_names is None else n_positive
    blocks = Groups.of(groups).resolve(x.shape[1], n_outputs, feature_names, class_names)
    model = _response(response, n_positive, fit_intercept, blocks)
    observed = (label_model, labels.codes, weight)
    scaling = {"center": fit_intercept, "scale": standardized, "names": feature_names}
    unscaled = _problem(x, observed, model, GroupLasso(blocks), scaling)
    null_model = label_model.null_model(counts.frequencies)
    words = _warn_if_no_maximum(null_model, label_model, counts)
    problem, null = scale_by_null(unscaled, null_model.log_odds)
    assert isinstance(problem.design, StandardizedDesign)
    return Assembled(
        problem, problem.design, null, labels, counts, label_model, scenario, blocks, weight, words
    )


def _problem(
    x: Any,
    observed: tuple[LabelModel, NDArray, NDArray],
    response: Response,
    penalty: GroupLasso,
    scaling: dict[str, Any],
) -> Problem | ChunkedProblem:
    """Build the problem of data in memory, or of data in chunks."""
    label_model, codes, weight = observed
    if not is_chunked(x):
        loss = ObservedLoss(label_model, codes, weight)
        design = standardize(as_design(x), loss.share, **scaling)
        return Problem(design, response, loss, penalty)
    design = standardize(MeasuredChunks(x, codes, weight), weight, **scaling)
    return ChunkedProblem(design, response, label_model, penalty, float(weight.sum()))


def _response(name: str, n_positive: int, fit_intercept: bool, blocks: Blocks) -> Response:
    if name == Ordinal.name and blocks.symmetric:
        raise GroupError(
            "symmetric=True treats all classes alike, but the ordinal model has one coefficient per feature, "
            "not one per class; leave it out."
        )
    if name == Ordinal.name:
        return Ordinal(n_positive)
    return Multinomial(n_positive, fit_intercept=fit_intercept, symmetric=blocks.symmetric)


def _warn_if_no_maximum(
    null_model: NullModel, label_model: LabelModel, counts: LabelCounts
) -> tuple[str, ...]:
    """Warn when the assumed label frequencies are lower than the labels allow."""
    if null_model.exists:
        return ()
    assumed = np.exp(label_model.log_labeled[1:])
    least = assumed * null_model.excess
    named = zip(counts.classes[1:], least, strict=True)
    if np.ptp(assumed) < 1e-12:
        bound = f"{least[0]:.4g}"
    elif least.max() <= 1.0:
        bound = ", ".join(f"{name}: {value:.4g}" for name, value in named) + " if all grow alike"
    else:
        bound = "reached when the shares n_k / (n * label_frequency_k) sum to 1"
    words = (
        f"label_frequency is too low for these labels: the positive classes would make up "
        f"{100 * null_model.excess:.0f} % of the rows, so the intercept-only likelihood has no finite "
        f"maximum. The smallest label frequency that the data allow is {bound}; it must lie above. "
        f"The fit goes on from a finite start, but check the assumed value."
    )
    warnings.warn(words, LabelFrequencyWarning, stacklevel=6)
    return (words,)
