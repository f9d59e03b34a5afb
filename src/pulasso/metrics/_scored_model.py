"""A fitted classifier on labelled and unlabeled rows: everything that scores ask of it, computed once."""

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg, listed, plain
from pulasso.data.inputs import check_same_length, check_weight
from pulasso.data.labels import encode_predictions, encode_with
from pulasso.data.parameters import as_numbers, position_in, shape_of
from pulasso.exceptions import InputError, LabelError, NotFittedError, ScenarioError
from pulasso.losses import PULoss
from pulasso.metrics._at_rows import at_rows
from pulasso.metrics._parameters import LabelSettings, check_keywords
from pulasso.metrics._reading import read_sample, scenario_of
from pulasso.metrics._signed_sample import SignedSample
from pulasso.scenarios import LabelCounts, Scenario, Sources


class ScoredModel:
    """Predictions of an estimator beside observed labels.

    What the user says about the labels has precedence over what the estimator, or the last step of a pipeline,
    knows from its fit.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        z: ArrayLike,
        sample_weight: ArrayLike | None,
        labels: LabelSettings,
        y_proba: ArrayLike | None = None,
    ):
        check_keywords(labels)
        self.estimator, self.X, self.z, self.sample_weight = estimator, X, z, sample_weight
        self.core = _classifier_inside(estimator)
        shape = getattr(X, "shape", None) or (
            len(X) if hasattr(X, "__len__") and not hasattr(X, "shape") else 0,
        )
        check_same_length(np.empty((shape[0], 0)), z)
        self.marks = {
            name: labels.get(name, getattr(self.core, name, None)) for name in ("unlabeled", "negative")
        }
        given = labels.get("classes")
        self.classes = _class_0_first(self.core.classes_, self.marks) if given is None else np.asarray(given)
        told = [labels.get(name) for name in ("scenario", "prevalence", "label_frequency")]
        self.knows_scenario = all(each is None for each in told)
        self.scenario = _scenario_of_fit(self.core) if self.knows_scenario else _told_scenario(labels)
        if isinstance(X, list | tuple):
            shape_of("X", X)
        self.y_proba = None if y_proba is None else _checked_proba(y_proba, z, self.core.classes_)
        self.has_proba = hasattr(estimator, "predict_proba") or y_proba is not None
        self.is_ordered = hasattr(self.core, "predict_expected")

    @cached_property
    def sample(self) -> SignedSample:
        """The observed labels, weighed for every class."""
        labels = {"scenario": self._scenario_at_rows(), "classes": self.classes, **self.marks}
        return read_sample(self.z, self.sample_weight, cast(LabelSettings, labels))

    def _scenario_at_rows(self) -> Scenario:
        """Return the scenario; where labelling depends on the row, by what the end of a pipeline sees of it."""
        inner = self.estimator
        if not getattr(self.scenario, "by_row", False) or inner is self.core:
            return at_rows(self.scenario, self.X)
        while hasattr(inner, "best_estimator_"):
            inner = inner.best_estimator_
        is_pipeline = hasattr(inner, "steps") and len(inner) > 1
        return at_rows(self.scenario, inner[:-1].transform(self.X) if is_pipeline else self.X)

    @property
    def knows_errors_of_labelling(self) -> bool:
        """Whether the curvature of the fit told how far off a propensity may be; one that is known has no errors."""
        directions = getattr(getattr(self.scenario, "propensity", None), "directions", None)
        return directions is None or bool(np.isfinite(directions).all())

    def within_errors_of_labelling(self) -> Iterator[tuple["ScoredModel", "ScoredModel"]]:
        """Yield this model with rows weighed by propensities one standard error away, to both sides."""
        propensity: Any = getattr(self.scenario, "propensity", None)
        known = (
            propensity is not None and propensity.directions is not None and self.knows_errors_of_labelling
        )
        for direction in propensity.directions if known else []:
            ends = copy(self), copy(self)
            for end, sign in zip(ends, (1.0, -1.0), strict=True):
                end.__dict__.pop("sample", None)
                end.scenario = replace(self.scenario, propensity=propensity.moved(sign * direction))  # type: ignore[type-var]
            yield ends

    @cached_property
    def predicted(self) -> NDArray:
        """Predicted classes as positions 0..K."""
        predicted = self.estimator.predict(self.X) if self.y_proba is None else self._most_probable()
        return encode_predictions(predicted, self.classes, unlabeled=self.marks["unlabeled"])

    @cached_property
    def log_proba(self) -> NDArray:
        """Log-probabilities of the true classes, class 0 first; -inf for a class that the model does not know."""
        with np.errstate(divide="ignore"):  # trees and the like take the log of their zeros
            if self.y_proba is not None:
                found = np.log(self.y_proba)
            elif hasattr(self.estimator, "predict_log_proba"):
                found = np.asarray(self.estimator.predict_log_proba(self.X), dtype=float)
            else:
                found = np.log(np.asarray(self.estimator.predict_proba(self.X), dtype=float))
        names, known = self.classes.tolist(), np.asarray(self.core.classes_).tolist()
        unknown = [name for name in known if name not in names]
        if unknown:
            raise LabelError(
                f"the model predicts {listed(unknown)}, but the classes are {listed(names)}.",
                parameter="classes",
            )
        log_proba = np.full((len(found), len(names)), -np.inf)
        log_proba[:, [names.index(name) for name in known]] = found
        return log_proba

    def _most_probable(self) -> NDArray:
        assert self.y_proba is not None
        return np.asarray(self.core.classes_)[self.y_proba.argmax(axis=1)]

    def observed_score(self) -> float:
        """Return the mean log P(z | x), with P(z | x) from the model's P(y | x) and the scenario."""
        codes = encode_with(self.z, self.classes, **self.marks)
        weight = check_weight(self.sample_weight, codes)
        by_row = getattr(self.scenario, "by_row", False)  # then that of the fit is of other rows
        if self.knows_scenario and hasattr(self.core, "label_model_") and not by_row:
            label_model = self.core.label_model_  # part of the model that is scored
        else:
            counts = LabelCounts.from_codes(codes, self.classes, weight)
            label_model = self._scenario_at_rows().label_model(counts)
        present = weight > 0  # a row of weight zero is absent, and must not give 0 * -inf
        negative = present & (codes == len(self.classes))
        if not label_model.is_possible(codes)[negative].all():
            raise LabelError(
                f"{arg('z')} holds confirmed negatives ({plain(self.classes[0])!r}), but the fit saw none, so the "
                "model does not know how likely they are.",
                parameter="z",
                remedy="Fit again with some, or drop these rows.",
            )
        log_likelihood = PULoss(label_model).log_likelihood(self.log_proba, codes)
        return float(np.average(log_likelihood[present], weights=weight[present] / weight.max()))


