"""Log-space building blocks: nothing here overflows, clips, or loses a tail."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["class_scores", "log1mexp", "log_normalize", "sigmoid", "softplus_pair"]


def log_normalize(scores: NDArray) -> tuple[NDArray, NDArray]:
    """Return the log of the sum of ``exp(scores)`` in every row, and the normalised rows.

    Parameters
    ----------
    scores : array of shape (n_samples, n_terms)
        Entries may be ``-inf`` (an impossible term); a row may even be all ``-inf``.

    Returns
    -------
    log_total : array of shape (n_samples,)
    share : array of shape (n_samples, n_terms)
        ``exp(scores - log_total)``; rows of impossible terms only are zero.
    """
    top = scores.max(axis=1)
    if not np.isfinite(top).all():
        top = np.where(np.isneginf(top), 0.0, top)
    share = np.exp(scores - top[:, None])
    total = share.sum(axis=1)
    with np.errstate(divide="ignore"):
        log_total = np.log(total) + top
    share /= np.where(total > 0, total, 1.0)[:, None]
    return log_total, share


def class_scores(eta: NDArray, log_vector: NDArray) -> NDArray:
    """Return ``log(vector_k e_k)`` for classes 0..K, class-major in memory; class 0 has log odds 0.

    Parameters
    ----------
    eta : array of shape (n_samples, K)
    log_vector : array of shape (K + 1,) or (n_samples, K + 1)
    """
    scores = np.empty((len(eta), log_vector.shape[-1]), order="F")
    scores[:, 0] = log_vector[..., 0]
    np.add(eta, log_vector[..., 1:], out=scores[:, 1:])
    return scores


def softplus_pair(t: NDArray) -> tuple[NDArray, NDArray]:
    """Return ``log(1 + exp(t))`` and ``log(1 + exp(-t))`` from one exponential.

    The obvious ``softplus(-t) = softplus(t) - t`` loses the small one of the two.
    """
    small = np.log1p(np.exp(-np.abs(t)))
    return np.maximum(t, 0.0) + small, np.maximum(-t, 0.0) + small


def sigmoid(t: NDArray) -> tuple[NDArray, NDArray]:
    """Return ``1 / (1 + exp(-t))`` and ``1 / (1 + exp(t))``, both with full relative accuracy."""
    decay = np.exp(-np.abs(t))
    large = 1.0 / (1.0 + decay)
    small = decay * large
    positive = t >= 0
    return np.where(positive, large, small), np.where(positive, small, large)


def log1mexp(d: NDArray) -> NDArray:
    """Return ``log(1 - exp(-d))`` for ``d > 0`` (Maechler 2012: which form is exact depends on d)."""
    # Each form only sees its own side: at d < 1e-16 the second would take the log of 0.
    narrow, wide = np.minimum(d, np.log(2.0)), np.maximum(d, np.log(2.0))
    return np.where(d <= np.log(2.0), np.log(-np.expm1(-narrow)), np.log1p(-np.exp(-wide)))
