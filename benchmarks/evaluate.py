"""One evaluator of objective and certificate for everybody's coefficients, in plain NumPy.

It shares no code with the library: the formulas are written down a second time, on purpose.

    F(lam) = -mean_i log P(z_i | x_i) + anchor + lam * penalty(theta),     theta on unit-variance columns
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, logsumexp

__all__ = ["Evaluation", "evaluate", "lam_max"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Along the path: objective, largest KKT violation relative to lam_max, and number of nonzero rows."""

    objective: np.ndarray
    kkt: np.ndarray
    n_rows: np.ndarray


# -- the likelihood of observed labels: P(z=k) ~ a_k e_k, P(z=0) ~ 1 + sum c_k e_k ---


def _labelling(z, meta):
    """Return a and c, one number per class 1..K."""
    counts = np.bincount(z, minlength=meta["n_classes"]).astype(float)
    ones = np.ones(meta["n_classes"] - 1)
    if meta["scenario"] == "case-control":
        return counts[1:] / (meta["prevalence"] * ones * counts[0]), ones
    if meta["scenario"] == "single-training-set":
        return meta["label_frequency"] * ones, 1 - meta["label_frequency"] * ones
    return ones, 0 * ones


def _null_log_odds(z, meta):
    """Return the class log odds of the intercept-only model, zeros if there is no intercept."""
    if not meta.get("fit_intercept", True):
        return np.zeros(meta["n_classes"] - 1)
    counts = np.bincount(z, minlength=meta["n_classes"]).astype(float)
    if meta["scenario"] == "case-control":
        positive = meta["prevalence"] * np.ones(meta["n_classes"] - 1)
    else:
        positive = counts[1:] / (len(z) * _labelling(z, meta)[0])
    return np.log(positive / (1 - positive.sum()))


def _loss(eta, z, meta):
    """Return the mean loss and its gradient in eta, (n, K)."""
    a, c = _labelling(z, meta)
    zero = np.zeros((len(eta), 1))
    with np.errstate(divide="ignore"):
        labelled, hidden, both = (np.hstack([zero, eta + np.log(w)]) for w in (a, c, a + c))
    norm, of_zero = logsumexp(both, axis=1), logsumexp(hidden, axis=1)
    rows = np.arange(len(z))
    log_p = np.where(z > 0, labelled[rows, z], of_zero) - norm
    known = np.arange(1, eta.shape[1] + 1) == z[:, None]
    expected = np.where(z[:, None] > 0, known, np.exp(hidden[:, 1:] - of_zero[:, None]))
    loss, grad = -log_p.mean(), (np.exp(both[:, 1:] - norm[:, None]) - expected) / len(z)
    if not meta.get("anchor"):
        return loss, grad
    more, by_anchor = _anchor(eta, z, meta)
    return loss + more, grad + by_anchor


def _anchor(eta, z, meta):
    """Return ``rho sum_k pi_k log(pi_k / m_k)`` and its gradient in eta."""
    scores = np.hstack([np.zeros((len(eta), 1)), eta])
    proba = np.exp(scores - logsumexp(scores, axis=1)[:, None])
    weight = np.where(z == 0, 1.0, float(meta["scenario"] != "case-control"))
    weight /= weight.sum()
    told = np.append(0.0, _null_log_odds(z, meta))
    told = np.exp(told - logsumexp(told))
    mean = weight @ proba
    pull = -meta["anchor"] * told / mean
    grad = weight[:, None] * proba * (pull - (proba @ pull)[:, None])
    return meta["anchor"] * told @ np.log(told / mean), grad[:, 1:]


# -- responses: from u = X theta and free parameters to eta ---------------------------------------------


def _ordinal_eta(u, cuts):
    """Return log odds, and their derivatives in u and in the cutpoints."""
    t = cuts - u  # (n, K); P(y < j) = expit(t_j)
    gaps = np.diff(cuts)
    log_p = -np.logaddexp(0, t)
    log_p[:, :-1] += -np.logaddexp(0, -t[:, 1:]) + np.log(-np.expm1(-gaps))
    eta = log_p + np.logaddexp(0, -t[:, :1])  # minus log P(y = 0)
    n, K = t.shape
    by_cut = np.zeros((n, K, K))
    j = np.arange(K)
    by_cut[:, j, j] = -expit(t)
    with np.errstate(divide="ignore"):
        by_gap = 1 / np.expm1(gaps)
    by_cut[:, j[:-1], j[1:]] = expit(-t[:, 1:]) + by_gap
    by_cut[:, j[:-1], j[:-1]] -= by_gap
    by_cut[:, :, 0] -= expit(-t[:, :1])
    by_u = -(by_cut.sum(axis=2))  # moving all cutpoints up is moving u down
    return eta, by_u, by_cut


