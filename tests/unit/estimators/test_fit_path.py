"""Whole paths: their shapes, their agreement with single fits, their warnings."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from pulasso import Groups, MultinomialPULasso, OrdinalPULasso, PathResult, fit_path
from pulasso.exceptions import ConvergenceWarning, LabelFrequencyWarning
from pulasso.solvers import SOLVERS

# The classes of these small data have no order, and their shares are not those that are told: models say so.
pytestmark = pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning")

NAMES = ["rain", "frost", "slope", "iron"]
SCENARIOS = {
    "case-control": {"scenario": "case-control", "prevalence": [0.3, 0.2]},
    "single-training-set": {"scenario": "single-training-set", "label_frequency": [0.75, 0.8]},
    "fully-observed": {"scenario": "fully-observed"},
}
SINGLE = SCENARIOS["single-training-set"]
ESTIMATORS = {"multinomial": MultinomialPULasso, "ordinal": OrdinalPULasso}

both = pytest.mark.parametrize("response", ESTIMATORS)
every_scenario = pytest.mark.parametrize("settings", SCENARIOS.values(), ids=SCENARIOS)


@both
@every_scenario
def test_shapes(X, y, response, settings):
    path = fit_path(X, y, response=response, n_lams=7, lam_min_ratio=0.1, **settings)
    assert isinstance(path, PathResult)
    assert len(path) == 7
    for name in ("lams", "objective", "kkt", "n_active", "n_iter", "converged"):
        assert getattr(path, name).shape == (7,), name
    assert path.group_norms.shape == (7, 4)
    if response == "multinomial":
        assert path.coefs.shape == (7, 2, 4)
        assert path.intercepts.shape == (7, 2)
        assert path.thresholds is None
    else:
        assert path.coefs.shape == (7, 4)
        assert path.thresholds.shape == (7, 2)
        assert np.all(np.diff(path.thresholds, axis=1) > 0)
        assert path.intercepts is None
    assert path.classes.tolist() == [0, 1, 2]
    assert path.feature_names is None
    assert path.warnings == ()


@both
@every_scenario
def test_the_default_grid(X, y, response, settings):
    path = fit_path(X, y, response=response, n_lams=6, lam_min_ratio=0.1, **settings)
    assert path.lams[0] == path.lam_max
    assert path.lams[-1] == pytest.approx(0.1 * path.lam_max)
    np.testing.assert_allclose(np.diff(np.log(path.lams)), np.log(0.1) / 5)
    assert path.n_active[0] == 0
    assert not path.coefs[0].any()
    assert path.n_active[1] > 0
    assert path.converged.all()
    assert (path.kkt <= 1e-6).all()
    assert np.all(np.diff(path.objective) < 0), "less penalty, lower objective"


def test_a_hundred_lams_by_default(X, y):
    path = fit_path(X, y, **SINGLE)
    assert len(path) == 100
    assert path.lams[-1] == pytest.approx(0.05 * path.lam_max)


@both
@every_scenario
def test_agreement_with_single_fits(X, y, response, settings):
    path = fit_path(X, y, response=response, n_lams=5, lam_min_ratio=0.1, tol=1e-8, **settings)
    for i, lam in enumerate(path.lams):
        single = ESTIMATORS[response](lam=lam, tol=1e-8, **settings).fit(X, y)
        assert path.lam_max == pytest.approx(single.lam_max_)
        assert path.objective[i] == pytest.approx(single.objective_, rel=1e-9)
        np.testing.assert_allclose(path.coefs[i], single.coef_, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(path.model(i).predict_proba(X), single.predict_proba(X), atol=1e-5)


@both
def test_own_lams_are_sorted(X, y, response):
    path = fit_path(X, y, response=response, lams=[0.02, 0.1, 0.05], **SINGLE)
    assert path.lams.tolist() == [0.1, 0.05, 0.02]
    one = fit_path(X, y, response=response, lams=0.05, **SINGLE)
    assert one.lams.tolist() == [0.05]
    np.testing.assert_allclose(one.coefs[0], path.coefs[1], rtol=1e-3, atol=1e-5)


@both
def test_models_along_the_path(X, y, response):
    data = pd.DataFrame(X, columns=NAMES)
    path = fit_path(data, y, response=response, n_lams=4, lam_min_ratio=0.1, **SINGLE)
    assert path.feature_names.tolist() == NAMES
    model = path.model(-1)
    assert isinstance(model, ESTIMATORS[response])
    assert model.lam == path.lams[-1]
    assert model.observed_score(data, y) > path.model(0).observed_score(data, y)
    assert model.feature_names_in_.tolist() == NAMES
    assert model.objective_ == path.objective[-1]
    assert model.converged_ is True
    assert model.history_[-1].objective == pytest.approx(model.objective_)
    assert "features selected" in repr(model.summary())
    assert not path.model(0).coef_.any(), "models do not share what depends on lam"
    with pytest.raises(IndexError):
        path.model(4)


def test_every_attribute_of_a_fit_is_on_a_path_model(X, y):
    fit = MultinomialPULasso(lam=0.05, **SINGLE).fit(X, y)
    model = fit_path(X, y, lams=[0.05], **SINGLE).model(0)
    assert set(vars(fit)) == set(vars(model))


@both
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver(X, y, response, solver):
    path = fit_path(X, y, response=response, solver=solver, n_lams=4, lam_min_ratio=0.2, tol=1e-7, **SINGLE)
    reference = fit_path(
        X, y, response=response, solver="proximal-gradient", n_lams=4, lam_min_ratio=0.2, tol=1e-7, **SINGLE
    )
    assert path.converged.all()
    np.testing.assert_allclose(path.objective, reference.objective, rtol=1e-8)


def test_without_intercepts(X, y):
    path = fit_path(X, y, n_lams=3, lam_min_ratio=0.2, fit_intercept=False, **SINGLE)
    assert path.intercepts.tolist() == [[0.0, 0.0]] * 3
    assert path.model(1).predict_proba(X).shape == (120, 3)


def test_settings_of_the_estimators_are_passed_on(X, y):
    groups = Groups.from_columns({"weather": [0, 1], "ground": [2, 3]})
    labels = np.where(y == 0, np.nan, y)
    path = fit_path(
        sparse.csr_array(X), labels, groups=groups, unlabeled=np.nan, n_lams=3, lam_min_ratio=0.2, **SINGLE
    )
    assert path.n_active[-1] <= 2
    assert path.classes.tolist() == [0, 1, 2]


def test_weights_are_repetitions(X, y):
    weight = np.random.default_rng(1).integers(0, 3, 120)
    settings = {"n_lams": 3, "lam_min_ratio": 0.2, "tol": 1e-9, **SINGLE}
    weighted = fit_path(X, y, sample_weight=weight, **settings)
    repeated = fit_path(np.repeat(X, weight, axis=0), np.repeat(y, weight), **settings)
    np.testing.assert_allclose(weighted.lams, repeated.lams)
    np.testing.assert_allclose(weighted.coefs, repeated.coefs, rtol=1e-4, atol=1e-7)


@both
def test_a_path_that_is_stopped_early_says_so(X, y, response):
    settings = {"n_lams": 5, "lam_min_ratio": 0.02, "max_iter": 1, "solver": "proximal-gradient", **SINGLE}
    with pytest.warns(
        ConvergenceWarning, match=r"of 5 fits did not reach tol=1e-06, the first at lam=.*Try"
    ) as caught:
        path = fit_path(X, y, response=response, **settings)
    assert caught[0].filename == __file__
    assert path.warnings == (str(caught[0].message),)
    assert not path.converged.all()
    assert np.isfinite(path.coefs).all()


def test_a_label_frequency_that_is_too_low(X, y):
    with pytest.warns(LabelFrequencyWarning, match="smallest label frequency") as caught:
        path = fit_path(
            X, y, n_lams=3, lam_min_ratio=0.5, scenario="single-training-set", label_frequency=0.4
        )
    assert caught[0].filename == __file__
    assert path.warnings == (str(caught[0].message),)
    assert np.isfinite(path.coefs).all()


def test_representation_and_pickle(X, y):
    path = fit_path(X, y, n_lams=3, lam_min_ratio=0.2, **SINGLE)
    assert repr(path).startswith("PathResult(3 lams from 0.")
    again = pickle.loads(pickle.dumps(path))
    np.testing.assert_array_equal(again.model(2).predict_proba(X), path.model(2).predict_proba(X))


@pytest.mark.parametrize(("typo", "meant"), [("prevalance", "prevalence"), ("n_lam", "n_lams")])
def test_a_misspelt_argument_is_named_with_what_was_meant(typo, meant):
    with pytest.raises(
        TypeError, match=rf"fit_path\(\) got an unexpected keyword argument '{typo}'.*'{meant}'"
    ):
        fit_path(np.eye(4), [0, 1, 0, 1], **{typo: 3})
