"""A fitted classifier on labelled and unlabeled rows: everything that scores ask of it, read once."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import listed, plain
from pulasso.data.inputs import check_weight
from pulasso.data.labels import encode_predictions, encode_with
from pulasso.exceptions import LabelError, NotFittedError, ScenarioError
from pulasso.metrics._sample import LabelSettings, SignedSample, read_sample
from pulasso.numerics import log_normalize
from pulasso.scenarios import LabelCounts, LabelModel, Scenario, as_scenario

__all__ = ["Evaluation"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Predictions of an estimator beside observed labels.

    Attributes
    ----------
    estimator : classifier, pipeline or search
        Fitted. If its last step has a ``scenario_``, as the estimators of this package do, scenario and marker
        come from there.
    X : array-like
        What the estimator predicts from.
    z : array-like of shape (n_samples,)
    sample_weight : array-like of shape (n_samples,) or None
    given : LabelSettings
        What the user says about the labels; it has precedence over what the estimator knows.
    """

    estimator: Any
    X: Any
    z: ArrayLike
    sample_weight: ArrayLike | None
    given: LabelSettings

    @cached_property
    def core(self) -> Any:
        """The classifier inside searches and pipelines."""
        core = self.estimator
        while hasattr(core, "best_estimator_") or hasattr(core, "steps"):
            core = core.best_estimator_ if hasattr(core, "best_estimator_") else core.steps[-1][1]
        if not hasattr(core, "classes_"):
            raise NotFittedError(
                f"{type(core).__name__} has no classes_: call fit(X, z) before scoring it. Only classifiers can "
                "be scored."
            )
        return core

    @property
    def knows_scenario(self) -> bool:
        """Whether the scenario is that of the fit, rather than one that the user gave for scoring."""
        return not any(
            self.given.get(name) is not None for name in ("scenario", "prevalence", "label_frequency")
        )

    @cached_property
    def scenario(self) -> Scenario:
        """How labels came to be."""
        if not self.knows_scenario:
            numbers = {name: self.given.get(name) for name in ("prevalence", "label_frequency")}
            return as_scenario(self.given.get("scenario", "case-control"), **numbers)
        if not hasattr(self.core, "scenario_"):
            raise ScenarioError(
                f"{type(self.core).__name__} does not know how the labels came to be; say it to the scorer, for "
                "example make_pu_scorer('accuracy', scenario='single-training-set', label_frequency=0.5)."
            )
        return self.core.scenario_

    @cached_property
    def settings(self) -> LabelSettings:
        """Scenario, classes and markers, from the user and else from the estimator."""
        marks = {
            name: self.given.get(name, getattr(self.core, name, None)) for name in ("unlabeled", "negative")
        }
        classes = self.given.get("classes")
        if classes is None:
            known = np.asarray(self.core.classes_)
            # Other classifiers sort their classes; ours begins with class 0.
            names = [plain(name) for name in known]
            first = next(
                (mark for mark in (marks["negative"], marks["unlabeled"]) if mark in names), names[0]
            )
            zero = names.index(first)
            classes = np.concatenate([known[zero : zero + 1], known[:zero], known[zero + 1 :]])
        return cast(LabelSettings, {"scenario": self.scenario, "classes": classes, **marks})

    @property
    def classes(self) -> NDArray:
        """All classes, class 0 first."""
        return np.asarray(self.settings["classes"])

    @cached_property
    def sample(self) -> SignedSample:
        """The observed labels, weighed for every class."""
        return read_sample(self.z, self.settings, self.sample_weight)

    @cached_property
    def predicted(self) -> NDArray:
        """Predicted classes as positions 0..K."""
        predicted = self.estimator.predict(self.X)
        return encode_predictions(predicted, self.classes, unlabeled=self.settings.get("unlabeled"))

    @property
    def is_ordinal(self) -> bool:
        """Whether the order of the classes means something to the classifier."""
        return hasattr(self.core, "predict_expected")

    @property
    def has_proba(self) -> bool:
        """Whether the estimator gives probabilities."""
        return hasattr(self.estimator, "predict_proba")

    @cached_property
    def log_proba(self) -> NDArray:
        """Log-probabilities of the true classes, class 0 first; -inf for a class that the model does not know."""
        if hasattr(self.estimator, "predict_log_proba"):
            with np.errstate(divide="ignore"):  # trees and the like take the log of their zeros
                found = np.asarray(self.estimator.predict_log_proba(self.X), dtype=float)
        else:
            with np.errstate(divide="ignore"):
                found = np.log(np.asarray(self.estimator.predict_proba(self.X), dtype=float))
        names, known = self.classes.tolist(), np.asarray(self.core.classes_).tolist()
        unknown = [name for name in known if name not in names]
        if unknown:
            raise LabelError(f"the model predicts {listed(unknown)}, but the classes are {listed(names)}.")
        log_proba = np.full((len(found), len(names)), -np.inf)
        log_proba[:, [names.index(name) for name in known]] = found
        return log_proba

    @property
    def proba(self) -> NDArray:
        """Probabilities of the true classes, class 0 first."""
        return np.exp(self.log_proba)

    def observed_log_likelihood(self) -> float:
        """Return the mean log P(z | x), with P(z | x) from the model's P(y | x) and the scenario."""
        classes = self.classes
        marks = {name: self.settings.get(name) for name in ("unlabeled", "negative")}
        codes = encode_with(self.z, classes, **marks)
        weight = check_weight(self.sample_weight, codes)
        label_model = self._labelling(LabelCounts.from_codes(codes, classes, weight))
        if np.isneginf(label_model.log_labeled[0]) and (codes == len(classes)).any():
            raise LabelError(
                f"z holds confirmed negatives ({plain(classes[0])!r}), but the fit saw none, so the model does not "
                "know how likely they are. Fit again with some, or drop these rows."
            )
        log_likelihood = _log_observed(label_model, self.log_proba, codes)
        present = weight > 0
        return float(np.average(log_likelihood[present], weights=weight[present]))

    def _labelling(self, counts: LabelCounts) -> LabelModel:
        """The labelling of the fit where there is one: it is part of the model that is scored."""
        if self.knows_scenario and hasattr(self.core, "label_model_"):
            return self.core.label_model_
        return self.scenario.label_model(counts)


def _log_observed(label_model: LabelModel, log_proba: NDArray, codes: NDArray) -> NDArray:
    """Return log P(z_i | x_i), from the class probabilities themselves so that zeros do no harm."""
    log_total, _ = log_normalize(log_proba + label_model.log_total)
    log_unlabeled, _ = log_normalize(log_proba + label_model.log_hidden)
    column = codes % (label_model.n_positive + 1)  # a confirmed negative is class 0
    log_labeled = (log_proba + label_model.log_labeled)[np.arange(len(codes)), column]
    return np.where(codes == 0, log_unlabeled, log_labeled) - log_total
