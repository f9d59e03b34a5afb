"""The benchmark tasks: simulated data with known sizes, the same for every solver.

Every task is a function of a seed and returns a `Task`: data, the path, and what is to be minimised.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["TASKS", "Task"]


@dataclass(frozen=True, eq=False)
class Task:
    """One problem with a path of lam values, given as ratios to lam_max."""

    name: str
    X: Any
    z: np.ndarray
    response: str
    settings: dict[str, Any]
    ratios: np.ndarray
    facts: dict[str, Any] = field(default_factory=dict)


def _ar(rng, n, p, rho=0.3):
    """Gaussian columns with correlation rho^|i-j|."""
    x = rng.normal(size=(n, p))
    for j in range(1, p):
        x[:, j] = rho * x[:, j - 1] + np.sqrt(1.0 - rho**2) * x[:, j]
    return x


def _draw(rng, eta):
    """Draw classes 0..K from log odds."""
    scores = np.column_stack([np.zeros(len(eta)), eta])
    gumbel = scores + rng.gumbel(size=scores.shape)
    return np.argmax(gumbel, axis=1)


def _ratios(n_lams, smallest):
    return np.geomspace(1.0, smallest, n_lams)


def _case_control(rng, draw_x, eta_of, n):
    """Half labelled positives, half unlabeled draws from the population."""
    rows, labels, wanted = [], [], n // 2
    population = draw_x(6 * n)
    y = _draw(rng, eta_of(population))
    prevalence = float(np.mean(y))
    positive = np.flatnonzero(y == 1)[:wanted]
    unlabeled = rng.permutation(6 * n)[: n - wanted]
    rows = np.concatenate([positive, unlabeled])
    labels = np.concatenate([np.ones(len(positive), int), np.zeros(len(unlabeled), int)])
    return population[rows], labels, prevalence


def _binary_pu(name, n, p, n_true, size, n_lams, smallest, seed, density=None):
    rng = np.random.default_rng(seed)
    beta = np.zeros(p)
    beta[rng.permutation(p)[:n_true]] = size * rng.choice([-1.0, 1.0], n_true)

    def draw_x(rows):
        if density is None:
            return _ar(rng, rows, p)
        return sparse.random(rows, p, density, format="csr", random_state=rng, data_rvs=rng.standard_normal)

    x, z, prevalence = _case_control(rng, draw_x, lambda x: (x @ beta)[:, None], n)
    x = sparse.csc_matrix(x) if density is not None else np.asfortranarray(x)
    settings = {"scenario": "case-control", "prevalence": prevalence, "groups": "entries"}
    return Task(name, x, z, "multinomial", settings, _ratios(n_lams, smallest), {"prevalence": prevalence})


def t1(seed):
    return _binary_pu("T1", 2000, 500, 15, 0.7, 30, 0.06, seed)


def t2(seed):
    return _binary_pu("T2", 2000, 5000, 15, 0.7, 20, 0.2, seed)


def t2_long(seed):
    return _binary_pu("T2-long", 2000, 5000, 15, 0.7, 50, 0.05, seed)


def t3(seed):
    return _binary_pu("T3", 20000, 5000, 40, 1.2, 20, 0.2, seed, density=0.02)


def _multinomial(name, groups, seed, n=2000, p=5000, n_true=20):
    rng = np.random.default_rng(seed)
    theta = np.zeros((p, 3))
    theta[rng.permutation(p)[:n_true]] = 0.7 * rng.normal(size=(n_true, 3))
    x = _ar(rng, n, p)
    z = _draw(rng, x @ (theta[:, 1:] - theta[:, :1]))
    return Task(name, np.asfortranarray(x), z, "multinomial", {"scenario": "fully-observed", "groups": groups}, _ratios(100, 0.05))


def t4(seed):
    from pulasso import Groups

    return _multinomial("T4", Groups.rows(symmetric=True, weights=1.0), seed)


def t4_entries(seed):
    return _multinomial("T4-entries", "entries", seed)


def t5(seed):
    from pulasso import Groups

    rng = np.random.default_rng(seed)
    n, p, n_classes, n_factors = 1400, 649, 10, 40
    y = rng.permuted(np.arange(n) % n_classes)
    centers = 1.2 * rng.normal(size=(n_classes, n_factors))
    factors = centers[y] + rng.normal(size=(n, n_factors))
    loadings = rng.normal(size=(n_factors, p)) * (rng.random((n_factors, p)) < 0.3)
    x = factors @ loadings + 0.7 * rng.normal(size=(n, p))
    settings = {"scenario": "fully-observed", "groups": Groups.rows(symmetric=True, weights=1.0)}
    return Task("T5", np.asfortranarray(x), y, "multinomial", settings, _ratios(100, 0.01))


def _ordinal(name, n, p, n_levels, n_true, n_lams, smallest, seed):
    rng = np.random.default_rng(seed)
    x = _ar(rng, n, p)
    beta = np.zeros(p)
    beta[:n_true] = 0.7
    latent = x @ beta + rng.logistic(size=n)
    z = np.searchsorted(np.quantile(latent, np.arange(1, n_levels) / n_levels), latent)
    return Task(name, np.asfortranarray(x), z, "ordinal", {"scenario": "fully-observed"}, _ratios(n_lams, smallest))


def t6a(seed):
    return _ordinal("T6a", 300, 62, 6, 10, 20, 0.01, seed)


def t6b(seed):
    return _ordinal("T6b", 1000, 2000, 4, 10, 4, 0.4, seed)


def t6c(seed):
    return _ordinal("T6c", 300, 300, 4, 10, 20, 0.1, seed)


TASKS = {
    "T1": t1,
    "T2": t2,
    "T2-long": t2_long,
    "T3": t3,
    "T4": t4,
    "T4-entries": t4_entries,
    "T5": t5,
    "T6a": t6a,
    "T6b": t6b,
    "T6c": t6c,
}
