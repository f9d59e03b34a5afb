r"""Ordered classes: cumulative logits with one coefficient vector.

:math:`P(y < j | x) = \sigma(\nu_j - u)` with increasing cutpoints. With :math:`t_j = \nu_j - u` and gaps
:math:`d_j = \nu_{j+1} - \nu_j` the class log odds are

.. math::

   \eta_j = -\mathrm{softplus}(t_j) - \mathrm{softplus}(-t_{j+1}) + \log(1 - e^{-d_j})
   + \mathrm{softplus}(-t_1)

(without the terms in j + 1 for the last class): sums of logs, so that no difference of nearly equal
probabilities is ever taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pulasso.curvature import Curvature
from pulasso.exceptions import GroupError
from pulasso.numerics import log1mexp, sigmoid, softplus_pair

__all__ = ["Ordinal"]


@dataclass(frozen=True)
class Ordinal:
    """Cumulative logit (proportional odds) model.

    The offsets are ``offsets = (nu_1, nu_2 - nu_1, ..., nu_K - nu_{K-1})``, the paper's
    ``theta_{p+1..p+K}``; all but the first are positive.

    Parameters
    ----------
    n_positive : int
        K, the number of classes besides class 0.
    """

    n_positive: int

    name: ClassVar[str] = "ordinal"
    is_ordered: ClassVar[bool] = True
    offsets_name: ClassVar[str] = "thresholds_"
    n_outputs: ClassVar[int] = 1

    @classmethod
    def build(cls, n_positive: int, *, fit_intercept: bool = True, symmetric: bool = False) -> "Ordinal":
        """Return the model for K = `n_positive` classes besides class 0; it always has its cutpoints."""
        if symmetric:
            raise GroupError(
                "symmetric=True treats all classes alike, but the ordinal model has one coefficient per feature, "
                "not one per class.",
                parameter="groups",
                remedy="Leave it out.",
            )
        return cls(n_positive)

    def cutpoints(self, offsets: NDArray) -> NDArray:
        """Return nu from the solver's variables."""
        return np.cumsum(offsets)

    def _distance(self, u: NDArray, offsets: NDArray) -> NDArray:
        """Return ``t = nu - u``, shape (n_samples, K), class-major in memory."""
        return np.subtract(self.cutpoints(offsets), u.reshape(-1, 1), order="F")

    def log_odds(self, u: NDArray, offsets: NDArray) -> NDArray:
        """Return eta, shape (n_samples, K)."""
        above, below = softplus_pair(self._distance(u, offsets))
        eta = below[:, :1] - above
        eta[:, :-1] += log1mexp(offsets[1:]) - below[:, 1:]
        return eta

    def pullback(self, u: NDArray, offsets: NDArray, grad_eta: NDArray) -> tuple[NDArray, NDArray]:
        """Return the gradients in u and in offsets."""
        under, over = sigmoid(self._distance(u, offsets))  # P(y < j) and P(y >= j)
        total = grad_eta.sum(axis=1)
        from_t = -grad_eta * under  # d loss / d t_j, one sample and cutpoint each
        from_t[:, 1:] += grad_eta[:, :-1] * over[:, 1:]
        from_t[:, 0] -= total * over[:, 0]
        grad_nu = from_t.sum(axis=0)
        from_gap = grad_eta[:, :-1].sum(axis=0) * _gap_slope(offsets[1:])
        grad_offsets = np.cumsum(grad_nu[::-1])[::-1]
        grad_offsets[1:] += from_gap
        return -from_t.sum(axis=1)[:, None], grad_offsets

    def _offsets_jacobian(self, u: NDArray, offsets: NDArray) -> NDArray:
        """Return d eta / d offsets, shape (K, n_samples, K)."""
        under, over = sigmoid(self._distance(u, offsets))
        k = self.n_positive
        by_cutpoint = np.zeros((k, len(under), k))
        for j in range(k):
            by_cutpoint[j, :, j] -= under[:, j]
        for j in range(1, k):
            by_cutpoint[j, :, j - 1] += over[:, j]
        by_cutpoint[0] -= over[:, :1]
        jacobian = np.cumsum(by_cutpoint[::-1], axis=0)[::-1].copy()
        for j in range(1, k):
            jacobian[j, :, j - 1] += _gap_slope(offsets[j])
        return jacobian

    def second_order(
        self, u: NDArray, offsets: NDArray, grad_eta: NDArray, curvature: Curvature, sample_weight: NDArray
    ) -> "OrdinalSecondOrder":
        """Return second derivatives in (u, offsets): ``J^T W J`` plus the bend of eta along the gradient.

        All softplus terms of eta bend by ``v = sigmoid(t) sigmoid(-t)`` in their own t, and
        ``log(1 - exp(-d))`` by ``-h (1 + h)`` in its gap, h being its slope.
        """
        under, over = sigmoid(self._distance(u, offsets))
        bend = -under * over * grad_eta  # d^2 loss / d t_l^2, through eta
        bend[:, 1:] -= (under * over)[:, 1:] * grad_eta[:, :-1]
        bend[:, 0] += under[:, 0] * over[:, 0] * grad_eta.sum(axis=1)
        by_u = under + over[:, :1]
        by_u[:, :-1] -= over[:, 1:]
        weighted = curvature.apply(by_u) * sample_weight[:, None]
        # t_l falls with u and grows with aux_m for all m <= l: hence sums from the end.
        from_end = np.cumsum(bend[:, ::-1], axis=1)[:, ::-1]
        jacobian = self._offsets_jacobian(u, offsets)
        uu = np.einsum("ij,ij->i", by_u, weighted) + from_end[:, 0]
        uo = np.stack([np.einsum("ij,ij->i", column, weighted) for column in jacobian], axis=1) - from_end
        applied = np.array([curvature.apply(column) * sample_weight[:, None] for column in jacobian])
        later = np.maximum.outer(np.arange(len(offsets)), np.arange(len(offsets)))
        oo = np.tensordot(applied, jacobian, axes=([1, 2], [1, 2])) + from_end.sum(axis=0)[later]
        slope = _gap_slope(offsets[1:])
        gaps = np.arange(1, len(offsets))
        oo[gaps, gaps] -= grad_eta[:, :-1].sum(axis=0) * slope * (1.0 + slope)
        return OrdinalSecondOrder(uu, uo, oo)

    def log_proba(self, u: NDArray, offsets: NDArray) -> NDArray:
        """Return log P(y | x), shape (n_samples, K + 1)."""
        above, below = softplus_pair(self._distance(u, offsets))
        log_proba = np.hstack([-below[:, :1], -above])
        log_proba[:, 1:-1] += log1mexp(offsets[1:]) - below[:, 1:]
        return log_proba

    def null_offsets(self, log_odds: NDArray) -> NDArray:
        """Return first cutpoint and gaps of the null model."""
        scores = np.concatenate([[0.0], log_odds])
        below = np.logaddexp.accumulate(scores)  # log P(y <= j), up to a constant
        above = np.logaddexp.accumulate(scores[::-1])[::-1]  # log P(y >= j)
        # With b = P(y < j), p = P(y = j) and a = P(y > j) the gap log((b + p) / a) - log(b / (p + a)) is
        # log(1 + p/b) + log(1 + p/a): a difference of cutpoints would lose the gaps of rare classes.
        inner = scores[1:-1]
        gaps = np.logaddexp(0.0, inner - below[:-2]) + np.logaddexp(0.0, inner - above[2:])
        return np.concatenate([below[:1] - above[1:2], gaps])

    def is_feasible(self, offsets: NDArray, u: NDArray | None = None) -> bool:
        """Finite, with every gap positive."""
        return bool(np.isfinite(offsets).all() and (offsets[1:] > 0).all())

    def shift(self, offsets: NDArray, constant: NDArray) -> NDArray:
        """Return cutpoints that absorb a constant added to u."""
        shifted = offsets.copy()
        shifted[0] += np.sum(constant)
        return shifted

    def moved_proba(self, proba: NDArray, change: NDArray) -> NDArray:
        """Return probabilities after a change of the cutpoints."""
        below, above = sigmoid(change - _cumulative_log_odds(proba))
        return np.hstack([below[:, :1], np.diff(below, axis=1), above[:, -1:]])

    def move_to_shares(self, proba: NDArray, weight: NDArray, shares: NDArray) -> NDArray:
        """Return the change of the cutpoints after which the mean probabilities are these shares.

        Parameters
        ----------
        proba : array of shape (n_samples, K + 1)
        weight : array of shape (n_samples,)
            With sum one.
        shares : array of shape (K + 1,)
        """
        log_odds, wanted = _cumulative_log_odds(proba), np.cumsum(shares)[:-1]
        change = np.empty(self.n_positive)
        for j, share in enumerate(wanted):
            own = log_odds[:, j]

            def gap(c: float, own: NDArray = own, share: float = share) -> float:
                return float(weight @ sigmoid(c - own)[0] - share)

            # With the smallest, or the largest, log odds moved to those of the share, the gap has either sign.
            finite, at_share = own[np.isfinite(own)], np.log(share) - np.log1p(-share)
            change[j] = brentq(gap, finite.min() + at_share - 1.0, finite.max() + at_share + 1.0, xtol=1e-12)
        return change

    def output_names(self, classes: Sequence[Any]) -> list[Any]:
        """One coefficient for each feature, whatever the classes."""
        return ["coef"]

    def to_public(self, theta: NDArray, offsets: NDArray) -> dict[str, NDArray]:
        """Return ``coef_`` (n_features,) and ``thresholds_`` (K,)."""
        return {"coef_": np.ascontiguousarray(theta[:, 0]), "thresholds_": self.cutpoints(offsets)}

    @classmethod
    def from_public(cls, fitted: Any) -> tuple["Ordinal", NDArray, NDArray]:
        """Return response, theta and first cutpoint with gaps."""
        cutpoints = fitted.thresholds_
        gaps = np.diff(cutpoints, prepend=cutpoints.dtype.type(0))
        return cls(len(cutpoints)), fitted.coef_[:, None], gaps


@dataclass(frozen=True, eq=False)
class OrdinalSecondOrder:
    """Second derivatives in the single output u and the cutpoint variables."""

    by_u: NDArray  # (n_samples,)
    by_u_offsets: NDArray  # (n_samples, K)
    oo: NDArray  # (K, K)

    def uu(self, k: int, l: int) -> NDArray:  # noqa: E741
        """Return the second derivatives in u; there is one output only."""
        return self.by_u

    def uo(self, k: int) -> NDArray:
        """Return the derivatives in u and in offsets."""
        return self.by_u_offsets


def _cumulative_log_odds(proba: NDArray) -> NDArray:
    """Return the log odds of ``y >= j`` for j = 1..K."""
    with np.errstate(divide="ignore"):  # a tail may have underflowed
        above = np.log(np.cumsum(proba[:, :0:-1], axis=1)[:, ::-1])
        return above - np.log(np.cumsum(proba[:, :-1], axis=1))


def _gap_slope(gap: NDArray) -> NDArray:
    """Return the derivative of ``log(1 - exp(-gap))``, without overflow for wide gaps."""
    return -np.exp(-gap) / np.expm1(-gap)
