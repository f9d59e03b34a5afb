"""Told and predicted class shares: compared, warned about, shown and kept."""

import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import pulasso
from pulasso import (
    FullyObserved,
    MultinomialPULasso,
    MultinomialPULassoCV,
    OrdinalPULasso,
    PUData,
    SingleTrainingSet,
    build_problem,
    fit_path,
)
from pulasso._messages import Message
from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.estimators.shares import describe_shares, share_tolerance, words_about_shares
from pulasso.exceptions import ClassShareWarning, LabelFrequencyWarning

ONE_SAMPLE = {"scenario": "single-training-set", "label_frequency": 0.4}
SMALL = 0.004


@pytest.fixture(scope="module")
def wide():
    """Few labels and many features, by which labelled rows can be told from unlabeled ones."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [20, 60, 60])
    X = rng.normal(size=(140, 120))
    X[y == 1, :3] += 1.5
    X[y == 2, 3:6] += 1.5
    return X, np.where(rng.random(140) < 0.4, y, 0)


@pytest.fixture(scope="module")
def forgetful(wide):
    """The fit to these rows at a small lam, which leaves the shares that it was told."""
    with pytest.warns(ClassShareWarning) as caught:
        model = MultinomialPULasso(lam=SMALL, tol=1e-4, **ONE_SAMPLE).fit(*wide)
    assert len(caught) == 1
    return model


def test_a_prior_count_moves_what_the_model_is_held_to_and_is_saved(wide, tmp_path):
    plain, prior = (
        MultinomialPULasso(
            0.02, anchor=1000.0, tol=1e-4, scenario=SingleTrainingSet(0.4, prior_count=count)
        ).fit(*wide)
        for count in (0.0, 5.0)
    )
    assert plain.objective_ != prior.objective_
    for model in (plain, prior):
        np.testing.assert_allclose(model.class_shares_, model.told_shares_, atol=5e-3)
    assert np.abs(prior.told_shares_ - 1 / 3).max() < np.abs(plain.told_shares_ - 1 / 3).max()
    prior.save(tmp_path / "model")
    assert pulasso.load(tmp_path / "model").scenario.prior_count == 5.0


# -- the warning -------------------------------------------------------------------------------------------------


def test_a_model_that_leaves_its_shares_says_so(forgetful):
    (words,) = forgetful.warnings_
    told, predicted = forgetful.told_shares_[0], forgetful.class_shares_[0]
    assert predicted > told + 0.1
    assert f"0, class 0, has {100 * told:.0f} % of the rows" in words
    assert f"says {100 * predicted:.0f} %" in words and f"lam={SMALL}" in words
    assert "takes unlabeled rows for class 0" in words and "too low" in words
    assert "Try anchor=1," in words and "check label_frequency." in words


def test_the_anchor_is_the_remedy(wide, forgetful):
    held = MultinomialPULasso(lam=SMALL, tol=1e-4, anchor=10, **ONE_SAMPLE).fit(*wide)
    assert held.warnings_ == []
    assert abs(held.class_shares_[0] - held.told_shares_[0]) < 0.03
    assert held.summary().facts["anchor"] == "10" and "anchor" not in forgetful.summary().facts


def test_a_weak_anchor_is_told_to_be_stronger(wide):
    with pytest.warns(ClassShareWarning, match="Try anchor=1, which"):
        MultinomialPULasso(lam=SMALL, tol=1e-4, anchor=0.1, **ONE_SAMPLE).fit(*wide)


@pytest.mark.parametrize("scenario", ["case-control", "single-training-set"])
@pytest.mark.parametrize(
    ("simulate", "kind"), [(simulate_multinomial, MultinomialPULasso), (simulate_ordinal, OrdinalPULasso)]
)
def test_a_good_model_is_silent(simulate, kind, scenario):
    for seed in range(3):
        data = simulate(600, 10, scenario=scenario, random_state=seed)
        model = kind(lam=0.02, tol=1e-4, **data.scenario_params).fit(data.X, data.z)
        assert model.warnings_ == []
        assert (np.abs(model.class_shares_ - model.told_shares_) < model.share_tolerance_).all()


def as_if(model, told, predicted, tolerance=0.05):
    """A copy of a fitted model with other shares."""
    other = clone(model)
    other.scenario_, other.classes_ = model.scenario_, np.arange(len(told))
    other.told_shares_, other.class_shares_ = np.array(told), np.array(predicted)
    other.share_tolerance_ = np.full(len(told), tolerance)
    return other


@pytest.mark.parametrize(
    ("predicted", "meaning"),
    [
        ([0.7, 0.2, 0.1], "By label_frequency, 0, class 0, has 50 %.* says 70 %.* other classes are too low"),
        ([0.3, 0.2, 0.5], "By label_frequency, 2 has 20 %.* says 50 %.* other classes are too high"),
        ([0.5, 0.2, 0.3], "By label_frequency, 1 has 30 %.* says 20 %.* this class are too low"),
        ([0.52, 0.33, 0.15], "^$"),
    ],
)
def test_the_warning_says_what_it_means(forgetful, predicted, meaning):
    model = as_if(forgetful, [0.5, 0.3, 0.2], predicted, tolerance=0.06)
    assert re.search(meaning, Message(words_about_shares(model)))


def test_nothing_told_is_nothing_to_leave(wide):
    X, z = wide
    naive = MultinomialPULasso(lam=SMALL, scenario=FullyObserved(), tol=1e-4, fit_intercept=False).fit(X, z)
    assert naive.warnings_ == [] and describe_shares(naive) == ""
    with pytest.warns(LabelFrequencyWarning) as caught:
        settings = {"scenario": "single-training-set", "label_frequency": 0.2, "tol": 1e-4}
        too_low = MultinomialPULasso(lam=0.05, **settings).fit(X, z)
    assert len(caught) == 1 and too_low.told_shares_[0] < 0
    assert too_low.share_tolerance_ is None and "class shares" not in too_low.summary().facts


def test_cross_validation_warns_once_of_the_model_that_it_chose(wide):
    chooser = MultinomialPULassoCV(
        lams=[2 * SMALL, SMALL], cv=2, tol=1e-4, random_state=0, anchor=0, **ONE_SAMPLE
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = chooser.fit(*wide)
    said = [str(each.message) for each in caught if each.category is ClassShareWarning]
    assert said == [words for words in model.warnings_ if "class 0" in words]
    assert len(said) == 1 and f"lam={model.lam_:g}" in said[0]


def test_models_of_a_path_know_by_themselves(wide):
    path = fit_path(*wide, lams=[0.08, SMALL], tol=1e-4, **ONE_SAMPLE)
    assert path.warnings == () and path.model(0).warnings_ == []
    assert path.class_shares.shape == (2, 3)
    (words,) = path.model(1).warnings_
    assert words == Message(words_about_shares(path.model(1)))


# -- how far chance may lead -------------------------------------------------------------------------------------


def problem_of(z, weight=None, **settings):
    X = np.random.default_rng(0).normal(size=(len(z), 2))
    return build_problem(PUData.read(X, z, sample_weight=weight), **settings)


def test_the_tolerance_is_three_standard_errors():
    z = np.repeat([0, 1, 2], [70, 10, 20])
    told, n = np.array([0.25, 0.25, 0.5]), 100
    by_label = told[1:] * (1 / 0.4 - 1) / n
    expected = told * (1 - told) / n + np.append(by_label.sum(), by_label)
    problem = problem_of(z, **ONE_SAMPLE)
    np.testing.assert_allclose(problem.told_shares, told)
    np.testing.assert_allclose(share_tolerance(problem), 3 * np.sqrt(expected))
    # Case-control: shares were told, not counted, and the unlabeled rows are the sample.
    problem = problem_of(z, scenario="case-control", prevalence=[0.1, 0.4])
    np.testing.assert_allclose(share_tolerance(problem), 3 * np.sqrt(np.array([0.25, 0.09, 0.24]) / 70))


def test_unequal_weights_are_fewer_rows_and_many_rows_have_a_floor():
    z = np.repeat([0, 1], [60, 40])
    same = share_tolerance(problem_of(z, weight=np.full(100, 7.0), **ONE_SAMPLE | {"label_frequency": 0.6}))
    np.testing.assert_allclose(
        same, share_tolerance(problem_of(z, label_frequency=0.6, scenario="single-training-set"))
    )
    uneven = np.tile([1.0, 3.0], 50)
    less = share_tolerance(problem_of(z, weight=uneven, **ONE_SAMPLE | {"label_frequency": 0.6}))
    np.testing.assert_allclose(less / same, np.sqrt(10.0 / 8.0))
    many = problem_of(np.repeat(z, 200), scenario="case-control", prevalence=0.3)
    assert (share_tolerance(many) == 0.03).all()


# -- in words, and kept ------------------------------------------------------------------------------------------


def test_the_summary_shows_both(forgetful):
    told, predicted = 100 * forgetful.told_shares_, 100 * forgetful.class_shares_
    each = [f"{k}: told {told[k]:.0f} %, predicted {predicted[k]:.0f} %" for k in range(3)]
    assert forgetful.summary().facts["class shares"] == "; ".join(each)
    assert "warning: By label_frequency" in repr(forgetful.summary())


def test_of_many_classes_those_that_differ_most_are_shown(forgetful):
    model = as_if(forgetful, [0.2] * 5, [0.5, 0.2, 0.1, 0.195, 0.005])
    shown = "0: told 20 %, predicted 50 %; 2: told 20 %, predicted 10 %; 4: told 20 %, predicted 0.5 %; ..."
    assert describe_shares(model) == shown


def test_shares_are_saved(wide, forgetful, tmp_path):
    forgetful.save(tmp_path / "model")
    same = pulasso.load(tmp_path / "model")
    for name in ("class_shares_", "told_shares_", "share_tolerance_"):
        np.testing.assert_array_equal(getattr(same, name), getattr(forgetful, name))
    assert same.warnings_ == forgetful.warnings_ and same.anchor == 0
    assert repr(same.summary()) == repr(forgetful.summary())
    path = fit_path(*wide, lams=[0.08, SMALL], tol=1e-4, anchor=1, **ONE_SAMPLE)
    path.save(tmp_path / "path")
    again = pulasso.load(tmp_path / "path")
    np.testing.assert_array_equal(again.class_shares, path.class_shares)
    assert again.model(-1).anchor == 1 and again.model(-1).warnings_ == path.model(-1).warnings_


def test_models_saved_before_shares_were_can_be_read(forgetful):
    model = clone(forgetful)
    old = {k: v for k, v in vars(forgetful).items() if "share" not in k and k != "anchor"}
    model.__dict__ = {**old, "anchor": 0.0}
    assert "class shares" not in model.summary().facts and words_about_shares(model) == ""


def test_a_clone_keeps_the_anchor():
    model = MultinomialPULassoCV(anchor=2.5)
    assert clone(model).get_params()["anchor"] == 2.5
    assert model.set_params(anchor=1)._template().anchor == 1
