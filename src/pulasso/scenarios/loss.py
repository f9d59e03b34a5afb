"""Losses as functions of the class log odds: of the observed labels, and of completed ones (EM)."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pulasso.curvature import Curvature
from pulasso.kernels import observed_loss
from pulasso.numerics import log_normalize
from pulasso.scenarios.label_model import LabelModel

__all__ = ["CompleteLoss", "Loss", "ObservedLoss"]


class Loss(Protocol):
    """A mean loss over samples, as a function of eta (n_samples, K)."""

    @property
    def share(self) -> NDArray:
        """Sample weights that sum to one, shape (n_samples,)."""
        ...

    def value_and_grad(self, eta: NDArray) -> tuple[float, NDArray]:
        """Return the weighted mean loss and its gradient in eta, shape (n_samples, K)."""
        ...

    def complete(self, eta: NDArray) -> "Loss":
        """Return the E-step: a loss that lies above this one and touches it at `eta`, up to a constant."""
        ...

    def curvature(self, eta: NDArray, exact: float = 0.0) -> Curvature:
        """Return the curvature of every sample's loss, unweighted.

        With ``exact=0`` its mean over labels, which is positive semi-definite; with ``exact=1`` the true
        Hessian, which need not be; in between a mixture of the two.
        """
        ...


@dataclass(frozen=True, eq=False)
class ObservedLoss:
    """Mean negative log-likelihood of the observed labels, ``-(1/W) sum_i w_i log P(z_i | x_i)``.

    Parameters
    ----------
    labelling : LabelModel
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
    def share(self) -> NDArray:
        """Weights that sum to one over the whole sample."""
        return self.weight / (self.weight.sum() if self.total is None else self.total)

    @cached_property
    def _constant(self) -> float:
        """The part of the loss that does not depend on eta: ``sum_i w_i log a_{z_i}``, or log c_0."""
        label_model = self.label_model
        classes = self.codes % (label_model.n_positive + 1)
        labeled = self.codes > 0
        constant = self.share[labeled] @ label_model.log_labeled[classes[labeled]]
        if not (label_model.hides_positives or labeled.all()):  # unlabeled means class 0
            constant += self.share[~labeled].sum() * label_model.log_hidden[0]
        return float(constant)

    def value_and_grad(self, eta: NDArray) -> tuple[float, NDArray]:
        """Return the loss and ``w (q - yhat)``, its gradient in eta."""
        label_model = self.label_model
        log_hidden = label_model.log_hidden if label_model.hides_positives else None
        value, grad = observed_loss(eta, self.codes, self.share, label_model.log_total, log_hidden)
        return value - self._constant, grad

    def curvature(self, eta: NDArray, exact: float = 0.0) -> Curvature:
        """Return the Fisher information, the true Hessian (``exact=1``), or a mixture.

        The Hessian ``(diag q - q q^T) - 1{z=0} (diag yhat - yhat yhat^T)`` has the form of the Fisher
        information with the probability of being unlabeled replaced by the fact.
        """
        fisher = self.label_model.fisher_information(eta)
        return replace(fisher, m=exact * (self.codes == 0) + (1.0 - exact) * fisher.m)

    def complete(self, eta: NDArray) -> "CompleteLoss":
        """Return the E-step: the majorising loss that touches this one at `eta`, up to a constant."""
        yhat = self.label_model.responsibilities(eta, self.codes)[:, 1:]
        return CompleteLoss(self.label_model, yhat, self.share)


@dataclass(frozen=True, eq=False)
class CompleteLoss:
    """Loss of the completed data: a multinomial regression on soft labels with offset ``log(a + c)``.

    This is what the M-step of the paper's Algorithms 1-4 minimises.
    """

    label_model: LabelModel
    yhat: NDArray
    share: NDArray

    def value_and_grad(self, eta: NDArray) -> tuple[float, NDArray]:
        """Return the loss and ``w (q - yhat)``."""
        log_n, q = log_normalize(self.label_model.scores(eta, self.label_model.log_total))
        value = self.share @ (log_n - np.einsum("ij,ij->i", self.yhat, eta))
        return float(value), (q[:, 1:] - self.yhat) * self.share[:, None]

    def curvature(self, eta: NDArray, exact: float = 0.0) -> Curvature:
        """Return ``diag q - q q^T``: once the labels are completed nothing is hidden."""
        q = self.label_model.posterior(eta)[:, 1:]
        return Curvature(q, np.zeros(len(q)), np.zeros_like(q))

    def complete(self, eta: NDArray) -> "CompleteLoss":
        """Return this loss: nothing is hidden any more."""
        return self
