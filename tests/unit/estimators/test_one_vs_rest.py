"""Species that share places: a model for each, and effects of labelling that all tell together."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GroupKFold

import pulasso
from pulasso import (
    CaseControl,
    MultinomialPULasso,
    MultinomialPULassoCV,
    OneVsRestPULasso,
    OrdinalPULasso,
    SelectedLabelling,
    SingleTrainingSet,
    Sources,
)
from pulasso.estimators._shared_labelling import SharedProfile
from pulasso.estimators.labelling import prepare
from pulasso.exceptions import IdentifiabilityWarning, InputError, SavedModelError, ScenarioError
from support.saved import files_of, put

EFFECT = 1.0
NAMES = ["oak", "fir", "elm"]
# Background and records are drawn from the same places.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pulasso.exceptions.ClassShareWarning", "ignore::pulasso.exceptions.DuplicateRowsWarning"
)


def simulate(n, seed=0, n_species=3):
    """Background, and records of species that may share places; all are denser where column "road" is large."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40 * n, 4))
    X[:, 0] += 0.5 * X[:, 1]
    theta = np.zeros((4, n_species))
    theta[1 + np.arange(n_species), np.arange(n_species)] = 1.2
    proba = expit(X @ theta - 2.0)
    there = rng.random(proba.shape) < proba
    rows, Y = [rng.choice(len(X), n, replace=False)], [np.zeros((n, n_species), dtype=int)]
    for s in range(n_species):
        members = np.flatnonzero(there[:, s])
        density = np.exp(EFFECT * X[members, 0])
        rows.append(rng.choice(members, n // (6 * (s + 1)), p=density / density.sum(), replace=False))
        Y.append(np.eye(n_species, dtype=int)[[s] * len(rows[-1])])
    rows, columns = np.concatenate(rows), ["road", "a", "b", "c"]
    table = pd.DataFrame(X[rows], columns=columns)
    return SimpleNamespace(
        X=table,
        Y=pd.DataFrame(np.vstack(Y), columns=NAMES[:n_species]),
        theta=theta,
        share=dict(zip(NAMES, there.mean(axis=0), strict=False)),
        new=pd.DataFrame(X[:500], columns=columns),
        proba=proba[:500],
    )


def biased(share, **settings):
    how = {"sampling": "case-control", "excluded": True, **settings}
    return SelectedLabelling(["road"], prevalence=share, **how)


def model_of(share, lam=1e-3, tol=1e-5, **settings):
    return OneVsRestPULasso(MultinomialPULasso(lam=lam, tol=tol, scenario=biased(share, **settings)))


def one_sample(n, seed=0, n_species=2):
    """One sample, in which column 0 decides who is looked at, for some species more often than for others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    there = rng.random((n, n_species)) < expit(1.5 * X[:, 1 : n_species + 1])
    seen = rng.random((n, n_species)) < expit(EFFECT * X[:, [0]] + np.linspace(0.5, -0.5, n_species))
    return X, (there & seen).astype(int)


# -- the likelihood -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampling", ["case-control", "single-training-set"])
def test_the_gradient_of_all_species_agrees_with_finite_differences(sampling):
    if sampling == "case-control":
        drawn = simulate(300)
        X, Y, told = drawn.X.to_numpy(), drawn.Y.to_numpy(), {"prevalence": 0.2}
    else:
        (X, Y), told = one_sample(400), {}
    scenario = SelectedLabelling([0, 2], sampling=sampling, allow_unidentified=True, **told)
    profiles, of_each, model = [], [], MultinomialPULasso(lam=0.01, tol=1e-9, scenario=scenario)
    for s, z in enumerate(Y.T):
        rows = np.flatnonzero(z | ~Y.any(axis=1)) if told else np.arange(len(Y))
        with pytest.warns(IdentifiabilityWarning):
            weight = 1.0 + (np.arange(len(rows)) % (s + 2))
            of_each.append(rows)
            profiles.append(prepare(model, model._read(X[rows], z[rows], weight), scenario, 0.01).profile)
    together = SharedProfile(tuple(profiles), tuple(of_each), np.zeros(len(Y)))
    gamma = together.labelling.start()
    gamma += np.random.default_rng(0).normal(scale=0.3, size=len(gamma))
    start = together.down_the_path(gamma)
    at, step = together.at(gamma, start), 1e-4
    assert len(gamma) == Y.shape[1] + 2
    assert together.losses(at).sum() == pytest.approx(at.loss)
    levels = list(together.levels(at))
    assert len(levels) == (Y.shape[1] if told else 0)
    for rows, by_chance, slope in levels:
        assert abs(by_chance.sum()) < 1e-12 and len(np.unique(rows)) == len(by_chance) and slope[-2:].any()
    for j in range(len(gamma)):
        ends = [
            together.at(gamma + sign * step * (np.arange(len(gamma)) == j), at.params) for sign in (1, -1)
        ]
        slope = (ends[0].loss + ends[0].penalty - ends[1].loss - ends[1].penalty) / (2 * step)
        assert at.grad[j] == pytest.approx(slope, abs=1e-7)


def test_one_species_is_selected_labelling():
    drawn = simulate(400, n_species=1)
    both = model_of(drawn.share).fit(drawn.X, drawn.Y)
    alone = MultinomialPULasso(lam=1e-3, tol=1e-5, scenario=biased(drawn.share["oak"]))
    alone.fit(drawn.X, drawn.Y["oak"])
    np.testing.assert_array_equal(both.coef_, alone.coef_)
    np.testing.assert_array_equal(both.predict_proba(drawn.new)[:, 0], alone.predict_proba(drawn.new)[:, 1])
    for name in ("intercept", "coef", "lam", "kkt", "objective", "standard_error", "identification"):
        np.testing.assert_array_equal(getattr(both.propensity_, name), getattr(alone.propensity_, name))


def test_one_species_of_one_sample_is_selected_labelling():
    X, Y = one_sample(800, n_species=1)
    model = MultinomialPULasso(lam=2e-3, scenario=SelectedLabelling([0], excluded=True))
    both, alone = OneVsRestPULasso(model).fit(X, Y), clone(model).fit(X, Y[:, 0])
    np.testing.assert_array_equal(both.coef_, alone.coef_)
    np.testing.assert_array_equal(both.propensity_.directions, alone.propensity_.directions)


@pytest.mark.parametrize("sampling", ["case-control", "single-training-set"])
def test_records_that_come_twice_tell_nothing_new(sampling):
    if sampling == "case-control":
        drawn = simulate(400, n_species=1)
        X, z, scenario = drawn.X, drawn.Y["oak"].to_numpy(), biased(drawn.share["oak"])
    else:
        X, Y = one_sample(800, n_species=1)
        z, scenario = Y[:, 0], SelectedLabelling([0], excluded=True)
    model = OneVsRestPULasso(MultinomialPULasso(lam=1e-3, scenario=scenario))
    once, twice = (model.fit(X, np.column_stack([z] * k)).propensity_ for k in (1, 2))
    np.testing.assert_allclose(twice.coef[0], once.coef[0], rtol=1e-3)
    np.testing.assert_allclose(twice.standard_error[0], once.standard_error[0], rtol=1e-2)


@pytest.mark.slow
def test_standard_errors_are_those_of_repeated_draws():
    found = []
    for seed in range(30):
        drawn = simulate(1200, seed=seed, n_species=2)
        propensity = model_of(drawn.share).fit(drawn.X, drawn.Y).propensity_
        found.append((propensity.coef[0, 0], propensity.standard_error[0, 0]))
    effects, errors = np.transpose(found)
    # The standard deviation of thirty draws is itself known to an eighth.
    assert 0.7 < errors.mean() / effects.std() < 1.4


# -- recovery ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_effects_that_all_records_tell_are_closer_to_the_truth():
    errors = []
    for seed in range(8):
        drawn = simulate(800, seed=seed)
        shared, own = (model_of(drawn.share, shared=shared).fit(drawn.X, drawn.Y) for shared in (True, False))
        apart = [each.propensity_.coef[0, 0] - EFFECT for each in own.estimators_]
        by_own = np.sqrt(np.mean(np.square(apart)))
        errors.append((shared.propensity_.coef[0, 0] - EFFECT, by_own, *_rmse(drawn, shared, own)))
    together, by_own, classes, own_classes = np.sqrt(np.mean(np.square(errors), axis=0))
    assert together < 0.75 * by_own and together < 0.2
    assert classes < 1.05 * own_classes and classes < 0.25


def _rmse(drawn, *models):
    return [np.sqrt(np.mean((model.coef_.T - drawn.theta) ** 2)) for model in models]


def test_species_keep_their_certificates_and_the_labelling_has_one():
    drawn = simulate(2000)
    model = model_of(drawn.share).fit(drawn.X, drawn.Y)
    assert model.converged_ and (model.kkt_ <= 1e-5).all() and model.propensity_.kkt <= 1e-5
    assert (np.diff(model.propensity_.objective) <= 1e-12).all()
    np.testing.assert_allclose(model.propensity_.coef, EFFECT, atol=0.2)
    assert len(set(model.propensity_.coef[:, 0])) == 1 and model.propensity_.standard_error.shape == (3, 1)
    np.testing.assert_allclose(model.coef_.T, drawn.theta, atol=0.3)
    assert list(model.classes_) == NAMES and model.predict_proba(drawn.new).shape == (500, 3)
    assert np.abs(model.predict_proba(drawn.new) - drawn.proba).mean() < 0.03
    np.testing.assert_array_equal(model.predict(drawn.new), model.predict_proba(drawn.new) > 0.5)
    np.testing.assert_allclose(expit(model.decision_function(drawn.new)), model.predict_proba(drawn.new))
    printed = str(model.summary())
    assert all(name in printed for name in NAMES) and "road +1" in printed
    assert list(model.summary().to_frame().columns) == ["group", *NAMES]
    assert is_classifier(model) and model.score(drawn.new, drawn.proba > 0.5) > 0.8


def test_levels_of_one_sample_are_each_species_own():
    X, Y = one_sample(6000, n_species=2)
    model = OneVsRestPULasso(MultinomialPULasso(lam=5e-4, scenario=SelectedLabelling([0], excluded=True)))
    found = model.fit(X, Y).propensity_
    np.testing.assert_allclose(found.coef, EFFECT, atol=0.2)
    np.testing.assert_allclose(found.intercept, [0.5, -0.5], atol=0.5)
    assert found.intercept[0] > found.intercept[1] + 0.3
    np.testing.assert_allclose(np.diag(model.coef_[:, 1:3]), 1.5, atol=0.25)
    assert not model.coef_[:, 0].any()


def test_lam_is_chosen_for_each_species_by_blocks_of_places():
    drawn = simulate(300)
    how = {"n_lams": 6, "cv": GroupKFold(3), "tol": 1e-4, "progress": False}
    model = OneVsRestPULasso(MultinomialPULassoCV(scenario=biased(drawn.share), **how))
    blocks = np.arange(len(drawn.X)) // 20
    model.fit(drawn.X, drawn.Y, groups=blocks)
    assert len({each.lam_ for each in model.estimators_}) > 1
    assert all(np.isfinite(each.cv_loss_).all() for each in model.estimators_)
    assert model.propensity_.coef[0, 0] > 0.4
    for estimator, groups in ((model_of(drawn.share), blocks), (model, blocks[:-1]), (model, "place")):
        with pytest.raises(InputError) as refused:
            estimator.fit(drawn.X, drawn.Y, groups=groups)
        assert refused.value.parameter == "groups"


def test_other_scenarios_and_other_shares():
    drawn = simulate(300)
    model = OneVsRestPULasso(MultinomialPULasso(lam=0.01, prevalence=drawn.share)).fit(drawn.X, drawn.Y)
    rows = (drawn.Y["fir"] == 1) | ~drawn.Y.any(axis=1)
    alone = MultinomialPULasso(lam=0.01, scenario=CaseControl(drawn.share["fir"]))
    alone.fit(drawn.X[rows], drawn.Y["fir"][rows])
    np.testing.assert_array_equal(model.coef_[1], alone.coef_[0])
    told = {"oak": 0.1, "fir": 0.3, "elm": 0.2}
    np.testing.assert_array_equal(
        model.predict_proba(drawn.new, told)[:, 1], alone.predict_proba(drawn.new, 0.3)[:, 1]
    )
    assert not hasattr(model, "propensity_") and model.converged_
    X, Y = one_sample(500)
    frequency = SingleTrainingSet([0.6, 0.5])
    plain = OneVsRestPULasso(MultinomialPULasso(lam=0.01, scenario=frequency)).fit(sparse.csr_matrix(X), Y)
    weighted = OneVsRestPULasso(MultinomialPULasso(lam=0.01, scenario=frequency))
    weighted.fit(np.vstack([X, X]), np.vstack([Y, 1 - Y]), sample_weight=np.repeat([1.0, 0.0], 500))
    np.testing.assert_allclose(weighted.coef_, plain.coef_, atol=1e-5)


def test_frames_of_polars_keep_their_names():
    polars = pytest.importorskip("polars")
    drawn = simulate(200)
    model = model_of(drawn.share, lam=0.02)
    X, Y = polars.DataFrame(drawn.X.to_dict("list")), polars.DataFrame(drawn.Y.to_dict("list"))
    coef = model.fit(drawn.X, drawn.Y).coef_
    np.testing.assert_array_equal(model.fit(X, Y).coef_, coef)
    assert model.classes_.tolist() == NAMES and model.feature_names_in_.tolist() == list(drawn.X.columns)


# -- saving -----------------------------------------------------------------------------------------------------------


def test_saved_and_loaded(tmp_path):
    drawn = simulate(300)
    model = model_of(drawn.share, lam=0.01).fit(drawn.X, drawn.Y)
    model.save(tmp_path / "model", notes={"survey": 1987})
    again = pulasso.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(drawn.new), model.predict_proba(drawn.new))
    np.testing.assert_array_equal(again.propensity_.standard_error, model.propensity_.standard_error)
    assert pulasso.load_notes(tmp_path / "model") == {"survey": 1987}
    assert again.classes_.tolist() == NAMES and again.estimator.scenario.prevalence == drawn.share


@pytest.mark.parametrize(
    "change",
    [
        lambda fitted: fitted.update(classes_={"texts": [[2], "O", ["oak", "fir"]]}),
        lambda fitted: fitted.update(estimators_=fitted["estimators_"][:1] * 3),
        lambda fitted: fitted.update(estimators_=[]),
        lambda fitted: fitted.update(n_features_in_=9),
        lambda fitted: fitted.pop("feature_names_in_"),
    ],
)
def test_files_whose_parts_do_not_fit_together_are_refused(tmp_path, change):
    import json

    drawn = simulate(200)
    model_of(drawn.share, lam=0.02).fit(drawn.X, drawn.Y).save(tmp_path / "model")
    description, arrays = files_of(tmp_path / "model")
    tree = json.loads(description)
    change(tree["model"]["object"][1]["fitted"]["named"])
    put(tmp_path / "model", tree, arrays)
    with pytest.raises(SavedModelError):
        pulasso.load(tmp_path / "model")


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "parameter", "words"),
    [
        (lambda d: {"Y": d.Y.assign(fir=0)}, "Y", "'fir' is labelled in no row"),
        (lambda d: {"Y": d.Y["oak"]}, "Y", "one column for each species"),
        (lambda d: {"Y": d.Y.replace(1, 2)}, "Y", "for 'oak'"),
        (lambda d: {"Y": d.Y.astype(float).replace(1.0, np.nan)}, "Y", "nan"),
        (lambda d: {"Y": d.Y[:-1]}, "Y", "rows"),
        (lambda d: {"Y": d.Y.set_axis(["oak", "oak", "elm"], axis=1)}, "Y", "names of their own"),
        (lambda d: {"Y": d.Y.assign(elm=1)}, "Y", "background"),
        (lambda d: {"Y": None}, "Y", "None"),
        (lambda d: {"X": d.X.assign(road=1.0)}, "columns", "'oak': columns names 'road'"),
        (lambda d: {"X": d.X.drop(columns="road")}, "columns", "'oak': columns names the column 'road'"),
    ],
)
def test_odd_tables_are_refused_by_name(change, parameter, words):
    drawn = simulate(200)
    model = model_of(drawn.share, lam=0.02)
    with pytest.raises(InputError, match=words) as refused:
        model.fit(**{"X": drawn.X, "Y": drawn.Y} | change(drawn))
    assert refused.value.parameter == parameter
    assert not hasattr(model, "estimators_") and not hasattr(model, "n_features_in_")


def test_a_column_that_is_constant_for_one_species_names_it():
    drawn = simulate(200)
    road = drawn.X["road"].where(drawn.Y[["oak", "fir"]].any(axis=1), 0.0)
    with pytest.raises(ScenarioError, match="'elm': columns names 'road', which is the same in every row"):
        model_of(drawn.share, lam=0.02).fit(drawn.X.assign(road=road), drawn.Y)


@pytest.mark.parametrize(
    ("estimator", "parameter"),
    [
        (None, "estimator"),
        (MultinomialPULasso, "estimator"),
        (OrdinalPULasso(), "estimator"),
        (MultinomialPULasso(lam=-1.0, prevalence=0.1), "lam"),
        (MultinomialPULasso(), "prevalence"),
        (MultinomialPULasso(prevalence={"oak": 0.1, "fir": 0.2}), "prevalence"),
        (MultinomialPULasso(prevalence={"oak": 0.1, "fir": 0.2, "ash": 0.1}), "prevalence"),
        (MultinomialPULasso(prevalence=0.1, unlabeled=0), "estimator"),
        (MultinomialPULasso(scenario=Sources({"a": CaseControl(0.1), "b": "fully-observed"})), "estimator"),
        (MultinomialPULasso(scenario=biased(0.1, excluded=False)), "scenario"),
    ],
)
def test_odd_estimators_are_refused(estimator, parameter):
    drawn = simulate(200)
    with pytest.raises(InputError) as refused:
        OneVsRestPULasso(estimator).fit(drawn.X, drawn.Y)
    assert refused.value.parameter == parameter


def test_warnings_name_the_species():
    drawn = simulate(200)
    model = model_of(drawn.share, lam=0.02, excluded=False, allow_unidentified=True)
    with pytest.warns(IdentifiabilityWarning) as said:
        model.fit(drawn.X, drawn.Y)
    words = [str(each.message) for each in said if "Not identified" in str(each.message)]
    assert [each[:5] for each in words] == [repr(name) for name in NAMES]
    assert "Not identified" in model.propensity_.identification
    with pytest.raises(InputError, match="'oak'"):
        model.predict_proba(drawn.new, prevalence={"oak": 2.0, "fir": 0.1, "elm": 0.1})


def test_a_labelling_in_which_no_column_matters(tmp_path):
    """In a case-control sample nothing of it is free then, not even a level: errors are none, and have their shape."""
    drawn = simulate(300)
    scenario = biased(drawn.share, lam=1e3)
    model = OneVsRestPULasso(MultinomialPULasso(lam=1e-3, tol=1e-5, scenario=scenario)).fit(drawn.X, drawn.Y)
    assert model.propensity_.is_constant and (model.propensity_.standard_error == 0).all()
    assert model.propensity_.standard_error.shape == (3, 1)
    assert str(model.summary())
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(
        pulasso.load(tmp_path / "model").predict_proba(drawn.new), model.predict_proba(drawn.new)
    )


def test_several_strengths_of_the_anchor_hold_the_labelling_to_the_shares():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    Y = (rng.random((600, 2)) < 0.5) & (X[:, [1, 2]] + rng.logistic(size=(600, 2)) > 0)
    several = MultinomialPULassoCV(
        anchor=(1, 3), n_lams=3, cv=2, random_state=0, scenario=SelectedLabelling([0], label_frequency=0.5)
    )
    model = OneVsRestPULasso(several).fit(X, Y)
    one = OneVsRestPULasso(clone(several).set_params(anchor=3)).fit(X, Y)
    np.testing.assert_array_equal(model.propensity_.coef, one.propensity_.coef)
    assert all(each.anchor_ in (1, 3) for each in model.estimators_)
