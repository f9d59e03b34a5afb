"""Slow, obvious versions of what the library computes cleverly; nothing here calls the code under test."""

import numpy as np


def softmax(eta):
    """Return P(y | x), classes 0..K, from log odds against class 0."""
    odds = np.exp(np.hstack([np.zeros((len(eta), 1)), eta]))
    return odds / odds.sum(axis=1, keepdims=True)


def joint_proba(scenario, counts, proba):
    """Return P(y, z | x, sampled), shape (n, labels 0..K and confirmed negative, classes 0..K).

    Parameters
    ----------
    scenario : Scenario
    counts : LabelCounts
    proba : array of shape (n, K + 1)
        P(y | x) in the population.
    """
    intensity = INTENSITIES[scenario.name](scenario, counts, proba)
    return intensity / intensity.sum(axis=(1, 2), keepdims=True)


def _case_control(scenario, counts, proba):
    """Rows of each kind at x: n_u from p(x, y), n_k from p(x | y = k), all divided by p(x)."""
    n_positive = proba.shape[1] - 1
    prevalence = np.concatenate([[1.0 - np.sum(scenario.prevalence)], scenario.prevalence])
    hidden = np.array([k not in scenario.always_labeled for k in range(n_positive + 1)])
    rows = np.zeros((len(proba), n_positive + 2, n_positive + 1))
    rows[:, 0, hidden] = counts.n_unlabeled * proba[:, hidden] / prevalence[hidden].sum()
    for label, k in _label_of(n_positive):
        rows[:, label, k] = counts.n_labeled[k] * proba[:, k] / prevalence[k]
    return rows


def _single_training_set(scenario, counts, proba):
    n_positive = proba.shape[1] - 1
    shown = np.concatenate([[scenario.negative_label_frequency or 0.0], scenario.label_frequency])
    return _shown_or_hidden(proba, shown, n_positive)


def _fully_observed(scenario, counts, proba):
    n_positive = proba.shape[1] - 1
    confirmed = counts.n_labeled[0] / (counts.n_labeled[0] + counts.n_unlabeled)
    return _shown_or_hidden(proba, np.concatenate([[confirmed], np.ones(n_positive)]), n_positive)


def _shown_or_hidden(proba, shown, n_positive):
    rows = np.zeros((len(proba), n_positive + 2, n_positive + 1))
    rows[:, 0, :] = proba * (1.0 - shown)
    for label, k in _label_of(n_positive):
        rows[:, label, k] = proba[:, k] * shown[k]
    return rows


def _label_of(n_positive):
    return [*((k, k) for k in range(1, n_positive + 1)), (n_positive + 1, 0)]


INTENSITIES = {
    "case-control": _case_control,
    "single-training-set": _single_training_set,
    "fully-observed": _fully_observed,
}


def central_difference(function, x, step=1e-3):
    """Return the gradient of a scalar function of an array, by five-point differences."""
    x = np.asarray(x, dtype=float)
    gradient = np.empty_like(x)
    for index in np.ndindex(x.shape):
        values = []
        for move in (-2.0, -1.0, 1.0, 2.0):
            moved = x.copy()
            moved[index] += move * step
            values.append(function(moved))
        gradient[index] = (values[0] - 8.0 * values[1] + 8.0 * values[2] - values[3]) / (12.0 * step)
    return gradient


def standardized(x, weight=None, center=True, scale=True):
    """Return a dense, explicitly standardised copy of X; constant columns become zero."""
    x = np.asarray(x.toarray() if hasattr(x, "toarray") else x, dtype=np.float64)
    mean = np.average(x, axis=0, weights=weight)
    spread = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=weight))
    centred = x - mean if center else x
    return centred / np.where(spread > 1e-12 * np.abs(mean), spread, 1.0) if scale else centred


def kkt_violation(problem, params):
    """Return the certificate by the book, block by block, from a gradient over an explicit matrix."""
    x = problem.design.matmul(np.eye(problem.shape[0]))
    eta = problem.response.log_odds(x @ params.theta, params.offsets)
    _, grad_eta = problem.loss.value_and_grad(eta)
    grad_u, grad_offsets = problem.response.pullback(x @ params.theta, params.offsets, grad_eta)
    grad, blocks = x.T @ grad_u, problem.penalty.blocks
    worst = max(np.abs(grad_offsets), default=0.0) / problem.kkt_scale
    for block, weight in enumerate(blocks.weights):
        of_block = blocks.index == block
        theta_j, grad_j = params.theta[of_block], grad[of_block]
        if np.isinf(weight):
            violation = np.inf if theta_j.any() else 0.0
        elif theta_j.any():
            violation = np.linalg.norm(grad_j + problem.lam * weight * theta_j / np.linalg.norm(theta_j))
        else:
            violation = max(0.0, np.linalg.norm(grad_j) - problem.lam * weight)
        worst = max(worst, violation / problem.block_scales[block])
    return worst
