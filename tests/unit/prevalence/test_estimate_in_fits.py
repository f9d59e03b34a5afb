"""``label_frequency="estimate"`` and ``prevalence="estimate"`` in the estimators."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from pulasso import (
    CaseControl,
    MultinomialPULasso,
    MultinomialPULassoCV,
    OrdinalPULasso,
    SingleTrainingSet,
    fit_path,
)
from pulasso.datasets import simulate_multinomial
from pulasso.exceptions import IdentifiabilityWarning, ScenarioError
from pulasso.prevalence import profile_likelihood

SETTINGS = {"n_active": 2, "n_positive": 1, "signal": (2.5, 2.5), "random_state": 0}


@pytest.fixture(scope="module")
def one_set():
    return simulate_multinomial(800, 2, scenario="single-training-set", label_frequency=0.6, **SETTINGS)


@pytest.fixture(scope="module")
def case_control():
    return simulate_multinomial(800, 2, scenario="case-control", **SETTINGS)


@pytest.mark.parametrize("model", [MultinomialPULasso, OrdinalPULasso])
def test_the_fit_is_the_one_with_the_estimated_number(one_set, model):
    estimated = model(lam=0.01, scenario="single-training-set", label_frequency="estimate")
    estimated.fit(one_set.X, one_set.z)
    expected = profile_likelihood(one_set.X, one_set.z, scenario="single-training-set")
    np.testing.assert_allclose(estimated.label_frequency_, expected.numbers, rtol=1e-6)
    assert estimated.prevalence_estimate_.is_identified
    given = model(lam=0.01, scenario="single-training-set", label_frequency=estimated.label_frequency_)
    np.testing.assert_array_equal(given.fit(one_set.X, one_set.z).coef_, estimated.coef_)
    assert not hasattr(given, "label_frequency_")
    assert estimated.get_params()["label_frequency"] == clone(estimated).label_frequency == "estimate"
    again = pickle.loads(pickle.dumps(estimated))
    assert again.prevalence_estimate_.values == estimated.prevalence_estimate_.values
    # a later fit with a number forgets the estimate
    estimated.set_params(label_frequency=0.5).fit(one_set.X, one_set.z)
    assert not hasattr(estimated, "label_frequency_") and not hasattr(estimated, "prevalence_estimate_")


def test_case_control_by_name_and_as_an_object(case_control):
    by_name = MultinomialPULasso(lam=0.01, prevalence="estimate").fit(case_control.X, case_control.z)
    assert by_name.prevalence_[0] == pytest.approx(case_control.prevalence[0], abs=0.15)
    scenario = CaseControl(prevalence="estimate")
    as_object = MultinomialPULasso(lam=0.01, scenario=scenario).fit(case_control.X, case_control.z)
    np.testing.assert_array_equal(as_object.prevalence_, by_name.prevalence_)
    assert scenario.prevalence == "estimate"
    assert as_object.scenario_.prevalence == as_object.prevalence_estimate_.values


def test_paths_and_cross_validation_estimate_once(one_set):
    settings = {"scenario": "single-training-set", "label_frequency": "estimate", "n_lams": 5}
    path = fit_path(one_set.X, one_set.z, **settings)
    model = MultinomialPULassoCV(cv=2, random_state=0, lam_min_ratio=0.001, **settings)
    model.fit(one_set.X, one_set.z)
    np.testing.assert_array_equal(path.model(-1).label_frequency_, model.label_frequency_)
    assert model.scenario_.label_frequency == model.prevalence_estimate_.values


def test_an_open_number_is_warned_about():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(300, 1)), (rng.random(300) < 0.3).astype(int)
    model = MultinomialPULasso(lam=0.01, scenario="single-training-set", label_frequency="estimate")
    with pytest.warns(IdentifiabilityWarning, match="label_frequency of class 1 is not identified") as caught:
        model.fit(x, z)
    assert caught[0].filename == __file__
    assert 0.0 < model.label_frequency_[0] <= 1.0


def test_wrong_turns(one_set):
    x, z = one_set.X, one_set.z
    with pytest.raises(ScenarioError, match="or label_frequency='estimate'"):
        MultinomialPULasso(scenario="single-training-set").fit(x, z)
    with pytest.raises(ScenarioError, match="or prevalence='estimate'"):
        MultinomialPULasso().fit(x, z)
    with pytest.raises(ScenarioError, match="does not use prevalence"):
        MultinomialPULasso(scenario="single-training-set", prevalence="estimate").fit(x, z)
    with pytest.raises(ScenarioError, match="always_labeled= do not go together"):
        MultinomialPULasso(scenario=CaseControl("estimate", always_labeled=1)).fit(x, z)
    with pytest.raises(ScenarioError, match="label_frequency='guess' is not a number"):
        MultinomialPULasso(scenario="single-training-set", label_frequency="guess").fit(x, z)
    marked = np.where((z == 0) & (np.arange(len(z)) % 2 == 0), -1, z)
    with pytest.raises(ScenarioError, match="negative_label_frequency"):
        MultinomialPULasso(scenario=SingleTrainingSet("estimate"), unlabeled=0, negative=-1).fit(x, marked)
