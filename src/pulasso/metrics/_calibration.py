"""Calibration: how often a class is true among rows that were given a certain probability of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso.data.inputs import check_number
from pulasso.metrics._predictions import read_proba
from pulasso.metrics._sample import LabelSettings, SignedSample, read_sample
from pulasso.tables import make_frame, text_table

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["CalibrationCurve", "pu_calibration_curve"]


@dataclass(frozen=True, eq=False)
class CalibrationCurve:
    """Predicted probabilities in bins, with the estimated frequency of the class in each.

    Attributes
    ----------
    classes : array of shape (n_classes,)
    edges : array of shape (n_classes, n_bins + 1)
        Bins of the predicted probability; a bin contains its upper edge.
    share : array of shape (n_classes, n_bins)
        Share of the population in each bin.
    predicted : array of shape (n_classes, n_bins)
        Mean predicted probability; nan in empty bins.
    frequency : array of shape (n_classes, n_bins)
        Estimated frequency of the class; may lie outside [0, 1], nan in empty bins.
    standard_error : array of shape (n_classes, n_bins)
        Of `frequency`.
    """

    classes: NDArray
    edges: NDArray
    share: NDArray
    predicted: NDArray
    frequency: NDArray
    standard_error: NDArray

    def to_frame(self) -> "DataFrame":
        """Return a pandas data frame with one row for each class and bin that is not empty."""
        n_bins = self.share.shape[1]
        frame = make_frame(
            {
                "class": np.repeat(self.classes, n_bins),
                "above": self.edges[:, :-1].ravel(),
                "up_to": self.edges[:, 1:].ravel(),
                "share": self.share.ravel(),
                "predicted": self.predicted.ravel(),
                "frequency": self.frequency.ravel(),
                "standard_error": self.standard_error.ravel(),
            }
        )
        return frame[frame["predicted"].notna()].reset_index(drop=True)

    def __repr__(self) -> str:
        rows = []
        for c, name in enumerate(self.classes):
            for b in np.flatnonzero(~np.isnan(self.predicted[c])):
                true = f"{self.frequency[c, b]:.3f} ± {self.standard_error[c, b]:.3f}"
                rows.append([str(name), f"{self.share[c, b]:.3f}", f"{self.predicted[c, b]:.3f}", true])
        header = ["class", "share of rows", "predicted", "true frequency"]
        return "\n".join(["CalibrationCurve", *text_table(header, rows)])


def pu_calibration_curve(
    z: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 5,
    strategy: str = "uniform",
    sample_weight: ArrayLike | None = None,
    **label_model: Unpack[LabelSettings],
) -> CalibrationCurve:
    """Estimate, for each class, how often it is true among rows with a similar predicted probability.

    With B a bin of ``P(c | x)``, the frequency ``P(Y = c | B)`` is the ratio of two means, with
    ``f(x, y) = 1{y = c, x in B}`` and ``1{x in B}``. In a well calibrated model it equals the mean predicted
    probability in the bin. Bins count as fixed in the standard errors.

    Parameters
    ----------
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    y_proba : array-like of shape (n_samples, K + 1)
        Probabilities of the true classes, class 0 first.
    n_bins : int, default=5
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of the same width, or with the same share of the population.
    sample_weight : array-like of shape (n_samples,), optional
        A weight of 2 counts as the row twice.
    **labelling
        scenario, prevalence, label_frequency, classes, unlabeled, negative: see :mod:`pulasso.metrics`.

    Returns
    -------
    CalibrationCurve

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.metrics import pu_calibration_curve
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(8000)
    >>> y = (rng.random(8000) < p).astype(int)
    >>> z = np.where(rng.random(8000) < 0.5, y, 0)
    >>> curve = pu_calibration_curve(
    ...     z, np.column_stack([1 - p, p]), n_bins=2, scenario="single-training-set", label_frequency=0.5
    ... )
    >>> curve
    CalibrationCurve
      class  share of rows  predicted  true frequency
      0              0.499      0.250   0.263 ± 0.015
      0              0.501      0.752   0.768 ± 0.010
      1              0.501      0.248   0.232 ± 0.010
      1              0.499      0.750   0.737 ± 0.015
    """
    check_number("n_bins", n_bins, least=1, whole=True)
    if strategy not in ("uniform", "quantile"):
        raise ValueError(f"strategy={strategy!r} is unknown; use 'uniform' or 'quantile'.")
    sample = read_sample(z, label_model, sample_weight)
    proba = np.exp(read_proba(sample, y_proba, log=False))
    curves = []
    for c in range(len(sample.classes)):
        edges = _edges(sample, proba[:, c], int(n_bins), strategy)
        curves.append((edges, *_one_curve(sample, proba[:, c], sample.class_weights[:, c], edges)))
    return CalibrationCurve(sample.classes, *(np.array(part) for part in zip(*curves, strict=True)))


def _edges(sample: SignedSample, proba: NDArray, n_bins: int, strategy: str) -> NDArray:
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    if strategy == "uniform":
        return edges
    order = np.argsort(proba, kind="stable")
    mass = np.cumsum((sample.share * sample.row_weights)[order])
    inner = proba[order][np.searchsorted(mass, edges[1:-1] * mass[-1])]
    return np.concatenate([[0.0], inner, [1.0]])


def _one_curve(
    sample: SignedSample, proba: NDArray, member: NDArray, edges: NDArray
) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Return share, mean prediction, frequency and its standard error for each bin."""
    n_bins = len(edges) - 1
    # Equal edges, where many rows share a probability, leave empty bins between them.
    bins = np.searchsorted(edges[1:-1], proba, side="left")
    inside = (bins[:, None] == np.arange(n_bins)).astype(float)
    rows = sample.row_weights[:, None] * inside
    share = sample.ratio(rows, sample.row_weights).value
    predicted = sample.ratio(rows * proba[:, None], rows).value
    frequency = sample.ratio(member[:, None] * inside, rows)
    return share, predicted, frequency.value, np.sqrt(sample.variance(frequency.influence))
