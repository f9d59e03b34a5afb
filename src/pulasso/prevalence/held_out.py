"""What the methods that read numbers off held-out scores have in common."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

from pulasso._messages import arg, plain
from pulasso.data.inputs import check_number
from pulasso.data.parameters import as_generator, check_kind
from pulasso.data.pu_data import PUData
from pulasso.exceptions import InputError, LabelError
from pulasso.prevalence.reading import parameter_of
from pulasso.prevalence.result import Curve, PrevalenceEstimate
from pulasso.scenarios import CaseControl

__all__ = ["ScoreMethod", "estimate_from_scores"]

LARGEST = 1e100  # of a number whose square is still one
CALIBRATION_FOLDS = 3
# A class that would fill the population up to this share was hardly told from the rest.
ALMOST_ALL = 0.9


class ScoreMethod(ABC):
    """Reads the number of each class off the scores of its labelled rows and of all others.

    Parameters
    ----------
    data : PUData
    scenario : {"case-control", "single-training-set"}
    scores : array of shape (n_samples, K)
        Held-out P(z=k|x); in case-control data, where members of other classes were oversampled as well,
        P(z=k|x) / (P(z=k|x) + P(z=0|x)).
    """

    name: str
    if_identified: str
    assumption: str  # {parameter} and {side} are filled in

    def __init__(self, data: PUData, scenario: str, scores: NDArray):
        self.data, self.scores = data, scores
        self.is_case_control = scenario == CaseControl.name
        self.parameter = parameter_of(scenario)
        self.side = "above" if self.is_case_control else "below"  # where numbers lie if classes overlap
        self.names = [repr(plain(name)) for name in data.classes[1:]]

    @abstractmethod
    def number(self, k: int, weight: NDArray) -> float:
        """Return the number of positive class k, counted from 0, under some weights of the rows."""

    @abstractmethod
    def curve(self, k: int) -> Curve:
        """Return what it was read off."""

    @abstractmethod
    def contradiction(self, k: int) -> str:
        """Say what in the data contradicts the assumption, if anything does."""

    def is_class(self, k: int) -> NDArray:
        """Return which rows are labelled with a class."""
        return self.data.codes == k + 1

    def doubt(self, k: int, number: float) -> str:
        """Say what speaks against the number, if anything does."""
        share = self.data.weight[self.is_class(k)].sum() / self.data.weight.sum()
        prevalence = number if self.is_case_control else share / max(number, share)
        if prevalence <= ALMOST_ALL:
            return self.contradiction(k)
        return (
            f"{self.parameter} of class {self.names[k]} is not identified: the classifier hardly tells its labelled "
            f"rows from the others, so that the class seems to fill the population. The number bounds it from "
            f"{self.side}, and says nothing."
        )


def estimate_from_scores(
    method: Callable[[PUData, str, NDArray], ScoreMethod],
    data: PUData,
    scenario: str,
    classifier: Any,
    cv: int,
    n_bootstrap: int,
    level: float,
    random_state: Any,
    *,
    calibrated: bool,
) -> PrevalenceEstimate:
    """Score every row by a classifier that did not see it, and read numbers off with their bootstrap intervals."""
    check_number("level", level, above=0.0, most=1.0)
    check_number("n_bootstrap", n_bootstrap, least=2, whole=True)
    check_number("cv", cv, least=2, whole=True)
    rng = as_generator(random_state)
    scores = _held_out_scores(data, scenario, classifier, int(cv), rng, calibrated)
    found, classes = method(data, scenario, scores), range(len(data.classes) - 1)
    weights = _resampled_weights(data, scenario, int(n_bootstrap), rng)
    drawn = np.array([[found.number(k, weight) for k in classes] for weight in weights])
    lower, upper = np.nanquantile(drawn, [(1.0 - level) / 2.0, (1.0 + level) / 2.0], axis=0)
    numbers = np.array([found.number(k, data.weight) for k in classes])
    side = "smaller" if found.is_case_control else "larger"
    return PrevalenceEstimate(
        parameter=found.parameter,
        method=found.name,
        classes=data.classes[1:],
        numbers=numbers,
        lower=lower,
        upper=upper,
        level=level,
        doubts=[found.doubt(k, numbers[k]) for k in classes],
        assumption=found.assumption.format(parameter=found.parameter, side=side),
        curves={plain(data.classes[k + 1]): found.curve(k) for k in classes},
        # nan where fewer than two samples gave a number
        standard_error=np.ma.masked_invalid(drawn).std(axis=0, ddof=1).filled(np.nan),
        details={"held_out_proba": scores},
        if_identified=found.if_identified,
    )


def _held_out_scores(
    data: PUData, scenario: str, classifier: Any, cv: int, rng: np.random.Generator, calibrated: bool
) -> NDArray:
    """Return the scores of every row and positive class from a classifier that did not see the row.

    The default classifier is a ridge logistic regression on scaled features; where probabilities matter they are
    corrected by isotonic regression, because P(z | x) of hidden labels is not logistic.
    """
    _check_counts(data, cv, cv * (CALIBRATION_FOLDS if calibrated and classifier is None else 1))
    x = data.x
    if classifier is not None:
        check_kind(
            "classifier", classifier, BaseEstimator, "Give a classifier, such as LogisticRegression()."
        )
    largest = float(abs(x).max())
    if largest > LARGEST:
        problem = f"{arg('X')} holds {largest:g}, too large to be squared."
        raise InputError(problem, parameter="X", remedy="Give that column in larger units.")
    if classifier is None:
        x = StandardScaler(with_mean=False).fit_transform(x, sample_weight=data.weight)
        classifier = LogisticRegression(max_iter=5_000)
        if calibrated:
            classifier = CalibratedClassifierCV(classifier, method="isotonic", cv=CALIBRATION_FOLDS)
    proba = np.empty((len(data.codes), len(data.classes)))
    folds = StratifiedKFold(cv, shuffle=True, random_state=int(rng.integers(2**31)))
    for fitted, held in folds.split(proba, data.codes):
        model = clone(classifier)
        model.fit(x[fitted], data.codes[fitted], **_weights(model, data.weight[fitted]))
        proba[held] = model.predict_proba(x[held])
    scores = proba[:, 1:]
    if scenario == CaseControl.name:
        total = scores + proba[:, :1]
        scores = np.divide(scores, total, out=np.zeros_like(scores), where=total > 0)
    return scores


def _check_counts(data: PUData, cv: int, least: int) -> None:
    counts = np.bincount(data.codes, minlength=len(data.classes))
    rarest = int(np.argmin(counts))
    if counts[rarest] < least:
        name = "unlabeled rows" if rarest == 0 else f"rows labelled {plain(data.classes[rarest])!r}"
        raise LabelError(
            f"y has {counts[rarest]} {name}, but {least} are needed for {arg('cv', str(cv))} folds.",
            parameter="cv",
            remedy="Use fewer folds, or another method.",
        )


def _weights(classifier: Any, weight: NDArray) -> dict[str, NDArray]:
    """Return the weights as the classifier takes them; equal ones need not be passed."""
    if np.ptp(weight) == 0:
        return {}
    if hasattr(classifier, "steps"):
        return {f"{classifier.steps[-1][0]}__sample_weight": weight}
    if not has_fit_parameter(classifier, "sample_weight"):
        raise InputError(
            f"{type(classifier).__name__} does not take sample_weight.",
            parameter="classifier",
            remedy="Use another one.",
        )
    return {"sample_weight": weight}


def _resampled_weights(
    data: PUData, scenario: str, n_bootstrap: int, rng: np.random.Generator
) -> Iterator[NDArray]:
    """Draw bootstrap weights: in case-control, where counts are fixed, within each observed label."""
    strata = [np.arange(len(data.codes))]
    if scenario == CaseControl.name:
        strata = [np.flatnonzero(data.codes == code) for code in range(len(data.classes))]
    for _ in range(n_bootstrap):
        weight = np.zeros(len(data.codes))
        for rows in strata:
            weight[rows] = rng.multinomial(len(rows), np.full(len(rows), 1.0 / len(rows)))
        yield weight * data.weight
