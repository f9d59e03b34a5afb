"""Classes and labelling fitted together: certified, recovered where they can be, refused where they cannot."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, softmax

import pulasso
from pulasso import (
    Groups,
    MultinomialPULasso,
    MultinomialPULassoCV,
    OrdinalPULasso,
    OrdinalPULassoCV,
    SelectedLabelling,
    SingleTrainingSet,
    fit_path,
)
from pulasso.estimators._profile import JointObjective
from pulasso.estimators.labelling import prepare
from pulasso.exceptions import GroupError, IdentifiabilityWarning, ScenarioError
from pulasso.losses import PULoss
from pulasso.losses.propensity import labelling_gradient
from pulasso.metrics import pu_scores
from pulasso.scenarios import Propensity
from pulasso.scenarios.propensity import label_rows
from pulasso.solvers import _certifying
from pulasso.solvers._certifying import Gradients

LEVEL, EFFECT = 0.2, 1.2


def simulate(n, n_positive=2, *, seed=0, effect=EFFECT, ordinal=False, in_classes=0.4):
    """Rows whose labels are more often shown where column 0 is large; also the true coefficients and classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    if ordinal:
        theta = np.array([[in_classes], [1.5], [-1.0], [0.0], [0.0]])
        u = X @ theta[:, 0] + rng.logistic(size=n)
        y = (u[:, None] > np.arange(n_positive)).sum(axis=1)
    else:
        theta = np.zeros((5, n_positive))
        theta[0] = in_classes
        theta[1 + np.arange(n_positive) % 4, np.arange(n_positive)] = 1.5
        proba = softmax(np.column_stack([np.zeros(n), X @ theta - 0.3]), axis=1)
        y = (proba.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    shown = rng.random(n) < expit(LEVEL + effect * X[:, 0])
    return X, np.where(shown, y, 0), y, theta


def log_loss(model, X, y):
    return -np.mean(np.log(model.predict_proba(X)[np.arange(len(y)), y]))


@pytest.mark.parametrize("confirmed", [0.0, 0.3])
def test_the_gradient_agrees_with_finite_differences(confirmed):
    rng = np.random.default_rng(0)
    logits, eta = rng.normal(size=(2, 12, 3))
    codes = np.arange(12) % (5 if confirmed else 4)
    gradient = labelling_gradient(label_rows(logits, confirmed), eta, codes)
    step = 1e-6
    for k in range(3):
        ends = []
        for sign in (1, -1):
            moved = logits.copy()
            moved[:, k] += sign * step
            ends.append(PULoss(label_rows(moved, confirmed)).loss(eta, codes))
        np.testing.assert_allclose(gradient[:, k], (ends[0] - ends[1]) / (2 * step), atol=1e-8)


@pytest.mark.parametrize(
    ("kind", "n_positive", "settings"),
    [
        (MultinomialPULasso, 1, {"excluded": True}),
        (MultinomialPULasso, 2, {}),
        (MultinomialPULasso, 4, {}),
        (MultinomialPULasso, 2, {"excluded": True, "shared": False}),
        (OrdinalPULasso, 3, {}),
    ],
)
def test_classes_and_labelling_are_recovered_and_certified(kind, n_positive, settings):
    in_classes = 0.0 if settings.get("excluded") else 0.4
    X, z, _, theta = simulate(6000, n_positive, ordinal=kind is OrdinalPULasso, in_classes=in_classes)
    model = kind(lam=2e-4, scenario=SelectedLabelling([0], **settings)).fit(X, z)
    found = model.propensity_
    np.testing.assert_allclose(found.coef, EFFECT, atol=0.35)
    np.testing.assert_allclose(found.intercept, LEVEL, atol=0.4)
    np.testing.assert_allclose(np.atleast_2d(model.coef_).T, theta, atol=0.35)
    assert model.converged_ and model.kkt_ <= model.tol and found.kkt <= model.tol
    assert len(found.objective) > 2 and (np.diff(found.objective) <= 1e-12).all()
    if in_classes == 0:
        assert not model.coef_[:, 0].any()


def test_the_certificate_holds_at_the_fitted_model_itself():
    X, z, _, _ = simulate(2000)
    lam = 0.002
    model = MultinomialPULasso(lam=0.002, scenario=SelectedLabelling([0, 3], lam=lam)).fit(X, z)
    eta = model.decision_function(X)[:, 1:]
    by_row = labelling_gradient(model.scenario_.label_model(model.label_counts_, X), eta, z).sum(axis=1)
    columns = (X[:, [0, 3]] - X[:, [0, 3]].mean(axis=0)) / X[:, [0, 3]].std(axis=0)
    effects, gradient = model.propensity_.coef[0], columns.T @ by_row / len(z)
    assert effects[0] > 0 and effects[1] == 0
    np.testing.assert_allclose(gradient[0], -lam, rtol=1e-4)
    assert abs(gradient[1]) <= lam
    assert abs(by_row.mean()) <= 10 * model.tol * model.lam_max_


@pytest.mark.parametrize("kind", [MultinomialPULassoCV, OrdinalPULassoCV])
def test_cross_validation_fits_the_labelling_and_beats_what_ignores_it(kind):
    ordinal = kind is OrdinalPULassoCV
    X, z, _, _ = simulate(1200, seed=1, ordinal=ordinal)
    new, _, y, _ = simulate(4000, seed=2, ordinal=ordinal)
    how = {"n_lams": 15, "cv": 3, "tol": 1e-4, "random_state": 0, "progress": False}
    aware = kind(scenario=SelectedLabelling([0]), **how).fit(X, z)
    blind = kind(scenario=SingleTrainingSet(0.55), **how).fit(X, z)
    assert aware.propensity_.coef[0, 0] > 0.6
    assert log_loss(aware, new, y) < log_loss(blind, new, y)


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning")
def test_folds_fit_their_own_labelling(monkeypatch):
    from pulasso.estimators import _folds

    seen = []
    label_model_of = _folds.label_model_of
    monkeypatch.setattr(
        _folds,
        "label_model_of",
        lambda scenario, *rest: seen.append(scenario) or label_model_of(scenario, *rest),
    )
    X, z, _, _ = simulate(1500)
    how = {"lams": [0.02, 0.01], "cv": 3, "tol": 1e-4, "random_state": 0, "progress": False}
    model = MultinomialPULassoCV(scenario=SelectedLabelling([0]), **how).fit(X, z)
    effects = {each.propensity.coef[0, 0] for each in seen}
    assert len(effects) == 3 and model.propensity_.coef[0, 0] not in effects


def test_constant_labelling_gives_the_fit_of_a_single_training_set():
    X, z, _, _ = simulate(2000, effect=0.0, seed=3)
    new, _, y, _ = simulate(5000, effect=0.0, seed=4)
    how = {"n_lams": 15, "cv": 3, "tol": 1e-4, "random_state": 0, "progress": False}
    frequency = float(expit(LEVEL))
    known = MultinomialPULassoCV(scenario=SingleTrainingSet(frequency), **how).fit(X, z)
    # What one is told, the other has to estimate; told the same, they agree.
    for told, worse in ((None, 1.05), (frequency, 1.01)):
        model = MultinomialPULassoCV(scenario=SelectedLabelling([0, 3], label_frequency=told), **how).fit(
            X, z
        )
        assert model.propensity_.is_constant
        assert log_loss(model, new, y) < worse * log_loss(known, new, y)


def test_a_known_effort_is_an_offset():
    X, z, _, _ = simulate(4000)
    X = np.column_stack([X, EFFECT * X[:, 0]])
    scenario = SelectedLabelling([0], offset=5, lam=0.0, excluded=False)
    model = MultinomialPULasso(lam=2e-4, groups=Groups.rows(weights={5: np.inf}), scenario=scenario).fit(X, z)
    np.testing.assert_allclose(model.propensity_.coef, 0.0, atol=0.35)  # beyond what the offset says


def test_names_paths_and_sparse_data():
    import pandas as pd
    from scipy import sparse

    X, z, _, _ = simulate(1500)
    frame = pd.DataFrame(X, columns=list("abcde"))
    path = fit_path(frame, z, scenario=SelectedLabelling(["a"]), n_lams=4)
    same = fit_path(sparse.csr_array(X), z, scenario=SelectedLabelling([-5]), n_lams=4)
    model = path.model(-1)
    assert model.propensity_.columns == ("a",) and model.propensity_.positions == (0,)
    np.testing.assert_allclose(model.propensity_.coef, same.model(-1).propensity_.coef, rtol=1e-3)
    assert model.predict_observed_proba(frame).shape == (1500, 3)
    summary = str(model.summary())
    assert "labelling" in summary and "share one propensity" in summary


def test_saved_and_loaded(tmp_path):
    X, z, _, _ = simulate(500)
    model = MultinomialPULasso(lam=0.01, scenario=SelectedLabelling([0], offset=3)).fit(X, z)
    model.save(tmp_path / "model")
    again = pulasso.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_observed_proba(X), model.predict_observed_proba(X))
    assert again.propensity_.identification == model.propensity_.identification
    assert again.scenario.propensity is None


