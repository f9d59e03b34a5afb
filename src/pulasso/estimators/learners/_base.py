"""What flexible learners share: read, hold rows out, learn scores, store, predict."""

import warnings
from abc import abstractmethod
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from pulasso._build_warnings import warn_of_few_labels
from pulasso._messages import arg, warn
from pulasso.data.inputs import check_features, check_flag, check_number
from pulasso.data.parameters import as_random_state, check_choice, check_in_memory
from pulasso.data.pu_data import PUData
from pulasso.estimators._base import BasePULasso, unchanged_on_failure
from pulasso.estimators._estimate_prior import asks_for_estimate, find_scenario
from pulasso.estimators._rules import RULES, place_by_rule
from pulasso.estimators.learners._columns import encoded, learn_categories
from pulasso.estimators.learners._summary import LearnerSummary, summarize_learner
from pulasso.estimators.shares import share_tolerance, words_about_shares
from pulasso.exceptions import ClassShareWarning, InputError, ScenarioError
from pulasso.model_selection.folds import make_splitter, split_rows
from pulasso.objectives import PUObjective
from pulasso.responses import RESPONSES, Response
from pulasso.scenarios import Scenario, as_scenario

__all__ = ["BaseLearner"]

# Fewer rows, or rows of one label, than this tell nothing about when to stop.
ROWS_TO_STOP_BY, LABELS_TO_STOP_BY = 200, 5
# Objects of other libraries, which are made again from what was learned.
REBUILT = ("_booster", "_module")
LARGEST_SEED = 2**31 - 1
NO_COEFFICIENTS = "pulasso.plots and sklearn.inspection show what it predicts, and summary() what it uses."


