"""Data on which numerical code breaks; `torture/numerics.py` runs all combinations."""

import numpy as np
import pytest
from scipy import sparse

from pulasso import MultinomialPULasso, fit_path
from pulasso.solvers import SOLVERS
from support.extended import certificate
from support.hard_cases import CASES
from support.hard_fits import fit_case
from support.memory import peak_memory

SLOW = ("many_classes", "wide_sparse")
EASY = ("separable", "duplicated", "binary", "constant")


@pytest.mark.parametrize("model", ["multinomial", "ordinal"])
@pytest.mark.parametrize("case", CASES)
def test_the_default_solver_masters_them(case, model):
    scenarios = CASES[case](np.random.default_rng(0)).scenarios
    for i, scenario in enumerate(scenarios if case not in SLOW else scenarios[:1]):
        ratio = 0.1 if case != "many_classes" else 0.9  # 50 classes take their time
        verdict = fit_case(case, model, scenario, "working-set", lam_ratio=ratio, standardize=i != 1)
        assert not verdict.wrong, f"{scenario}: {verdict.wrong}"
        assert verdict.converged, f"{scenario}: KKT {verdict.kkt:.2g}"


@pytest.mark.parametrize("solver", [name for name in SOLVERS if name != "working-set"])
@pytest.mark.parametrize("case", EASY)
def test_other_solvers(case, solver):
    verdict = fit_case(case, "multinomial", "case-control", solver, lam_ratio=0.5, max_iter=50)
    assert not verdict.wrong, verdict.wrong


def test_the_certificate_from_outside_can_fail():
    x, codes = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 3
    model = MultinomialPULasso(lam=0.01, scenario="fully-observed").fit(x, codes)
    assert certificate(model, x, codes)[0] <= 2e-6
    model.coef_ = model.coef_ * 1.01
    assert certificate(model, x, codes)[0] > 1e-3


def test_a_million_columns():
    rng = np.random.default_rng(0)
    n, p, entries = 40, 1_000_000, 200_000
    where = rng.integers(n, size=entries), rng.integers(p, size=entries)
    x = sparse.csc_array((rng.normal(size=entries), where), shape=(n, p))
    z = np.arange(n) % 3
    with peak_memory() as peak:
        path = fit_path(x, z, scenario="fully-observed", n_lams=3, lam_min_ratio=0.6)
    assert path.converged.all() and np.isfinite(path.coefs).all()
    assert 0 < path.n_active[-1] < 60
    assert peak.nbytes < 60 * 8 * p  # a few dozen vectors of length p, nothing of the size of dense X
