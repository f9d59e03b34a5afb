r"""The shares that were told: a term that holds the model's mean prediction to them.

With :math:`m_k = \sum_i v_i P(y=k|x_i)` over the rows that are a sample of the population, of weights v with sum one,

.. math::

   A = \rho \sum_k \pi_k \log(\pi_k / m_k), \quad \nabla A = \sum_k h_k \nabla m_k, \quad h_k = -\rho \pi_k / m_k,

.. math:: \nabla^2 A = \sum_k \frac{\rho \pi_k}{m_k^2} \nabla m_k \nabla m_k^T + \sum_k h_k \nabla^2 m_k .

The first part couples all rows, in K + 1 directions; the second is a sum over rows, and vanishes where m is pi.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pulasso.curvature import Curvature
from pulasso.numerics import class_scores, log_normalize
from pulasso.scenarios import LabelCounts, LabelModel, Scenario, Sources, told_shares

__all__ = ["HELD", "Anchor", "anchor_of"]

HELD = 3.0  # the rho of whatever chooses lam by held-out rows, unless it is given: see studies/anchor.py


@dataclass(frozen=True, eq=False)
class Anchor:
    """``rho * KL(told shares || mean prediction)``; with ``rho = 0`` it only measures the mean prediction.

    Attributes
    ----------
    rho : float
    told : array of shape (K + 1,)
        Shares that were told, class 0 first, with sum one.
    log_within : array of shape (K + 1,)
        0 for classes that the rows may belong to, ``-inf`` for those that never are among them.
    population : array of bool, shape (n_samples,)
        The rows that are a sample of the population.
    weight : array of shape (n_samples,)
    total : float, optional
        What weights are divided by: their sum, unless these rows are a part of a larger sample.
    """

    rho: float
    told: NDArray
    log_within: NDArray
    population: NDArray
    weight: NDArray
    total: float | None = None

    @property
    def is_active(self) -> bool:
        """Whether the term is more than zero."""
        return self.rho > 0

    @cached_property
    def sample_weight(self) -> NDArray:
        """Weights that sum to one over the population, and are zero elsewhere."""
        weight = np.where(self.population, self.weight, 0.0)
        return weight / (weight.sum() if self.total is None else self.total)

    def proba(self, eta: NDArray) -> NDArray:
        """Return P(y | x) among the classes that the rows may belong to, shape (n_samples, K + 1)."""
        return log_normalize(class_scores(eta, self.log_within))[1]

    def shares(self, eta: NDArray) -> NDArray:
        """Return m, the mean prediction, shape (K + 1,)."""
        return self.sample_weight @ self.proba(eta)

    def value(self, shares: NDArray) -> float:
        """Return the term, given the mean prediction."""
        own = self.told > 0
        with np.errstate(divide="ignore"):  # a class that vanishes costs infinitely much
            return float(self.rho * self.told[own] @ (np.log(self.told[own]) - np.log(shares[own])))

    def pull(self, shares: NDArray) -> NDArray:
        """Return h, the derivative of the term in the mean prediction, shape (K + 1,)."""
        return -np.divide(self.rho * self.told, shares, out=np.zeros_like(shares), where=self.told > 0)

    def factors(self, shares: NDArray) -> NDArray:
        """Return its second derivative, ``rho pi / m^2``, shape (K + 1,)."""
        return np.divide(self.rho * self.told, shares**2, out=np.zeros_like(shares), where=self.told > 0)

    def value_and_grad(self, eta: NDArray) -> tuple[float, NDArray]:
        """Return the term and its gradient in eta, shape (n_samples, K)."""
        proba = self.proba(eta)
        shares = self.sample_weight @ proba
        value = self.value(shares)
        if not np.isfinite(value):  # a class has vanished: no step ends here
            return value, np.zeros_like(eta)
        return value, self.sample_weight[:, None] * bent(proba, self.pull(shares))

    def directions(self, proba: NDArray) -> Iterator[NDArray]:
        """Yield the gradients in eta of ``m_0, ..., m_K``, shape (n_samples, K) each."""
        rows = self.sample_weight[:, None] * proba
        for k in range(rows.shape[1]):
            gradient = -rows[:, k, None] * proba[:, 1:]
            if k:
                gradient[:, k - 1] += rows[:, k]
            yield gradient

    def add_rows(self, curvature: Curvature, proba: NDArray, pull: NDArray, scale: NDArray) -> Curvature:
        r"""Return a curvature with the part of this one that is a sum over rows.

        Of one row it is ``diag(g) - g P^T - P g^T`` with the row's gradient g.

        Parameters
        ----------
        curvature : Curvature
        proba, pull
            From :meth:`proba` and :meth:`pull`, the latter perhaps scaled down.
        scale : array of shape (n_samples,)
            Weights of rows in the loss, by which a curvature is unweighted.
        """
        ratio = np.divide(self.sample_weight, scale, out=np.zeros_like(scale), where=scale > 0)
        gradient, own = bent(proba, pull), proba[:, 1:]
        return Curvature(
            curvature.q,
            curvature.m,
            curvature.u,
            more=ratio[:, None] * gradient,
            outer=((-0.5 * ratio, gradient + own), (0.5 * ratio, gradient - own)),
        )


def bent(proba: NDArray, pull: NDArray) -> NDArray:
    """Return ``P o (h - <P, h>)`` for classes 1..K: the gradient of ``<h, P>`` in eta."""
    return proba[:, 1:] * (pull[1:] - (proba @ pull)[:, None])


def anchor_of(
    rho: float,
    scenario: Scenario,
    model: LabelModel,
    counts: LabelCounts,
    codes: NDArray,
    weight: NDArray,
    source: NDArray | None = None,
) -> tuple[Anchor | None, NDArray | None]:
    """Return what holds, or only measures, the mean prediction, and the shares that were told."""
    told = told_shares(scenario, counts, model, codes, weight)
    if isinstance(scenario, Sources):
        population = scenario.population(counts, codes, source)
    else:
        population = (codes == 0) | np.array(not scenario.sampled_by_label)
    if not weight[population].sum() > 0:
        return None, told
    # Without confirmed shares there is nothing to hold to, but something to measure.
    is_possible = told is not None and told[0] > 0
    kept = told if is_possible else np.full(len(counts.classes), 1.0 / len(counts.classes))
    assert kept is not None
    with np.errstate(divide="ignore"):  # log 0 = -inf: a class that is never among these rows
        within = np.log((kept > 0).astype(float))
    return Anchor(rho if is_possible else 0.0, kept, within, population, weight), told
