"""The model for many classes: the same minimum as that of the formed Hessian, by other steps."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

from pulasso import Groups, fit_path
from pulasso.penalties import GroupLasso, Thresholds
from pulasso.solvers import _memory_oracle
from pulasso.solvers._kronecker import Kronecker, MeanCurvature

N, P, K = 240, 12, 5


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(N, P))
    eta = X[:, :3] @ rng.normal(size=(3, K))
    proba = np.exp(np.column_stack([np.zeros(N), eta]))
    y = (rng.random((N, 1)) > np.cumsum(proba / proba.sum(axis=1, keepdims=True), axis=1)).sum(axis=1)
    return X, np.where(rng.random(N) < 0.6, y, 0)


def both_paths(monkeypatch, X, z, **settings):
    """Return the path with Hessians formed, and without."""
    labels = {"scenario": "single-training-set", "label_frequency": 0.6}
    fit = {"n_lams": 4, "lam_min_ratio": 0.1, "tol": 1e-9, **labels, **settings}
    fit = {name: value for name, value in fit.items() if value is not None}
    formed = fit_path(X, z, **fit)
    monkeypatch.setattr(_memory_oracle, "MOST_OUTPUTS", 1)
    return formed, fit_path(X, z, **fit)


PAIRS = Groups.from_columns([[0, 3], [1, 2], [4, 5, 6], *([j] for j in range(7, P))])
SETTINGS = {
    "plain": {},
    "case-control": {"scenario": "case-control", "prevalence": [0.15] * K, "label_frequency": None},
    "all labels": {"scenario": "fully-observed", "label_frequency": None},
    "no intercepts": {"fit_intercept": False},
    "symmetric": {"groups": Groups.rows(symmetric=True)},
    "single entries": {"groups": Groups.entries()},
    "several features": {"groups": PAIRS},
    "free feature": {"groups": Groups.rows(weights=[0.0, *[1.0] * (P - 1)])},
    "elastic net": {"penalty": "elastic-net"},
    "sparse groups": {"penalty": "sparse-group-lasso"},
    "mcp": {"penalty": "group-mcp", "lam_min_ratio": 0.4},
    "anchored": {"anchor": 3.0},
    "anchored, symmetric": {"anchor": 3.0, "groups": Groups.rows(symmetric=True)},
    "not standardised": {"standardize": False},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_the_same_solutions_as_with_a_formed_hessian(monkeypatch, data, settings, container):
    X, z = data
    formed, mean = both_paths(monkeypatch, container(X), z, **settings)
    assert formed.converged.all() and mean.converged.all()
    assert formed.n_active[-1] > 0
    np.testing.assert_allclose(mean.objective, formed.objective, rtol=1e-10)
    np.testing.assert_allclose(mean.coefs, formed.coefs, rtol=1e-4, atol=1e-5)


def test_a_penalty_without_a_bound_has_its_hessian_formed(monkeypatch, data):
    def refuse(*_):
        raise AssertionError("not for this penalty")

    monkeypatch.setattr(_memory_oracle, "MOST_OUTPUTS", 1)
    monkeypatch.setattr(Kronecker, "cover", refuse)
    monkeypatch.setattr(GroupLasso, "thresholds", lambda *_: None)
    path = fit_path(*data, scenario="fully-observed", n_lams=3, lam_min_ratio=0.5)
    assert path.converged.all()


def test_many_classes_do_not_form_the_hessian(monkeypatch, data):
    """Thirteen outputs are more than MOST_OUTPUTS."""
    X, rng = data[0], np.random.default_rng(0)

    def refuse(*_):
        raise AssertionError("pairs of classes are not formed")

    monkeypatch.setattr(_memory_oracle, "fill_hessian", refuse)
    path = fit_path(X, rng.integers(0, 14, N), scenario="fully-observed", n_lams=5)
    assert path.converged.all()


# -- the model itself ----------------------------------------------------------------------------------------------


def random_model(rng, sizes=None, coupled=None, intercepts=None):
    """Return a model of all entries of four features and three outputs, and the Hessian that it stands for."""
    X = rng.normal(size=(50, 4))
    weight = rng.random(50)
    root = rng.normal(size=(3, 5))
    mean = MeanCurvature(
        root @ root.T, weight / weight.sum(), np.eye(3) if intercepts is None else intercepts
    )
    model = Kronecker(mean)
    slots, outputs = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    sizes = np.array([3, 3, 3, 3] if sizes is None else sizes)
    model.cover(Columns(X), slots, outputs, sizes, coupled)
    ones = np.column_stack([np.ones(50), X])
    inner = np.kron((ones * mean.weight[:, None]).T @ ones, mean.matrix)
    change = np.eye(15)
    change[:3, :3] = np.linalg.inv(mean.intercepts.T)
    hessian = change.T @ inner @ change
    return model, hessian if coupled is None else hessian + coupled @ coupled.T


class Columns:
    """What the model asks of loaded columns."""

    def __init__(self, X):
        self.x, self.features = X, np.arange(X.shape[1])

    def gram(self, weight, left, right):
        return (self.x[:, left] * weight[:, None]).T @ self.x[:, right]

    def sums(self, weights, slots):
        return self.x[:, slots].T @ weights


def violation(hessian, gradient, beta, best, thresholds, sizes):
    slope = gradient + hessian @ (best - beta)
    worst, start = 0.0, 0
    for size, threshold in zip(sizes, thresholds, strict=True):
        b, g = best[start : start + size], slope[start : start + size]
        norm, start = np.linalg.norm(b), start + size
        off = np.linalg.norm(g + threshold * b / norm) if norm else np.linalg.norm(g) - threshold
        worst = max(worst, off)
    return worst


@pytest.mark.parametrize("sizes", [[3, 3, 3, 3], [6, 6], [1] * 12, [2, 1, 3, 4, 2]], ids=str)
@pytest.mark.parametrize("is_coupled", [False, True])
@pytest.mark.parametrize("intercepts", [None, np.eye(3) + 0.4], ids=["plain", "contrast"])
def test_descends_to_the_minimum(rng, sizes, is_coupled, intercepts):
    coupled = rng.normal(size=(15, 4)) if is_coupled else None
    model, hessian = random_model(rng, sizes, coupled, intercepts)
    assert model.is_positive
    gradient, beta, thresholds = rng.normal(size=15), 0.1 * rng.normal(size=15), np.full(len(sizes), 0.5)
    tols = np.full(len(sizes) + 1, 1e-8)
    best = model.descend(gradient, beta, Thresholds(thresholds), tols=tols, max_sweeps=5000)
    assert violation(hessian, gradient, beta, best, [0.0, *thresholds], [3, *sizes]) < 1e-4


def test_learns_the_curvature_of_a_step(rng):
    model, hessian = random_model(rng, intercepts=np.eye(3) + 0.4)
    true = hessian + np.diag(rng.uniform(0.0, 0.5, 15))
    step = rng.normal(size=15)
    model.correct(step, true @ step)
    assert model.n_learned == 1
    np.testing.assert_allclose(
        model._factors.apply(model._primal(step)), model._dual(true @ step), rtol=1e-5, atol=1e-5
    )


def test_entries_that_come_later_keep_what_was_learned(rng):
    X = rng.normal(size=(50, 4))
    model = Kronecker(MeanCurvature(np.eye(2), np.full(50, 0.02), np.eye(2)))
    slots, outputs = np.repeat(np.arange(4), 2), np.tile(np.arange(2), 4)
    model.cover(Columns(X), slots[:4], outputs[:4], np.array([2, 2]))
    step = rng.normal(size=6)
    seen = 1.5 * model._factors.apply(step)
    model.correct(step, seen)
    model.cover(Columns(X), slots, outputs, np.array([2, 2, 2, 2]))
    longer = np.append(step, np.zeros(4))
    np.testing.assert_allclose(model._factors.apply(longer)[:6], seen, rtol=1e-5, atol=1e-6)


def test_steps_that_say_nothing_are_not_learned(rng):
    model, hessian = random_model(rng)
    step = rng.normal(size=15)
    for factor in (-1.0, 1e-3, 1e3):
        model.correct(step, factor * (hessian @ step))
    assert model.n_learned == 0


def test_where_the_mean_is_slow_the_hessian_is_formed(monkeypatch):
    """Half of the digits read as zeros: with the mean alone some of these fits end at a violation of 1e-5."""
    digits = load_digits()
    z = np.where(np.random.default_rng(0).random(len(digits.target)) < 0.5, digits.target, 0)
    path = fit_path(digits.data, z, scenario="fully-observed", n_lams=12, lam_min_ratio=0.005)
    assert path.converged.all()
    formed = []
    monkeypatch.setattr(_memory_oracle, "PATIENCE", 5)
    monkeypatch.setattr(_memory_oracle, "fill_hessian", _counted(_memory_oracle.fill_hessian, formed))
    fit_path(digits.data, z, scenario="fully-observed", n_lams=3, lam_min_ratio=0.1)
    assert formed


def _counted(function, calls):
    def call(*arguments):
        calls.append(1)
        return function(*arguments)

    return call