class BaseLearner(BasePULasso):
    """A learner of raw scores by the likelihood of observed labels; predictions are those of all estimators.

    Subclasses implement `_learn` and `_scores`, and say whether they take missing values and categories.
    """

    _takes_missing = _takes_categories = False
    _rounds = "rounds"

    # -- fitting -----------------------------------------------------------------------------------------------

    def fit(  # type: ignore[override]
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "BaseLearner":
        """Fit the learner to observed labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features; data frames keep their column names.
        y : array-like of shape (n_samples,)
            Observed labels: class labels, and the marker `unlabeled`.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 2 counts as the row twice, 0 as no row.

        Returns
        -------
        self
        """
        with unchanged_on_failure(self):
            self._check_params()
            check_in_memory(X, type(self).__name__)
            self.categories_ = {}
            if self._takes_categories:
                self.categories_ = learn_categories(X, getattr(self, "categorical_features", None))
            data = self._read(encoded(X, self.categories_), y, sample_weight)
            if not data.weight.all():  # a weight of zero is no row, whatever an engine does with rows
                data = data.take(np.flatnonzero(data.weight))
            scenario = self._find_scenario(data)
            objective = self._objective(data, scenario)
            self.warnings_ = list(objective.warnings_)
            self.warnings_ += warn_of_few_labels(data, self._response.is_ordered)
            n_rounds, self.validation_loss_ = self._n_rounds(), None
            held = self._hold_out(data)
            if held is not None:
                n_rounds, self.validation_loss_ = self._stop_early(data, scenario, *held)
            self.n_iter_ = n_rounds
            self._learn(data, objective, n_rounds)
            self._store_learned(data, scenario, objective)
        return self

    @abstractmethod
    def _learn(
        self, data: PUData, objective: PUObjective, n_rounds: int, held: PUData | None = None
    ) -> NDArray | None:
        """Learn scores of all rows; given rows that are held out, return their mean loss after every round."""

    @abstractmethod
    def _scores(self, x: Any) -> NDArray:
        """Return raw scores of checked rows, shape (n_samples, n_outputs)."""

    @abstractmethod
    def _check_learned(self, n_outputs: int) -> bool:
        """Refuse, after loading, what `_scores` could not use; return whether it can be used at all."""

    @abstractmethod
    def _n_rounds(self) -> int:
        """Return the largest number of rounds."""

    def _check_params(self) -> None:
        check_choice("response", self.response, RESPONSES)
        check_number("anchor", self.anchor, least=0.0)
        check_number("learning_rate", self.learning_rate, above=0.0)
        check_number("validation_fraction", self.validation_fraction, above=0.0, most=0.5)
        check_number("n_iter_no_change", self.n_iter_no_change, least=1, whole=True)
        check_flag("early_stopping", self.early_stopping, word="auto")
        as_random_state(self._seed_source())

    def _seed_source(self) -> Any:
        """Return random_state as scikit-learn takes it."""
        own = self.random_state
        return np.random.RandomState(own.integers(2**32)) if isinstance(own, np.random.Generator) else own

    def _seed(self) -> int:
        return int(as_random_state(self._seed_source()).randint(LARGEST_SEED))

    def _find_scenario(self, data: PUData) -> Scenario:
        asked = as_scenario(self.scenario, prevalence=self.prevalence, label_frequency=self.label_frequency)
        if getattr(asked, "by_row", False):
            raise ScenarioError(
                f"{type(self).__name__} knows no labelling that depends on the row.",
                parameter="scenario",
                remedy="Use MultinomialPULasso or OrdinalPULasso.",
            )
        values = data.x.data if sparse.issparse(data.x) else data.x
        if asks_for_estimate(asked) and (self.categories_ or not np.isfinite(values).all()):
            raise ScenarioError(
                f"{asked.asks_for}='estimate' takes neither missing values nor categories.",
                parameter=asked.asks_for,
                remedy="Estimate it by pulasso.prevalence from columns of numbers, and pass it.",
            )
        return find_scenario(self, data)

    def _objective(self, data: PUData, scenario: Scenario) -> PUObjective:
        return PUObjective(
            scenario,
            data.codes,
            classes=data.classes,
            sample_weight=data.weight,
            response=self.response,
            anchor=self.anchor,
        )

    # -- when to stop ------------------------------------------------------------------------------------------

    def _hold_out(self, data: PUData) -> tuple[PUData, PUData] | None:
        """Return rows to learn from and rows to judge by, alike in their labels; None where all are learned from."""
        stops = self.early_stopping
        if stops is False or stops is np.False_:
            return None
        counts = np.bincount(data.codes)
        if isinstance(stops, str) and (
            len(data.codes) < ROWS_TO_STOP_BY or counts[counts > 0].min() < LABELS_TO_STOP_BY
        ):
            return None
        n_parts = max(2, round(1.0 / float(self.validation_fraction)))
        if counts[counts > 0].min() < 2:
            raise InputError(
                "A label with a single row cannot be held out.",
                parameter="early_stopping",
                remedy=f"Give {arg('early_stopping', 'False')}, or 'auto'.",
            )
        splitter = make_splitter(min(n_parts, int(counts.max())), np.random.RandomState(self._seed()))
        train, test = split_rows(splitter, data.x, data.codes)[0]
        return data.take(train), data.take(test)

    def _stop_early(
        self, data: PUData, scenario: Scenario, train: PUData, held: PUData
    ) -> tuple[int, NDArray]:
        """Return the number of rounds after which held-out labels were most likely, and their loss by round."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the objective of all rows gives them once
            losses = self._learn(train, self._objective(train, scenario), self._n_rounds(), held)
        assert losses is not None
        return int(np.argmin(losses)) + 1, losses

    # -- storing -----------------------------------------------------------------------------------------------

    def _store_learned(self, data: PUData, scenario: Scenario, objective: PUObjective) -> None:
        self.classes_, self.label_counts_ = data.classes, data.counts
        self.scenario_, self.label_model_ = scenario, objective.label_model
        self.null_scores_ = objective.null_scores_
        scores = self._scores(data.x)
        # The last round came after the last step of the cutpoints.
        self.offsets_ = objective.fit_cutpoints(scores).offsets_
        anchor = objective.terms.anchor
        eta = objective.response.log_odds(scores, self.offsets_)
        self.class_shares_ = None if anchor is None else anchor.shares(eta)
        self.told_shares_ = objective.told_shares_
        self.anchor_ = 0.0 if anchor is None else anchor.rho
        self.loss_ = float(objective.observed_log_loss(scores, data.codes, data.weight))
        about = SimpleNamespace(told_shares=self.told_shares_, anchor=anchor, data=data, scenario=scenario)
        self.share_tolerance_ = share_tolerance(about)  # type: ignore[arg-type]
        if words := words_about_shares(self):
            self.warnings_.append(warn(words, ClassShareWarning))

    # -- predictions, by the methods of all estimators ---------------------------------------------------------

    @property
    def _response(self) -> type[Response]:  # type: ignore[override]
        return RESPONSES[self.response]

    @property
    def response_(self) -> Response:
        """The response model."""
        check_is_fitted(self)
        return self._response.build(len(self.classes_) - 1, fit_intercept=False)

    @property
    def thresholds_(self) -> NDArray:
        """Cutpoints of ordered classes, shape (K,)."""
        if not self._response.is_ordered or not hasattr(self, "offsets_"):
            raise AttributeError("Only a fitted learner of ordered classes has thresholds_.")
        return np.cumsum(self.offsets_)

    def _linear(self, x: Any) -> tuple[Response, NDArray, NDArray]:
        check_is_fitted(self)
        check_in_memory(x, type(self).__name__)
        rows = check_features(self, encoded(x, self.categories_), reset=False)
        return self.response_, self._scores(rows), self.offsets_

    @available_if(lambda self: RESPONSES[self.response].is_ordered)
    def predict_expected(self, X: Any) -> NDArray:
        """Return the expected class E[y | x] of ordered classes, numbered 0..K.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        proba = self.predict_proba(X)
        return proba @ np.arange(proba.shape[1], dtype=proba.dtype)

    def predict(self, X: Any, prevalence: Any = None, rule: str = "mode") -> NDArray:
        """Return one class for every row: the most probable one, or that of a rule for ordered classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        prevalence : float, array-like of shape (K,) or mapping, optional
            Class shares of the population that the rows come from, as for `predict_proba`.
        rule : {"mode", "median", "mean"}, default="mode"
            As for :meth:`OrdinalPULasso.predict`.

        Returns
        -------
        array of shape (n_samples,)
        """
        check_choice("rule", rule, RULES)
        if rule != "mode" and not self._response.is_ordered:
            raise InputError("Unordered classes have no median and no mean.", parameter="rule")
        return self.classes_[place_by_rule(self.predict_proba(X, prevalence), rule)]

    # -- words -------------------------------------------------------------------------------------------------

    def summary(self) -> LearnerSummary:  # type: ignore[override]
        """Return what was fitted, what it says about class shares and what it uses; prints, renders, converts."""
        check_is_fitted(self)
        return summarize_learner(self)

    def to_onnx(self, path: Any, **how: Any) -> Any:
        """Refuse: only linear models are written as ONNX."""
        raise self._no_coefficients("ONNX file")

    def _no_coefficients(self, what: str) -> TypeError:
        return TypeError(
            f"There is no {what} of a {type(self).__name__}, which has no coefficients. {NO_COEFFICIENTS}"
        )

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name not in REBUILT}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing
        # scikit-learn's checks score classifiers on unordered blobs.
        tags.classifier_tags.poor_score = self.response == "ordinal"
        return tags
