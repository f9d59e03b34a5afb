"""Metrics of predicted probabilities and scores: log-loss, Brier and ranked probability score, AUC, calibration."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso.data.inputs import check_number
from pulasso.data.parameters import check_choice, shape_of
from pulasso.metrics import _formulas
from pulasso.metrics._classification import class_estimate
from pulasso.metrics._estimate import Estimate
from pulasso.metrics._parameters import LabelSettings, documented
from pulasso.metrics._reading import read_matrix, read_proba, read_sample
from pulasso.metrics._signed_sample import SignedSample
from pulasso.tables import make_frame, text_table

if TYPE_CHECKING:
    from pandas import DataFrame


@documented
def pu_log_loss(
    z: ArrayLike,
    y_proba: ArrayLike,
    *,
    log: bool = False,
    sample_weight: ArrayLike | None = None,
    **labels: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the mean negative log-probability that the model gives to the true class.

    The mean of ``f(x, y) = -log P(y | x)``: unlabeled rows count as class 0, and every row labelled k, with its
    positive weight, adds ``-log P(k | x)`` and takes ``-log P(0 | x)`` back. Unbiased.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.metrics import pu_log_loss
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(4000)
    >>> y = (rng.random(4000) < p).astype(int)
    >>> z = np.where(rng.random(4000) < 0.5, y, 0)
    >>> loss = pu_log_loss(z, np.column_stack([1 - p, p]), scenario="single-training-set", label_frequency=0.5)
    >>> f"{loss:.2f}, in truth {-np.mean(np.log(np.where(y == 1, p, 1 - p))):.2f}"
    '0.50, in truth 0.51'
    """
    sample, proba = read_proba(z, y_proba, log, sample_weight, labels)
    with np.errstate(divide="ignore"):  # log 0 = -inf: a class that the model rules out
        return sample.estimate(_formulas.log_loss(sample, proba if log else np.log(proba)))


@documented
def pu_log_loss_difference(
    z: ArrayLike,
    y_proba: ArrayLike,
    other_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    **labels: Unpack[LabelSettings],
) -> Estimate:
    """Estimate by how much the log-loss of one model is above that of another, judged by the same rows.

    The mean of ``f(x, y) = log Q(y | x) - log P(y | x)``, P being `y_proba` and Q `other_proba`: negative where the
    first model is better. Rows that are hard for both models cancel, so that the standard error is far smaller than
    those of the two losses. Unbiased.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.metrics import pu_log_loss_difference
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(4000)
    >>> z = np.where(rng.random(4000) < 0.5, rng.random(4000) < p, 0).astype(int)
    >>> first, second = (np.column_stack([1 - each, each]) for each in (p, 0.25 + p / 2))
    >>> pu_log_loss_difference(z, first, second, scenario="single-training-set", label_frequency=0.5)
    Estimate(-0.048 ± 0.014)
    """
    sample, proba = read_proba(z, y_proba, False, sample_weight, labels)
    other = read_proba(z, other_proba, False, sample_weight, labels, "other_proba")[1]
    with np.errstate(divide="ignore"):  # log 0 = -inf: a class that a model rules out
        return sample.estimate(_formulas.log_loss_difference(sample, np.log(proba), np.log(other)))


@documented
def pu_brier_score(
    z: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    **labels: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the mean squared distance of predicted probabilities to the true class.

    The mean of ``f(x, y) = sum_j (P(j | x) - 1{y = j})^2``, halved for two classes as in scikit-learn. Unbiased.

    Examples
    --------
    >>> from pulasso.metrics import pu_brier_score
    >>> proba = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]]
    >>> f"{pu_brier_score([0, 0, 1, 1], proba, scenario='fully-observed'):.3f}"
    '0.075'
    """
    sample, proba = read_proba(z, y_proba, False, sample_weight, labels)
    return sample.estimate(_formulas.brier_score(sample, proba))


@documented
def pu_ranked_probability_score(
    z: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    **labels: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the ranked probability score of ordered classes: a proper score that knows which classes are neighbours.

    The mean of ``f(x, y) = sum_j (P(y <= j | x) - 1{y <= j})^2`` over the K cuts between classes (Epstein 1969), not
    divided by K: a prediction that is sure of one class scores its distance from the true one, so that the score is
    read in classes, like a mean absolute error. Unbiased.

    Examples
    --------
    >>> from pulasso.metrics import pu_ranked_probability_score
    >>> proba = [[1, 0, 0], [0, 0, 1], [0.2, 0.5, 0.3]]
    >>> f"{pu_ranked_probability_score([0, 0, 1], proba, scenario='fully-observed', classes=[0, 1, 2]):.3f}"
    '0.710'
    """
    sample, proba = read_proba(z, y_proba, False, sample_weight, labels)
    return sample.estimate(_formulas.ranked_probability_score(sample, proba))


