"""Sums over rows that stand for means over the population, and the loss that is made of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pulasso.data.pu_data import PUData
from pulasso.losses import Curvature
from pulasso.numerics import class_scores, log_normalize
from pulasso.scenarios import LabelModel

__all__ = ["MomentLoss", "population_weights", "posterior"]


def posterior(eta: NDArray) -> tuple[NDArray, NDArray]:
    """Return ``A(eta) = log(1 + sum_k exp(eta_k))`` of every row and its gradient, the class probabilities."""
    log_total, q = log_normalize(class_scores(eta, np.zeros(eta.shape[1] + 1)))
    return log_total, np.asfortranarray(q[:, 1:])


def population_weights(data: PUData, label_model: LabelModel) -> tuple[NDArray, NDArray]:
    r"""Return weights that turn sums over rows into means over the population, and over its classes.

    A scenario shows :math:`(x, z=k)` with density :math:`s\, a_k p(x, y=k)` and :math:`(x, z=0)` with
    :math:`s \sum_k c_k p(x, y=k)`. So for any function f of x, with W the weight of all rows,

    .. math::

       P(y=k)\, E[f | y=k] \approx \sum_{i: z_i = k} \frac{w_i f(x_i)}{W s a_k}, \qquad
       E[f] \approx \sum_{i: z_i = 0} \frac{w_i f(x_i)}{W s}
       + \sum_{k} \sum_{i: z_i = k} \frac{(1 - c_k)\, w_i f(x_i)}{W s a_k},

    and s is such that the second gives 1 for f = 1. In a single training set all rows get the same
    weight in E[f], in case-control data only the unlabeled ones have any.

    Returns
    -------
    everyone : array of shape (n_samples,)
        Sums to 1.
    members : array of shape (n_samples, K + 1)
        Column k sums to the share of class k; class 0 has rows only if there are confirmed negatives.
    """
    n_classes = len(data.classes)
    labeled = data.codes > 0
    own = np.arange(len(labeled)), data.codes % n_classes  # code K + 1, the confirmed negative, is class 0
    shape = (len(labeled), n_classes)
    shown, hidden = (
        np.exp(np.broadcast_to(each, shape)[own])
        for each in (label_model.log_labeled, label_model.log_hidden)
    )
    each = data.weight / np.where(labeled, shown, 1.0)
    everyone = np.where(labeled, (1.0 - hidden) * each, each)
    members = np.zeros(shape)
    members[own] = np.where(labeled, each, 0.0)
    return everyone / everyone.sum(), members / everyone.sum()


@dataclass(frozen=True, eq=False)
class MomentLoss:
    r"""The logistic loss of true classes, with its linear part estimated from observed labels.

    .. math:: L(\eta) = \sum_i u_i A(\eta_i) - \sum_{ik} m_{ik} \eta_{ik}, \qquad
       A(\eta) = \log(1 + \textstyle\sum_k e^{\eta_k}) .

    With u and m from `population_weights` its mean over samples is the expected loss of the true classes. It is
    convex if no u is negative.

    Attributes
    ----------
    sample_weight : array of shape (n_samples,)
        u.
    members : array of shape (n_samples, K)
        m, the columns of the classes 1..K.
    label_model : LabelModel, optional
        Where they come from.
    """

    sample_weight: NDArray
    members: NDArray
    label_model: LabelModel | None = None

    def value_and_grad(self, eta: NDArray) -> tuple[float, NDArray]:
        """Return the loss and ``u q - m``, its gradient in eta."""
        log_total, q = posterior(eta)
        value = self.sample_weight @ log_total - np.einsum("ij,ij->", self.members, eta)
        return float(value), np.asfortranarray(self.sample_weight[:, None] * q - self.members)

    def curvature(self, eta: NDArray, mix: float = 0.0) -> Curvature:
        """Return ``diag q - q q^T``: the linear part has no curvature."""
        _, q = posterior(eta)
        return Curvature(q, np.zeros(len(q)), np.zeros_like(q))

    def complete(self, eta: NDArray) -> "MomentLoss":
        """Return this loss: it has no hidden part."""
        return self
