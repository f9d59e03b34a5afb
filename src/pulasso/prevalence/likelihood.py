r"""The likelihood of the observed labels as a function of the model *and* of the labelling numbers.

The unknowns are stacked into one vector: coefficients of standardised features, offsets of the
response, and the labelling numbers on a scale without bounds,

- single-training-set: :math:`t_k = \mathrm{logit}(f_k)` of the label frequency;
- case-control: :math:`t_k = \log(\pi_k / \pi_0)` of the prevalence, so that all :math:`\pi_k` leave room for class 0.

With :math:`q`, :math:`u` and :math:`m_0 = P(z=0|x)` as in the loss, the score in :math:`t_k` of one row and
its covariances (the Fisher information) are, in the single training set,

.. math::

   1\{z=k\}(1 - f_k) - 1\{z=0\} f_k u_k, \quad
   E[s_{\eta_l} s_{t_k}] = \delta_{lk} f_k (1-f_k) q_k - m_0 u_l f_k u_k, \quad
   E[s_{t_j} s_{t_k}] = \delta_{jk} f_k (1-f_k)^2 q_k + m_0 f_j u_j f_k u_k,

and in the case-control design, for :math:`\log a_k = \log(n_k / n_u) - \log \pi_k` with :math:`P_k =
P(z=k|x)`,

.. math::

   1\{z=k\} - P_k, \quad E[s_{\eta_l} s_{\log a_k}] = P_k (\delta_{lk} - q_l), \quad
   E[s_{\log a_j} s_{\log a_k}] = \delta_{jk} P_k - P_j P_k .
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pulasso.numerics import log_normalize, sigmoid, softplus_pair
from pulasso.responses import Multinomial, Ordinal, Response
from pulasso.scenarios import LabelCounts, LabelModel, ObservedLoss

__all__ = ["Evaluation", "JointLikelihood", "Unknowns", "make_response"]

# Weak normal priors: standard deviation 2.5 on coefficients of unit-variance features, 10 on everything else.
# Under the model they cost little; where the data say nothing (separable classes, no signal) they keep all
# unknowns finite and models that explain a handful of rows by huge coefficients out of the way.
PRIOR_COEF, PRIOR_FREE = 2.5**-2, 10.0**-2


@dataclass(frozen=True, eq=False)
class Unknowns:
    """The stacked vector taken apart."""

    theta: NDArray
    offsets: NDArray
    offsets_slope: NDArray  # d aux / d unknowns: gaps between cutpoints enter by their logarithm
    t: NDArray
    t_slope: NDArray  # d t / d free numbers


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Log-likelihood with its derivatives at one point, signs as for minimisation."""

    value: float
    gradient: NDArray
    information: NDArray