def _smooth(u, free, z, meta):
    """Return loss, gradient in u (n, outputs) and in the offsets."""
    if meta["response"] == "ordinal":
        eta, by_u, by_cut = _ordinal_eta(u, free)
        loss, grad = _loss(eta, z, meta)
        by_cuts = np.einsum("nk,nkc->c", grad, by_cut)
        # The free parameters are the first cutpoint and the gaps: a gap moves all cutpoints from its own on.
        return loss, (grad * by_u).sum(axis=1, keepdims=True), np.cumsum(by_cuts[::-1])[::-1]
    against_0 = u.shape[1] == meta["n_classes"]  # one predictor per class, class 0 included
    eta = u + free
    eta = eta[:, 1:] - eta[:, :1] if against_0 else eta
    loss, grad = _loss(eta, z, meta)
    if against_0:
        grad = np.hstack([-grad.sum(axis=1, keepdims=True), grad])
    return loss, grad, grad.sum(axis=0)


# -- penalties ------------------------------------------------------------------------------------------


def _all_classes(theta, free, meta):
    """Return coefficients for all classes, each row with mean zero: the same model, the smallest norm."""
    if theta.shape[1] < meta["n_classes"]:
        theta = np.hstack([np.zeros((len(theta), 1)), theta])
        free = np.append(0.0, free)
    return theta - theta.mean(axis=1, keepdims=True), free


def _norms(theta, meta):
    """Return the norms of the groups, (rows, groups in a row), and their weight."""
    if meta["penalty"].startswith("entries"):
        return np.abs(theta), 1.0
    weight = 1.0 if meta["penalty"] == "rows-symmetric" else np.sqrt(theta.shape[1])
    return np.linalg.norm(theta, axis=1, keepdims=True), weight


def _violation(theta, grad, lam, meta):
    """Return the largest distance of -grad to lam times the subdifferential of the penalty."""
    norms, weight = _norms(theta, meta)
    with np.errstate(invalid="ignore", divide="ignore"):
        active = _norms(grad + lam * weight * theta / norms, meta)[0]
    at_zero = np.maximum(0.0, _norms(grad, meta)[0] - lam * weight)
    return np.where(norms > 0, active, at_zero).max()


def moments(x):
    """Return mean and standard deviation of every column."""
    if isinstance(x, np.ndarray):
        return x.mean(axis=0), x.std(axis=0)
    mean = np.asarray(x.mean(axis=0)).ravel()
    return mean, np.sqrt(np.asarray(x.multiply(x).mean(axis=0)).ravel() - mean**2)


def _pull_back(x, grad_u, mean, scale):
    return (x.T @ grad_u - np.outer(mean, grad_u.sum(axis=0))) / scale[:, None]


def lam_max(x, z, meta):
    """Return the smallest lam at which all coefficients are zero."""
    log_odds = _null_log_odds(z, meta)
    if meta["response"] == "ordinal":
        shares = np.exp(np.append(0.0, log_odds) - np.logaddexp(0, logsumexp(log_odds)))
        free, n_outputs = logit(np.cumsum(shares)[:-1]), 1
    else:
        free, n_outputs = log_odds, len(log_odds)
        if meta["penalty"] in ("rows-symmetric", "entries-all"):
            free, n_outputs = np.append(0.0, log_odds), meta["n_classes"]
    _, grad_u, _ = _smooth(np.zeros((len(z), n_outputs)), free, z, meta)
    norms, weight = _norms(_pull_back(x, grad_u, *moments(x)), meta)
    return float(norms.max() / weight)


def evaluate(x, z, lams, meta, coefs, intercepts) -> Evaluation:
    """Evaluate a path of coefficients (lams, outputs, features) on the scale of X."""
    mean, scale = moments(x)
    scale_of_kkt = lam_max(x, z, meta)
    rows = []
    for lam, coef, free in zip(lams, coefs, intercepts, strict=True):
        theta = coef.T * scale[:, None]
        if meta["penalty"] == "rows-symmetric":
            theta, free = _all_classes(theta, free, meta)
        used = np.flatnonzero(theta.any(axis=1))
        u = np.asarray(x[:, used] @ (theta[used] / scale[used, None]))
        # Intercepts belong to uncentred columns; centring theta's rows moves them by nothing that matters.
        loss, grad_u, grad_free = _smooth(u, free, z, meta)
        norms, weight = _norms(theta, meta)
        grad = _pull_back(x, grad_u, mean, scale)
        at_free = np.abs(grad_free).max() if meta.get("fit_intercept", True) else 0.0
        violation = max(_violation(theta, grad, lam, meta), at_free)
        rows.append((loss + lam * weight * norms.sum(), violation / scale_of_kkt, len(used)))
    return Evaluation(*(np.array(column) for column in zip(*rows, strict=True)))
