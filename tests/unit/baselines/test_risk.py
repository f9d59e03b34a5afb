"""Methods that minimise an estimated risk: gradients, limits, optimality."""

import numpy as np
import pytest
import scipy.optimize
from scipy import sparse
from scipy.optimize import OptimizeResult, approx_fprime
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from pulasso.baselines import MomentLasso, NonNegativePU, mn_lasso
from pulasso.baselines._population import MomentLoss
from pulasso.baselines.risk import Risk
from pulasso.datasets import simulate_multinomial
from pulasso.design import as_design, standardize
from pulasso.exceptions import ConvergenceWarning, InputError, ScenarioError

CERTAIN = {"scenario": "single-training-set", "label_frequency": 1.0}


@pytest.fixture(scope="module")
def wide():
    return simulate_multinomial(120, 60, random_state=0)


def a_risk(rng, n=30, p=4, k=3, lam=0.3):
    design = standardize(as_design(rng.normal(size=(n, p))), np.full(n, 1 / n))
    members = rng.random((n, k)) * (rng.random((n, k)) < 0.2) / n
    return Risk(design, rng.random(n) / n, members, lam)


@pytest.mark.parametrize("reach", [0.0, 0.2, 50.0])
@pytest.mark.parametrize("mixture", [0.0, 0.4, 1.0])
def test_gradient_of_the_risk(mixture, reach):
    rng = np.random.default_rng(0)
    risk, at = a_risk(rng), rng.normal(size=15)
    numeric = approx_fprime(at, lambda v: risk.mixed(v, mixture, reach)[0], 1e-7)
    np.testing.assert_allclose(risk.mixed(at, mixture, reach)[1], numeric, atol=1e-6)


def test_the_mixture_moves_from_one_part_to_the_sum():
    rng = np.random.default_rng(1)
    risk, at = a_risk(rng), rng.normal(size=15)
    part, total = risk.mixed(at, 0.0)[0], risk.mixed(at, 1.0)[0]
    assert total - part == pytest.approx(risk.negative_part(at))


def test_gradient_and_curvature_of_the_moment_loss():
    rng = np.random.default_rng(2)
    loss = MomentLoss(rng.random(5), rng.random((5, 2)))
    eta = rng.normal(size=(5, 2))
    numeric = approx_fprime(eta.ravel(), lambda v: loss.value_and_grad(v.reshape(5, 2))[0], 1e-7)
    np.testing.assert_allclose(loss.value_and_grad(eta)[1].ravel(), numeric, atol=1e-6)
    step, v = 1e-6, rng.normal(size=(5, 2))
    change = loss.value_and_grad(eta + step * v)[1] - loss.value_and_grad(eta - step * v)[1]
    bent = loss.curvature(eta).apply(v) * loss.sample_weight[:, None]
    np.testing.assert_allclose(bent, change / (2 * step), atol=1e-6)
    assert loss.complete(eta) is loss


def test_unbiased_risk_with_certain_labels_is_logistic_regression():
    data = simulate_multinomial(400, 5, n_positive=1, scenario="fully-observed", random_state=0)
    x = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    model = NonNegativePU(0.05, non_negative=False, tol=1e-9, **CERTAIN).fit(x, data.z)
    theirs = LogisticRegression(C=1 / (400 * 0.05), tol=1e-10, max_iter=1000).fit(x, data.z)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, theirs.intercept_, atol=1e-5)


def test_moment_lasso_with_certain_labels_is_the_naive_lasso():
    data = simulate_multinomial(400, 10, scenario="fully-observed", random_state=0)
    moment = MomentLasso(0.02, **CERTAIN).fit(data.X, data.z)
    naive = mn_lasso(0.02).fit(data.X, data.z)
    np.testing.assert_allclose(moment.coef_, naive.coef_, atol=1e-5)
    assert moment.lam_max_ == pytest.approx(naive.lam_max_)


def test_with_a_small_penalty_the_moment_method_is_the_unbiased_risk():
    """Two programs, one loss: group lasso and ridge meet where neither penalty matters."""
    data = simulate_multinomial(2000, 3, random_state=0)
    moment = MomentLasso(1e-6, **data.scenario_params).fit(data.X, data.z)
    ridge = NonNegativePU(1e-6, non_negative=False, **data.scenario_params).fit(data.X, data.z)
    np.testing.assert_allclose(moment.coef_, ridge.coef_, atol=1e-3)


@pytest.mark.parametrize("settings", [{}, {"scenario": "single-training-set", "label_frequency": 0.5}])
def test_moment_estimates_come_close_to_the_truth(settings):
    data = simulate_multinomial(10_000, 3, random_state=0, **settings)
    model = MomentLasso(1e-4, **data.scenario_params).fit(data.X, data.z)
    np.testing.assert_allclose(model.coef_, data.coef, atol=0.15)
    np.testing.assert_allclose(model.intercept_, data.intercept, atol=0.15)


@pytest.mark.parametrize("solver", ["working-set", "proximal-gradient", "em"])
def test_every_solver_finds_the_one_minimum(solver):
    data = simulate_multinomial(400, 8, random_state=0)
    model = MomentLasso(0.03, solver=solver, **data.scenario_params).fit(data.X, data.z)
    assert model.converged_
    assert model.objective_ == pytest.approx(
        MomentLasso(0.03, **data.scenario_params).fit(data.X, data.z).objective_
    )


def test_a_loss_without_minimum_is_reported(wide):
    with pytest.warns(ConvergenceWarning, match="estimated risk became negative at lam="):
        model = MomentLasso(0.01, **wide.scenario_params).fit(wide.X, wide.z)
    assert not model.converged_ and np.isfinite(model.coef_).all() and model.objective_ >= 0
    assert "negative" in model.warnings_[-1]
    with pytest.raises(InputError, match="n_restarts"):
        MomentLasso(0.1, n_restarts=3, **wide.scenario_params).fit(wide.X, wide.z)