def _checked_proba(y_proba: ArrayLike, z: ArrayLike, classes: NDArray) -> NDArray:
    """Return given probabilities, one for every row and class of the model."""
    proba = as_numbers("y_proba", y_proba, finite=False)
    n_rows = (*shape_of("z", z), 0)[0]
    if proba.shape != (n_rows, len(classes)):
        raise InputError(
            f"{arg('y_proba')} has the shape {proba.shape}, but there are {n_rows} rows and {len(classes)} classes.",
            parameter="y_proba",
        )
    lacking = np.flatnonzero(~np.isfinite(proba).all(axis=1))
    if len(lacking):
        raise InputError(
            f"{arg('y_proba')} lacks numbers in {len(lacking)} rows, the first of them row {lacking[0]}.",
            parameter="y_proba",
            remedy="Leave these rows out; of cross-validation they were in no held-out fold.",
        )
    return proba


def _classifier_inside(estimator: Any) -> Any:
    """Return the fitted classifier inside searches and pipelines."""
    core = estimator
    while hasattr(core, "best_estimator_") or hasattr(core, "steps"):
        core = core.best_estimator_ if hasattr(core, "best_estimator_") else core.steps[-1][1]
    if not hasattr(core, "classes_"):
        raise NotFittedError(
            f"{type(core).__name__} has no classes_: call fit(X, z) before scoring it. Only classifiers can be scored."
        )
    return core


def _class_0_first(classes: ArrayLike, marks: dict[str, Any]) -> NDArray:
    """Return the classes of a fit in our order; other classifiers sort them, wherever class 0 is."""
    known = np.asarray(classes)
    names = known.tolist()
    found = [position_in(marks[name], names) for name in ("negative", "unlabeled") if marks[name] is not None]
    zero = next((each for each in found if each is not None), 0)
    return np.concatenate([known[[zero]], np.delete(known, zero)])


def _told_scenario(labels: LabelSettings) -> Scenario:
    """Return the scenario that the user names; one that depends on the row will see it."""
    given = labels.get("scenario")
    return given if getattr(given, "by_row", False) else scenario_of(labels)  # type: ignore[return-value]


def _scenario_of_fit(core: Any) -> Scenario:
    if not hasattr(core, "scenario_"):
        raise ScenarioError(
            f"{type(core).__name__} does not know how the labels came to be.",
            parameter="scenario",
            remedy="Say it to the scorer, for example make_pu_scorer('accuracy', scenario='single-training-set', "
            "label_frequency=0.5).",
        )
    if isinstance(core.scenario_, Sources):
        raise ScenarioError(
            f"{type(core).__name__} was fitted to rows of several sources, and each has its own scenario.",
            parameter="scenario",
            remedy="Score the rows of one source at a time, with its scenario= from model.scenario_.scenarios.",
        )
    return core.scenario_
