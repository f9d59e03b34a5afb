"""The convex moment method that the paper's discussion names: unknown classes replaced by unbiased guesses."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.baselines._base import Observed
from pulasso.curvature import Curvature
from pulasso.estimators import MultinomialPULasso
from pulasso.numerics import log_normalize
from pulasso.path import lams_down_to, scale_by_null
from pulasso.problem import Params, Problem
from pulasso.solvers import SOLVERS, Record, SolverResult

__all__ = ["MomentLasso", "MomentLoss"]

# On the way down to the wanted lam, solutions only serve as starts.
TOL_ON_THE_WAY = 1e-3


@dataclass(frozen=True, eq=False)
class MomentLoss:
    r"""The logistic loss of true classes, with its linear part estimated from observed labels.

    .. math:: L(\eta) = \sum_i u_i A(\eta_i) - \sum_{ik} m_{ik} \eta_{ik}, \qquad
       A(\eta) = \log(1 + \textstyle\sum_k e^{\eta_k}),

    u and m from `Observed.population_weights`. Convex, and its mean over samples is the expected loss of the
    true classes.

    Attributes
    ----------
    share : array of shape (n_samples,)
        u.
    members : array of shape (n_samples, K)
        m, the columns of the classes 1..K.
    """

    share: NDArray
    members: NDArray

    def value_and_grad(self, eta: NDArray) -> tuple[float, NDArray]:
        """Return the loss and ``u q - m``, its gradient in eta."""
        log_total, q = self._posterior(eta)
        value = self.share @ log_total - np.einsum("ij,ij->", self.members, eta)
        return float(value), np.asfortranarray(self.share[:, None] * q - self.members)

    def curvature(self, eta: NDArray, exact: float = 0.0) -> Curvature:
        """Return ``diag q - q q^T``: the linear part has no curvature."""
        _, q = self._posterior(eta)
        return Curvature(q, np.zeros(len(q)), np.zeros_like(q))

    def complete(self, eta: NDArray) -> "MomentLoss":
        """Return this loss: it has no hidden part."""
        return self

    @staticmethod
    def _posterior(eta: NDArray) -> tuple[NDArray, NDArray]:
        scores = np.zeros((len(eta), eta.shape[1] + 1), order="F")
        scores[:, 1:] = eta
        log_total, q = log_normalize(scores)
        return log_total, np.asfortranarray(q[:, 1:])


class MomentLasso(MultinomialPULasso):
    r"""Group lasso for positive and unlabeled data by moments: a convex alternative to maximum likelihood.

    The multinomial log-likelihood of true classes is linear in the indicators :math:`1\{y=k\}`, and the
    scenario knows unbiased guesses of them: :math:`1\{z=k\} / \pi_k` in a single training set,
    :math:`\pi_k / n_k` for the labelled rows of case-control data. Put in their place they give a convex loss
    (:class:`MomentLoss`) whose expectation is minimal at the truth. This is the surrogate loss of Song et al. for
    labels with noise, with positive and unlabeled data as the noise; with one class it is also du Plessis
    et al.'s convex risk with the logistic loss.

    The guesses exceed 1, so in wide data the loss is not bounded below, and too small a `lam` has no solution. The
    loss of true classes is never negative; so the way down from ``lam_max_`` ends where its estimate becomes so,
    with a :class:`ConvergenceWarning`, and the last model before is kept. Maximum likelihood has no such limit.

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

    def _check_params(self) -> None:
        super()._check_params()
        if self.n_restarts:
            raise ValueError(
                f"n_restarts={self.n_restarts} has no use here: the loss is convex; leave it out."
            )

    def _assemble_checked(self, x: Any, labels: Any, weight: NDArray) -> Any:
        if self.checkpoint is not None:
            raise ValueError("MomentLasso keeps no checkpoint: its way down is short. Leave checkpoint= out.")
        assembled = super()._assemble_checked(x, labels, weight)
        if not isinstance(assembled.problem, Problem):
            raise TypeError("MomentLasso reads X as a whole; give an array or a sparse matrix, not chunks.")
        data = Observed(
            x,
            labels.codes,
            labels.classes,
            weight,
            assembled.counts,
            assembled.scenario,
            assembled.label_model,
        )
        everyone, members = data.population_weights()
        loss = MomentLoss(everyone, members[:, 1:])
        share = loss.members.sum(axis=0)
        rest = max(1.0 - share.sum(), 0.5 * share.min())
        problem, null = scale_by_null(replace(assembled.problem, loss=loss), np.log(share / rest))
        return replace(assembled, problem=problem, null=null)

    def _solve(self, assembled: Any, kept: Any = None) -> list[SolverResult]:
        """Go down from lam_max as long as the estimated risk is not negative."""
        problem, start = assembled.problem, assembled.null
        lams = lams_down_to(float(self.lam), problem.lam_max)
        results: list[SolverResult] = []
        for lam in lams:
            tol = self.tol if lam == lams[-1] else max(self.tol, TOL_ON_THE_WAY)
            try:
                result = SOLVERS[self.solver](
                    problem.at_lam(float(lam)),
                    start,
                    tol=tol,
                    max_iter=self.max_iter,
                    callback=_stop_below_zero,
                )
            except _NegativeRiskError:
                return [*results, self._last_model(problem, start, float(lam), results)]
            results.append(result)
            start = result.params
        return results

    @staticmethod
    def _last_model(
        problem: Problem, params: Params, lam: float, results: list[SolverResult]
    ) -> SolverResult:
        """Return the last model whose estimated risk was positive, as the unfinished fit that it is at this lam."""
        point = problem.at_lam(lam).at(params)
        kkt = problem.at_lam(lam).kkt_violation(params, problem.gradient(point))
        history = results[-1].history if results else ()
        return SolverResult(params, point.objective, kkt, 1, False, history, f"negative at lam={lam:.4g}")

    def _not_converged(self, result: SolverResult) -> str:
        if not result.message.startswith("negative"):
            return super()._not_converged(result)
        return (
            f"At lam={self.lam:g} (lam_max={self.lam_max_:.4g}) the moment loss has no meaningful minimum: the "
            f"estimated risk became {result.message}. The last model before is kept. Try a lam above that, or "
            "MultinomialPULasso, whose loss is bounded."
        )


class _NegativeRiskError(ArithmeticError):
    """The estimate of a risk that cannot be negative is."""


def _stop_below_zero(record: Record) -> None:
    if record.objective < 0.0:
        raise _NegativeRiskError
