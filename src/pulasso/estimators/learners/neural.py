"""Networks that know that their labels are incomplete."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from pulasso.data.inputs import check_flag, check_number
from pulasso.data.parameters import check_kind
from pulasso.data.pu_data import PUData
from pulasso.estimators.learners._base import BaseLearner
from pulasso.estimators.learners._network import (
    Training,
    build_module,
    diverged,
    module_scores,
    train,
    undisturbed,
    weights_of,
    with_weights,
)
from pulasso.estimators.learners._perceptron import (
    check_perceptron,
    check_scale,
    perceptron_scores,
    perceptron_sizes,
)
from pulasso.exceptions import InputError, SavedModelError
from pulasso.objectives import PUObjective
from pulasso.scenarios import PerClass, Scenario

__all__ = ["PUNeuralClassifier"]

# Set by what the estimator knows; from outside they would contradict it.
OURS = ("module", "criterion", "lr", "batch_size", "max_epochs", "train_split", "device", "warm_start")
MOST_UNITS = 2**12  # of a layer; matrices grow with their square


class PUNeuralClassifier(BaseLearner):
    """A network for positive and unlabeled data, by the likelihood of observed labels.

    A torch module, trained on the CPU through skorch, gives the log odds of classes 1..K against class 0 or, with
    ``response="ordinal"``, one score for each row, with cutpoints that are learned alongside. Scenarios, labels and
    predictions are those of :class:`MultinomialPULasso`. Needs ``pip install "pulasso[neural]"``.

    Parameters
    ----------
    module : torch.nn.Module, class or function, optional
        By default a perceptron with rectifiers. A class or function is called with the numbers of features and of
        outputs (K, or one for ordered classes), and returns a module. A module itself is copied, and training goes on
        from its weights. Its outputs are added to `null_scores_`.
    response : {"multinomial", "ordinal"}, default="multinomial"
    scenario, prevalence, label_frequency
        As for :class:`MultinomialPULasso`.
    anchor : float, default=0.0
        Holds the mean prediction to the class shares that the scenario tells, batch by batch: make `batch_size` some
        hundreds with it. Networks can tell labelled rows from unlabeled ones all too well, and then take unlabeled
        rows for class 0.
    hidden_layers : sequence of int, default=(64, 64)
        Units of each hidden layer of the perceptron. Without any it is a linear model.
    dropout : float, default=0.2
        Share of the hidden units that are left out of each step.
    weight_decay : float, default=0.5
        Of AdamW.
    learning_rate : float, default=0.002
    batch_size : int, default=256
        About so many rows for a step; batches are made equal.
    max_epochs : int, default=300
        The largest number of passes over the rows.
    early_stopping : bool or "auto", default="auto"
        Find the number of epochs on held-out rows, by the likelihood of their observed labels, then fit to all rows.
        "auto" does so with 200 rows or more, and five or more of every label.
    validation_fraction : float, default=0.2
        Share of the rows that are held out.
    n_iter_no_change : int, default=40
        Epochs without a better loss of held-out rows, after which the search ends.
    standardize : bool, default=True
        Centre the columns and give them unit variance.
    net_params : mapping, optional
        Further parameters of ``skorch.NeuralNet``, such as ``optimizer`` or ``callbacks``.
    unlabeled, negative, class_order
        As for :class:`OrdinalPULasso`.
    n_jobs : int, optional
        Threads of torch, 1 by default.
    random_state : int, Generator, RandomState or None, default=None
        For held-out rows, first weights, batches and dropout. A fit with the same number repeats itself bit by bit.

    Attributes
    ----------
    classes_ : array of shape (K + 1,)
        Class 0 first.
    n_iter_ : int
        Epochs of the model.
    validation_loss_ : array or None
        Mean loss of held-out observed labels after every epoch of the search.
    loss_ : float
        Mean loss of the observed labels of all rows.
    class_shares_, told_shares_, share_tolerance_ : array of shape (K + 1,), or None
        As for :class:`MultinomialPULasso`.
    thresholds_ : array of shape (K,)
        Only of ordered classes.
    module_ : torch.nn.Module
        The trained module; it sees standardised rows, and leaves out `null_scores_`.
    weights_ : dict from str to array
        Its weights and buffers.
    null_scores_ : array of shape (n_outputs,)
    mean_, scale_ : array of shape (n_features,)
    scenario_, label_model_, label_counts_, response_, prevalence_, label_frequency_, prevalence_estimate_, warnings_
        As for :class:`MultinomialPULasso`.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only when X had column names.

    Notes
    -----
    `save` writes weights as arrays, never as pickles. A module of your own is code, and is not saved: after
    :func:`pulasso.load` hand it back by ``model.set_params(module=...)``, without a new fit. The perceptron predicts
    without torch, also after `load`. A sparse X is made dense.

    Examples
    --------
    >>> import pytest
    >>> _ = pytest.importorskip("skorch", reason="with torch hundreds of megabytes")
    >>> import numpy as np
    >>> from pulasso import PUNeuralClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)  # no line tells them apart
    >>> z = np.where(rng.random(2000) < 0.5, y, 0)  # half of the labels are lost
    >>> told = {"scenario": "single-training-set", "label_frequency": 0.5}
    >>> model = PUNeuralClassifier(**told, anchor=1.0, random_state=0)
    >>> bool(model.fit(X, z).score(X, y) > 0.9)
    True
    """

    _rounds = "epochs"

    def __init__(
        self,
        module: Any = None,
        *,
        response: str = "multinomial",
        scenario: str | Scenario = "case-control",
        prevalence: PerClass | None = None,
        label_frequency: PerClass | None = None,
        anchor: float = 0.0,
        hidden_layers: Sequence[int] = (64, 64),
        dropout: float = 0.2,
        weight_decay: float = 0.5,
        learning_rate: float = 0.002,
        batch_size: int = 256,
        max_epochs: int = 300,
        early_stopping: bool | str = "auto",
        validation_fraction: float = 0.2,
        n_iter_no_change: int = 40,
        standardize: bool = True,
        net_params: Mapping[str, Any] | None = None,
        unlabeled: Any = None,
        negative: Any = None,
        class_order: Sequence[Any] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ):
        self.module = module
        self.response = response
        self.scenario = scenario
        self.prevalence = prevalence
        self.label_frequency = label_frequency
        self.anchor = anchor
        self.hidden_layers = hidden_layers
        self.dropout = dropout
        self.weight_decay = weight_decay
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.standardize = standardize
        self.net_params = net_params
        self.unlabeled = unlabeled
        self.negative = negative
        self.class_order = class_order
        self.n_jobs = n_jobs
        self.random_state = random_state

    # -- fitting -----------------------------------------------------------------------------------------------

    def _check_params(self) -> None:
        super()._check_params()
        remedy = "Give whole numbers, (64, 64)."
        check_kind("hidden_layers", self.hidden_layers, (list, tuple, np.ndarray), remedy)
        for each in self.hidden_layers:
            check_number("hidden_layers", each, least=1, most=MOST_UNITS, whole=True)
        check_number("dropout", self.dropout, least=0.0, most=0.95)
        check_number("weight_decay", self.weight_decay, least=0.0)
        check_number("batch_size", self.batch_size, least=1, whole=True)
        check_number("max_epochs", self.max_epochs, least=1, whole=True)
        check_flag("standardize", self.standardize)
        if self.n_jobs is not None:
            check_number("n_jobs", self.n_jobs, least=1, whole=True)
        self._check_further("net_params", OURS, "Give a dict, {'optimizer': torch.optim.SGD}.")

    def _n_rounds(self) -> int:
        return int(self.max_epochs)

    @property
    def _threads(self) -> int:
        return 1 if self.n_jobs is None else int(self.n_jobs)

    def _learn(
        self, data: PUData, objective: PUObjective, n_rounds: int, held: PUData | None = None
    ) -> NDArray | None:
        self._learn_scale(data)
        self.null_scores_ = objective.null_scores_
        how = Training(
            learning_rate=float(self.learning_rate),
            weight_decay=float(self.weight_decay),
            batch_size=int(self.batch_size),
            n_threads=self._threads,
            seed=self._seed(),
            more=dict(self.net_params or {}),
        )
        with undisturbed(self._threads, how.seed):
            module = self._new_module(objective.n_outputs, data.n_features)
        judge = None
        if held is not None:
            rows = self._standardized(held.x)

            def judge(module: Any) -> float:
                scores = self.null_scores_ + module_scores(module, rows, self._threads)
                if not np.isfinite(scores).all():
                    raise diverged()
                return objective.observed_log_loss(scores, held.codes, held.weight)

        patience = int(self.n_iter_no_change)
        losses = train(module, self._standardized(data.x), objective, how, n_rounds, judge, patience)
        if held is None:
            self.weights_, self.has_own_module_ = weights_of(module), self.module is not None
            self._module = module
        return losses

    def _learn_scale(self, data: PUData) -> None:
        x = _dense(data.x).astype(float, copy=False)
        weight = data.weight / data.weight.sum()
        self.mean_, self.scale_ = np.zeros(x.shape[1]), np.ones(x.shape[1])
        if self.standardize:
            self.mean_ = weight @ x
            spread = np.sqrt(weight @ (x - self.mean_) ** 2)
            # A column that varies by rounding alone is constant.
            varies = spread > 1e-12 * np.abs(x).max(axis=0, initial=0.0)
            self.scale_ = np.where(varies, spread, 1.0)

    def _standardized(self, x: Any) -> NDArray:
        found: NDArray = (_dense(x) - self.mean_) / self.scale_
        return found

    def _new_module(self, n_outputs: int, n_features: int) -> Any:
        sizes = [int(each) for each in self.hidden_layers]
        return build_module(self.module, n_features, n_outputs, sizes, float(self.dropout))

    # -- predictions -------------------------------------------------------------------------------------------

    @property
    def module_(self) -> Any:
        """The trained module."""
        check_is_fitted(self)
        if "_module" not in self.__dict__:
            self._module = self._rebuilt()
        return self._module

    def _rebuilt(self) -> Any:
        if self.has_own_module_ and self.module is None:
            raise InputError(
                "The module of this model is code, and was not saved with its weights.",
                parameter="module",
                remedy="Hand it back, as it was given at the fit: model.set_params(module=...).",
            )
        own, sizes = self.module, perceptron_sizes(self.weights_) if not self.has_own_module_ else []
        module = build_module(own, self.n_features_in_, len(self.null_scores_), sizes, float(self.dropout))
        return with_weights(module, self.weights_)

    def _check_learned(self, n_outputs: int) -> bool:
        check_scale(self.mean_, self.scale_, self.n_features_in_)
        if not isinstance(self.has_own_module_, bool) or not isinstance(self.weights_, dict):
            raise SavedModelError("weights_ is not what it should be.")
        if self.has_own_module_:
            return self.module is not None
        check_perceptron(self.weights_, self.n_features_in_, n_outputs)
        return True

    def _scores(self, x: Any) -> NDArray:
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused, with its row
            rows = self._standardized(x)
            if self.has_own_module_:
                found = module_scores(self.module_, rows, self._threads)
            else:
                found = perceptron_scores(self.weights_, rows)
        if not np.isfinite(found).all():
            raise InputError(
                f"Row {int(np.argmin(np.isfinite(found).all(axis=1)))} of X holds numbers so large that its scores "
                "are not finite.",
                parameter="X",
                remedy="Check its units.",
            )
        return self.null_scores_ + found


def _dense(x: Any) -> NDArray:
    return x.toarray() if sparse.issparse(x) else x