@pytest.mark.parametrize(("lam", "bound"), [(3.0, False), (0.1, True)])
def test_the_non_negative_risk_is_minimal(lam, bound, wide):
    """No nearby model, and no model between two, has a smaller risk: the problem is convex."""
    model = NonNegativePU(lam, **wide.scenario_params).fit(wide.X, wide.z)
    assert (model.mixture_ < 1.0) == bound
    assert model.negative_risk_ > -1e-5

    n_unlabeled = np.sum(wide.z == 0)
    scale = wide.X.std(axis=0)

    def objective(coef, intercept):
        eta = np.column_stack([np.zeros(len(wide.X)), wide.X @ coef.T + intercept])
        total = np.log(np.exp(eta).sum(axis=1))
        mean = [np.mean((total - eta[:, k])[wide.z == k]) for k in (1, 2)]
        positive = wide.prevalence @ mean
        negative = total[wide.z == 0].sum() / n_unlabeled
        negative -= wide.prevalence @ [np.mean(total[wide.z == k]) for k in (1, 2)]
        return positive + max(negative, 0.0) + 0.5 * lam * np.sum((coef * scale) ** 2)

    best = objective(model.coef_, model.intercept_)
    assert best == pytest.approx(model.objective_, abs=1e-4)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 1e-1, 1.0):
        for _ in range(10):
            coef = model.coef_ + size * rng.normal(size=model.coef_.shape)
            assert objective(coef, model.intercept_ + size * rng.normal(size=2)) > best - 1e-5


@pytest.mark.parametrize("lam", [0.01, 0.001])
def test_the_bound_costs_few_steps_and_is_met(lam):
    """A minimum of ``S + t T`` where T is zero is that of ``S + max(0, T)``; one run for every t tried takes 1,361."""
    data = simulate_multinomial(1000, 200, random_state=0)
    model = NonNegativePU(lam, **data.scenario_params).fit(data.X, data.z)
    assert model.converged_ and 0.0 < model.mixture_ < 1.0
    assert abs(model.negative_risk_) <= 1e-6
    assert model.n_iter_ < 300


def test_a_search_that_gets_stuck_is_reported(wide, monkeypatch):
    def stuck(function, x0, args, **_):
        return OptimizeResult(x=x0, jac=function(x0, *args)[1], nit=0, status=2)

    monkeypatch.setattr("pulasso.baselines.risk.minimize", stuck)
    with pytest.warns(ConvergenceWarning, match="stopped before its gradient"):
        assert not NonNegativePU(**wide.scenario_params).fit(wide.X, wide.z).converged_


def test_too_few_steps_are_reported(wide):
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model = NonNegativePU(max_iter=1, **wide.scenario_params).fit(wide.X, wide.z)
    assert not model.converged_
    assert NonNegativePU(lam=0.1, **wide.scenario_params).fit(wide.X, wide.z).converged_


def test_sparse_and_dense_features_give_the_same_model(wide):
    dense = NonNegativePU(0.1, **wide.scenario_params).fit(wide.X, wide.z)
    thin = NonNegativePU(0.1, **wide.scenario_params).fit(sparse.csr_array(wide.X), wide.z)
    np.testing.assert_allclose(thin.coef_, dense.coef_, atol=1e-6)
    np.testing.assert_allclose(
        thin.predict_proba(sparse.csr_array(wide.X)), dense.predict_proba(wide.X), atol=1e-5
    )


@pytest.mark.parametrize("non_negative", [True, False])
def test_more_columns_than_rows_are_searched_by_rows(non_negative, monkeypatch):
    """The same minimum, with a number for each row instead of each column; a copy of a row adds no direction."""
    data = simulate_multinomial(60, 300, random_state=0)
    X, z = np.vstack([data.X, data.X[:5]]), np.append(data.z, data.z[:5])
    model = NonNegativePU(0.3, non_negative=non_negative, tol=1e-8, **data.scenario_params)
    sizes, search = [], scipy.optimize.minimize

    def noted(function, x0, **how):
        sizes.append(len(x0))
        return search(function, x0, **how)

    monkeypatch.setattr("pulasso.baselines.risk.minimize", noted)
    by_rows = clone(model).fit(X, z)
    assert max(sizes) <= 2 * 60  # two classes; centred rows span one dimension less, intercepts bring it back
    monkeypatch.setattr("pulasso.baselines.risk.FEW_ROWS", 0)
    by_columns = clone(model).fit(X, z)
    assert max(sizes) == 2 * 301
    assert by_rows.converged_ and by_rows.objective_ == pytest.approx(by_columns.objective_, abs=1e-6)
    np.testing.assert_allclose(by_rows.coef_, by_columns.coef_, atol=1e-4)
    np.testing.assert_allclose(by_rows.predict_proba(X), by_columns.predict_proba(X), atol=1e-3)


@pytest.mark.parametrize("settings", [{"lam": 0.0}, {"non_negative": 1}, {"max_iter": 0}], ids=str)
def test_wrong_settings(settings, wide):
    with pytest.raises(ValueError, match=next(iter(settings))):
        NonNegativePU(prevalence=0.2, **settings).fit(wide.X, wide.z)


@pytest.mark.parametrize("non_negative", [True, False])
def test_too_low_a_label_frequency_leaves_nothing_for_class_0(non_negative, wide):
    low = {"scenario": "single-training-set", "label_frequency": 0.3}
    with pytest.raises(ScenarioError, match="167 % of the population") as caught:
        NonNegativePU(non_negative=non_negative, **low).fit(wide.X, wide.z)
    assert caught.value.parameter == "label_frequency"