@dataclass(frozen=True, eq=False)
class JointLikelihood:
    """Minus the log-likelihood of the observed labels, in coefficients and labelling numbers together.

    Parameters
    ----------
    x : array of shape (n_samples, n_features)
        Standardised features.
    codes : array of shape (n_samples,)
        0 unlabeled, k class k.
    weight : array of shape (n_samples,)
        A weight of 2 counts as two rows.
    response : Response
    classes : array of shape (K + 1,)
    scenario : {"case-control", "single-training-set"}
    common : bool
        One number for all classes instead of one each.
    anchor : int, optional
        In case-control, take ``logit(pi_k)`` of this class (counted from 0) as its free number, so that a
        profile can hold it while the other prevalences share what is left.
    """

    x: NDArray
    codes: NDArray
    weight: NDArray
    response: Response
    classes: NDArray
    scenario: str
    common: bool = False
    anchor: int | None = None

    @cached_property
    def counts(self) -> LabelCounts:
        """Weighted counts of the observed labels."""
        return LabelCounts.from_codes(self.codes, self.classes, self.weight)

    @property
    def n_numbers(self) -> int:
        """How many labelling numbers are free."""
        return 1 if self.common else self.response.n_positive

    @property
    def n_model(self) -> int:
        """How many unknowns belong to the model of the classes; the numbers follow them."""
        return self.x.shape[1] * self.response.n_outputs + self.response.n_positive

    # -- numbers: from free ones to t, to what users know, and back -----------------------------------------

    def spread(self, free: NDArray) -> tuple[NDArray, NDArray]:
        """Return t, shape (K,), and its derivatives in the free numbers, shape (K, n_numbers)."""
        n_positive = self.response.n_positive
        if self.common:
            return np.full(n_positive, free[0]), np.ones((n_positive, 1))
        t, slope = free.copy(), np.eye(n_positive)
        if self.anchor is not None and self.scenario == "case-control":
            # pi_k / pi_0 = pi_k / (1 - pi_k) * (pi_0 + the others) / pi_0
            others = np.append(0.0, np.delete(free, self.anchor))
            log_total, share = log_normalize(others[None])
            t[self.anchor] += log_total[0]
            slope[self.anchor, np.arange(n_positive) != self.anchor] = share[0, 1:]
        return t, slope

    def gather(self, t: NDArray) -> NDArray:
        """Return the free numbers that spread to t (to the mean of t where all classes share one)."""
        if self.common:
            return t.mean(keepdims=True)
        free = t.copy()
        if self.anchor is not None and self.scenario == "case-control":
            free[self.anchor] -= np.logaddexp.reduce(np.append(0.0, np.delete(t, self.anchor)))
        return free

    def numbers(self, t: NDArray) -> NDArray:
        """Return label frequencies or prevalences, shape (K,), from t, shape (K,)."""
        if self.scenario == "single-training-set":
            return sigmoid(t)[0]
        return log_normalize(np.concatenate([[0.0], t])[None])[1][0, 1:]

    def number_slopes(self, t: NDArray) -> NDArray:
        """Return d log number_k / d t_j, shape (K, K)."""
        numbers = self.numbers(t)
        if self.scenario == "single-training-set":
            return np.diag(1.0 - numbers)
        return np.eye(len(t)) - numbers

    def scale_of(self, numbers: NDArray) -> NDArray:
        """Return t from label frequencies or prevalences."""
        if self.scenario == "single-training-set":
            return np.log(numbers) - np.log1p(-numbers)
        return np.log(numbers) - np.log1p(-numbers.sum())

    def label_model(self, t: NDArray) -> LabelModel:
        """Return the scenario's two vectors at these numbers."""
        counts = self.counts
        if self.scenario == "single-training-set":
            above, below = softplus_pair(t)
            return LabelModel(np.append(-np.inf, -below), np.append(0.0, -above))
        log_prevalence = t - np.logaddexp.reduce(np.append(0.0, t))
        log_labeled = np.log(counts.n_labeled[1:]) - np.log(counts.n_unlabeled) - log_prevalence
        return LabelModel(np.append(-np.inf, log_labeled), np.zeros(len(t) + 1))

    @cached_property
    def precision(self) -> NDArray:
        """Precision of the weak prior on every unknown."""
        n_theta = self.x.shape[1] * self.response.n_outputs
        return np.repeat([PRIOR_COEF, PRIOR_FREE], [n_theta, self.n_model - n_theta + self.n_numbers])

    # -- the stacked vector
    # -----------------------------------------------------------------------------------

    def split(self, unknowns: NDArray) -> Unknowns:
        """Take the stacked vector apart."""
        n_theta = self.x.shape[1] * self.response.n_outputs
        theta = unknowns[:n_theta].reshape(self.x.shape[1], self.response.n_outputs)
        offsets = unknowns[n_theta : self.n_model].copy()
        slope = np.ones_like(offsets)
        if isinstance(self.response, Ordinal):
            offsets[1:] = slope[1:] = np.exp(offsets[1:])
        return Unknowns(theta, offsets, slope, *self.spread(unknowns[self.n_model :]))

    def null(self, free: NDArray) -> NDArray:
        """Return the unknowns of the model without features at these free numbers."""
        label_model = self.label_model(self.spread(free)[0])
        offsets = self.response.null_offsets(label_model.null_model(self.counts.frequencies).log_odds)
        if isinstance(self.response, Ordinal):
            offsets[1:] = np.log(offsets[1:])
        n_theta = self.n_model - len(offsets)
        return np.concatenate([np.zeros(n_theta), offsets, free])

    def log_likelihood(self, unknowns: NDArray) -> float:
        """Return the log-likelihood alone, without the weak prior."""
        return -self._loss(unknowns)[0]

    def _loss(self, unknowns: NDArray) -> tuple[float, NDArray, NDArray, LabelModel, Unknowns]:
        parts = self.split(unknowns)
        label_model = self.label_model(parts.t)
        linear = self.x @ parts.theta
        eta = self.response.log_odds(linear, parts.offsets)
        loss, grad_eta = ObservedLoss(label_model, self.codes, self.weight).value_and_grad(eta)
        total = self.weight.sum()
        return total * loss, total * grad_eta, eta, label_model, parts

    def evaluate(self, unknowns: NDArray) -> Evaluation:
        """Return minus the log-likelihood plus the weak prior, its gradient and the Fisher information."""
        loss, grad_eta, eta, label_model, parts = self._loss(unknowns)
        linear = self.x @ parts.theta
        grad_linear, grad_offsets = self.response.pullback(linear, parts.offsets, grad_eta)
        grad_level, cross, square = self._number_terms(eta, label_model, parts.t)
        to_free = self._level_slopes(parts.t) @ parts.t_slope
        gradient = np.concatenate(
            [(self.x.T @ grad_linear).ravel(), grad_offsets * parts.offsets_slope, to_free.T @ grad_level]
        )
        information = self._model_information(linear, eta, label_model, parts)
        by_model = np.empty((self.n_model, cross.shape[2]))
        for k in range(cross.shape[2]):
            pulled, pulled_offsets = self.response.pullback(linear, parts.offsets, cross[:, :, k])
            by_model[:, k] = np.append((self.x.T @ pulled).ravel(), pulled_offsets * parts.offsets_slope)
        n = self.n_model
        information[:n, n:] = by_model @ to_free
        information[n:, :n] = information[:n, n:].T
        information[n:, n:] = to_free.T @ square @ to_free
        information[np.diag_indices_from(information)] += self.precision
        pull = self.precision * unknowns
        return Evaluation(float(loss + 0.5 * pull @ unknowns), gradient + pull, information)

    def _model_information(
        self, linear: NDArray, eta: NDArray, label_model: LabelModel, parts: Unknowns
    ) -> NDArray:
        """Return the information on the model's unknowns, in a matrix with room for the numbers."""
        fisher = label_model.fisher_information(eta)
        second = self.response.second_order(linear, parts.offsets, np.zeros_like(eta), fisher, self.weight)
        p, m = parts.theta.shape
        n_theta, n_offsets = p * m, len(parts.offsets)
        information = np.zeros((n_theta + n_offsets + self.n_numbers,) * 2)
        blocks = information[:n_theta, :n_theta].reshape(p, m, p, m)  # a view
        for k in range(m):
            for j in range(k, m):
                block = self.x.T @ (self.x * second.uu(k, j)[:, None])
                blocks[:, k, :, j] = block
                blocks[:, j, :, k] = block.T
            mixed = self.x.T @ second.ua(k) * parts.offsets_slope
            rows = np.arange(p) * m + k
            information[rows, n_theta : n_theta + n_offsets] = mixed
            information[n_theta : n_theta + n_offsets, rows] = mixed.T
        offsets = slice(n_theta, n_theta + n_offsets)
        information[offsets, offsets] = second.aa * np.outer(parts.offsets_slope, parts.offsets_slope)
        return information

    def _level_slopes(self, t: NDArray) -> NDArray:
        """Return d (logit f or log a) / d t, shape (K, K)."""
        return np.eye(len(t)) if self.scenario == "single-training-set" else -self.number_slopes(t)

    def _number_terms(
        self, eta: NDArray, label_model: LabelModel, t: NDArray
    ) -> tuple[NDArray, NDArray, NDArray]:
        """Return gradient (K,), cross terms with eta (n, K, K) and information (K, K) in logit f or log a."""
        weight, codes, n_positive = self.weight, self.codes, self.response.n_positive
        shown = codes[:, None] == np.arange(1, n_positive + 1)
        fisher = label_model.fisher_information(eta)
        q, m0, u = fisher.q, fisher.m, fisher.u
        if self.scenario == "single-training-set":
            f, rest = sigmoid(t)
            hidden = f * u
            gradient = weight @ np.where((codes == 0)[:, None], hidden, 0.0) - (weight @ shown) * rest
            cross = -(weight * m0)[:, None, None] * u[:, :, None] * hidden[:, None, :]
            diagonal = weight[:, None] * f * rest * q
            square = np.diag((diagonal * rest).sum(axis=0)) + (hidden * (weight * m0)[:, None]).T @ hidden
        else:
            proba = np.exp(label_model.observed_log_proba(eta)[:, 1:])
            gradient = weight @ (proba - shown)
            weighted = weight[:, None] * proba
            cross = -q[:, :, None] * weighted[:, None, :]
            diagonal = weighted
            square = np.diag(weighted.sum(axis=0)) - weighted.T @ proba
        each = np.arange(n_positive)
        cross[:, each, each] += diagonal
        return gradient, cross, square


def make_response(name: str, n_positive: int) -> Response:
    """Return the response model by name."""
    return Ordinal(n_positive) if name == Ordinal.name else Multinomial(n_positive)