def test_a_propensity_that_is_known_is_not_fitted():
    X, z, _, _ = simulate(500)
    known = Propensity((0,), [LEVEL, LEVEL], [[EFFECT], [EFFECT]])
    model = MultinomialPULasso(lam=0.01, scenario=SelectedLabelling([0], propensity=known)).fit(X, z)
    assert model.propensity_ is known
    np.testing.assert_allclose(np.exp(model.label_model_.log_labeled[:, 1]), expit(LEVEL + EFFECT * X[:, 0]))


def test_weights_count_rows():
    X, z, _, _ = simulate(300)
    twice = np.arange(300) % 3 == 0
    scenario = SelectedLabelling([0], lam=0.01)
    one = MultinomialPULasso(lam=0.01, scenario=scenario).fit(X, z, sample_weight=1.0 + twice)
    rows = np.concatenate([np.arange(300), np.flatnonzero(twice)])
    two = MultinomialPULasso(lam=0.01, scenario=scenario).fit(X[rows], z[rows])
    np.testing.assert_allclose(one.propensity_.coef, two.propensity_.coef, atol=1e-4)


# -- what is identified ------------------------------------------------------------------------------------------


def test_what_cannot_be_told_is_refused_unless_allowed():
    X, z, _, _ = simulate(3000, 1)
    model = MultinomialPULasso(lam=0.001, scenario=SelectedLabelling([0]))
    with pytest.raises(ScenarioError, match="Not identified") as refused:
        model.fit(X, z)
    assert "excluded=True" in str(refused.value) and "allow_unidentified=True" in str(refused.value)
    model.scenario = SelectedLabelling([0], allow_unidentified=True)
    with pytest.warns(IdentifiabilityWarning, match="Not identified"):
        model.fit(X, z)
    assert any("Not identified" in words for words in model.warnings_)
    assert model.propensity_.identification.startswith("Not identified")