@documented
def pu_roc_auc(
    z: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = None,
    sample_weight: ArrayLike | None = None,
    **labels: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the area under the ROC curve of each class against the rest.

    The probability that a member of the class scores higher than a row of another class, ties counting one half:

        sum_ij u_i v_j 1{s_i > s_j} / (sum_i u_i * sum_j v_j) ,

    with u_i the signed weight of row i for the class and v_i its weight for all other classes. The sum over pairs
    is a two-sample U-statistic; its influence function at row i is ``u_i V(s_i) + v_i U(s_i)``, V the mass
    of others below the score and U that of members above it, less the part of the denominator.
    Consistent; with fully observed labels it is the usual area, with the standard error of DeLong et al. (1988).

    Returns
    -------
    Estimate
        One value for each class, class 0 first, or their average, or that of the positive class.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.metrics import pu_roc_auc
    >>> rng = np.random.default_rng(2)
    >>> y = rng.integers(0, 2, 4000)
    >>> score = y + rng.normal(size=4000)
    >>> z = np.where(rng.random(4000) < 0.4, y, 0)
    >>> pu_roc_auc(z, score, scenario="single-training-set", label_frequency=0.4)
    Estimate(0.771 ± 0.018)
    """
    sample = read_sample(z, sample_weight, labels)
    is_single = len(shape_of("y_score", y_score)) == 1 and len(sample.classes) == 2
    if is_single:
        y_score = np.column_stack([np.zeros_like(y_score), y_score])
    scores = read_matrix(sample, y_score, "y_score")
    estimate = class_estimate(
        sample,
        _formulas.roc_auc(sample, scores),
        None if is_single else average,
        "the area under the ROC curve",
        "z has no rows to judge these classes by",
    )
    return estimate.of(sample.classes[1]) if is_single else estimate


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
        columns = {"class": np.repeat(self.classes, self.share.shape[1])}
        columns |= {"above": self.edges[:, :-1].ravel(), "up_to": self.edges[:, 1:].ravel()}
        for name in ("share", "predicted", "frequency", "standard_error"):
            columns[name] = getattr(self, name).ravel()
        return make_frame(columns).dropna(subset=["predicted"]).reset_index(drop=True)

    def __repr__(self) -> str:
        rows = []
        for c, b in np.argwhere(~np.isnan(self.predicted)):
            true = f"{self.frequency[c, b]:.3f} ± {self.standard_error[c, b]:.3f}"
            numbers = f"{self.share[c, b]:.3f}", f"{self.predicted[c, b]:.3f}", true
            rows.append([str(self.classes[c]), *numbers])
        header = ["class", "share of rows", "predicted", "true frequency"]
        return "\n".join(["CalibrationCurve", *text_table(header, rows)])


@documented
def pu_calibration_curve(
    z: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 5,
    strategy: str = "uniform",
    sample_weight: ArrayLike | None = None,
    **labels: Unpack[LabelSettings],
) -> CalibrationCurve:
    """Estimate, for each class, how often it is true among rows with a similar predicted probability.

    With B a bin of ``P(c | x)``, the frequency ``P(Y = c | B)`` is the ratio of two means, with
    ``f(x, y) = 1{y = c, x in B}`` and ``1{x in B}``. In a well calibrated model it equals the mean predicted
    probability in the bin. Bins count as fixed in the standard errors.

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
    check_choice("strategy", strategy, ("uniform", "quantile"))
    sample, proba = read_proba(z, y_proba, False, sample_weight, labels)
    curves = []
    for c in range(len(sample.classes)):
        edges = _bin_edges(sample, proba[:, c], int(n_bins), strategy)
        curves.append((edges, *_one_curve(sample, proba[:, c], sample.class_weights[:, c], edges)))
    return CalibrationCurve(sample.classes, *map(np.array, zip(*curves, strict=True)))


def _bin_edges(sample: SignedSample, proba: NDArray, n_bins: int, strategy: str) -> NDArray:
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    if strategy == "quantile":
        order = np.argsort(proba, kind="stable")
        weight = sample.sample_weight / sample.sample_weight.sum()
        mass = np.cumsum((weight * sample.row_weights)[order])
        edges[1:-1] = proba[order][np.searchsorted(mass, edges[1:-1] * mass[-1])]
    return edges


def _one_curve(
    sample: SignedSample, proba: NDArray, member: NDArray, edges: NDArray
) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Return share, mean prediction, frequency and its standard error for each bin."""
    # Equal edges, where many rows have the same probability, leave empty bins between them.
    bins = np.searchsorted(edges[1:-1], proba, side="left")
    inside = (bins[:, None] == np.arange(len(edges) - 1)).astype(float)
    rows = sample.row_weights[:, None]
    share = sample.ratio(rows * inside, rows)
    predicted = sample.ratio(rows * inside * proba[:, None], rows * inside)
    frequency = sample.estimate(sample.ratio(member[:, None] * inside, rows * inside))
    return share.value, predicted.value, frequency.value, frequency.standard_error
