r"""The likelihood of the observed labels as a function of the model *and* of the unknown label model.

The unknowns are stacked into one vector: coefficients of standardised features, offsets of the response, and the free
numbers of :mod:`pulasso.prevalence.scales`, which move :math:`\log a` and :math:`\log c` of the label model with
slopes A and C. With :math:`P_k = P(z=k|x)`, :math:`m = P(z=0|x)`, and q and u the class probabilities of all and of
unlabeled rows as in the loss, the scores of one row in :math:`\log a_k` and :math:`\log c_k` are

.. math:: 1\{z=k\} - P_k, \qquad (1\{z=0\} - m)\, u_k,

and the one in :math:`\eta_k` is their sum. With :math:`g = A^T P + m\, C^T u` it follows for the free numbers t that

.. math::

   s_t = A^T 1\{z=\cdot\} + 1\{z=0\}\, C^T u - g, \quad
   E[s_\eta s_t^T] = \mathrm{diag}(P) A + m u\, (C^T u)^T - q g^T, \quad
   E[s_t s_t^T] = A^T \mathrm{diag}(P) A + m\, C^T u\, (C^T u)^T - g g^T .
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pulasso.curvature import Curvature
from pulasso.losses import ObservedLoss, find_null_model
from pulasso.prevalence.scales import Scale
from pulasso.responses import Response

__all__ = ["Evaluation", "JointLikelihood"]

# Weak normal priors: standard deviation 2.5 on coefficients of unit-variance features, 10 on everything else.
# Under the model they cost little; where the data say nothing (separable classes, no signal) they keep all
# unknowns finite and models that explain a handful of rows by huge coefficients out of the way.
PRIOR_COEF, PRIOR_FREE = 2.5**-2, 10.0**-2


class Evaluation(NamedTuple):
    """Minus the log-likelihood plus the weak prior at one point, its gradient and the Fisher information."""

    value: float
    gradient: NDArray
    information: NDArray


@dataclass(frozen=True, eq=False)
class JointLikelihood:
    """Minus the log-likelihood of the observed labels, in coefficients and unknown numbers together."""

    x: NDArray  # standardised features, shape (n_samples, n_features)
    codes: NDArray  # 0 unlabeled, k class k
    weight: NDArray  # a weight of 2 counts as two rows
    response: Response
    scale: Scale
    _last: dict[bytes, Evaluation] = field(default_factory=dict, init=False, repr=False)

    @property
    def n_theta(self) -> int:
        """How many unknowns are coefficients; the offsets follow them."""
        return self.x.shape[1] * self.response.n_outputs

    @property
    def n_model(self) -> int:
        """How many unknowns belong to the model of the classes; the free numbers follow them."""
        return self.n_theta + self.response.n_positive

    @cached_property
    def precision(self) -> NDArray:
        """Precision of the weak prior on every unknown."""
        n_others = self.response.n_positive + self.scale.n_free
        return np.repeat([PRIOR_COEF, PRIOR_FREE], [self.n_theta, n_others])

    def split(self, unknowns: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Return theta, offsets and free numbers; gaps between cutpoints are stacked as logarithms."""
        theta, offsets, free = np.split(unknowns, [self.n_theta, self.n_model])
        if self.response.is_ordered:
            offsets = np.append(offsets[:1], np.exp(offsets[1:]))
        return theta.reshape(self.x.shape[1], self.response.n_outputs), offsets, free

    def null(self, free: NDArray) -> NDArray:
        """Return the unknowns of the model without features at these free numbers."""
        null_model = find_null_model(self._loss(free), self.scale.counts)
        offsets = self.response.null_offsets(null_model.log_odds)
        if self.response.is_ordered:
            offsets[1:] = np.log(offsets[1:])
        return np.concatenate([np.zeros(self.n_theta), offsets, free])

    def log_likelihood(self, unknowns: NDArray) -> float:
        """Return the log-likelihood alone, without the weak prior."""
        theta, offsets, free = self.split(unknowns)
        eta = self.response.log_odds(self.x @ theta, offsets)
        return -self._loss(free).value_and_grad(eta)[0]

    def evaluate(self, unknowns: NDArray) -> Evaluation:
        """Return value and derivatives; the last point is remembered, as optimisers ask for each of them in turn."""
        key = unknowns.tobytes()
        if key not in self._last:
            self._last.clear()
            self._last[key] = self._evaluate(unknowns)
        return self._last[key]

    def _loss(self, free: NDArray) -> ObservedLoss:
        """Return the loss at these free numbers, summed over rows instead of averaged."""
        return ObservedLoss(self.scale.label_model(free)[0], self.codes, self.weight, total=1.0)

    def _evaluate(self, unknowns: NDArray) -> Evaluation:
        theta, offsets, free = self.split(unknowns)
        loss, linear = self._loss(free), self.x @ theta
        eta = self.response.log_odds(linear, offsets)
        value, grad_eta = loss.value_and_grad(eta)
        fisher = loss.curvature(eta)
        grad_free, cross, square = self._number_terms(free, fisher)

        def by_model(in_eta: NDArray) -> NDArray:
            in_linear, in_offsets = self.response.pullback(linear, offsets, in_eta)
            return np.append((self.x.T @ in_linear).ravel(), in_offsets)

        n = self.n_model
        gradient = np.append(by_model(grad_eta), grad_free)
        information = np.empty((len(unknowns),) * 2)
        information[:n, :n] = self._model_information(linear, offsets, fisher)
        information[:n, n:] = np.transpose([by_model(each) for each in cross])
        information[n:, :n] = information[:n, n:].T
        information[n:, n:] = square
        if self.response.is_ordered:  # from gaps to their logarithms
            chain = np.ones(len(unknowns))
            chain[self.n_theta + 1 : n] = offsets[1:]
            gradient, information = chain * gradient, np.outer(chain, chain) * information
        information[np.diag_indices_from(information)] += self.precision
        pull = self.precision * unknowns
        return Evaluation(float(value + 0.5 * pull @ unknowns), gradient + pull, information)

    def _model_information(self, linear: NDArray, offsets: NDArray, fisher: Curvature) -> NDArray:
        """Return the information on coefficients and offsets."""
        second = self.response.second_order(linear, offsets, np.zeros_like(fisher.q), fisher, self.weight)
        p, m, n_theta = self.x.shape[1], self.response.n_outputs, self.n_theta
        information = np.empty((self.n_model,) * 2)
        blocks = information[:n_theta, :n_theta].reshape(p, m, p, m)  # a view
        for k in range(m):
            for j in range(k, m):
                block = self.x.T @ (self.x * second.uu(k, j)[:, None])
                blocks[:, k, :, j], blocks[:, j, :, k] = block, block.T
            information[k:n_theta:m, n_theta:] = self.x.T @ second.uo(k)
        information[n_theta:, :n_theta] = information[:n_theta, n_theta:].T
        information[n_theta:, n_theta:] = second.oo
        return information

    def _number_terms(self, free: NDArray, fisher: Curvature) -> tuple[NDArray, list[NDArray], NDArray]:
        """Return the gradient in the free numbers, their cross terms with eta (n, K) and their information."""
        label_model, a_slope, c_slope = self.scale.label_model(free)
        q, m, u = fisher.q, fisher.m[:, None], fisher.u
        labeled = q * np.exp(label_model.log_labeled - label_model.log_total)[1:]  # P(z = k | x)
        hidden = u @ c_slope
        expected = labeled @ a_slope + m * hidden
        weight, unlabeled = self.weight, np.where(self.codes == 0, self.weight, 0.0)
        gradient = weight @ expected - unlabeled @ hidden - self.scale.counts.n_labeled[1:] @ a_slope
        weighted = weight[:, None]
        square = (a_slope * (weight @ labeled)[:, None]).T @ a_slope
        square += (weighted * m * hidden).T @ hidden - (weighted * expected).T @ expected
        cross = [
            weighted * (labeled * a_slope[:, j] + m * hidden[:, [j]] * u - expected[:, [j]] * q)
            for j in range(self.scale.n_free)
        ]
        return gradient, cross, square
