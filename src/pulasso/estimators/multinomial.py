"""Unordered classes: the paper's MN-PULasso."""

from typing import Any, ClassVar

from pulasso.estimators._base import BasePULasso
from pulasso.penalties import Groups, Penalty
from pulasso.responses import Multinomial, Response
from pulasso.scenarios import PerClass, Scenario

__all__ = ["MultinomialPULasso"]


class MultinomialPULasso(BasePULasso):
    """Multinomial regression for positive and unlabeled data, with a penalty on groups of coefficients.

    Minimises the mean negative log-likelihood of the *observed* labels under a labelling scenario, plus a penalty, by
    default the group lasso ``lam * sum_j weight_j ||Theta[R_j, C_j]||_2``. With one positive class this is binary PU
    logistic regression (R's PUlasso).

    Parameters
    ----------
    lam : float, default=0.01
        Strength of the penalty. At ``lam_max_`` and above all penalised coefficients are zero.
    scenario : {"case-control", "single-training-set", "fully-observed"} or object, default="case-control"
        How labels came to be. Case-control needs `prevalence`, single-training-set needs `label_frequency`.
    prevalence : float, array-like of shape (K,) or mapping, optional
        Share of every positive class in the population: a number for all, an array in class order, or a
        mapping from class to number. "estimate" finds it by :func:`pulasso.prevalence.profile_likelihood`
        and warns where the data leave it open.
    label_frequency : float, array-like of shape (K,) or mapping, optional
        Probability that a member of a positive class carries its label; or "estimate", as for `prevalence`.
    penalty : str or Penalty, optional
        What the groups are penalised by: "group-lasso" (the default), "elastic-net", "sparse-group-lasso",
        "adaptive-group-lasso", "group-scad", "group-mcp", or an object of ``pulasso.penalties`` with its own numbers.
    anchor : float, default=0.0
        Holds the mean prediction m to the class shares pi that `prevalence` or `label_frequency` imply, by adding
        ``anchor * sum_k pi_k log(pi_k / m_k)`` to the loss. 0 is the paper's estimator, which forgets these shares
        where features tell labelled rows from unlabeled ones; 1 mends most of it.
    groups : {"rows", "entries"} or Groups, default="rows"
        "rows": a feature enters for all classes or none. "entries": plain l1.
    standardize : bool or "auto", default=True
        Penalise the coefficients of unit-variance columns; ``coef_`` is on the scale of X all the same. X is
        used where it lies (the solver copies the columns it selects), and a sparse X stays sparse.
        A constant column gets the coefficient 0: the intercept already stands for it. "auto" leaves columns that
        hold only 0 and 1 on their own scale: rare ones, as in one-hot data, are otherwise hardly penalised.
    fit_intercept : bool, default=True
        Without intercepts columns are scaled but not centred.
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
    n_restarts : int, default=0
        Random starts around the solution, besides the naive and the EM solution, from which to look for a better
        stationary point: the objective is not convex. 0 follows the path alone.
    random_state : int, Generator, RandomState or None, default=None
        For the random starts.

    Attributes
    ----------
    classes_ : array of shape (K + 1,)
        Class 0 first.
    coef_ : array of shape (K, n_features)
        Log odds of classes 1..K against class 0, per unit of X.
    intercept_ : array of shape (K,)
    lam_max_ : float
        Smallest lam at which the null model is stationary.
    objective_ : float
        The objective that was minimised.
    kkt_ : float
        The certificate: largest KKT violation, relative to ``lam_max_`` under the usual weights.
    converged_ : bool
    n_iter_ : int
        Iterations, the way down from ``lam_max_`` included.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only when X had column names.
    groups_ : Blocks
        The groups as resolved against the data, with their weights and names.
    group_norms_ : array of shape (n_groups,)
        Norms of the groups on the penalised scale; zero for groups that were not selected.
    feature_scale_ : array of shape (n_features,)
        Standard deviation of the columns, 0 for constant ones; 1 for those that `standardize` leaves as they are.
        ``coef_ * feature_scale_`` is the penalised scale.
    label_counts_ : LabelCounts
        Weighted counts of the observed labels.
    class_shares_, told_shares_ : array of shape (K + 1,), or None
        Mean prediction over the rows that are a sample of the population (in case-control data the unlabeled ones, else
        all), and the shares that prevalence or label frequency imply; class 0 first.
    share_tolerance_ : array of shape (K + 1,), or None
        How far they may differ by chance, three standard errors or 0.03; beyond there is a `ClassShareWarning`.
    propensity_ : Propensity
        The chance of a label as it was fitted, where the scenario is :class:`SelectedLabelling`.
    scenario_ : Scenario
        The scenario as an object.
    label_model_ : LabelModel
        The scenario's two arrays for these data.
    response_ : Response
        The response model, which knows how its coefficients are called.
    prevalence_, label_frequency_ : array of shape (K,)
        The number that was estimated, where the user asked for it.
    prevalence_estimate_ : PrevalenceEstimate
        That estimate with its interval, curve and diagnosis.
    history_ : tuple of Record
        Objective and certificate along the last solve.
    warnings_ : list of str
        What was warned about during the fit.
    least_curvature_ : float
        Only with a concave penalty (such as group MCP): the smallest curvature of the loss within what was
        selected. Where it is below the penalty's ``concavity``, the objective is not convex even there, and other
        stationary points may exist.
    stationary_points_ : StationaryPoints
        Only with `n_restarts`: the distinct points that were found; the best one is kept.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import MultinomialPULasso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 5))
    >>> y = rng.permuted(np.repeat([0, 1, 2], 200))
    >>> X[y == 1, 0] += 2
    >>> X[y == 2, 1] += 2
    >>> z = np.where(rng.random(600) < 0.5, y, 0)  # half of the labels are lost
    >>> model = MultinomialPULasso(lam=0.03, scenario="single-training-set", label_frequency=0.5).fit(X, z)
    >>> np.flatnonzero(model.coef_.any(axis=0))
    array([0, 1])
    """

    _response: ClassVar[type[Response]] = Multinomial

    def __init__(
        self,
        lam: float = 0.01,
        *,
        scenario: str | Scenario = "case-control",
        prevalence: PerClass | None = None,
        label_frequency: PerClass | None = None,
        penalty: str | Penalty | None = None,
        anchor: float = 0.0,
        groups: str | Groups = "rows",
        standardize: bool | str = True,
        fit_intercept: bool = True,
        solver: str = "working-set",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        unlabeled: Any = None,
        negative: Any = None,
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
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.unlabeled = unlabeled
        self.negative = negative
        self.n_restarts = n_restarts
        self.random_state = random_state
