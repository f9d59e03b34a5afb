r"""The derivative of the loss in the log odds of being labelled, for labelling that is a model itself.

With :math:`s_k` the log odds that a member of class k is labelled, :math:`p_k = \text{sigmoid}(s_k)` and
responsibilities :math:`R_k = P(y = k | x, z)`,

.. math:: \partial \ell / \partial s_k = p_k R_k - 1\{z = k\},

as in a logistic regression of "labelled" among the members of class k, of whom each row is one to the part R_k. Where
labelled rows were collected apart from the others, :math:`a_k` is proportional to :math:`\exp s_k`, and

.. math:: \partial \ell / \partial s_k = P(z = k | x) - 1\{z = k\}.
"""

import numpy as np
from numpy.typing import NDArray

from pulasso.losses.pu_loss import PULoss
from pulasso.scenarios import LabelModel

__all__ = ["labelling_gradient", "thinning_gradient"]


def labelling_gradient(model: LabelModel, eta: NDArray, codes: NDArray) -> NDArray:
    """Return the derivative of every row's loss in the log odds of labelling, shape (n_samples, K).

    Parameters
    ----------
    model : LabelModel
        In which the share of labelled members of class k is ``a_k / (a_k + c_k)``.
    eta : array of shape (n_samples, K)
    codes : array of shape (n_samples,)
    """
    shown = np.exp((model.log_labeled - model.log_total)[..., 1:])
    return _minus_labeled(shown * PULoss(model).responsibilities(eta, codes)[:, 1:], codes)


def thinning_gradient(model: LabelModel, eta: NDArray, codes: NDArray) -> NDArray:
    """Return the derivative of every row's loss in ``log a_k``, shape (n_samples, K); parameters as above."""
    return _minus_labeled(np.exp(PULoss(model).log_proba(eta)[:, 1 : eta.shape[1] + 1]), codes)


def _minus_labeled(gradient: NDArray, codes: NDArray) -> NDArray:
    gradient = np.array(gradient)
    labeled = np.flatnonzero((codes > 0) & (codes <= gradient.shape[1]))
    gradient[labeled, codes[labeled] - 1] -= 1.0
    return gradient
