"""Ordered classes: the paper's ON-PULasso."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pulasso.data.parameters import check_choice
from pulasso.estimators._base import BasePULasso
from pulasso.estimators._rules import RULES, place_by_rule
from pulasso.penalties import Groups, Penalty
from pulasso.responses import Ordinal, Response
from pulasso.scenarios import PerClass, Scenario

__all__ = ["OrdinalPULasso"]


class OrdinalPULasso(BasePULasso):
    """Ordinal regression (cumulative logits) for positive and unlabeled data, with a penalty on groups.

    ``P(y < j | x) = sigmoid(thresholds_[j - 1] - x @ coef_)``: one coefficient per feature, and thresholds
    that increase. Minimises the mean negative log-likelihood of the *observed* labels under a labelling
    scenario, plus a penalty, by default the group lasso ``lam * sum_j weight_j ||coef[R_j]||_2``.

    Parameters
    ----------
    lam : float, default=0.01
        Strength of the penalty. At ``lam_max_`` and above all penalised coefficients are zero.
    scenario : {"case-control", "single-training-set", "fully-observed"} or object, default="case-control"
        How labels came to be. Case-control needs `prevalence`, single-training-set needs `label_frequency`.
    prevalence : float, array-like of shape (K,) or mapping, optional
        Share of every positive class in the population; "estimate" finds it by
        :func:`pulasso.prevalence.profile_likelihood` and warns where the data leave it open.
    label_frequency : float, array-like of shape (K,) or mapping, optional
        Probability that a member of a positive class carries its label; or "estimate".
    penalty : str or Penalty, optional
        As for :class:`MultinomialPULasso`.
    anchor : float, default=0.0
        Holds the mean prediction m to the class shares pi that `prevalence` or `label_frequency` imply, by adding
        ``anchor * sum_k pi_k log(pi_k / m_k)`` to the loss. 0 is the paper's estimator, which forgets these shares
        where features tell labelled rows from unlabeled ones; 1 mends most of it.
    groups : "entries" or Groups, default="entries"
        "entries" is the lasso; a `Groups` of columns lets features enter together.
    standardize : bool or "auto", default=True
        Penalise the coefficients of unit-variance columns; ``coef_`` is on the scale of X all the same. "auto" leaves
        columns that hold only 0 and 1 on their own scale.
    solver : {"working-set", "proximal-gradient", "em"}, default="working-set"
        All minimise the same objective and stop on the same certificate.
    tol : float, default=1e-6
        Stop when the KKT violation is at most ``tol * lam_max_``.
    max_iter : int, default=10000
        Iterations of the solver, for each lam on the way down to `lam`.
    unlabeled : label, optional
        The marker of unlabeled rows in y; ``float("nan")`` stands for any missing value. By default the
        smallest label is both the marker and the name of class 0.
    negative : label, optional
        Name of class 0; rows that carry it are *confirmed* negatives (`unlabeled` must then be given).
    class_order : sequence of labels, optional
        The classes from lowest to highest, class 0 first. By default numbers are sorted, an ordered pandas
        categorical gives its order, and text is sorted with a warning.
    n_restarts : int, default=0
        Random starts around the solution, besides the naive and the EM solution, from which to look for a better
        stationary point: the objective is not convex. 0 follows the path alone.
    random_state : int, Generator, RandomState or None, default=None
        For the random starts.

    Attributes
    ----------
    class_shares_, told_shares_ : array of shape (K + 1,), or None
        Mean prediction over the rows that are a sample of the population, and the shares that were told, class 0 first.
    classes_ : array of shape (K + 1,)
        In order, class 0 first.
    coef_ : array of shape (n_features,)
        Per unit of X; positive moves rows towards higher classes.
    thresholds_ : array of shape (K,)
        Increasing cutpoints on the scale of ``x @ coef_``.
    lam_max_, objective_, kkt_, converged_, n_iter_, n_features_in_, feature_names_in_
        As for :class:`MultinomialPULasso`.
    prevalence_, label_frequency_, prevalence_estimate_
        As for :class:`MultinomialPULasso`.
    groups_, group_norms_, feature_scale_, label_counts_, scenario_, label_model_, response_, history_, warnings_
        As for :class:`MultinomialPULasso`.
    stationary_points_
        As for :class:`MultinomialPULasso`.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import OrdinalPULasso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 5))
    >>> y = np.digitize(2 * X[:, 0] + rng.logistic(size=600), [-0.5, 1.0])
    >>> z = np.where(rng.random(600) < 0.6, y, 0)
    >>> model = OrdinalPULasso(lam=0.05, scenario="single-training-set", label_frequency=0.6).fit(X, z)
    >>> np.flatnonzero(model.coef_), bool(np.all(np.diff(model.thresholds_) > 0))
    (array([0]), True)
    """

    _response: ClassVar[type[Response]] = Ordinal

    def __init__(
        self,
        lam: float = 0.01,
        *,
        scenario: str | Scenario = "case-control",
        prevalence: PerClass | None = None,
        label_frequency: PerClass | None = None,
        penalty: str | Penalty | None = None,
        anchor: float = 0.0,
        groups: str | Groups = "entries",
        standardize: bool | str = True,
        solver: str = "working-set",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        unlabeled: Any = None,
        negative: Any = None,
        class_order: Sequence[Any] | None = None,
        n_restarts: int = 0,
        random_state: Any = None,
    ):
        self.lam = lam
        self.scenario = scenario
        self.prevalence = prevalence
        self.label_frequency = label_frequency
        self.penalty = penalty
        self.anchor = anchor
        self.groups = groups
        self.standardize = standardize
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.unlabeled = unlabeled
        self.negative = negative
        self.class_order = class_order
        self.n_restarts = n_restarts
        self.random_state = random_state

    def predict(self, X: Any, prevalence: Any = None, rule: str = "mode") -> NDArray:
        """Return one class for every row; which one is best depends on what a mistake costs.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        prevalence : float, array-like of shape (K,) or mapping, optional
            Class shares of the population that the rows come from, as for `predict_proba`.
        rule : {"mode", "median", "mean"}, default="mode"
            "mode" is the most probable class, best if all mistakes cost the same (accuracy). "median" is the lowest
            class that, with all below it, has at least half of the probability, best if a mistake costs its distance
            (mean absolute error). "mean" is the class nearest to `predict_expected`, best if it costs the square of
            its distance (mean squared error).

        Returns
        -------
        array of shape (n_samples,)
            Entries of ``classes_``.

        Examples
        --------
        >>> import numpy as np
        >>> from pulasso import OrdinalPULasso
        >>> y = np.repeat([0, 1, 2], [40, 15, 45])
        >>> model = OrdinalPULasso(lam=1.0, scenario="fully-observed").fit(np.arange(100.0)[:, None], y)
        >>> model.predict_proba([[50.0]]).round(2)  # lam is too large for the feature: the shares of y
        array([[0.4 , 0.15, 0.45]])
        >>> [int(model.predict([[50.0]], rule=rule)[0]) for rule in ("mode", "median", "mean")]
        [2, 1, 1]
        """
        check_choice("rule", rule, RULES)
        if rule == "mode":
            return super().predict(X, prevalence)
        return self.classes_[place_by_rule(self.predict_proba(X, prevalence), rule)]

    def predict_expected(self, X: Any, prevalence: Any = None) -> NDArray:
        """Return the expected class E[y | x], with the classes numbered 0..K.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        prevalence : float, array-like or mapping, optional
            Class shares of another population, as for `predict_proba`.

        Returns
        -------
        array of shape (n_samples,)
            From 0, surely the lowest class, to K, surely the highest.
        """
        proba = self.predict_proba(X, prevalence)
        return proba @ np.arange(proba.shape[1], dtype=proba.dtype)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # scikit-learn's checks score classifiers on unordered blobs, which no ordinal model is made for.
        tags.classifier_tags.poor_score = True
        return tags
