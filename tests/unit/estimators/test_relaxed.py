"""The relaxed refit: a ridge on what was selected, certified, kept, and judged by rows that it did not see."""

import numpy as np
import pytest
from sklearn.base import clone

import pulasso
from pulasso import (
    Groups,
    MultinomialPULasso,
    MultinomialPULassoCV,
    OrdinalPULasso,
    OrdinalPULassoCV,
)
from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.exceptions import InputError
from pulasso.model_selection import make_splitter
from pulasso.penalties import ElasticNet

MODELS = {
    "multinomial": (simulate_multinomial, MultinomialPULassoCV, MultinomialPULasso),
    "ordinal": (simulate_ordinal, OrdinalPULassoCV, OrdinalPULasso),
}
FIT = {"n_lams": 8, "lam_min_ratio": 0.1, "cv": 3, "tol": 1e-5, "random_state": 0, "progress": False}
RIDGES = (3.0, 1.0, 0.3)
every_model = pytest.mark.parametrize("response", MODELS)
every_scenario = pytest.mark.parametrize("scenario", ["case-control", "single-training-set"])
pytestmark = pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning")


def pair(response, scenario="single-training-set", n=200, p=30, **more):
    """Rows, and two cross-validations of them: as they are, and relaxed."""
    simulate, kind, _ = MODELS[response]
    data = simulate(n, p, scenario=scenario, random_state=0)
    settings = {**FIT, **data.scenario_params, **more}
    plain = kind(**settings).fit(data.X, data.z)
    return data, plain, kind(refit="relaxed", **settings).fit(data.X, data.z)


@every_model
@every_scenario
def test_it_is_a_ridge_on_the_selected_features(response, scenario):
    data, plain, relaxed = pair(response, scenario)
    columns = np.flatnonzero(np.atleast_2d(plain.coef_).any(axis=0))
    assert 0 < len(columns) < data.X.shape[1]
    ridge = {"penalty": ElasticNet(0.01), "anchor": 3.0, "tol": 1e-6}
    assert min(abs(relaxed.refit_lam_ / plain.lam_ - ridge) for ridge in RIDGES) < 1e-9
    alone = MODELS[response][2](relaxed.refit_lam_, **ridge, **data.scenario_params).fit(
        data.X[:, columns], data.z
    )
    np.testing.assert_allclose(relaxed.coef_[..., columns], alone.coef_, atol=2e-4)
    assert not np.delete(np.atleast_2d(relaxed.coef_), columns, axis=1).any()
    assert relaxed.objective_ == pytest.approx(alone.objective_, abs=1e-6)
    np.testing.assert_allclose(relaxed.class_shares_, alone.class_shares_, atol=1e-4)
    assert relaxed.converged_ and relaxed.kkt_ <= FIT["tol"]
    assert relaxed.n_iter_ > plain.n_iter_


@every_model
def test_choice_and_path_stay_what_they_were(response):
    _, plain, relaxed = pair(response)
    assert relaxed.lam_ == plain.lam_ and relaxed.lam_max_ == plain.lam_max_
    np.testing.assert_array_equal(relaxed.cv_loss_, plain.cv_loss_)
    np.testing.assert_array_equal(relaxed.path_.coefs, plain.path_.coefs)
    np.testing.assert_array_equal(relaxed.path_.model(-1).coef_, plain.coef_)
    assert not hasattr(plain, "refit_loss_") and "refit" not in plain.summary().facts
    assert "relaxed: ridge on what was selected" in relaxed.summary().facts["refit"]


def test_held_out_rows_judge_models_that_were_refitted_without_them():
    data, plain, relaxed = pair("multinomial")
    losses, rows = [], np.zeros(len(data.z))
    splitter = make_splitter(3, 0)
    for train, test in splitter.split(data.X, data.z):
        columns = np.flatnonzero(
            MultinomialPULasso(plain.lam_, anchor=3.0, tol=1e-6, **data.scenario_params)
            .fit(data.X[train], data.z[train])
            .coef_.any(axis=0)
        )
        model = MultinomialPULasso(
            relaxed.refit_lam_, penalty=ElasticNet(0.01), anchor=3.0, tol=1e-6, **data.scenario_params
        ).fit(data.X[train][:, columns], data.z[train])
        held = data.X[test][:, columns]
        np.testing.assert_allclose(relaxed.cv_proba_[test], model.predict_proba(held), atol=1e-3)
        losses.append(-len(test) * model.observed_score(held, data.z[test]))
        rows[test] += 1
    assert (rows == 1).all()
    assert relaxed.refit_loss_ == pytest.approx(sum(losses) / len(data.z), abs=1e-4)


def test_of_three_ridges_it_takes_the_one_that_held_out_rows_prefer(monkeypatch):
    data, plain, relaxed = pair("multinomial")
    losses = {}
    for ridge in RIDGES:
        monkeypatch.setattr("pulasso.estimators._relaxed.RIDGES", (ridge,))
        losses[ridge] = clone(relaxed).fit(data.X, data.z).refit_loss_
    best = min(losses, key=losses.get)
    assert relaxed.refit_lam_ == pytest.approx(best * plain.lam_)
    assert relaxed.refit_loss_ == pytest.approx(losses[best], abs=1e-5)
    assert max(losses.values()) > losses[best] + 1e-3


def test_unpenalised_groups_stay_free():
    groups = Groups.rows(weights=np.r_[0.0, np.full(29, np.sqrt(2))])
    _, plain, relaxed = pair("multinomial", groups=groups)
    assert plain.coef_[:, 0].all() and relaxed.coef_[:, 0].all() and relaxed.converged_


def test_nothing_selected_leaves_the_null_model():
    _, plain, relaxed = pair("multinomial", lams=[10.0, 9.0])
    assert not plain.coef_.any() and not relaxed.coef_.any()
    np.testing.assert_allclose(relaxed.intercept_, plain.intercept_, atol=1e-6)


def test_shares_are_calibrated_by_refitted_folds():
    _, _, relaxed = pair("multinomial", calibrate="shares")
    np.testing.assert_allclose(relaxed.cv_proba_.mean(axis=0), relaxed.told_shares_, atol=1e-6)


def test_it_is_saved_and_resumed(tmp_path):
    data, _, relaxed = pair("ordinal")
    relaxed.save(tmp_path / "model")
    again = pulasso.load(tmp_path / "model")
    assert again.refit == "relaxed" and again.refit_loss_ == relaxed.refit_loss_
    np.testing.assert_array_equal(again.predict_proba(data.X), relaxed.predict_proba(data.X))
    with pulasso.checkpoint(tmp_path / "steps"):
        clone(relaxed).set_params(refit=None).fit(data.X, data.z)
        before = {file: file.stat().st_mtime_ns for file in (tmp_path / "steps").glob("*/*.npz")}
        resumed = clone(relaxed).fit(data.X, data.z)
    assert all(file.stat().st_mtime_ns == time for file, time in before.items())  # the folds served both
    np.testing.assert_array_equal(resumed.coef_, relaxed.coef_)


def test_a_second_fit_without_it_forgets():
    data, plain, relaxed = pair("multinomial")
    relaxed.set_params(refit=None).fit(data.X, data.z)
    assert not hasattr(relaxed, "refit_loss_")
    np.testing.assert_array_equal(relaxed.coef_, plain.coef_)


def test_an_unknown_refit_is_refused():
    with pytest.raises(InputError, match="refit='lasso' is unknown"):
        MultinomialPULassoCV(refit="lasso", prevalence=0.2).fit(np.eye(4), [0, 0, 1, 1])
