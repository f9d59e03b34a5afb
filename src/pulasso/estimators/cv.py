"""Estimators that choose lam by cross-validation."""

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from pulasso.estimators._cross_validated import CrossValidated
from pulasso.estimators.multinomial import MultinomialPULasso
from pulasso.estimators.ordinal import OrdinalPULasso
from pulasso.penalties import Groups, Penalty
from pulasso.scenarios import PerClass, Scenario

__all__ = ["MultinomialPULassoCV", "OrdinalPULassoCV"]


class MultinomialPULassoCV(CrossValidated, MultinomialPULasso):
    """Multinomial regression for positive and unlabeled data, with lam chosen by cross-validation.

    One grid of lams from all rows; for every fold a path along it on the other rows, and at every lam the mean
    negative log-likelihood of the *observed* labels held out,

        loss_f(lam) = -(1 / W_f) sum_{i in fold f} w_i log P_scenario(z_i | x_i; theta_{-f}(lam)),

    which needs no true classes. Then a path on all rows, down to the lam that was chosen.

    In case-control data the prevalence stays as given, and the counts that enter ``a_k = n_k / (prevalence_k
    n_unlabeled)`` are those of the rows at hand: of the training rows in a fit, of the held-out rows in
    their loss. So a fold is judged as the case-control sample that it is, and a fold of a slightly
    different composition is not charged for it. With stratified folds the two differ by rounding only.

    Parameters
    ----------
    lams : array-like, optional
        Values of lam to choose from. By default `n_lams` values, equally spaced in logs, from the
        lam_max of all rows down to ``lam_min_ratio * lam_max``.
    n_lams : int, default=100
    lam_min_ratio : float, optional
        By default 0.05 and, while the loss on held-out rows still falls there, further in the same steps: down to 1e-4
        with more rows than features, else to 0.01.
    cv : int, splitter or iterable of (train, test), default=5
        A number means shuffled folds, stratified by observed label (unlabeled rows are a stratum). Other
        splitters are shown the codes of the observed labels as y, 0 for unlabeled, and ``groups`` of `fit`.
    scoring : str or callable, optional
        By default the observed-label loss above. Or a scorer ``(model, X, y)``, higher is better, such as
        those of ``pulasso.metrics``, also by name ("pu_accuracy", "pu_neg_log_loss", "pu_roc_auc", ...);
        `cv_loss_` then holds the negated scores. It is shown a fitted
        :class:`MultinomialPULasso` for every lam and the *observed* labels: scikit-learn's "accuracy" would
        compare predictions with the marker of unlabeled rows.
    select : {"min", "1se"}, default="min"
        The lam of the smallest mean loss, or the largest lam whose mean loss is within one standard
        error of it: fewer features, about as good.
    max_active : int, optional
        Choose among the lams that select at most this many groups (features, unless `groups` says otherwise): in the
        folds on average, and on all rows.
    refit : {"relaxed"}, optional
        Afterwards fit what was selected at ``lam_`` again, by the same loss and anchor, with a ridge in place of the
        penalty and all other groups at zero: large coefficients are shrunk less. Of ridges of 3, 1 and 0.3 times
        ``lam_`` it takes the one that held-out rows prefer. It costs a small fit, and one for each fold. lam is
        chosen, and `path_` followed, as without; `objective_`, `kkt_`, `converged_` and `group_norms_` are those of
        the refit.
    calibrate : {"shares"}, optional
        Afterwards move the intercepts (cutpoints) until the mean of the held-out probabilities is the class shares that
        `prevalence` or `label_frequency` imply, at no further fit. `objective_` and `kkt_` are those before.
    n_jobs : int, optional
        Processes for the folds. Every step uses one BLAS thread, so the result is the same for any number.
    progress : bool, optional
        None shows a bar if stderr is a terminal.
    random_state : int, RandomState, Generator or None
        Shuffles rows before they are split, where `cv` is a number.
    anchor : float or sequence of floats, optional
        As for :class:`MultinomialPULasso`, whose default is 0, the paper's objective. Here, where the best prediction
        is looked for, it is 3 by default, as ``studies/anchor.py`` suggests; 0 where no label is hidden. Of several,
        such as ``(0, 3)``, held-out rows choose, on the same folds: one cross-validation for each. It is what to do
        where the told shares are not certain.
    scenario, prevalence, label_frequency, penalty, groups, standardize, fit_intercept
        As for :class:`MultinomialPULasso`.
    solver, tol, max_iter, unlabeled, negative
        As for :class:`MultinomialPULasso`.

    Attributes
    ----------
    lams_ : array of shape (n_lams,)
        From large to small.
    lam_ : float
        The chosen one.
    lam_min_, lam_1se_ : float
        What either rule would choose.
    best_index_ : int
        Position of ``lam_`` in ``lams_``.
    cv_loss_ : array of shape (n_folds, n_lams)
    cv_loss_mean_, cv_loss_se_ : array of shape (n_lams,)
        Mean over folds, weighted by their held-out rows, and its standard error.
    cv_n_active_ : array of shape (n_folds, n_lams)
    cv_proba_ : array of shape (n_samples, n_classes)
        Probabilities of the true classes of every row, at the chosen lam, by the models that did not see the row: for
        honest scores, ``pu_scores(model, X, z, y_proba=model.cv_proba_)``. Not saved with the model.
    anchors_, anchor_loss_ : array of shape (n_strengths,)
        Strengths of the anchor that were given to choose from, and the least mean held-out loss of each, before any
        `refit`; only where there were several. ``anchor_`` is the chosen one.
    refit_loss_ : float
        Only with `refit`: the mean loss on held-out rows of models that were refitted in the same way without them, to
        compare with ``cv_loss_mean_[best_index_]``.
    refit_lam_ : float
        Only with `refit`: the ridge.
    calibration_ : array of shape (K,)
        By how much `calibrate` has moved the intercepts (cutpoints).
    path_ : PathResult
        The path on all rows from the largest lam down to ``lam_``.
    classes_, coef_, intercept_, lam_max_, objective_, kkt_, ...
        As for :class:`MultinomialPULasso`, at ``lam_`` on all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import MultinomialPULassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 20))
    >>> y = rng.permuted(np.repeat([0, 1, 2], 200))
    >>> X[y == 1, 0] += 2
    >>> X[y == 2, 1] += 2
    >>> z = np.where(rng.random(600) < 0.5, y, 0)  # half of the labels are lost
    >>> model = MultinomialPULassoCV(
    ...     scenario="single-training-set",
    ...     label_frequency=0.5,
    ...     n_lams=20,
    ...     lam_min_ratio=0.01,
    ...     select="1se",
    ...     random_state=0,
    ... ).fit(X, z)
    >>> model.cv_loss_.shape, model.lam_min_ < model.lam_1se_
    ((5, 20), True)
    >>> np.flatnonzero(model.coef_.any(axis=0))  # the two that matter, and two of the other 18
    array([ 0,  1, 16, 17])
    """

    _plain = MultinomialPULasso

    def __init__(
        self,
        lams: ArrayLike | None = None,
        *,
        n_lams: int = 100,
        lam_min_ratio: float | None = None,
        cv: Any = 5,
        scoring: str | Callable[..., float] | None = None,
        select: str = "min",
        max_active: int | None = None,
        refit: str | None = None,
        calibrate: str | None = None,
        scenario: str | Scenario = "case-control",
        prevalence: PerClass | None = None,
        label_frequency: PerClass | None = None,
        penalty: str | Penalty | None = None,
        anchor: float | Sequence[float] | None = None,
        groups: str | Groups = "rows",
        standardize: bool | str = True,
        fit_intercept: bool = True,
        solver: str = "working-set",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        unlabeled: Any = None,
        negative: Any = None,
        n_jobs: int | None = None,
        progress: bool | None = None,
        random_state: Any = None,
    ):
        self.lams = lams
        self.n_lams = n_lams
        self.lam_min_ratio = lam_min_ratio
        self.cv = cv
        self.scoring = scoring
        self.select = select
        self.max_active = max_active
        self.refit = refit
        self.calibrate = calibrate
        self.scenario = scenario
        self.prevalence = prevalence
        self.label_frequency = label_frequency
        self.penalty = penalty
        self.anchor = anchor  # type: ignore[assignment]
        self.groups = groups
        self.standardize = standardize
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.unlabeled = unlabeled
        self.negative = negative
        self.n_jobs = n_jobs
        self.progress = progress
        self.random_state = random_state


