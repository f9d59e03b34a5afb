"""The convex loss of the moment method for ordered classes: one logistic loss for every cut between them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pulasso.losses import Curvature
from pulasso.numerics import class_scores
from pulasso.scenarios import LabelModel

__all__ = ["CumulativeMomentLoss"]


@dataclass(frozen=True, eq=False)
class CumulativeMomentLoss:
    r"""The sum over cuts of the logistic losses of ``y >= k``, with linear parts estimated from observed labels.

    .. math:: L = \sum_{k=1}^K \Big(\sum_i u_i \log(1 + e^{\xi_{ik}}) - \sum_i g_{ik}\, \xi_{ik}\Big), \qquad
       \xi_{ik} = \log\frac{P(y \ge k | x_i)}{P(y < k | x_i)}, \quad g_{ik} = \sum_{l \ge k} m_{il}

    With u and m from `population_weights` its mean over samples is the expected loss of true classes. The ordinal
    model has :math:`\xi_{ik} = x_i^T \beta - \nu_k`, so that L is convex in all its parameters.

    Attributes
    ----------
    everyone : array of shape (n_samples,)
        u.
    members : array of shape (n_samples, K)
        m, the columns of the classes 1..K.
    label_model : LabelModel, optional
        Where they come from.
    """

    everyone: NDArray
    members: NDArray
    label_model: LabelModel | None = None

    @property
    def sample_weight(self) -> NDArray:
        """What second derivatives are given per unit of: the same for all rows, as labelled ones may have no u."""
        return np.full(len(self.everyone), 1.0 / len(self.everyone))

    @property
    def guesses(self) -> NDArray:
        """The guessed share of ``y >= k``, one column for every cut."""
        return self.members[:, ::-1].cumsum(axis=1)[:, ::-1]

    def value_and_grad(self, eta: NDArray) -> tuple[float, NDArray]:
        """Return the loss and its gradient in eta."""
        value, grad = 0.0, np.zeros_like(eta, order="F")
        for guess, log_up, log_down, above, below in self._cuts(eta):
            value -= self.everyone @ log_down + guess @ (log_up - log_down)
            grad += (self.everyone * np.exp(log_up) - guess)[:, None] * (above - below)
        return float(value), grad

    def curvature(self, eta: NDArray, mix: float = 0.0) -> Curvature:
        """Return the second derivatives: of every cut in its log odds, and `mix` of the bend of these in eta."""
        weight, none = self.sample_weight, np.zeros_like(eta)
        more, outer = np.zeros_like(eta), []
        for guess, log_up, log_down, above, below in self._cuts(eta):
            outer.append((self.everyone * np.exp(log_up + log_down) / weight, above - below))
            bend = mix * (self.everyone * np.exp(log_up) - guess) / weight
            more += bend[:, None] * (above - below)
            outer += [(-bend, above), (bend, below)]
        return Curvature(none, np.zeros(len(eta)), none, more, tuple(outer))

    def complete(self, eta: NDArray) -> "CumulativeMomentLoss":
        """Return this loss: it has no hidden part."""
        return self

    def _cuts(self, eta: NDArray):  # type: ignore[no-untyped-def]
        """Return for every cut: guess, log P(y >= k), log P(y < k), and the shares of classes above and below it."""
        scores = class_scores(eta, np.zeros(eta.shape[1] + 1))
        up = np.logaddexp.accumulate(scores[:, ::-1], axis=1)[:, ::-1]
        down = np.logaddexp.accumulate(scores, axis=1)
        total, guesses = down[:, -1], self.guesses
        for k in range(1, scores.shape[1]):
            above, below = np.zeros_like(eta), np.zeros_like(eta)
            above[:, k - 1 :] = np.exp(scores[:, k:] - up[:, k, None])
            below[:, : k - 1] = np.exp(scores[:, 1:k] - down[:, k - 1, None])
            yield guesses[:, k - 1], up[:, k] - total, down[:, k - 1] - total, above, below