@pytest.mark.parametrize(
    ("n_positive", "settings", "more"),
    [
        (1, {"scenario": SelectedLabelling([0], excluded=True)}, {}),
        (1, {"scenario": SelectedLabelling([0], prevalence=0.5), "anchor": 1.0}, {}),
        (1, {"scenario": SelectedLabelling([0]), "groups": Groups.rows(weights={0: np.inf})}, {}),
        (2, {"scenario": SelectedLabelling([0])}, {}),
    ],
)
def test_what_tells_the_two_apart(n_positive, settings, more):
    X, z, _, _ = simulate(300, n_positive)
    with warnings.catch_warnings():
        warnings.simplefilter("error", IdentifiabilityWarning)
        model = MultinomialPULasso(lam=0.02, **settings).fit(X, z)
    assert model.propensity_.identification.startswith("Identified")


def test_confirmed_negatives_tell_the_two_apart():
    X, z, y, _ = simulate(600, 1)
    labels = np.where(z > 0, "case", "?").astype(object)
    labels[(y == 0) & (np.arange(600) % 3 == 0)] = "control"
    scenario = SelectedLabelling([0], negative_label_frequency=1 / 3)
    model = MultinomialPULasso(lam=0.01, scenario=scenario, unlabeled="?", negative="control").fit(X, labels)
    assert "confirmed negatives" in model.propensity_.identification


# -- bad input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "parameter"),
    [
        ({"columns": []}, "columns"),
        ({"columns": "road"}, "columns"),
        ({"columns": [0, 0]}, "columns"),
        ({"columns": [0], "shared": "yes"}, "shared"),
        ({"columns": [0], "lam": -1.0}, "lam"),
        ({"columns": [0], "propensity": 3}, "propensity"),
        ({"columns": [0], "label_frequency": 0.5, "prevalence": 0.5}, "prevalence"),
    ],
)
def test_a_scenario_that_cannot_be(settings, parameter):
    with pytest.raises(ScenarioError) as refused:
        SelectedLabelling(**settings)
    assert refused.value.parameter == parameter


