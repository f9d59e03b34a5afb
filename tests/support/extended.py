"""The certificate of a fitted model from its public attributes alone, in extended precision.

Nothing here calls the library: the vectors a and c, probabilities, gradients and standardisation are written down
from the formulas of the paper, in `np.longdouble` (64 bits of mantissa on x86).
"""

import numpy as np
from sklearn.base import clone

LONG = np.longdouble
PERTURBATIONS = 4  # random changes of the last bit, by which rounding of the stored coefficients is judged


def certificate(model, x, codes, weight=None):
    """Return the KKT violation relative to its scale, and how much of it rounding of the attributes may be.

    Parameters
    ----------
    model : MultinomialPULasso or OrdinalPULasso
        Fitted with a number (not a mapping) as prevalence or label frequency.
    x : array or sparse matrix of shape (n_samples, n_features)
    codes : array of shape (n_samples,)
        0 unlabeled, k class k.
    weight : array of shape (n_samples,), optional
    """
    # Blocks and offsets are judged in the units of a fit to columns of unit spread.
    standardized = clone(model).set_params(lam=1e300, standardize=True).fit(x, codes, weight)
    unit = (standardized.lam_max_ or 1.0) if model.lam_max_ else 1.0
    x = np.asarray(x.toarray() if hasattr(x, "toarray") else x).astype(LONG)
    share = np.ones(len(x), LONG) if weight is None else np.asarray(weight, LONG)
    share = share / share.sum()
    mean, scale = _moments(model, x, share)
    log_labeled, log_hidden = _labelling(model, codes, share)
    held = _anchor(model, codes, share)
    coef = np.atleast_2d(model.coef_)
    free = model.thresholds_ if hasattr(model, "thresholds_") else model.intercept_
    rng = np.random.default_rng(0)
    found = []
    for i in range(1 + PERTURBATIONS):
        parts = (coef, free) if i == 0 else (_last_bit(coef, rng), _last_bit(free, rng))
        label_model = (log_labeled, log_hidden, *held)
        found.append(_violation(model, x, codes, share, mean, scale, label_model, *parts) / unit)
    return found[0], max(abs(each - found[0]) for each in found[1:])


def _last_bit(values, rng):
    """Return the numbers with their last bits changed; zeros stay zero, they are exact."""
    change = rng.choice([-1.0, 1.0], size=values.shape).astype(values.dtype)
    return values * (1 + np.finfo(values.dtype).eps * change)


def _moments(model, x, share):
    """Return what the library subtracts and divides by; a constant column is divided by infinity."""
    n_features, mean = x.shape[1], share @ x
    spread = np.sqrt(share @ (x - mean) ** 2)
    constant = _is_constant(model, mean, spread)
    scale = spread if model.standardize else np.ones(n_features, LONG)
    if getattr(model, "fit_intercept", True):
        return mean, np.where(constant, LONG(np.inf), scale)
    return np.zeros(n_features, LONG), np.where(constant, LONG(1), scale)


def _spread(model, x, share):
    """Return what columns that are not standardised are measured by."""
    if model.standardize:
        return np.ones(x.shape[1], LONG)
    spread = np.sqrt(share @ (x - share @ x) ** 2)
    return np.where(_is_constant(model, share @ x, spread), LONG(1), spread)


def _is_constant(model, mean, spread):
    return spread <= 10 * np.finfo(model.coef_.dtype).eps * np.abs(mean)


def _labelling(model, codes, share):
    """Return log a and log c of classes 0..K, by the table of scenarios."""
    n_positive = len(model.classes_) - 1
    frequency = np.array([share[codes == k].sum() for k in range(n_positive + 1)])
    a, c = np.zeros(n_positive + 1, LONG), np.zeros(n_positive + 1, LONG)
    c[0] = 1
    if model.scenario == "case-control":
        prevalence = np.broadcast_to(np.asarray(model.prevalence, LONG), n_positive)
        a[1:], c[1:] = frequency[1:] / (prevalence * frequency[0]), 1
    elif model.scenario == "single-training-set":
        a[1:] = np.broadcast_to(np.asarray(model.label_frequency, LONG), n_positive)
        c[1:] = 1 - a[1:]
    else:
        a[1:] = 1
    with np.errstate(divide="ignore"):
        return np.log(a), np.log(c)


def _anchor(model, codes, share):
    """Return rho, the told shares, and weights of the rows that are a sample of the population, with sum one."""
    n_positive = len(model.classes_) - 1
    frequency = np.array([share[codes == k].sum() for k in range(n_positive + 1)])
    population = share * (codes == 0) if model.scenario == "case-control" else share
    told = frequency[1:]
    if model.scenario == "case-control":
        told = np.broadcast_to(np.asarray(model.prevalence, LONG), n_positive)
    elif model.scenario == "single-training-set":
        told = frequency[1:] / np.asarray(model.label_frequency, LONG)
    rho = LONG(getattr(model, "anchor", 0.0) if told.sum() < 1 else 0.0)
    return rho, np.append(1 - told.sum(), told), population / population.sum()


