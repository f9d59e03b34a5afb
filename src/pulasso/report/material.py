"""Everything a report is written from, gathered and checked before the first word."""

import warnings
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

from pulasso._messages import Message, arg, plain, render
from pulasso.data.chunks import is_chunked
from pulasso.data.inputs import check_same_length, check_weight
from pulasso.data.parameters import as_numbers, check_kind, check_text
from pulasso.exceptions import ImpossibleScoreWarning, InputError, ScenarioError, TrivialModelWarning
from pulasso.inference import LabellingTest, StabilityResult
from pulasso.metrics import Scores, observed_log_likelihood_scorer, pu_scores
from pulasso.plots.reading import core_of, feature_names, is_ordered, output_names, scaled_coefs
from pulasso.plots.style import only_largest
from pulasso.prevalence import SensitivitySweep
from pulasso.report.blocks import number
from pulasso.report.learned import engines_of, importances_of

__all__ = ["Material", "assumed_numbers"]

# Of the objective, what rounding in single precision may add to the loss of the rows that were fitted.
ROUNDING = 1e-4


def assumed_numbers(model: Any) -> dict[Any, float]:
    """Return the prevalence or label frequency that a fitted model assumes for every class but class 0.

    Empty where the scenario needs no number.
    """
    scenario = model.scenario_
    if scenario.asks_for is None:
        return {}
    value = getattr(scenario, scenario.asks_for)
    positive = [plain(name) for name in model.classes_[1:]]
    if isinstance(value, Mapping):
        named = {plain(name): float(each) for name, each in value.items()}
        return {name: named[name] for name in positive}
    values = np.broadcast_to(np.asarray(value, dtype=float), len(positive)).tolist()
    return dict(zip(positive, values, strict=True))


