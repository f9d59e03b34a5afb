r"""The derivative of the loss in the log odds of being labelled, for labelling that is a model itself.

With :math:`s_k` the log odds that a member of class k is labelled, :math:`p_k = \text{sigmoid}(s_k)` and
responsibilities :math:`R_k = P(y = k | x, z)`,

.. math:: \partial \ell / \partial s_k = p_k R_k - 1\{z = k\},

as in a logistic regression of "labelled" among the members of class k, of whom each row is one to the part R_k.
"""

import numpy as np
from numpy.typing import NDArray

from pulasso.losses.pu_loss import PULoss
from pulasso.scenarios import LabelModel

__all__ = ["labelling_gradient"]


def labelling_gradient(model: LabelModel, eta: NDArray, codes: NDArray) -> NDArray:
    """Return the derivative of every row's loss in the log odds of labelling, shape (n_samples, K).

    Parameters
    ----------
    model : LabelModel
        With ``a_k + c_k = 1``.
    eta : array of shape (n_samples, K)
    codes : array of shape (n_samples,)
    """
    shown = np.exp(model.log_labeled[..., 1:])
    gradient = np.array(shown * PULoss(model).responsibilities(eta, codes)[:, 1:])
    labeled = np.flatnonzero((codes > 0) & (codes <= eta.shape[1]))
    gradient[labeled, codes[labeled] - 1] -= 1.0
    return gradient
