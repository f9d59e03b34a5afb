"""Case-control data with one positive class: the numbers of R's PUlasso.

PUlasso's own example data are GPL and not part of this repository. The test that uses them reads
``simulPU.csv`` (columns x1..x5 and z) from the folder ``pulasso`` in the folder that the environment variable
PULASSO_DATA names, or the file that PULASSO_SIMULPU names, and is skipped without either. README.md says how
to get them.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from pulasso import Groups, fit_path
from pulasso.baselines import ward_em
from pulasso.solvers import SOLVERS
from support.brute_force import standardized
from support.reference import features, numbers, table

TOL = 1e-8


@pytest.fixture(scope="module")
def case_control():
    reference, data = numbers("pulasso_case_control.json"), table("pulasso_case_control_data.csv")
    return reference, features(data), data["z"].astype(int)


def check_lasso(reference, x, z, prevalence, solver):
    path = fit_path(
        x,
        z,
        prevalence=prevalence,
        lams=reference["lam_of_our_objective"],
        solver=solver,
        tol=TOL,
        groups="entries",
    )
    coef = np.array(reference["coef"])
    assert path.lam_max == pytest.approx(reference["lambda_first_of_path"] - 1e-8, rel=1e-8)
    np.testing.assert_allclose(path.coefs[:, 0], coef[:, 1:], atol=1e-6)
    np.testing.assert_allclose(path.intercepts[:, 0], coef[:, 0], atol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_lasso(case_control, solver):
    reference, x, z = case_control
    check_lasso(reference["lasso"], x, z, reference["prevalence"], solver)


def test_lasso_by_the_ordinal_model(case_control):
    reference, x, z = case_control
    path = fit_path(
        x,
        z,
        response="ordinal",
        prevalence=reference["prevalence"],
        lams=reference["lasso"]["lam_of_our_objective"],
        tol=TOL,
    )
    coef = np.array(reference["lasso"]["coef"])
    np.testing.assert_allclose(path.coefs, coef[:, 1:], atol=1e-5)
    np.testing.assert_allclose(path.thresholds[:, 0], -coef[:, 0], atol=1e-5)


def test_group_lasso_on_whitened_groups(case_control):
    """PUlasso makes the columns of a group orthonormal first; on such columns the two penalties agree."""
    reference, x, z = case_control
    group = reference["group_orthonormalised"]
    labels = np.array(group["group"])
    centred = standardized(x, scale=False)
    back = np.zeros((5, 5))
    for label in np.unique(labels):
        columns = np.flatnonzero(labels == label)
        covariance = centred[:, columns].T @ centred[:, columns] / len(x)
        back[np.ix_(columns, columns)] = np.linalg.inv(np.linalg.cholesky(covariance)).T
    path = fit_path(
        centred @ back,
        z,
        prevalence=reference["prevalence"],
        lams=group["lam_of_our_objective"],
        groups=Groups.from_labels(labels),
        tol=TOL,
    )
    coefs = path.coefs[:, 0] @ back.T
    expected = np.array(group["coef"])
    np.testing.assert_allclose(coefs, expected[:, 1:], atol=1e-5)
    np.testing.assert_allclose(path.intercepts[:, 0] - coefs @ x.mean(axis=0), expected[:, 0], atol=1e-5)


def simulpu_file():
    """Return the file of PUlasso's example data, or None."""
    named = os.environ.get("PULASSO_SIMULPU")
    if named:
        return Path(named)
    folder = os.environ.get("PULASSO_DATA")
    return Path(folder) / "pulasso" / "simulPU.csv" if folder else None


def test_simulpu():
    file = simulpu_file()
    if file is None or not file.exists():
        pytest.skip(
            "PUlasso's example data simulPU are GPL and not stored here: export them from R with "
            "write.csv and name the file in PULASSO_SIMULPU (or put it in $PULASSO_DATA/pulasso/simulPU.csv)"
        )
    reference, data = numbers("pulasso_simulPU.json"), table(file)
    x, z = features(data), data["z"].astype(int)
    assert len(x) == reference["n"] and z.sum() == reference["n_labelled"]
    check_lasso(reference, x, z, reference["truePY1"], "working-set")


def test_ward_em_is_pulasso_without_penalty(case_control):
    """EM where labels say little ends early by its default tolerance; solved further it meets the other program."""
    reference, x, z = case_control
    model = ward_em(tol=1e-8, max_iter=5_000, prevalence=reference["prevalence"]).fit(x, z)
    expected = np.array(reference["ward"]["coef"][0])
    np.testing.assert_allclose(model.coef_[0], expected[1:], atol=1e-5)
    np.testing.assert_allclose(model.intercept_[0], expected[0], atol=1e-5)
