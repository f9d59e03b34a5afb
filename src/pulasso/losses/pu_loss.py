"""The likelihood of observed labels, row by row: the only place where log P(z | x) is written.

The conventions are those of :mod:`pulasso.scenarios.label_model`.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso.curvature import Curvature
from pulasso.data.parameters import as_numbers, check_choice, check_kind
from pulasso.exceptions import InputError
from pulasso.numerics import class_scores, log_normalize
from pulasso.responses import RESPONSES, Response
from pulasso.scenarios import LabelCounts, LabelModel, Scenario, as_scenario

__all__ = ["PULoss"]

KINDS = ("em", "fisher", "exact")


class PULoss:
    r"""Negative log-likelihood of observed labels, for learners of your own.

    For every row, unweighted, with :math:`e_0 = 1,\ e_k = \exp \eta_k`,

    .. math::

       \ell = \log N - \log(a_z e_z) \ (z \ge 1), \quad \ell = \log N - \log \sum_k c_k e_k \ (z = 0), \quad
       N = \sum_{k \ge 0} (a_k + c_k) e_k .

    Parameters
    ----------
    scenario : str, Scenario or LabelModel
        How labels came to be, as for :class:`pulasso.MultinomialPULasso`, or the two arrays a and c themselves.
    response : {"multinomial", "ordinal"}, default="multinomial"
        What `eta` is. Class log odds of shape (n_samples, K) serve both models. With "ordinal" and `cutpoints` it is
        the single score u of the cumulative logit model, shape (n_samples,).
    prevalence, label_frequency : float, array-like of shape (K,) or mapping, optional
        The number that a scenario given by its name asks for.
    counts : LabelCounts, optional
        Weighted counts of the observed labels, which case-control scenarios depend on. By default those of the
        codes in each call: give the counts of all rows where calls see some of them, such as mini-batches.
    cutpoints : array-like of shape (K,), optional
        Increasing, for the single score of the ordinal model.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.losses import PULoss
    >>> loss = PULoss("single-training-set", label_frequency=0.5)
    >>> eta, codes = np.array([[0.0], [2.0]]), np.array([0, 1])  # unlabeled, and labelled 1
    >>> loss.loss(eta, codes).round(3)
    array([0.288, 0.82 ])
    >>> loss.gradient(eta, codes).round(3)
    array([[ 0.167],
           [-0.119]])
    """

    def __init__(
        self,
        scenario: str | Scenario | LabelModel,
        response: str = "multinomial",
        *,
        prevalence: Any = None,
        label_frequency: Any = None,
        counts: LabelCounts | None = None,
        cutpoints: ArrayLike | None = None,
    ):
        check_choice("response", response, RESPONSES)
        self.response = response
        self.cutpoints = None if cutpoints is None else as_numbers("cutpoints", cutpoints, ndim=1)
        if self.cutpoints is not None and not (len(self.cutpoints) and (np.diff(self.cutpoints) > 0).all()):
            raise InputError("cutpoints must increase.", parameter="cutpoints")
        if counts is not None:
            check_kind(
                "counts", counts, LabelCounts, "LabelCounts.from_codes(codes, classes, weight) gives them."
            )
        self.counts = counts
        numbers = {"prevalence": prevalence, "label_frequency": label_frequency}
        is_model = isinstance(scenario, LabelModel)
        self.scenario: Any = scenario if is_model else as_scenario(scenario, **numbers)

    # -- per row, in what a learner gives out ------------------------------------------------------------------

    def loss(self, eta: ArrayLike, codes: ArrayLike) -> NDArray:
        """Return ``-log P(z | x)`` of every row, shape (n_samples,).

        Parameters
        ----------
        eta : array-like of shape (n_samples, K), or (n_samples,) with `cutpoints`
        codes : array-like of shape (n_samples,)
            Observed labels: 0 unlabeled, k class k, K + 1 confirmed negative.
        """
        log_odds, codes = self._read(eta, codes)[0], np.asarray(codes)
        return -self.log_likelihood(class_scores(log_odds, np.zeros(log_odds.shape[1] + 1)), codes)

    def gradient(self, eta: ArrayLike, codes: ArrayLike) -> NDArray:
        """Return the derivative of the loss in `eta`, of the shape of `eta`."""
        log_odds, response, shape = self._read(eta, codes)
        codes = np.asarray(codes)
        model = self.label_model(codes, log_odds.shape[1])
        posterior = log_normalize(class_scores(log_odds, model.log_total))[1]
        grad = (posterior - self.responsibilities(log_odds, codes))[:, 1:]
        if response is not None:
            grad = response.pullback(*self._score(eta), grad)[0]
        return grad.reshape(shape)

    def curvature(self, eta: ArrayLike, codes: ArrayLike, kind: str = "em") -> NDArray:
        """Return second derivatives of the loss in `eta`, one K x K matrix for each row, shape (n_samples, K, K).

        Parameters
        ----------
        eta, codes
            As for :meth:`loss`. With `cutpoints` the result has the shape of `eta`.
        kind : {"em", "fisher", "exact"}, default="em"
            "em": the curvature of the EM surrogate, ``diag q - q q^T``, an upper bound and always positive. "fisher":
            the mean over labels given x, positive, too. "exact": the true Hessian, which may be indefinite.
        """
        check_choice("kind", kind, KINDS)
        log_odds, response, shape = self._read(eta, codes)
        codes = np.asarray(codes)
        curved = self.mixed_curvature(log_odds, codes, 1.0 if kind == "exact" else 0.0)
        if kind == "em":
            curved = Curvature(curved.q, np.zeros(len(codes)), curved.u)
        if response is None:
            return curved.matrices()
        bend = self._plain().gradient(log_odds, codes) if kind == "exact" else np.zeros_like(log_odds)
        second = response.second_order(*self._score(eta), bend, curved, np.ones(len(codes)))
        return second.uu(0, 0).reshape(shape)

    # -- per row, in class log odds ----------------------------------------------------------------------------

    def label_model(self, codes: NDArray | None = None, n_positive: int = 0) -> LabelModel:
        """Return the arrays a and c: as given, or for the counts of these codes."""
        if isinstance(self.scenario, LabelModel):
            return self.scenario
        counts = self.counts
        if counts is None:
            if codes is None:
                raise InputError(
                    "The counts of labels are not known.", parameter="counts", remedy="Give them."
                )
            counts = LabelCounts.from_codes(codes, np.arange(n_positive + 1), np.ones(len(codes)))
        return self.scenario.label_model(counts)

    def log_proba(self, eta: NDArray, codes: NDArray | None = None) -> NDArray:
        """Return log P(z | x): columns unlabeled, 1..K and, if they can occur, confirmed negatives.

        Parameters
        ----------
        eta : array of shape (n_samples, K)
            Class log odds.
        codes : array of shape (n_samples,), optional
            Only for their counts, where the scenario depends on them.
        """
        model = self.label_model(codes, eta.shape[1])
        log_n, _ = log_normalize(class_scores(eta, model.log_total))
        log_unlabeled, _ = log_normalize(class_scores(eta, model.log_hidden))
        labeled = class_scores(eta, model.log_labeled)
        columns = [log_unlabeled[:, None], labeled[:, 1:]]
        if model.confirms_negatives:
            columns.append(labeled[:, :1])
        return np.hstack(columns) - log_n[:, None]

    def log_likelihood(self, log_classes: NDArray, codes: NDArray) -> NDArray:
        """Return log P(z | x) of every row, from the log of class probabilities or odds, which may be zero.

        Parameters
        ----------
        log_classes : array of shape (n_samples, K + 1)
            log P(y | x), class 0 first, up to a constant for each row.
        codes : array of shape (n_samples,)
        """
        model = self.label_model(codes, log_classes.shape[1] - 1)
        log_n, _ = log_normalize(log_classes + model.log_total)
        log_unlabeled, _ = log_normalize(log_classes + model.log_hidden)
        column = codes % log_classes.shape[1]  # a confirmed negative is class 0
        log_labeled = (log_classes + model.log_labeled)[np.arange(len(codes)), column]
        return np.where(codes == 0, log_unlabeled, log_labeled) - log_n

    def responsibilities(self, eta: NDArray, codes: NDArray) -> NDArray:
        """Return P(y | x, z), classes 0..K: the E-step of the paper's Algorithms 1-4."""
        model = self.label_model(codes, eta.shape[1])
        posterior = np.zeros((len(codes), model.n_positive + 1), order="F")
        unlabeled = codes == 0
        own = model.take(unlabeled).log_hidden
        posterior[unlabeled] = log_normalize(class_scores(eta[unlabeled], own))[1]
        labeled = np.flatnonzero(~unlabeled)
        # Code K + 1, the confirmed negative, is class 0.
        posterior[labeled, codes[labeled] % (model.n_positive + 1)] = 1.0
        return posterior

    def mixed_curvature(self, eta: NDArray, codes: NDArray, mix: float) -> Curvature:
        """Return the Fisher information (``mix=0``), the true Hessian (1), or a mixture, in low-rank form.

        The Hessian ``(diag q - q q^T) - 1{z=0} (diag yhat - yhat yhat^T)`` has the form of the Fisher
        information with the probability of being unlabeled replaced by the fact.
        """
        model = self.label_model(codes, eta.shape[1])
        log_n, q = log_normalize(class_scores(eta, model.log_total))
        log_unlabeled, u = log_normalize(class_scores(eta, model.log_hidden))
        m = mix * (codes == 0) + (1.0 - mix) * np.exp(log_unlabeled - log_n)
        return Curvature(q[:, 1:], m, u[:, 1:])

    # -- reading what was given --------------------------------------------------------------------------------

    def _plain(self) -> "PULoss":
        """Return the same loss as a function of the class log odds."""
        return PULoss(self.scenario, counts=self.counts)

    def _read(self, eta: ArrayLike, codes: ArrayLike) -> tuple[NDArray, Response | None, tuple[int, ...]]:
        """Return class log odds, the response that they came from if it was not the identity, and the shape given."""
        array = as_numbers("eta", eta)
        if array.ndim != 2 - (self.cutpoints is not None):
            wanted = "(n_samples, K)" if self.cutpoints is None else "(n_samples,)"
            raise InputError(
                f"eta has shape {array.shape}, not {wanted}.",
                parameter="eta",
                remedy="Give class log odds, or cutpoints= for the single score of the ordinal model.",
            )
        n_positive = array.shape[1] if self.cutpoints is None else len(self.cutpoints)
        _check_codes(codes, len(array), n_positive)
        if self.cutpoints is None:
            return array, None, array.shape
        response = RESPONSES[self.response].build(n_positive)
        return response.log_odds(*self._score(eta)), response, array.shape

    def _score(self, eta: ArrayLike) -> tuple[NDArray, NDArray]:
        """Return the score as a column, and the cutpoints as the response has them."""
        assert self.cutpoints is not None
        return np.asarray(eta, dtype=float).reshape(-1, 1), np.diff(self.cutpoints, prepend=0.0)


def _check_codes(codes: ArrayLike, n_rows: int, n_positive: int) -> None:
    found = np.atleast_1d(as_numbers("codes", codes))
    whole = np.asarray(codes).dtype.kind in "iu"
    if not whole or found.shape != (n_rows,) or not ((found >= 0) & (found <= n_positive + 1)).all():
        raise InputError(
            f"codes must be {n_rows} whole numbers from 0 to {n_positive + 1}, one for each row of eta.",
            parameter="codes",
            remedy="0 stands for unlabeled, k for class k, K + 1 for a confirmed negative.",
        )