class OrdinalPULassoCV(CrossValidated, OrdinalPULasso):
    """Ordinal regression (cumulative logits) for positive and unlabeled data, with lam chosen by cross-validation.

    Everything about folds, losses and the choice is as for :class:`MultinomialPULassoCV`; the model is that of
    :class:`OrdinalPULasso`.

    Parameters
    ----------
    lams, n_lams, lam_min_ratio, cv, scoring, select, max_active, refit, calibrate, n_jobs, progress, random_state
        As for :class:`MultinomialPULassoCV`.
    anchor : float or sequence of floats, optional
        As for :class:`MultinomialPULassoCV`.
    scenario, prevalence, label_frequency, penalty, groups, standardize
        As for :class:`OrdinalPULasso`.
    solver, tol, max_iter, unlabeled, negative, class_order
        As for :class:`OrdinalPULasso`.

    Attributes
    ----------
    lams_, lam_, lam_min_, lam_1se_, best_index_, cv_loss_, cv_loss_mean_, cv_loss_se_, cv_n_active_, cv_proba_, path_,
    refit_loss_, refit_lam_
        As for :class:`MultinomialPULassoCV`.
    classes_, coef_, thresholds_, lam_max_, objective_, kkt_, ...
        As for :class:`OrdinalPULasso`, at ``lam_`` on all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import OrdinalPULassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 20))
    >>> y = np.digitize(2 * X[:, 0] + rng.logistic(size=400), [-0.5, 1.0])
    >>> z = np.where(rng.random(400) < 0.6, y, 0)
    >>> model = OrdinalPULassoCV(
    ...     n_lams=20, scenario="single-training-set", label_frequency=0.6, select="1se", random_state=0
    ... ).fit(X, z)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    _plain = OrdinalPULasso

    def __init__(
        self,
        lams: ArrayLike | None = None,
        *,
        n_lams: int = 100,
        lam_min_ratio: float | None = None,
        cv: Any = 5,
        scoring: str | Callable[..., float] | None = None,
        select: str = "min",
        max_active: int | None = None,
        refit: str | None = None,
        calibrate: str | None = None,
        scenario: str | Scenario = "case-control",
        prevalence: PerClass | None = None,
        label_frequency: PerClass | None = None,
        penalty: str | Penalty | None = None,
        anchor: float | Sequence[float] | None = None,
        groups: str | Groups = "entries",
        standardize: bool | str = True,
        solver: str = "working-set",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        unlabeled: Any = None,
        negative: Any = None,
        class_order: Sequence[Any] | None = None,
        n_jobs: int | None = None,
        progress: bool | None = None,
        random_state: Any = None,
    ):
        self.lams = lams
        self.n_lams = n_lams
        self.lam_min_ratio = lam_min_ratio
        self.cv = cv
        self.scoring = scoring
        self.select = select
        self.max_active = max_active
        self.refit = refit
        self.calibrate = calibrate
        self.scenario = scenario
        self.prevalence = prevalence
        self.label_frequency = label_frequency
        self.penalty = penalty
        self.anchor = anchor  # type: ignore[assignment]
        self.groups = groups
        self.standardize = standardize
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.unlabeled = unlabeled
        self.negative = negative
        self.class_order = class_order
        self.n_jobs = n_jobs
        self.progress = progress
        self.random_state = random_state