@dataclass(eq=False)
class Material:
    """A fitted model, what is known about its data, and how it came about.

    Attributes
    ----------
    core : estimator
        The classifier inside searches and pipelines.
    chooser : estimator or None
        The one that cross-validated.
    lam : float
        The penalty of the model.
    classes, features, outputs : list of str
        All classes, class 0 first; all features; what the rows of coefficients speak for.
    coefs : array of shape (n_outputs, n_features)
        Coefficients per standard deviation.
    strength : array of shape (n_features,)
        Their norms; importances of models without coefficients, which have neither `lam`, `outputs` nor `coefs`.
    selected : array
        Positions of the selected features, the strongest first.
    numbers : dict of str to float
        What the scenario assumes for every positive class, empty where it needs no number.
    weight : array of shape (n_samples,)
        Of the rows to judge by, if there are any.
    """

    model: Any
    X: Any = None
    z: Any = None
    sample_weight: Any = None
    given_scores: Scores | None = None
    cv: Any = None
    sensitivity: Any = None
    stability: Any = None
    labelling: Any = None
    command: str | None = None
    seed: Any = None
    data_hash: str | None = None
    show_parameter: Callable[[str, str | None], str] | None = None

    def __post_init__(self) -> None:
        self.why_no_scores = (
            "This was written without rows to judge the model by (X and z), so it holds no scores."
        )
        self.core = core = core_of(self.model)
        self._check()
        given = None if self.cv is None else core_of(self.cv)
        self.chooser = next((each for each in (given, core) if hasattr(each, "cv_loss_")), None)
        self.classes = [str(plain(name)) for name in core.classes_]
        self.features = feature_names(core)
        if self.is_linear:
            self.lam = float(core.lam_ if hasattr(core, "lam_") else core.lam)
            self.outputs, self.coefs = output_names(core), scaled_coefs(core)
            self.strength = np.linalg.norm(self.coefs, axis=0)
        else:
            self.strength = np.zeros(0) if self.importances is None else self.importances[0]
        self.selected = only_largest(self.strength, len(self.strength))
        self.numbers = {str(name): number for name, number in assumed_numbers(core).items()}
        if self.data_hash is None and self.X is not None:
            try:
                hashed = joblib.hash([self.X, self.z, self.sample_weight], hash_name="sha1")
            except Exception as error:  # whatever its pickler says of an object that it cannot read
                problem, remedy = f"{arg('X')} cannot be hashed: {error}.", f"Give {arg('data_hash')}."
                raise InputError(problem, parameter="X", remedy=remedy) from None
            self.data_hash = f"{hashed} (joblib.hash of [X, z, sample_weight], sha1)"

    def _check(self) -> None:
        """Refuse what no report can be written from."""
        if not (hasattr(self.core, "scenario_") and hasattr(self.core, "label_counts_")):
            raise TypeError(
                f"{type(self.core).__name__} is no fitted model of this package; a report needs one of its estimators, "
                "or a pipeline or search that ends in one."
            )
        if is_chunked(self.X):
            raise TypeError(
                "X comes in chunks, but a report judges by rows in memory. Pass some thousand of them as an array with "
                "their labels, or leave X and z out."
            )
        if self.z is not None and self.X is None:
            raise InputError("z was given without X; scores need both.", parameter="X")
        if self.judges:
            rows = self.X if getattr(self.X, "shape", None) else as_numbers("X", self.X, ndim=2)
            check_same_length(rows, self.z)
            self.weight = check_weight(self.sample_weight, rows)
        elif self.sample_weight is not None:
            problem = f"{arg('sample_weight')} was given without X and z, the rows whose weights these are."
            raise InputError(problem, parameter="sample_weight")
        for name, kind, source in (
            ("given_scores", Scores, "pulasso.metrics.pu_scores"),
            ("sensitivity", SensitivitySweep, "pulasso.prevalence.sensitivity_sweep"),
            ("stability", StabilityResult, "pulasso.inference.stability_selection"),
            ("labelling", LabellingTest, "pulasso.inference.test_labelling"),
        ):
            if getattr(self, name) is not None:
                check_kind(name.removeprefix("given_"), getattr(self, name), kind, f"It comes from {source}.")
        check_text("command", self.command)
        check_text("data_hash", self.data_hash)
        if self.cv is not None and not hasattr(core_of(self.cv), "cv_loss_"):
            problem = (
                f"{arg('cv')} is a {type(self.cv).__name__}, which did not cross-validate; pass a fitted "
            )
            raise TypeError(Message(problem + "MultinomialPULassoCV or OrdinalPULassoCV."))

    @property
    def is_linear(self) -> bool:
        """Whether the model has coefficients; boosted trees and networks have none."""
        return hasattr(self.core, "coef_")

    @property
    def rounds(self) -> str:
        """What the learner calls its rounds."""
        return getattr(self.core, "_rounds", "rounds")

    @property
    def loss_of_fit(self) -> dict[str, str]:
        """What was minimised, in the rows of the fit."""
        found = "objective" if self.is_linear else "loss"
        return {found: number(getattr(self.core, f"{found}_"), 9)}

    @property
    def engines(self) -> dict[str, str]:
        """Versions of the packages that did the learning."""
        return {} if self.is_linear else engines_of(self.core)

    @cached_property
    def importances(self) -> tuple[NDArray, str] | None:
        """Importances of features and what they are; None where nothing tells them."""
        if self.is_linear:
            return np.linalg.norm(scaled_coefs(self.core), axis=0), "norm of the coefficients"
        return importances_of(
            self.core, self.X if self.model is self.core else None, self.z, self.sample_weight
        )

    @property
    def judges(self) -> bool:
        """Whether there are rows with labels to judge by."""
        return self.X is not None and self.z is not None

    @property
    def is_ordered(self) -> bool:
        """Whether the classes are ordered."""
        return is_ordered(self.core)

    @property
    def hides_labels(self) -> bool:
        """Whether unlabeled rows may belong to any class."""
        return self.core.scenario_.name != "fully-observed"

    @cached_property
    def scores(self) -> Scores | None:
        """Scores of the true classes, where there are rows to judge by."""
        if not self.judges or self.given_scores is not None:
            return self.given_scores
        with warnings.catch_warnings():
            for kind in (TrivialModelWarning, ImpossibleScoreWarning):
                warnings.simplefilter("ignore", kind)  # the table holds the words
            proba = self.core.cv_proba_ if self.held_out else None
            try:
                return pu_scores(self.model, self.X, self.z, y_proba=proba, sample_weight=self.sample_weight)
            except ScenarioError as error:  # rows of several sources, labelling that is not identified
                self.why_no_scores = str(error)
                return None

    @cached_property
    def held_out(self) -> bool:
        """Whether these are the rows of the fit, and there are probabilities by models that did not see them."""
        if not (self.judges and self.model is self.core and hasattr(self.core, "cv_proba_")):
            return False
        proba = self.core.cv_proba_
        return len(proba) == len(self.weight) and self.same_rows and bool(np.isfinite(proba).all())

    @property
    def judged(self) -> Any:
        """The model for pictures of its predictions: for rows of the fit, the models that did not see them."""
        if not self.held_out:
            return self.model
        judged, proba = copy(self.core), self.core.cv_proba_
        judged.predict_proba = lambda X: proba
        judged.predict = lambda X: judged.classes_[proba.argmax(axis=1)]
        return judged

    @cached_property
    def same_rows(self) -> bool:
        """Whether the rows to judge by look like those of the fit.

        They have as many of each label, or as much weight, and their loss is no larger than the objective that was
        minimised, which is the loss of the rows of the fit and a penalty.
        """
        if not self.judges:
            return False
        counts, labels = self.core.label_counts_, np.asarray(self.z, dtype=object).ravel()
        seen = [self.weight[labels == plain(name)].sum() for name in counts.classes[1:]]
        if not np.allclose([self.weight.sum(), *seen], [counts.total, *counts.n_labeled[1:]]):
            return False
        try:
            loss = -observed_log_likelihood_scorer(
                self.model, self.X, self.z, sample_weight=self.sample_weight
            )
        except ScenarioError:  # of rows of several sources nobody says here from which one each comes
            return False
        least = self.core.objective_ if self.is_linear else self.core.loss_
        return loss <= least + ROUNDING * abs(least)

    @cached_property
    def warnings(self) -> list[str]:
        """Everything that was warned about, once."""
        said = [self.core.warnings_]
        said += [] if self.chooser is None else [self.chooser.warnings_]
        said += [] if self.scores is None else [self.scores.warnings]
        return self.in_words(words for each in said for words in each)

    def in_words(self, messages: Any) -> list[str]:
        """Return messages, each once, with parameters as the readers of the report write them."""
        show = self.show_parameter
        return list(dict.fromkeys(render(each, show) if show else Message(each) for each in messages))
