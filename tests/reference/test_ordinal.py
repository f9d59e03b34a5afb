"""Ordinal regression with a lasso penalty and true classes: the numbers of R's ordinalNet and ordinalgmifs."""

import numpy as np
import pytest

from pulasso import fit_path
from pulasso.solvers import SOLVERS
from support.reference import features, numbers, table


@pytest.fixture(scope="module")
def stages():
    data = table("ordinal_data.csv")
    return features(data), data["y"].astype(int)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_path_is_that_of_ordinalnet(stages, solver):
    reference, (x, y) = numbers("ordinalnet.json"), stages
    path = fit_path(
        x, y, response="ordinal", scenario="fully-observed", lams=reference["lambda"], solver=solver, tol=1e-8
    )
    assert path.lam_max == pytest.approx(reference["lam_max"], rel=1e-7)
    # It models P(y <= j) by + x'beta, the paper P(y < j) by - x'beta.
    np.testing.assert_allclose(path.coefs, -np.array(reference["coef"]), atol=1e-5)
    np.testing.assert_allclose(path.thresholds, reference["intercept"], atol=1e-5)


def test_forward_stagewise_goes_along_the_lasso_path(stages):
    """Small steps down the steepest coordinate come close to the lasso with the same l1 norm, and never beat it."""
    reference, (x, y) = numbers("ordinalgmifs.json"), stages
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    path = fit_path(
        x, y, response="ordinal", scenario="fully-observed", n_lams=400, lam_min_ratio=0.01, standardize=False
    )
    norms = np.abs(path.coefs).sum(axis=1)
    losses = path.objective - path.lams * norms
    assert (np.diff(norms) > 0).all()
    for beta, log_likelihood in zip(reference["beta"], reference["log_likelihood"], strict=True):
        norm = np.abs(beta).sum()
        ours = np.array([np.interp(norm, norms, column) for column in path.coefs.T])
        least = np.interp(norm, norms, losses)
        np.testing.assert_allclose(ours, -np.array(beta), atol=0.01)
        assert least <= -log_likelihood / len(y) + 1e-5
        assert least == pytest.approx(-log_likelihood / len(y), abs=1e-3)
