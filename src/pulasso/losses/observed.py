"""What solvers minimise: the mean loss of observed labels, and that of completed ones (EM)."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pulasso.curvature import Curvature
from pulasso.kernels import observed_loss
from pulasso.losses.pu_loss import PULoss
from pulasso.numerics import class_scores, log_normalize
from pulasso.scenarios import LabelModel

__all__ = ["CLIPPED", "HALF_CLIPPED", "CompleteLoss", "Loss", "ObservedLoss", "curvature_of"]

# The true Hessian with the curvature of every row made positive, and what is half-way there.
CLIPPED, HALF_CLIPPED = 0.5, 0.75


class Loss(Protocol):
    """A mean loss over samples, as a function of eta (n_samples, K)."""

    @property
    def sample_weight(self) -> NDArray:
        """Sample weights that sum to one, shape (n_samples,)."""
        ...

    def value_and_grad(self, eta: NDArray) -> tuple[float, NDArray]:
        """Return the weighted mean loss and its gradient in eta, shape (n_samples, K)."""
        ...

    def complete(self, eta: NDArray) -> "Loss":
        """Return the E-step: a loss that lies above this one and touches it at `eta`, up to a constant."""
        ...

    def curvature(self, eta: NDArray, mix: float = 0.0) -> Curvature:
        """Return the curvature of every sample's loss, unweighted.

        With ``mix=0`` its mean over labels, which is positive semi-definite; with ``mix=1`` the true
        Hessian, which need not be; in between a mixture of the two.
        """
        ...


def curvature_of(loss: Loss, eta: NDArray, mix: float) -> Curvature:
    """Return the true Hessian (1), the same made positive row by row, half or fully, or the Fisher information (0)."""
    if mix not in (CLIPPED, HALF_CLIPPED):
        return loss.curvature(eta, mix)
    exact = loss.curvature(eta, 1.0)
    positive = exact.positive()
    return positive if mix == CLIPPED else replace(exact, m=0.5 * (exact.m + positive.m))


@dataclass(frozen=True, eq=False)
class ObservedLoss:
    """Mean negative log-likelihood of the observed labels, ``-(1/W) sum_i w_i log P(z_i | x_i)``.

    Parameters
    ----------
    label_model : LabelModel
    codes : array of shape (n_samples,)
        Observed labels: 0 unlabeled, k class k, K + 1 confirmed negative.
    weight : array of shape (n_samples,)
        Sample weights; they are normalised here, once.
    total : float, optional
        What they are divided by: their sum, unless these rows are a part of a larger sample.
    """

    label_model: LabelModel
    codes: NDArray
    weight: NDArray
    total: float | None = None

    @cached_property
    def sample_weight(self) -> NDArray:
        """Weights that sum to one over the whole sample."""
        return self.weight / (self.weight.sum() if self.total is None else self.total)

    @cached_property
    def _constant(self) -> float:
        """The part of the loss that does not depend on eta: ``sum_i w_i log a_{z_i}``, or log c_0."""
        model, rows = self.label_model, np.flatnonzero((self.codes > 0) & (self.sample_weight > 0))
        own = model.take(rows).log_labeled
        classes = self.codes[rows] % (model.n_positive + 1)
        log_labeled = own[classes] if own.ndim == 1 else own[np.arange(len(rows)), classes]
        constant = self.sample_weight[rows] @ log_labeled
        if not model.hides_positives:  # unlabeled means class 0
            unlabeled = np.flatnonzero((self.codes == 0) & (self.sample_weight > 0))
            log_hidden = np.broadcast_to(model.take(unlabeled).log_hidden[..., 0], len(unlabeled))
            constant += self.sample_weight[unlabeled] @ log_hidden
        return float(constant)

    def value_and_grad(self, eta: NDArray) -> tuple[float, NDArray]:
        """Return the loss and ``w (q - yhat)``, its gradient in eta."""
        model = self.label_model
        log_hidden = model.log_hidden if model.hides_positives else None
        value, grad = observed_loss(eta, self.codes, self.sample_weight, model.log_total, log_hidden)
        return value - self._constant, grad

    def grad_and_posterior(self, eta: NDArray) -> tuple[NDArray, NDArray]:
        """Return the gradient in eta, and q, the class posterior in the sampled population.

        Without the value, whose compiled loop cannot use the exponentials of NumPy, which are many at a time.
        """
        q = log_normalize(class_scores(eta, self.label_model.log_total))[1][:, 1:]
        yhat = PULoss(self.label_model).responsibilities(eta, self.codes)[:, 1:]
        return (q - yhat) * self.sample_weight[:, None], q

    def curvature(self, eta: NDArray, mix: float = 0.0) -> Curvature:
        """Return the Fisher information, the true Hessian (``mix=1``), or a mixture."""
        return PULoss(self.label_model).mixed_curvature(eta, self.codes, mix)

    def complete(self, eta: NDArray) -> "CompleteLoss":
        """Return the E-step: the majorising loss that touches this one at `eta`, up to a constant."""
        yhat = PULoss(self.label_model).responsibilities(eta, self.codes)[:, 1:]
        return CompleteLoss(self.label_model.log_total, yhat, self.sample_weight)


@dataclass(frozen=True, eq=False)
class CompleteLoss:
    """Loss of the completed data: a multinomial regression on soft labels with offset ``log(a + c)``.

    This is what the M-step of the paper's Algorithms 1-4 minimises.
    """

    log_total: NDArray
    yhat: NDArray
    sample_weight: NDArray

    def value_and_grad(self, eta: NDArray) -> tuple[float, NDArray]:
        """Return the loss and ``w (q - yhat)``."""
        log_n, q = log_normalize(class_scores(eta, self.log_total))
        value = self.sample_weight @ (log_n - np.einsum("ij,ij->i", self.yhat, eta))
        return float(value), (q[:, 1:] - self.yhat) * self.sample_weight[:, None]

    def curvature(self, eta: NDArray, mix: float = 0.0) -> Curvature:
        """Return ``diag q - q q^T``: once the labels are completed nothing is hidden."""
        q = log_normalize(class_scores(eta, self.log_total))[1][:, 1:]
        return Curvature(q, np.zeros(len(q)), np.zeros_like(q))

    def complete(self, eta: NDArray) -> "CompleteLoss":
        """Return this loss: nothing is hidden any more."""
        return self
