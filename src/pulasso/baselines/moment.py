"""The convex moment methods that the paper's discussion names: unknown classes replaced by unbiased guesses."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pulasso._messages import arg, warn
from pulasso.baselines._cumulative import CumulativeMomentLoss
from pulasso.baselines._population import MomentLoss, population_weights
from pulasso.build import scale_by_null
from pulasso.data.chunks import is_chunked
from pulasso.data.pu_data import PUData
from pulasso.estimators import MultinomialPULasso, OrdinalPULasso
from pulasso.exceptions import ConvergenceWarning, InputError
from pulasso.path import lams_down_to
from pulasso.problem import Problem
from pulasso.runs import Run
from pulasso.scenarios import Scenario
from pulasso.solvers import SOLVERS, Record, Solution

__all__ = ["MomentLasso", "OrdinalMomentLasso"]

# On the way down to the wanted lam, solutions only serve as starts.
TOL_ON_THE_WAY = 1e-3
NEGATIVE = "negative"


_Estimator: Any = object  # one of the library's, to which this is mixed in


class _ByMoments(_Estimator):
    """What both moment methods do with their convex losses, whatever the response."""

    _moment_loss: ClassVar[Callable[..., Any]]
    _bounded: ClassVar[str]  # the estimator without this trouble

    def _check_params(self) -> None:
        super()._check_params()
        if self.n_restarts:
            raise InputError(
                f"n_restarts={self.n_restarts} has no use here: the loss is convex.",
                parameter="n_restarts",
                remedy="Leave it out.",
            )

    def _read(
        self, x: Any, y: ArrayLike, sample_weight: ArrayLike | None, source: ArrayLike | None = None
    ) -> PUData:
        if is_chunked(x):
            name = type(self).__name__
            raise TypeError(f"{name} reads X as a whole; give an array or a sparse matrix, not chunks.")
        return super()._read(x, y, sample_weight, source)

    def _build(self, data: PUData, scenario: Scenario | None = None) -> Problem:
        problem = super()._build(data, scenario)
        label_model = problem.loss.label_model
        everyone, members = population_weights(data, label_model)
        loss = self._moment_loss(everyone, members[:, 1:], label_model)
        share = loss.members.sum(axis=0)
        rest = max(1.0 - share.sum(), 0.5 * share.min())
        return scale_by_null(replace(problem, loss=loss, anchor=None), np.log(share / rest))

    def _solve(self, problem: Problem, run: Run | None = None) -> tuple[Solution, int]:
        """Solve down from lam_max as long as the estimated risk is not negative."""
        assert problem.null is not None
        before, n_iter = problem.null, 0
        history: tuple[Record, ...] = ()
        lams = lams_down_to(float(self.lam), problem.lam_max)
        tols = np.append(np.full(len(lams) - 1, max(self.tol, TOL_ON_THE_WAY)), self.tol)
        for lam, tol in zip(lams.tolist(), tols.tolist(), strict=True):
            settings = {"tol": tol, "max_iter": self.max_iter, "callback": _stop_below_zero}
            try:
                solution = next(SOLVERS[self.solver](problem, before, np.array([lam]), **settings))
            except _NegativeRiskError:
                # The last model whose estimated risk was positive is an unfinished fit at this lam.
                here = problem.at_lam(lam)
                point = here.at(before)
                kkt, words = here.kkt_violation(before, here.gradient(point)), f"{NEGATIVE} at lam={lam:.4g}"
                return Solution(lam, before, point.objective, kkt, 1, False, history, words), n_iter + 1
            before, n_iter, history = solution.params, n_iter + solution.n_iter, solution.history
        return solution, n_iter

    def _store(self, problem: Problem, solution: Solution, n_iter: int) -> None:
        if not solution.message.startswith(NEGATIVE):
            super()._store(problem, solution, n_iter)
            return
        self._store_problem(problem)
        self._store_solution(problem, solution, n_iter)
        words = (
            f"At lam={self.lam:g} (lam_max={self.lam_max_:.4g}) the moment loss has no meaningful minimum: the "
            f"estimated risk became {solution.message}. The last model before is stored. Try a larger {arg('lam')}, or "
            f"{self._bounded}, whose loss is bounded."
        )
        self.warnings_.append(warn(words, ConvergenceWarning))


class MomentLasso(_ByMoments, MultinomialPULasso):
    r"""Group lasso for positive and unlabeled data by moments: a convex alternative to maximum likelihood.

    The multinomial log-likelihood of true classes is linear in the indicators :math:`1\{y=k\}`, and the
    scenario knows unbiased guesses of them: :math:`1\{z=k\} / \pi_k` in a single training set,
    :math:`\pi_k / n_k` for the labelled rows of case-control data. Put in their place they give a convex loss
    whose expectation is minimal at the truth. This is the surrogate loss of Song et al. for
    labels with noise, with positive and unlabeled data as the noise; with one class it is also du Plessis
    et al.'s convex risk with the logistic loss.

    The guesses exceed 1, so in wide data the loss is not bounded below, and too small a `lam` has no solution. The
    loss of true classes is never negative; so the way down from ``lam_max_`` ends where its estimate becomes so,
    with a :class:`ConvergenceWarning`, and the last model before is stored. Maximum likelihood has no such limit.

    Parameters and attributes are those of :class:`MultinomialPULasso`.

    References
    ----------
    H. Song, R. Dai, G. Raskutti and R. F. Barber (2020), Convex and non-convex approaches for statistical inference
    with class-conditional noisy labels, Journal of Machine Learning Research 21.

    Examples
    --------
    >>> from pulasso.baselines import MomentLasso
    >>> from pulasso.datasets import simulate_multinomial
    >>> data = simulate_multinomial(1000, 20, random_state=0)
    >>> model = MomentLasso(lam=0.05, **data.scenario_params).fit(data.X, data.z)
    >>> bool(model.converged_), bool(model.coef_.any(axis=0).sum() < 20)
    (True, True)
    """

    _moment_loss = MomentLoss
    _bounded = "MultinomialPULasso"


class OrdinalMomentLasso(_ByMoments, OrdinalPULasso):
    r"""Lasso for ordered classes by moments: a convex alternative to the ordinal likelihood.

    The ordinal log-likelihood of true classes is linear in the indicators :math:`1\{y=k\}`, too. But unbiased guesses
    of them may be negative for class 0, and :math:`-\log P(y=0|x)` then bends the loss downward: put in their place
    they give no convex loss if there are two classes or more. What is convex is a composite likelihood. Every cut of
    the classes, ``y >= k`` against ``y < k``, is a logistic regression with the common coefficients and its own
    threshold, and in its loss the unknown indicator multiplies the *log odds*, which are linear in the parameters. So

    .. math:: \sum_k \frac1n \sum_i \log(1 + e^{x_i^T \beta - \nu_k}) - g_{ik} (x_i^T \beta - \nu_k),

    with an unbiased guess :math:`g_{ik}` of :math:`1\{y_i \ge k\}`, is convex, and least at the truth in expectation.
    With one class it is :class:`MomentLasso`. It counts the cuts as if they were independent, so it is less precise
    than a likelihood would be; like every moment method it is not bounded below in wide data, and too small a
    `lam` has no solution: see :class:`MomentLasso`.

    Parameters and attributes are those of :class:`OrdinalPULasso`.

    References
    ----------
    H. Song, R. Dai, G. Raskutti and R. F. Barber (2020), Convex and non-convex approaches for statistical inference
    with class-conditional noisy labels, Journal of Machine Learning Research 21.

    J. D. M. Rennie and N. Srebro (2005), Loss functions for preference levels: regression with discrete ordered labels,
    IJCAI workshop on preference handling. The losses of cuts are its "all-threshold" losses.

    Examples
    --------
    >>> from pulasso.baselines import OrdinalMomentLasso
    >>> from pulasso.datasets import simulate_ordinal
    >>> data = simulate_ordinal(1000, 20, random_state=0)
    >>> model = OrdinalMomentLasso(lam=0.1, **data.scenario_params).fit(data.X, data.z)
    >>> bool(model.converged_), bool(model.coef_.any()), bool(model.thresholds_[0] < model.thresholds_[1])
    (True, True, True)
    """

    _moment_loss = CumulativeMomentLoss
    _bounded = "OrdinalPULasso"


class _NegativeRiskError(ArithmeticError):
    """The estimate of a risk that cannot be negative is."""


def _stop_below_zero(record: Record) -> None:
    if record.objective < 0.0:
        raise _NegativeRiskError
