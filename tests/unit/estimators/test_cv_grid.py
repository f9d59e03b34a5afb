"""The grid of cross-validation goes on while the loss on held-out rows falls, and is left alone where it was given."""

import numpy as np
import pytest

import pulasso
from pulasso import MultinomialPULassoCV, OrdinalPULassoCV, fit_path
from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.exceptions import GridEdgeWarning, InputError
from pulasso.model_selection import LossCurve

CASES = {
    "multinomial": (MultinomialPULassoCV, simulate_multinomial),
    "ordinal": (OrdinalPULassoCV, simulate_ordinal),
}


def draw(response):
    """Return an estimator and data with so much signal that the loss falls far down."""
    estimator, simulate = CASES[response]
    data = simulate(500, 8, n_active=6, scenario="single-training-set", variance=4.0, random_state=0)
    settings = {"n_lams": 12, "cv": 3, "tol": 1e-4, "random_state": 0, **data.scenario_params}
    return estimator, data, settings


@pytest.mark.parametrize("response", CASES)
def test_the_grid_goes_on_until_the_loss_no_longer_falls(response):
    estimator, data, settings = draw(response)
    model = estimator(**settings).fit(data.X, data.z)
    assert len(model.lams_) > 12 and model.lams_[-1] >= 1e-4 * model.lam_max_
    steps = model.lams_[1:] / model.lams_[:-1]
    np.testing.assert_allclose(steps, steps[0], rtol=1e-9)
    n_lams = len(model.lams_)
    assert model.cv_loss_.shape == model.cv_n_active_.shape == (3, n_lams)
    weights = np.ones(3)
    edges = [LossCurve(model.lams_[:k], model.cv_loss_[:, :k], weights).edge() for k in (12, n_lams)]
    assert edges == ["smallest", ""]


@pytest.mark.parametrize("response", CASES)
def test_what_follows_is_what_a_longer_grid_finds(response):
    estimator, data, settings = draw(response)
    model = estimator(**settings, anchor=1.0).fit(data.X, data.z)
    whole = estimator(model.lams_, **settings, anchor=1.0).fit(data.X, data.z)
    np.testing.assert_allclose(model.cv_loss_, whole.cv_loss_, rtol=1e-4)
    np.testing.assert_array_equal(model.cv_n_active_[:, :12], whole.cv_n_active_[:, :12])
    np.testing.assert_allclose(model.cv_proba_, whole.cv_proba_, atol=1e-3)
    path = fit_path(
        data.X, data.z, response=response, lams=model.lams_, tol=1e-4, anchor=1.0, **data.scenario_params
    )
    np.testing.assert_allclose(model.coef_, path.coefs[model.best_index_], atol=1e-3)


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning")
def test_a_given_grid_is_left_as_it_is():
    estimator, data, settings = draw("multinomial")
    given = estimator(**settings, lam_min_ratio=0.2).fit(data.X, data.z)
    assert given.lams_[-1] == pytest.approx(0.2 * given.lam_max_) and len(given.lams_) == 12
    own = estimator([0.1, 0.05], **settings).fit(data.X, data.z)
    np.testing.assert_array_equal(own.lams_, [0.1, 0.05])


def test_an_end_that_was_given_is_spoken_of():
    estimator, data, settings = draw("multinomial")
    with pytest.warns(GridEdgeWarning, match="lam_min_ratio=0.04"):
        estimator(**settings, lam_min_ratio=0.2).fit(data.X, data.z)


def test_a_resumed_run_is_bitwise_identical(tmp_path):
    estimator, data, settings = draw("multinomial")
    expected = estimator(**settings).fit(data.X, data.z)
    with pulasso.checkpoint(tmp_path):
        estimator(**settings).fit(data.X, data.z)
    for part in sorted(tmp_path.rglob("*lam*"))[::2]:  # every second of the later steps is lost
        part.unlink()
    with pulasso.checkpoint(tmp_path):
        resumed = estimator(**settings).fit(data.X, data.z)
    np.testing.assert_array_equal(resumed.cv_loss_, expected.cv_loss_)
    np.testing.assert_array_equal(resumed.coef_, expected.coef_)


# -- few groups ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("response", CASES)
def test_of_lams_with_few_active_groups_it_takes_the_best(response):
    estimator, data, settings = draw(response)
    free = estimator(**settings).fit(data.X, data.z)
    few = estimator(**settings, max_active=4).fit(data.X, data.z)
    assert np.count_nonzero(free.group_norms_) > 4 >= np.count_nonzero(few.group_norms_) > 0
    assert few.lam_ > free.lam_ and few.lam_ == few.lams_[few.best_index_] == few.path_.lams[-1]
    allowed = few.cv_n_active_.mean(axis=0) <= 4
    assert few.best_index_ <= np.argmin(np.where(allowed, few.cv_loss_mean_, np.inf))
    path = fit_path(
        data.X, data.z, response=response, lams=few.lams_, tol=1e-4, anchor=3.0, **data.scenario_params
    )
    if allowed[few.best_index_ + 1]:  # then it is all rows that select too many
        assert path.n_active[few.best_index_ + 1] > 4
    np.testing.assert_allclose(few.coef_, path.coefs[few.best_index_], atol=1e-3)


def test_a_limit_that_does_not_bind_changes_nothing():
    estimator, data, settings = draw("multinomial")
    free, limited = (estimator(**settings, max_active=each).fit(data.X, data.z) for each in (None, 8))
    np.testing.assert_array_equal(limited.coef_, free.coef_)
    np.testing.assert_array_equal(limited.lams_, free.lams_)


def test_all_rows_may_select_more_than_the_folds_do(monkeypatch):
    """Then the path of all rows ends where it still has few."""
    estimator, data, settings = draw("multinomial")
    monkeypatch.setattr(LossCurve, "index", lambda self, select: len(self.lams) - 1)
    few = estimator(**settings, lams=np.geomspace(0.1, 0.001, 8), max_active=4).fit(data.X, data.z)
    assert 0 < np.count_nonzero(few.group_norms_) <= 4 and few.best_index_ < 7


def test_a_limit_that_no_lam_keeps_is_refused():
    estimator, data, settings = draw("multinomial")
    with pytest.raises(InputError, match="Every lam selects more than max_active=1 groups"):
        estimator([0.002, 0.001], **settings, max_active=1).fit(data.X, data.z)
    with pytest.raises(InputError, match="max_active"):
        estimator(**settings, max_active=0.5).fit(data.X, data.z)
