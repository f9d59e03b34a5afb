"""The axes are real: a penalty, a response and a scenario of one file each, with the public estimators as they are."""

import numpy as np
import pytest
from scipy.optimize import minimize

from architecture.toys.adjacent_category import AdjacentCategory, AdjacentCategoryPULasso
from architecture.toys.known_effort import KnownEffort
from architecture.toys.positive_lasso import PositiveLasso
from pulasso import MultinomialPULasso, MultinomialPULassoCV, OrdinalPULasso, fit_path
from pulasso.data.chunks import ArraySource, LocalChunks
from pulasso.losses import PULoss
from pulasso.metrics import pu_scores

N, P = 400, 6


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, P))
    x[:, 0] = rng.exponential(1.0, N)  # hours of search
    y = np.digitize(x[:, 1] - 0.7 * x[:, 2] + rng.logistic(size=N), [0.0, 1.5])
    return x, y, np.where(rng.random(N) < -np.expm1(-x[:, 0]), y, 0)


@pytest.mark.parametrize("solver", ["working-set", "proximal-gradient", "em"])
def test_a_penalty(data, solver):
    x, y, _ = data
    settings = {"scenario": "fully-observed", "penalty": PositiveLasso(), "groups": "entries", "tol": 1e-8}
    model = MultinomialPULasso(lam=0.01, solver=solver, **settings).fit(x, y)
    assert model.converged_ and (model.coef_ >= 0).all() and model.coef_[:, 1].all()
    assert not model.coef_[:, 2].any()  # its effect is negative
    plain = MultinomialPULasso(lam=0.01, **settings | {"penalty": None}).fit(x, y)
    assert (plain.coef_[:, 2] < 0).all() and plain.objective_ < model.objective_


def test_a_penalty_along_paths_in_cross_validation_and_in_chunks(data):
    x, y, _ = data
    settings = {"scenario": "fully-observed", "penalty": PositiveLasso(), "groups": "entries"}
    path = fit_path(x, y, n_lams=6, **settings)
    assert path.converged.all() and path.n_active[0] == 0 < path.n_active[-1] and (path.coefs >= 0).all()
    chunked = fit_path(LocalChunks(ArraySource(x, 90)), y, n_lams=6, **settings)
    np.testing.assert_allclose(chunked.objective, path.objective, rtol=1e-8)
    chosen = MultinomialPULassoCV(n_lams=6, cv=3, random_state=0, **settings).fit(x, y)
    assert chosen.converged_ and (chosen.coef_ >= 0).all()


def test_a_response(data):
    x, _, z = data
    settings = {"scenario": "single-training-set", "label_frequency": 0.5}
    model = AdjacentCategoryPULasso(lam=0.005, tol=1e-8, **settings).fit(x, z)
    assert model.converged_ and model.coef_.shape == (P,) and model.steps_.shape == (2,)
    np.testing.assert_allclose(model.predict_proba(x).sum(axis=1), 1.0)
    assert "steps" in repr(model.summary())
    path = fit_path(x, z, response=AdjacentCategory, lams=[model.lam], tol=1e-8, **settings)
    np.testing.assert_allclose(path.model(-1).predict_proba(x), model.predict_proba(x), atol=1e-6)
    assert pu_scores(model, x, z) is not None


def test_a_response_against_a_general_optimiser(data):
    x, _, z = data
    scaled = (x - x.mean(axis=0)) / x.std(axis=0)
    loss, lam = PULoss("single-training-set", label_frequency=0.5), 0.02

    def objective(b):
        eta = AdjacentCategory(2).log_odds(scaled @ b[:P, None], b[P:])
        return loss.loss(eta, z).mean() + lam * np.abs(b[:P]).sum()

    model = AdjacentCategoryPULasso(lam=lam, scenario="single-training-set", label_frequency=0.5, tol=1e-9)
    best = minimize(objective, np.zeros(P + 2), method="Powell", options={"xtol": 1e-10, "ftol": 1e-12})
    assert model.fit(x, z).objective_ == pytest.approx(best.fun, abs=1e-6)
    assert model.objective_ <= best.fun + 1e-9


@pytest.mark.parametrize("estimator", [MultinomialPULasso, OrdinalPULasso])
def test_a_scenario_by_row(data, estimator):
    x, y, z = data
    model = estimator(lam=0.002, scenario=KnownEffort(), tol=1e-8).fit(x, z)
    assert model.converged_ and model.label_model_.log_labeled.shape == (N, 3)
    observed = model.predict_observed_proba(x[:50])
    assert observed.shape == (50, 3)
    np.testing.assert_allclose(observed.sum(axis=1), 1.0)
    # Who is searched for longer has a label more often, whatever the class.
    longer = x[:50] + np.eye(P)[0]
    same_class = model.predict_proba(longer) / model.predict_proba(x[:50])
    assert (
        model.predict_observed_proba(longer)[:, 0] / observed[:, 0] < same_class.max(axis=1) + 1e-12
    ).all()
    naive = estimator(lam=0.002, scenario="fully-observed").fit(x, z)
    assert model.score(x, y) > naive.score(x, y)
    assert model.observed_score(x, z) > naive.observed_score(x, z)


def test_a_scenario_by_row_everywhere_else(data):
    x, _, z = data
    settings = {"scenario": KnownEffort(), "n_lams": 5}
    path = fit_path(x, z, **settings)
    assert path.converged.all() and path.lam_max > 0
    chunked = fit_path(LocalChunks(ArraySource(x, 90)), z, **settings)
    np.testing.assert_allclose(chunked.objective, path.objective, rtol=1e-8)
    chosen = MultinomialPULassoCV(cv=3, random_state=0, **settings).fit(x, z)
    assert np.isfinite(chosen.cv_loss_).all()
    em = MultinomialPULasso(lam=path.lams[-1], scenario=KnownEffort(), solver="em").fit(x, z)
    assert em.objective_ == pytest.approx(path.objective[-1], abs=1e-6)
