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
    load,
)
from pulasso.datasets import simulate_multinomial
from pulasso.exceptions import IdentifiabilityWarning, InputError, ScenarioError
from pulasso.prevalence import profile_likelihood

SETTINGS = {"n_active": 2, "n_positive": 1, "signal": (2.5, 2.5), "random_state": 0}
ONE_SET = {"scenario": "single-training-set"}


@pytest.fixture(scope="module")
def one_set():
    return simulate_multinomial(800, 2, scenario="single-training-set", label_frequency=0.6, **SETTINGS)


@pytest.fixture(scope="module")
def case_control():
    return simulate_multinomial(800, 2, scenario="case-control", **SETTINGS)


@pytest.mark.parametrize("model", [MultinomialPULasso, OrdinalPULasso])
def test_the_fit_is_the_one_with_the_estimated_number(one_set, model, tmp_path):
    estimated = model(lam=0.01, label_frequency="estimate", **ONE_SET).fit(one_set.X, one_set.z)
    expected = profile_likelihood(one_set.X, one_set.z, **ONE_SET)
    np.testing.assert_allclose(estimated.label_frequency_, expected.numbers, rtol=1e-6)
    assert estimated.prevalence_estimate_.is_identified
    given = model(lam=0.01, label_frequency=estimated.label_frequency_, **ONE_SET)
    np.testing.assert_array_equal(given.fit(one_set.X, one_set.z).coef_, estimated.coef_)
    assert not hasattr(given, "label_frequency_")
    assert estimated.get_params()["label_frequency"] == clone(estimated).label_frequency == "estimate"
    estimated.save(tmp_path / "model")
    for again in (pickle.loads(pickle.dumps(estimated)), load(tmp_path / "model")):
        assert repr(again.prevalence_estimate_) == repr(estimated.prevalence_estimate_)
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
    settings = {"label_frequency": "estimate", "n_lams": 5, **ONE_SET}
    path = fit_path(one_set.X, one_set.z, **settings)
    model = MultinomialPULassoCV(cv=2, random_state=0, lam_min_ratio=0.001, **settings)
    model.fit(one_set.X, one_set.z)
    np.testing.assert_array_equal(path.model(-1).label_frequency_, model.label_frequency_)
    assert model.scenario_.label_frequency == model.prevalence_estimate_.values


def test_an_open_number_is_warned_about():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(300, 1)), (rng.random(300) < 0.3).astype(int)
    model = MultinomialPULasso(lam=0.01, label_frequency="estimate", **ONE_SET)
    with pytest.warns(IdentifiabilityWarning) as caught:
        model.fit(x, z)
    (warning,) = caught
    assert str(warning.message) == model.prevalence_estimate_.what_is_open
    assert warning.filename == __file__
    assert 0.0 < model.label_frequency_[0] <= 1.0


def test_what_cannot_be_estimated(one_set):
    x, z = one_set.X, one_set.z
    marked = np.where((z == 0) & (np.arange(len(z)) % 2 == 0), -1, z)
    for model, labels in (
        (MultinomialPULasso(**ONE_SET), z),
        (MultinomialPULasso(), z),
        (MultinomialPULasso(prevalence="estimate", **ONE_SET), z),
        (MultinomialPULasso(scenario=CaseControl("estimate", always_labeled=1)), z),
        (MultinomialPULasso(label_frequency="guess", **ONE_SET), z),
        (MultinomialPULasso(scenario=SingleTrainingSet("estimate"), unlabeled=0, negative=-1), marked),
    ):
        with pytest.raises(ScenarioError):
            model.fit(x, labels)


def test_without_a_feature_that_tells_labels_apart_nothing_is_estimated():
    rng = np.random.default_rng(0)
    X, z = rng.normal(size=(200, 50)), (rng.random(200) < 0.2).astype(int)
    with pytest.raises(InputError, match="No feature tells the labelled rows from the others"):
        MultinomialPULasso(0.05, label_frequency="estimate", **ONE_SET).fit(X, z)


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.IdentifiabilityWarning")
def test_features_of_wide_tables_are_found_by_cross_validation():
    """BIC of the naive lasso selects none of them."""
    data = simulate_multinomial(150, 400, random_state=1, label_frequency=0.5, **ONE_SET)
    model = MultinomialPULasso(0.05, label_frequency="estimate", **ONE_SET).fit(data.X, data.z)
    assert "chosen by cross-validation" in " ".join(model.prevalence_estimate_.diagnosis)