@pytest.mark.parametrize(
    ("settings", "parameter"),
    [
        ({"columns": ["rode"]}, "columns"),
        ({"columns": [7]}, "columns"),
        ({"columns": ["road", 0]}, "columns"),
        ({"columns": ["road"], "offset": "hours"}, "offset"),
        ({"columns": ["road"], "offset": "metres"}, "offset"),
        ({"columns": ["flat"]}, "columns"),
        ({"columns": ["road"], "label_frequency": 1.5}, "label_frequency"),
    ],
)
def test_columns_that_are_not_there_or_constant(settings, parameter):
    import pandas as pd

    X, z, _, _ = simulate(200)
    frame = pd.DataFrame(X, columns=["road", "b", "c", "metres", "flat"]).assign(flat=1.0)
    frame["metres"] *= 1e6
    with pytest.raises(ScenarioError) as refused:
        MultinomialPULasso(lam=0.05, scenario=SelectedLabelling(**settings)).fit(frame, z)
    assert refused.value.parameter == parameter


def test_a_column_that_parts_labelled_from_unlabeled_rows():
    X, z, _, _ = simulate(300)
    X[:, 0] = np.where(z > 0, 1.0, -1.0) + 0.1 * X[:, 0]
    with pytest.warns(IdentifiabilityWarning, match="parts all labelled rows"):
        model = MultinomialPULasso(lam=0.02, scenario=SelectedLabelling([0])).fit(X, z)
    assert np.isfinite(model.propensity_.coef).all() and np.isfinite(model.predict_proba(X)).all()


def test_a_profile_without_minimum_gives_a_model_without_errors(monkeypatch, tmp_path):
    """How far off the labelling may be is not known then, and no score has an interval."""
    monkeypatch.setattr(JointObjective, "steps", lambda self, at: np.full((2, len(at.gamma)), np.nan))
    X, z, _, _ = simulate(400)
    model = MultinomialPULasso(lam=0.02, scenario=SelectedLabelling([0], label_frequency=0.55)).fit(X, z)
    assert np.isfinite(model.propensity_.coef).all() and np.isnan(model.propensity_.standard_error).all()
    scores = pu_scores(model, X, z)
    assert np.isfinite(scores["accuracy"].value) and np.isnan(scores["accuracy"].standard_error)
    assert "do not tell how far off it is" in str(scores)
    model.save(tmp_path / "model")
    assert np.isnan(pulasso.load(tmp_path / "model").propensity_.directions).all()


def test_a_group_that_is_torn_apart_is_refused():
    X, z, _, _ = simulate(200)
    groups = Groups.from_columns([[0, 1], [2], [3, 4]])
    with pytest.raises(GroupError, match="excluded"):
        MultinomialPULasso(lam=0.05, groups=groups, scenario=SelectedLabelling([0], excluded=True)).fit(X, z)


def test_rows_in_chunks_need_a_propensity_that_is_known(tmp_path):
    from pulasso.data.chunks import as_chunked

    X, z, _, _ = simulate(300)
    model = MultinomialPULasso(lam=0.02, scenario=SelectedLabelling([0])).fit(X, z)
    np.save(tmp_path / "X.npy", X)
    chunked = as_chunked(tmp_path / "X.npy")
    with pytest.raises(ScenarioError, match="chunks"):
        MultinomialPULasso(lam=0.02, scenario=SelectedLabelling([0])).fit(chunked, z)
    again = MultinomialPULasso(lam=0.02, scenario=model.scenario_).fit(chunked, z)
    np.testing.assert_allclose(again.coef_, model.coef_, atol=1e-4)


def test_a_path_at_another_labelling_is_certified_with_its_own_gradients(monkeypatch):
    monkeypatch.setattr(_certifying, "MANY", 0)  # bounds for small problems, too
    monkeypatch.setattr(_certifying, "WIDE", 0)
    X, z, _, _ = simulate(400)
    X = np.column_stack([X, np.random.default_rng(1).normal(size=(400, 95))])
    scenario = SelectedLabelling([0], allow_unidentified=True)
    model = MultinomialPULasso(lam=0.02, tol=1e-6, scenario=scenario)
    profile = prepare(model, model._read(X, z, None), scenario, 0.02).profile
    # At a lam that is too large for any feature as the labelling was, and is not as it is now.
    profile = replace(profile, problem=profile.problem.at_lam(1.01 * profile.problem.lam_max))
    gamma = profile.labelling.start()
    gamma[profile.labelling.is_penalized] -= 2.0
    problem = profile.with_labelling(gamma)
    assert Gradients(problem, problem.at(problem.null), np.zeros(problem.shape)).bounds
    params = profile.down_the_path(gamma)
    assert params.theta.any()
    assert problem.kkt_violation(params, problem.gradient(problem.at(params))) <= 1e-6
