"""Curvature that is made positive, row by row, and what it is good for."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from pulasso import fit_path
from pulasso.curvature import Curvature
from pulasso.datasets import mask_labels
from pulasso.losses.observed import CLIPPED, HALF_CLIPPED, curvature_of
from support.cases import CASES


def draw(n_positive, n=300):
    """Return curvatures as unlabeled rows have them, some of them indefinite, and with vanishing classes."""
    rng = np.random.default_rng(n_positive)
    proba = rng.dirichlet(np.full(n_positive + 1, 0.5), n)
    proba[:5, -1] = 0.0
    hidden = proba * rng.uniform(0.05, 1.0, n_positive + 1)
    hidden /= hidden.sum(axis=1, keepdims=True)
    return Curvature(proba[:, 1:], (rng.random(n) < 0.7).astype(float), hidden[:, 1:])


@pytest.mark.parametrize("n_positive", [1, 2, 6])
def test_as_much_as_needed_and_no_more(n_positive):
    curvature = draw(n_positive)
    positive = curvature.positive()
    before, after = (np.linalg.eigvalsh(each.matrices()) for each in (curvature, positive))
    assert before.min() < -1e-3 and after.min() > -1e-8
    changed = positive.m < curvature.m
    np.testing.assert_array_equal(changed, positive.m != curvature.m)  # never larger
    assert changed.any() and (~changed & (curvature.m > 0)).any()
    np.testing.assert_allclose(after[changed, 0], 0.0, atol=1e-8)  # just so
    assert np.isfinite(positive.matrices()).all()


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_it_lies_above_the_true_hessian(case):
    sample = case.labels(np.random.default_rng(0), 80, 3)
    eta = np.random.default_rng(1).normal(0.0, 2.0, (80, 3))
    exact, half, full = (
        curvature_of(sample.loss, eta, mix).matrices() for mix in (1.0, HALF_CLIPPED, CLIPPED)
    )
    assert np.linalg.eigvalsh(full).min() > -1e-10
    assert np.linalg.eigvalsh(full - exact).min() > -1e-10
    np.testing.assert_allclose(half, 0.5 * (exact + full), atol=1e-12)


def test_far_down_a_path_the_default_solver_does_not_stall():
    """Small images with half of the labels lost: the Fisher information overshoots here, step after step."""
    X, y = load_digits(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))[:600]
    z = mask_labels(y[rows], 0.5, random_state=0)
    lams = np.geomspace(0.04, 0.0008, 12)
    settings = {"scenario": "single-training-set", "label_frequency": 0.5, "anchor": 3.0, "tol": 1e-5}
    path = fit_path(X[rows], z, lams=lams, **settings)
    assert path.converged.all()
    assert path.n_iter.max() <= 100
