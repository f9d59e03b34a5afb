"""Gradient-boosted trees that know that their labels are incomplete."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pulasso._messages import arg
from pulasso.data.inputs import check_number
from pulasso.data.parameters import check_choice
from pulasso.data.pu_data import PUData
from pulasso.estimators.learners._base import BaseLearner
from pulasso.estimators.learners._columns import column_of
from pulasso.estimators.learners._engines import ENGINES, Settings
from pulasso.exceptions import InputError, SavedModelError
from pulasso.objectives import PUObjective
from pulasso.scenarios import PerClass, Scenario

__all__ = ["PUBoostingClassifier"]

# Set by what the estimator knows; from outside they would contradict it.
OURS = (
    "objective",
    "num_class",
    "num_classes",
    "metric",
    "eval_metric",
    "base_score",
    "boost_from_average",
    "booster",
)


class PUBoostingClassifier(BaseLearner):
    """Boosted trees for positive and unlabeled data, by the likelihood of observed labels.

    Trees of LightGBM or XGBoost give the log odds of classes 1..K against class 0 or, with ``response="ordinal"``, one
    score for each row, with cutpoints that are learned alongside. Scenarios, labels and predictions are those of
    :class:`MultinomialPULasso`. Needs ``pip install "pulasso[boosting]"``.

    Parameters
    ----------
    engine : {"lightgbm", "xgboost"}, default="lightgbm"
    response : {"multinomial", "ordinal"}, default="multinomial"
    scenario, prevalence, label_frequency
        As for :class:`MultinomialPULasso`.
    anchor : float, default=0.0
        Holds the mean prediction to the class shares that the scenario tells. Trees can tell labelled rows from
        unlabeled ones all too well, and then take unlabeled rows for class 0. Steps are the shorter the larger it is:
        raise `n_estimators` with it.
    n_estimators : int, default=500
        The largest number of rounds; with several classes every round is one tree for each.
    learning_rate : float, default=0.05
    max_leaves : int, default=15
        Leaves of a tree.
    min_child_weight : float, default=3.0
        The least sum of curvatures in a leaf; a row has at most 1/4 of its weight.
    reg_lambda : float, default=10.0
        Ridge on the values of leaves.
    monotone_constraints : array-like of shape (n_features,) or mapping, optional
        1 (score grows), -1 (falls) or 0 for each feature; or a mapping from names of columns. It acts on the log odds
        of every class against class 0, or on the score of ordered classes.
    interaction_constraints : list of lists, optional
        Groups of features, by name or position, that may meet in one branch of a tree.
    categorical_features : list, optional
        Names or positions of columns of categories, besides those of pandas' type ``category``.
    early_stopping : bool or "auto", default="auto"
        Find the number of rounds on held-out rows, by the likelihood of their observed labels, then fit to all rows.
        "auto" does so with 200 rows or more, and five or more of every label.
    validation_fraction : float, default=0.2
        Share of the rows that are held out.
    n_iter_no_change : int, default=30
        Rounds without a better loss of held-out rows, after which the search ends.
    engine_params : mapping, optional
        Further parameters of the engine, in its own words.
    unlabeled, negative, class_order
        As for :class:`OrdinalPULasso`.
    n_jobs : int, optional
        Threads of the engine, 1 by default.
    random_state : int, Generator, RandomState or None, default=None
        For held-out rows, and for engines that draw rows or columns.

    Attributes
    ----------
    classes_ : array of shape (K + 1,)
        Class 0 first.
    feature_importances_ : array of shape (n_features,)
        Shares of the total gain; they sum to one, unless no tree has a split.
    n_iter_ : int
        Rounds of the model.
    validation_loss_ : array or None
        Mean loss of held-out observed labels after every round of the search.
    loss_ : float
        Mean loss of the observed labels of all rows.
    class_shares_, told_shares_, share_tolerance_ : array of shape (K + 1,), or None
        As for :class:`MultinomialPULasso`.
    thresholds_ : array of shape (K,)
        Only of ordered classes.
    booster_ : lightgbm.Booster or xgboost.Booster
        Its sums of trees leave out `null_scores_`, at which they start.
    null_scores_ : array of shape (n_outputs,)
    categories_ : dict from int to array
        Values of columns of categories.
    scenario_, label_model_, label_counts_, response_, prevalence_, label_frequency_, prevalence_estimate_, warnings_
        As for :class:`MultinomialPULasso`.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only when X had column names.

    Notes
    -----
    Missing values are taken as the engine takes them: each split sends them where the loss is smaller. Categories that
    were not there at the fit count as missing. A sparse X is made dense for XGBoost, to which zeros that are not
    stored would be missing values. Engines sort values into bins by rows, whatever these weigh. `save` writes the trees
    in the engine's own text or JSON, which :func:`pulasso.load` checks before the engine reads it.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import PUBoostingClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)  # no line tells them apart
    >>> z = np.where(rng.random(2000) < 0.5, y, 0)  # half of the labels are lost
    >>> told = {"scenario": "single-training-set", "label_frequency": 0.5}
    >>> model = PUBoostingClassifier(**told, anchor=1.0, random_state=0)
    >>> bool(model.fit(X, z).score(X, y) > 0.9), int(model.feature_importances_.argmin())
    (True, 2)
    """

    _takes_missing = _takes_categories = True

    def __init__(
        self,
        engine: str = "lightgbm",
        *,
        response: str = "multinomial",
        scenario: str | Scenario = "case-control",
        prevalence: PerClass | None = None,
        label_frequency: PerClass | None = None,
        anchor: float = 0.0,
        n_estimators: int = 500,
        learning_rate: float = 0.05,
        max_leaves: int = 15,
        min_child_weight: float = 3.0,
        reg_lambda: float = 10.0,
        monotone_constraints: Sequence[int] | Mapping[str, int] | None = None,
        interaction_constraints: Sequence[Sequence[Any]] | None = None,
        categorical_features: Sequence[Any] | None = None,
        early_stopping: bool | str = "auto",
        validation_fraction: float = 0.2,
        n_iter_no_change: int = 30,
        engine_params: Mapping[str, Any] | None = None,
        unlabeled: Any = None,
        negative: Any = None,
        class_order: Sequence[Any] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ):
        self.engine = engine
        self.response = response
        self.scenario = scenario
        self.prevalence = prevalence
        self.label_frequency = label_frequency
        self.anchor = anchor
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.min_child_weight = min_child_weight
        self.reg_lambda = reg_lambda
        self.monotone_constraints = monotone_constraints
        self.interaction_constraints = interaction_constraints
        self.categorical_features = categorical_features
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.engine_params = engine_params
        self.unlabeled = unlabeled
        self.negative = negative
        self.class_order = class_order
        self.n_jobs = n_jobs
        self.random_state = random_state

    # -- fitting -----------------------------------------------------------------------------------------------

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("engine", self.engine, ENGINES)
        check_number("n_estimators", self.n_estimators, least=1, whole=True)
        check_number("max_leaves", self.max_leaves, least=2, most=2**17, whole=True)
        check_number("min_child_weight", self.min_child_weight, least=0.0)
        check_number("reg_lambda", self.reg_lambda, least=0.0)
        if self.n_jobs is not None:
            check_number("n_jobs", self.n_jobs, whole=True)
        self._check_further("engine_params", OURS, "Give a dict, {'subsample': 0.8}.")

    def _n_rounds(self) -> int:
        return int(self.n_estimators)

    @property
    def _threads(self) -> int:
        # Zero and less mean all processors, for both engines.
        return 1 if self.n_jobs is None else max(int(self.n_jobs), 0)

    def _settings(self, data: PUData) -> Settings:
        return Settings(
            learning_rate=float(self.learning_rate),
            max_leaves=int(self.max_leaves),
            min_child_weight=float(self.min_child_weight),
            reg_lambda=float(self.reg_lambda),
            n_jobs=self._threads,
            seed=self._seed(),
            monotone=self._monotone(data),
            interactions=self._interactions(data),
            categorical=sorted(self.categories_),
            more=dict(self.engine_params or {}),
        )

    def _monotone(self, data: PUData) -> list[int]:
        """Return one sign for each feature, or none at all."""
        given, name, n = self.monotone_constraints, "monotone_constraints", data.n_features
        if given is None:
            return []
        if isinstance(given, Mapping):
            names = None if data.feature_names is None else list(data.feature_names)
            signs = [0] * n
            for column, sign in given.items():
                signs[column_of(column, names, n, name)] = sign
            given = signs
        is_list = isinstance(given, list | tuple) or (isinstance(given, np.ndarray) and given.ndim == 1)
        if (
            not is_list
            or len(given) != n
            or not all(np.ndim(each) == 0 and each in (-1, 0, 1) for each in given)
        ):
            raise InputError(
                f"{arg(name)} must be -1, 0 or 1 for each of {n} features, or a mapping from names to such.",
                parameter=name,
            )
        return [int(each) for each in given]

    def _interactions(self, data: PUData) -> list[list[int]]:
        given, name = self.interaction_constraints, "interaction_constraints"
        if given is None:
            return []
        kinds = (list, tuple)
        if (
            not isinstance(given, kinds)
            or not given
            or not all(isinstance(each, kinds) and each for each in given)
        ):
            raise InputError(
                f"{arg(name)} must be a list of lists of features.", parameter=name, remedy="[[0, 1], [2]]"
            )
        names = None if data.feature_names is None else list(data.feature_names)
        return [[column_of(each, names, data.n_features, name) for each in group] for group in given]

    def _learn(
        self, data: PUData, objective: PUObjective, n_rounds: int, held: PUData | None = None
    ) -> NDArray | None:
        engine, settings = ENGINES[self.engine], self._settings(data)
        patience = int(self.n_iter_no_change)
        booster, losses = engine.train(data, objective, settings, n_rounds, held, patience)
        if held is not None:
            return losses
        gains = engine.gains(booster, data.n_features)
        self.feature_importances_ = gains / gains.sum() if gains.sum() > 0 else gains
        self.trees_ = np.frombuffer(engine.to_bytes(booster), dtype=np.uint8)
        # As it will be when the model is loaded: predictions are the same, bit by bit.
        self._booster = engine.from_bytes(self.trees_.tobytes(), self._threads)
        return None

    # -- predictions -------------------------------------------------------------------------------------------

    @property
    def booster_(self) -> Any:
        """The engine's own model."""
        check_is_fitted(self)
        if "_booster" not in self.__dict__:
            self._booster = ENGINES[self.engine].from_bytes(self.trees_.tobytes(), self._threads)
        return self._booster

    def _scores(self, x: Any) -> NDArray:
        sums = ENGINES[self.engine].scores(self.booster_, x, len(self.null_scores_))
        return self.null_scores_ + sums

    def _check_learned(self, n_outputs: int) -> bool:
        if self.trees_.dtype != np.uint8 or self.trees_.ndim != 1:
            raise SavedModelError("trees_ is not what it should be.")
        ENGINES[self.engine].check(self.trees_.tobytes(), self.n_features_in_, n_outputs)
        if np.shape(self.feature_importances_) != (self.n_features_in_,):
            raise SavedModelError("there is not one importance for each feature.")
        return True
