r"""The observed-label likelihood, once for all scenarios.

Conventions, stated here for the whole library:

- ``eta`` has shape (n_samples, K): log odds of classes 1..K against class 0. Class 0 has log odds 0.
- An observed label is coded 0 (unlabeled), k (labelled class k) or K + 1 (confirmed negative).
- Every scenario is two vectors over the classes 0..K, a and c. A member of class k shows its label with
  odds :math:`a_k : c_k`, so that with :math:`e_0 = 1,\ e_k = \exp \eta_k`

  .. math::

     P(z=k|x) = a_k e_k / N, \quad P(z=0|x) = \sum_{k \ge 0} c_k e_k / N, \quad
     N = \sum_{k \ge 0} (a_k + c_k) e_k .

  Without confirmed negatives :math:`a_0 = 0, c_0 = 1`; a class that is always labelled has :math:`c_k = 0`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pulasso.curvature import Curvature
from pulasso.numerics import log_normalize

__all__ = ["LabelModel", "NullModel"]

# Where the intercept-only likelihood has no maximiser (class 0 would get probability 0), the solver starts
# with class 0 half as frequent as the rarest other class. Only the start depends on this number.
SHARE_OF_A_VANISHING_CLASS = 0.5


@dataclass(frozen=True)
class NullModel:
    """The best model without features.

    Attributes
    ----------
    log_odds : array of shape (K,)
        Class log odds of the intercept-only maximum likelihood; always finite.
    excess : float
        Sum of the shares of classes 1..K that the labels ask for. At 1 or more no finite maximiser
        exists, and `log_odds` is a finite point close to the boundary.
    """

    log_odds: NDArray
    excess: float

    @property
    def exists(self) -> bool:
        """Whether the likelihood has a finite maximiser."""
        return self.excess < 1.0


@dataclass(frozen=True, eq=False)
class LabelModel:
    """The two vectors of a scenario, in logs, and everything that follows from them.

    Attributes
    ----------
    log_labeled, log_hidden : array of shape (K + 1,)
        Class 0 first. ``-inf`` in `log_labeled` for labels that cannot occur, in `log_hidden` for classes that
        are never unlabeled.
    """

    log_labeled: NDArray
    log_hidden: NDArray

    @cached_property
    def log_total(self) -> NDArray:
        """Log of a + c."""
        return np.logaddexp(self.log_labeled, self.log_hidden)

    @cached_property
    def hides_positives(self) -> bool:
        """Whether a positive class may be unlabeled."""
        return bool(np.isfinite(self.log_hidden[1:]).any())

    @property
    def n_positive(self) -> int:
        """K, the number of positive classes."""
        return len(self.log_labeled) - 1

    @staticmethod
    def scores(eta: NDArray, log_vector: NDArray) -> NDArray:
        """Return ``log(vector_k * e_k)`` for classes 0..K, class-major in memory."""
        scores = np.empty((len(eta), len(log_vector)), order="F")
        scores[:, 0] = log_vector[0]
        np.add(eta, log_vector[1:], out=scores[:, 1:])
        return scores

    def observed_log_proba(self, eta: NDArray) -> NDArray:
        """Return log P(z | x): columns unlabeled, 1..K and, if they can occur, confirmed negatives."""
        log_n, _ = log_normalize(self.scores(eta, self.log_total))
        log_unlabeled, _ = log_normalize(self.scores(eta, self.log_hidden))
        labeled = self.scores(eta, self.log_labeled)
        columns = [log_unlabeled[:, None], labeled[:, 1:]]
        if np.isfinite(self.log_labeled[0]):
            columns.append(labeled[:, :1])
        return np.hstack(columns) - log_n[:, None]

    def posterior(self, eta: NDArray) -> NDArray:
        """Return q, the class posterior in the sampled population, classes 0..K."""
        return log_normalize(self.scores(eta, self.log_total))[1]

    def unlabeled_posterior(self, eta: NDArray) -> NDArray:
        """Return P(y | x, unlabeled), classes 0..K."""
        return log_normalize(self.scores(eta, self.log_hidden))[1]

    def responsibilities(self, eta: NDArray, codes: NDArray) -> NDArray:
        """Return P(y | x, z), classes 0..K: the E-step of the paper's Algorithms 1-4."""
        posterior = np.zeros((len(codes), self.n_positive + 1), order="F")
        unlabeled = codes == 0
        posterior[unlabeled] = self.unlabeled_posterior(eta[unlabeled])
        labeled = np.flatnonzero(~unlabeled)
        # Code K + 1, the confirmed negative, is class 0.
        posterior[labeled, codes[labeled] % (self.n_positive + 1)] = 1.0
        return posterior

    def fisher_information(self, eta: NDArray) -> Curvature:
        """Return the mean over z given x of the Hessian of ``-log P(z | x)`` in eta."""
        log_n, q = log_normalize(self.scores(eta, self.log_total))
        log_unlabeled, u = log_normalize(self.scores(eta, self.log_hidden))
        return Curvature(q[:, 1:], np.exp(log_unlabeled - log_n), u[:, 1:])

    def null_model(self, frequencies: NDArray) -> NullModel:
        """Return the intercept-only maximum likelihood for these shares of observed labels.

        Without confirmed negatives the model is saturated and matching ``P(z=k) = f_k`` gives, with
        ``r_k = f_k / a_k``, the odds ``e_k = r_k / (f_0 - sum_j c_j r_j)``. The denominator is the
        share left for class 0; when the labels ask for more than everything it is not positive.
        """
        unlabeled, labeled = frequencies[0], frequencies[1:-1]
        ratio = labeled / np.exp(self.log_labeled[1:])
        left = unlabeled - np.sum(np.exp(self.log_hidden[1:]) * ratio)
        shares = np.concatenate([[left], ratio])
        if np.isfinite(self.log_labeled[0]):
            return NullModel(self._null_by_em(frequencies, shares), excess=0.0)
        return NullModel(self._odds_of_shares(shares), excess=float(ratio.sum() / shares.sum()))

    @staticmethod
    def _odds_of_shares(shares: NDArray) -> NDArray:
        share_0 = shares[0] if shares[0] > 0 else SHARE_OF_A_VANISHING_CLASS * shares[1:].min()
        return np.log(shares[1:]) - np.log(share_0)

    def _null_by_em(self, frequencies: NDArray, start: NDArray) -> NDArray:
        """Fit the intercepts by EM on the K + 2 cells: with confirmed negatives no closed form exists."""
        codes = np.arange(len(frequencies))
        # Every row of this table of cells has the same log odds, hence the broadcast.
        log_odds = self._odds_of_shares(start)
        for _ in range(10_000):
            eta = np.broadcast_to(log_odds, (len(codes), self.n_positive))
            share = frequencies @ self.responsibilities(eta, codes)
            new = np.log(share) - self.log_total
            new = new[1:] - new[0]
            done = np.abs(new - log_odds).max() <= 1e-14 * (1.0 + np.abs(new).max())
            log_odds = new
            if done:
                break
        return log_odds