def _violation(model, x, codes, share, mean, scale, label_model, coef, free):
    coef, free = coef.astype(LONG), free.astype(LONG)
    gradient = _ordinal_gradient if hasattr(model, "thresholds_") else _multinomial_gradient
    grad_u, grad_free = gradient(x @ coef.T, free, codes, share, *label_model)
    if not getattr(model, "fit_intercept", True):
        grad_free = np.zeros(1, LONG)
    # Centred and scaled columns belong to coefficients multiplied by the scale.
    grad = ((x - mean).T @ grad_u) / scale[:, None]
    theta = np.where(np.isinf(scale)[:, None], 0, coef.T * np.where(np.isinf(scale), 1, scale)[:, None])
    worst = np.abs(grad_free).max()
    spread = np.broadcast_to(_spread(model, x, share)[:, None], theta.shape)
    lam, blocks = LONG(model.lam), model.groups_
    for block, block_weight in enumerate(np.asarray(blocks.weights, LONG)):
        inside = np.asarray(blocks.index) == block
        own, slope = theta[inside], grad[inside]
        own_scale = np.sqrt(np.mean(spread[inside] ** 2))
        if np.isinf(block_weight):
            assert not own.any()
        elif own.any():
            worst = max(worst, _norm(slope + lam * block_weight * own / _norm(own)) / own_scale)
        else:
            worst = max(worst, (_norm(slope) - lam * block_weight) / own_scale)
    return float(worst)


def _norm(values):
    largest = np.abs(values).max()
    return largest * np.sqrt(np.sum((values / largest) ** 2)) if largest else largest


def _log_sum(scores):
    top = scores.max(axis=1, keepdims=True)
    return (top + np.log(np.exp(scores - top).sum(axis=1, keepdims=True)))[:, 0]


def _posterior_gap(eta, codes, share, log_labeled, log_hidden, rho, told, population):
    """Return ``w (q - yhat)`` and what the anchor adds, classes 0..K."""
    scores = np.hstack([np.zeros((len(eta), 1), LONG), eta])
    with np.errstate(divide="ignore"):
        both = np.logaddexp(log_labeled, log_hidden)
    q = np.exp(scores + both - _log_sum(scores + both)[:, None])
    hidden = np.exp(scores + log_hidden - _log_sum(scores + log_hidden)[:, None])
    shown = np.eye(scores.shape[1], dtype=LONG)[codes]
    gap = share[:, None] * (q - np.where((codes == 0)[:, None], hidden, shown))
    proba = np.exp(scores - _log_sum(scores)[:, None])
    pull = -rho * told / (population @ proba)
    return gap + population[:, None] * proba * (pull - (proba @ pull)[:, None])


def _multinomial_gradient(u, intercepts, codes, share, *label_model):
    gap = _posterior_gap(u + intercepts, codes, share, *label_model)[:, 1:]
    return gap, gap.sum(axis=0)


def _softplus(t):
    return np.maximum(t, 0) + np.log1p(np.exp(-np.abs(t)))


def _sigmoid(t):
    return np.exp(-_softplus(-t))


def _ordinal_gradient(u, cutpoints, codes, share, *label_model):
    """Return derivatives in u, and in the first cutpoint and the gaps, by d log P(y=j) for every class."""
    t = cutpoints - u
    gaps = np.diff(cutpoints)
    with np.errstate(divide="ignore", over="ignore"):
        log_inner = np.log(-np.expm1(-gaps))
        slope = 1 / np.expm1(gaps)
    n, k = t.shape
    log_proba = np.zeros((n, k + 1), LONG)
    by_t = np.zeros((n, k + 1, k), LONG)  # d log P(y = j) / d t_l
    by_gap = np.zeros((k + 1, k), LONG)  # and in the gap below cutpoint l, beyond what t says
    for j in range(k + 1):
        if j < k:
            log_proba[:, j] -= _softplus(-t[:, j])
            by_t[:, j, j] += _sigmoid(-t[:, j])
        if j > 0:
            log_proba[:, j] -= _softplus(t[:, j - 1])
            by_t[:, j, j - 1] -= _sigmoid(t[:, j - 1])
        if 0 < j < k:
            log_proba[:, j] += log_inner[j - 1]
            by_gap[j, j] += slope[j - 1]
    gap = _posterior_gap(log_proba[:, 1:] - log_proba[:, :1], codes, share, *label_model)
    # The loss sees eta_j = log P(j) - log P(0) and sum_j gap_j = 0, so that log P(j) may stand for eta_j.
    from_t = np.einsum("ij,ijl->il", gap, by_t)
    free = np.cumsum(from_t.sum(axis=0)[::-1])[::-1] + gap.sum(axis=0) @ by_gap
    return -from_t.sum(axis=1, keepdims=True), free
