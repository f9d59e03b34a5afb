"""The benchmark tasks: simulated data with known sizes, the same for every solver.

Every task is a function of a seed and returns a `Task`: data, the path, and what is to be minimised.
With ``quick=True`` the same task is a few times smaller in every direction: enough to see that all runs.
"""

import os
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["MANY_CLASSES", "TASKS", "Task", "classes_task", "growth_task", "paired_tasks", "passes_task"]

MFEAT_VIEWS = ("fou", "fac", "kar", "pix", "zer", "mor")


@dataclass(frozen=True, eq=False)
class Task:
    """One problem with a path of lam values, given as ratios to lam_max.

    Attributes
    ----------
    penalty : {"entries", "rows", "rows-symmetric"}
        The groups in one word, for solvers that do not know `Groups`.
    """

    name: str
    X: Any
    z: np.ndarray
    response: str
    settings: dict[str, Any]
    ratios: np.ndarray
    facts: dict[str, Any] = field(default_factory=dict)
    penalty: str = "entries"


def _ar(rng, n, p, rho=0.3):
    """Gaussian columns with correlation rho^|i-j|."""
    x = np.asfortranarray(rng.normal(size=(n, p)))
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


def _shrunk(quick, *sizes):
    """Return sizes as they are, or about a fifth of them."""
    return tuple(max(20, size // 5) for size in sizes) if quick else sizes


def _symmetric_rows():
    from pulasso import Groups

    return Groups.rows(symmetric=True, weights=1.0)


# -- binary presence-only data --------------------------------------------------------------------------


def _case_control(rng, draw_x, eta_of, n):
    """Half labelled positives, half unlabeled draws from the population."""
    wanted = n // 2
    population = draw_x(6 * n)
    y = _draw(rng, eta_of(population))
    positive = np.flatnonzero(y == 1)[:wanted]
    unlabeled = rng.permutation(6 * n)[: n - wanted]
    rows = np.concatenate([positive, unlabeled])
    labels = np.concatenate([np.ones(len(positive), int), np.zeros(len(unlabeled), int)])
    return population[rows], labels, float(np.mean(y))


def _binary_pu(name, n, p, n_true, size, n_lams, smallest, seed, quick, density=None):
    n, p, n_lams = _shrunk(quick, n, p, n_lams)
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


def t1(seed, quick=False):
    return _binary_pu("T1", 2000, 500, 15, 0.7, 30, 0.06, seed, quick)


def t2(seed, quick=False):
    return _binary_pu("T2", 2000, 5000, 15, 0.7, 20, 0.2, seed, quick)


def t2_long(seed, quick=False):
    return _binary_pu("T2-long", 2000, 5000, 15, 0.7, 50, 0.05, seed, quick)


def t3(seed, quick=False):
    return _binary_pu("T3", 20000, 5000, 40, 1.2, 20, 0.2, seed, quick, density=0.02)


def t2_naive(seed, quick=False):
    """The data of T2 with unlabeled read as negative: the plain logistic lasso, which many packages solve."""
    pu = _binary_pu("T2-naive", 2000, 5000, 15, 0.7, 100, 0.05, seed, quick)
    settings = {"scenario": "fully-observed", "groups": "entries"}
    return Task(pu.name, pu.X, pu.z, pu.response, settings, pu.ratios)


# -- fully observed classes -----------------------------------------------------------------------------


def _three_classes(rng, n, p, n_true):
    """Three classes that depend on a few of the columns."""
    theta = np.zeros((p, 3))
    theta[rng.permutation(p)[:n_true]] = 0.7 * rng.normal(size=(n_true, 3))
    x = _ar(rng, n, p)
    return np.asfortranarray(x), _draw(rng, x @ (theta[:, 1:] - theta[:, :1]))


def t4(seed, quick=False):
    n, p, n_lams = _shrunk(quick, 2000, 5000, 100)
    x, z = _three_classes(np.random.default_rng(seed), n, p, 20)
    settings = {"scenario": "fully-observed", "groups": _symmetric_rows()}
    return Task("T4", x, z, "multinomial", settings, _ratios(n_lams, 0.05), penalty="rows-symmetric")


def t4_entries(seed, quick=False):
    n, p, n_lams = _shrunk(quick, 2000, 5000, 100)
    x, z = _three_classes(np.random.default_rng(seed), n, p, 20)
    settings = {"scenario": "fully-observed", "groups": "entries"}
    return Task("T4-entries", x, z, "multinomial", settings, _ratios(n_lams, 0.05))


def t5(seed, quick=False):
    """Ten classes whose many columns are mixtures of forty factors, as in pictures of digits."""
    n, p, n_lams = _shrunk(quick, 1400, 649, 100)
    rng = np.random.default_rng(seed)
    n_classes, n_factors = 10, 40
    y = rng.permuted(np.arange(n) % n_classes)
    centers = 1.2 * rng.normal(size=(n_classes, n_factors))
    factors = centers[y] + rng.normal(size=(n, n_factors))
    loadings = rng.normal(size=(n_factors, p)) * (rng.random((n_factors, p)) < 0.3)
    x = np.asfortranarray(factors @ loadings + 0.7 * rng.normal(size=(n, p)))
    settings = {"scenario": "fully-observed", "groups": _symmetric_rows()}
    smallest = 0.1 if quick else 0.01
    return Task("T5", x, y, "multinomial", settings, _ratios(n_lams, smallest), penalty="rows-symmetric")


def mfeat(seed, quick=False):
    """Real digits: 140 of the 200 rows of every class. Needs the folder mfeat in $PULASSO_DATA."""
    folder = Path(os.environ.get("PULASSO_DATA", "")) / "mfeat"
    if not (folder / "mfeat-fou.gz").exists():
        raise FileNotFoundError("the digits are not here: set PULASSO_DATA to a folder that holds mfeat/")
    x = np.hstack([np.loadtxt(folder / f"mfeat-{view}.gz") for view in MFEAT_VIEWS])
    per_class, n_lams = (30, 20) if quick else (140, 100)
    rng = np.random.default_rng(seed)
    rows = np.concatenate([200 * digit + rng.permutation(200)[:per_class] for digit in range(10)])
    rows = rng.permuted(rows)
    x = np.asfortranarray(x[rows][:, ::5] if quick else x[rows])
    settings = {"scenario": "fully-observed", "groups": _symmetric_rows()}
    ratios = _ratios(n_lams, 0.1 if quick else 0.01)
    return Task("mfeat", x, rows // 200, "multinomial", settings, ratios, penalty="rows-symmetric")


def _ordinal(name, n, p, n_levels, n_lams, smallest, seed, quick):
    n, p = _shrunk(quick, n, p)
    rng = np.random.default_rng(seed)
    x = _ar(rng, n, p)
    beta = np.zeros(p)
    beta[:10] = 0.7
    latent = x @ beta + rng.logistic(size=n)
    z = np.searchsorted(np.quantile(latent, np.arange(1, n_levels) / n_levels), latent)
    settings = {"scenario": "fully-observed"}
    return Task(name, np.asfortranarray(x), z, "ordinal", settings, _ratios(n_lams, smallest))


def t6a(seed, quick=False):
    return _ordinal("T6a", 300, 62, 6, 20, 0.1 if quick else 0.01, seed, quick)


def t6b(seed, quick=False):
    return _ordinal("T6b", 1000, 2000, 4, 4, 0.4, seed, quick)


def t6c(seed, quick=False):
    return _ordinal("T6c", 300, 300, 4, 20, 0.1, seed, quick)


# -- many classes ---------------------------------------------------------------------------------------

MANY_CLASSES = (3, 9, 17, 33, 65)


def classes_task(
    seed,
    n_classes,
    quick=False,
    scenario="fully-observed",
    *,
    n_rows=2000,
    n_columns=1000,
    n_lams=50,
    smallest=0.1,
):
    """Classes that all depend on the same twenty columns; all labels, or half of those of positives."""
    n, p, n_lams = _shrunk(quick, n_rows, n_columns, n_lams)
    rng = np.random.default_rng(seed)
    theta = np.zeros((p, n_classes - 1))
    theta[:20] = rng.normal(size=(20, n_classes - 1))
    x = _ar(rng, n, p)
    y = np.unique(_draw(rng, x @ theta), return_inverse=True)[1]  # of a few rows a class may be missing
    settings, z, name = {"scenario": scenario, "groups": _symmetric_rows()}, y, f"T-K{n_classes}"
    if scenario != "fully-observed":
        settings, z = settings | {"label_frequency": 0.5}, np.where(rng.random(n) < 0.5, y, 0)
        z, name = np.unique(z, return_inverse=True)[1], f"{name}-PU"
    return Task(name, x, z, "multinomial", settings, _ratios(n_lams, smallest), penalty="rows-symmetric")


def fifty(seed, quick=False):
    """Fifty classes in few columns: 2,000 rows, 500 columns, 30 lams."""
    task = classes_task(seed, 10 if quick else 50, quick, n_columns=500, n_lams=30)
    return replace(task, name="fifty")


def fifty_wide(seed, quick=False):
    """Fifty classes in 10,000 columns and 5,000 rows: 400 MB of X."""
    task = classes_task(seed, 10 if quick else 50, quick, n_rows=5000, n_columns=10_000, n_lams=30)
    return replace(task, name="fifty-wide")


def fifty_sparse(seed, quick=False):
    """Fifty kinds of texts: counts of nearly 50,000 words in 20,000 of them, some 60 different words in each.

    Words are as frequent as their rank says (Zipf); every kind has forty words of its own that it uses more.
    """
    n, p, n_kinds, length = 20_000, 50_000, 50, 80
    if quick:
        n, p, n_kinds = 400, 500, 8
    rng = np.random.default_rng(seed)
    usual = 1.0 / np.arange(10, p + 10)
    y = rng.permuted(np.arange(n) % n_kinds)
    rows, columns = [], []
    for kind in range(n_kinds):
        use = usual.copy()
        use[rng.choice(max(50, p // 20), 40, replace=False)] *= 6.0
        own = np.flatnonzero(y == kind)
        rows.append(np.repeat(own, length))
        columns.append(np.searchsorted(np.cumsum(use) / use.sum(), rng.random(len(own) * length)))
    at = np.concatenate(rows), np.minimum(np.concatenate(columns), p - 1)
    x = sparse.csc_matrix((np.ones(n * length), at), shape=(n, p))  # the same word twice: counted twice
    x = x[:, x.getnnz(axis=0) > 0]
    settings = {"scenario": "fully-observed", "groups": _symmetric_rows()}
    return Task("fifty-sparse", x, y, "multinomial", settings, _ratios(10, 0.3), penalty="rows-symmetric")


TASKS = {
    "T1": t1,
    "T2": t2,
    "T2-long": t2_long,
    "T3": t3,
    "T2-naive": t2_naive,
    "T4": t4,
    "T4-entries": t4_entries,
    "T5": t5,
    "mfeat": mfeat,
    "T6a": t6a,
    "T6b": t6b,
    "T6c": t6c,
    **{f"T-K{k}": partial(classes_task, n_classes=k) for k in MANY_CLASSES},
    "fifty": fifty,
    "fifty-wide": fifty_wide,
    "fifty-sparse": fifty_sparse,
}


# -- tasks for our own solvers only ---------------------------------------------------------------------


def growth_task(seed, n=1000, p=5000, K=2, n_lams=100, smallest=0.1, name="growth"):
    """Presence-only classes, half of the positives labelled, twenty true rows whatever n, p and K are."""
    rng = np.random.default_rng(seed)
    theta = np.zeros((p, K))
    theta[:20] = rng.choice([-0.7, 0.7], size=(20, K))  # the same numbers first, whatever p is
    x = _ar(rng, n, p)
    y = _draw(rng, x @ theta - 0.5)
    z = np.where(rng.random(n) < 0.5, y, 0)
    settings = {"scenario": "single-training-set", "label_frequency": 0.5, "groups": "rows"}
    return Task(name, x, z, "multinomial", settings, _ratios(n_lams, smallest), penalty="rows")


def passes_task(seed, quick=False):
    """A wide problem: n=2000, p=50000, 20 true rows, 100 lams down to 0.1 lam_max."""
    n, p, n_lams = _shrunk(quick, 2000, 50000, 100)
    return growth_task(seed, n, p, n_lams=n_lams, name="passes")


def paired_tasks(seed, response, quick=False):
    """Presence-only labels and the same rows read naively, for a multinomial or an ordinal path to 0.05."""
    if response == "multinomial":
        n, p, n_lams = _shrunk(quick, 2000, 5000, 100)
        x, y = _three_classes(np.random.default_rng(seed), n, p, 20)
        groups, penalty = "rows", "rows"
    else:
        task = _ordinal("", 1000, 2000, 4, 100, 0.05, seed, quick)
        x, y, groups, penalty, n_lams = task.X, task.z, "entries", "entries", 20 if quick else 100
    z = np.where(np.random.default_rng(seed + 1).random(len(y)) < 0.5, y, 0)
    pu = {"scenario": "single-training-set", "label_frequency": 0.5, "groups": groups}
    naive = {"scenario": "fully-observed", "groups": groups}
    ratios = _ratios(n_lams, 0.05)
    return tuple(
        Task(f"{name} {response}", x, labels, response, settings, ratios, penalty=penalty)
        for name, labels, settings in (("PU", z, pu), ("naive", y, naive))
    )
