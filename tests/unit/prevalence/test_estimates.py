"""Estimators of unknown numbers: right where they should be, and honest where they cannot be."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from pulasso.data.chunks import ArraySource, LocalChunks
from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.exceptions import ClassOrderWarning, InputError, LabelError, ScenarioError
from pulasso.prevalence import METHODS, best_bin, elkan_noto, profile_likelihood
from pulasso.prevalence.by_best_bin import Shares

ONE_SET = {"scenario": "single-training-set"}
SCENARIOS = ("single-training-set", "case-control")
FEW = {"cv": 2, "n_bootstrap": 50, "random_state": 0}
SIMULATORS = {"multinomial": simulate_multinomial, "ordinal": simulate_ordinal}

every_scenario = pytest.mark.parametrize("scenario", SCENARIOS)
every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
by_scores = pytest.mark.parametrize("method", [elkan_noto, best_bin])


def simulate(response="multinomial", n=1500, p=4, k=1, scenario="single-training-set", size=2.0):
    settings = {"n_active": min(4, p), "n_positive": k, "signal": (size, size), "random_state": 0}
    return SIMULATORS[response](n, p, scenario=scenario, label_frequency=0.6, **settings)


def separable(seed, scenario, n=1200, distance=6.0):
    """Three classes that hardly overlap; a third of the population each."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    x = rng.normal(size=(n, 2)) + distance * np.eye(3)[y][:, 1:]
    if scenario == "single-training-set":
        return x, np.where(rng.random(n) < 0.6, y, 0), 0.6
    first = np.arange(n) < n // 2
    keep = first | (y > 0)
    return x[keep], np.where(first, 0, y)[keep], 1 / 3


# -- profile likelihood --------------------------------------------------------------------------------------


@every_scenario
@pytest.mark.parametrize(("response", "k"), [("multinomial", 1), ("multinomial", 2), ("ordinal", 2)])
def test_profile_finds_the_numbers_of_its_model(response, k, scenario):
    data = simulate(response, k=k, scenario=scenario, n=2500)
    estimate = profile_likelihood(data.X, data.z, scenario=scenario, response=response)
    truth = data.label_frequency if scenario == "single-training-set" else data.prevalence
    truth = np.broadcast_to(truth, k)
    assert ((estimate.lower <= truth) & (truth <= estimate.upper)).all()
    assert (estimate.lower < estimate.numbers).all() and (estimate.numbers < estimate.upper).all()
    assert np.abs(estimate.numbers - truth).max() < 0.12
    assert estimate.parameter == ("label_frequency" if scenario == "single-training-set" else "prevalence")


@every_scenario
def test_profile_of_noise_is_open(scenario):
    data = simulate(scenario=scenario, size=0.0, n=800)
    estimate = profile_likelihood(data.X, data.z, scenario=scenario)
    truth = 0.6 if scenario == "single-training-set" else data.prevalence[0]
    assert estimate.lower[0] <= truth <= estimate.upper[0]
    assert estimate.upper[0] - estimate.lower[0] > 0.5
    assert not estimate.is_identified and estimate.doubtful.all()
    assert estimate.what_is_open == estimate.doubts[0] == estimate.diagnosis[0]
    assert estimate.assumption not in estimate.diagnosis


def test_a_class_without_signal_is_open_beside_one_with_signal():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1500, 1))
    eta = np.column_stack([np.zeros(1500), 4 * x[:, 0] - 1, np.full(1500, -0.5)])
    y = np.argmax(eta + rng.gumbel(size=eta.shape), axis=1)
    z = np.where(rng.random(1500) < 0.6, y, 0)
    estimate = profile_likelihood(x, z, **ONE_SET)
    assert not estimate.identified[1]
    assert ((estimate.lower <= 0.6) & (estimate.upper >= 0.6)).all()
    assert estimate.upper[0] - estimate.lower[0] < estimate.upper[1] - estimate.lower[1]


def test_one_number_for_all_classes():
    data = simulate(k=2)
    estimate = profile_likelihood(data.X, data.z, common=True, **ONE_SET)
    assert estimate.numbers[0] == estimate.numbers[1] == pytest.approx(0.6, abs=0.08)
    assert len(estimate.curves) == 2 and estimate.lower[0] == estimate.lower[1]
    each = profile_likelihood(data.X, data.z, **ONE_SET)
    assert estimate.details["log_likelihood"] <= each.details["log_likelihood"] + 1e-3


def test_a_weight_is_a_repeated_row_and_storage_does_not_matter():
    data = simulate(n=500, p=2)
    weight = np.random.default_rng(0).integers(0, 3, 500)
    rows = np.repeat(np.arange(500), weight)
    expected = profile_likelihood(data.X[rows], data.z[rows], **ONE_SET)
    for x in (data.X, sparse.csr_matrix(data.X), data.X.astype(np.float32)):
        weighted = profile_likelihood(x, data.z, sample_weight=weight, **ONE_SET)
        np.testing.assert_allclose(weighted.numbers, expected.numbers, rtol=1e-3)
        np.testing.assert_allclose(weighted.lower, expected.lower, rtol=1e-2)


def test_wide_data_are_fitted_with_selected_features():
    data = simulate(n=1000, p=150)
    estimate = profile_likelihood(data.X, data.z, **ONE_SET)
    active = np.flatnonzero(np.any(data.coef, axis=0))
    assert set(active) <= set(estimate.details["features"])
    assert len(estimate.details["features"]) < 30
    assert estimate.diagnosis[-1:] == estimate.notes
    chosen = profile_likelihood(data.X, data.z, features=active.tolist(), **ONE_SET)
    assert np.abs(chosen.numbers - estimate.numbers).max() < 0.1
    assert not chosen.notes


def test_confirmed_negatives_of_case_control_data_are_left_out():
    data = simulate(scenario="case-control", n=600, p=2)
    z = np.concatenate([data.z, np.full(50, -1)])
    x = np.vstack([data.X, np.zeros((50, 2))])
    with_them = profile_likelihood(x, z, scenario="case-control", unlabeled=0, negative=-1)
    without = profile_likelihood(data.X, data.z, scenario="case-control")
    np.testing.assert_array_equal(with_them.numbers, without.numbers)


# -- scores ------------------------------------------------------------------------------------------------


@every_scenario
@by_scores
def test_separable_classes(method, scenario):
    x, z, truth = separable(2, scenario)
    estimate, again = (method(x, z, scenario=scenario, **FEW) for _ in range(2))
    assert np.abs(estimate.numbers - truth).max() < 0.08
    assert (estimate.standard_error < 0.08).all()
    np.testing.assert_array_equal(estimate.lower, again.lower)


@every_scenario
@by_scores
def test_overlap_is_said(method, scenario):
    x, z, truth = separable(3, scenario, distance=1.5)
    estimate = method(x, z, scenario=scenario, **FEW)
    # too low a label frequency, too high a prevalence
    wrong = estimate.numbers < truth if scenario == "single-training-set" else estimate.numbers > truth
    assert wrong.all()
    if method is elkan_noto:
        assert estimate.doubtful.all() and estimate.diagnosis == estimate.doubts


def test_a_quantile_asks_less():
    x, z, truth = separable(3, "single-training-set", distance=2.5)
    mean, upper = (
        elkan_noto(x, z, quantile=q, n_bootstrap=2, random_state=0, **ONE_SET) for q in (None, 0.9)
    )
    assert (np.abs(upper.numbers - truth) < np.abs(mean.numbers - truth)).all()


@by_scores
def test_scores_of_noise(method):
    rng = np.random.default_rng(4)
    x, z = rng.normal(size=(900, 3)), np.where(rng.random(900) < 0.3, 1, 0)
    estimate = method(x, z, **FEW, **ONE_SET)
    assert not estimate.is_identified
    assert "hardly tells" in estimate.doubts[0]


def test_a_region_without_unlabeled_rows_is_no_pure_region():
    # The top 10 of 40 labelled rows have no unlabeled row beside them, all others half of them.
    shares = Shares(np.array([0.25, 1.0]), np.array([0.0, 0.5]), 40.0, 400.0)
    assert shares.best() == 1 and shares.falls_to() == (0.5, 0.0)
    # With 4 rows in place of 40 that may be chance.
    assert shares._replace(n_class=4.0, n_all=4.0).falls_to() == (0.5, 0.5)


class Told(ClassifierMixin, BaseEstimator):
    """A classifier of two labels whose only feature is the probability that it gives."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])


def test_an_interval_that_is_too_wide_is_said_in_words():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 15)
    x = rng.normal(size=(30, 1)) + 8 * y[:, None]
    few = best_bin(x, np.where(np.arange(30) % 2, y, 0), cv=2, level=0.9999, random_state=0, **ONE_SET)
    # The middle one of 40 labelled rows is sure, but only just: two kinds of them, 22 and 18.
    told, z = np.repeat([0.1, 0.2, 0.9], [60, 18, 22])[:, None], np.repeat([0, 1], [60, 40])
    on_the_brink = elkan_noto(told, z, classifier=Told(), quantile=0.5, random_state=0, **ONE_SET)
    for estimate in (few, on_the_brink):
        assert not estimate.is_identified and not estimate.doubtful.any()
        assert estimate.diagnosis == [estimate.what_is_open, estimate.assumption]


def test_other_classifiers_and_weights():
    x, z, truth = separable(5, "single-training-set", n=600)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 600)
    tree = DecisionTreeClassifier(min_samples_leaf=30, random_state=0)
    settings = {"sample_weight": weight, "n_bootstrap": 2, "random_state": 0, **ONE_SET}
    for classifier in (tree, make_pipeline(StandardScaler(), tree)):
        estimate = best_bin(x, z, classifier=classifier, **settings)
        assert np.abs(estimate.numbers - truth).max() < 0.15
    with pytest.raises(InputError) as caught:
        best_bin(x, z, classifier=KNeighborsClassifier(), **settings)
    assert caught.value.parameter == "classifier"


# -- what users see --------------------------------------------------------------------------------------------


@every_method
def test_classes_are_named_and_results_render(method):
    x, z, _ = separable(0, "single-training-set", n=120, distance=3.0)
    frame = pd.DataFrame(x, columns=["height", "<width>"])
    labels = np.array(["?", "oak", "<fir>"])[z]
    more = {"features": ["height"]} if method is profile_likelihood else FEW
    estimate = method(frame, labels, unlabeled="?", **more, **ONE_SET)
    assert list(estimate.values) == ["<fir>", "oak"]
    for name, (low, high) in estimate.intervals.items():
        assert 0 <= low <= estimate.values[name] <= high <= 1
    text = repr(estimate)
    assert estimate.method in text and "oak" in text and "identified" in text
    assert "&lt;fir&gt;" in estimate._repr_html_() and "<fir>" not in estimate._repr_html_()
    assert estimate.to_frame().loc["oak", "label_frequency"] == estimate.values["oak"]
    assert "sample_weight : array-like" in method.__doc__ and "<labels>" not in method.__doc__
    display = estimate.plot()
    assert len(display.lines_) == 2 and display.ax_.get_xlabel()
    display.figure_.clear()


def test_tables_say_what_the_data_cannot_show():
    """Classes that overlap everywhere may look pure; then the words have to carry the doubt."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(600, 3))  # nowhere is the class sure: its probability is at most 0.88
    y = (2 * x[:, 0] + rng.logistic(size=600) > 0).astype(int)
    z = np.where(rng.random(600) < 0.5, y, 0)
    estimate = best_bin(x, z, n_bootstrap=20, random_state=0, **ONE_SET)
    assert estimate.numbers[0] < 0.5, "where classes overlap it is a bound from below"
    assert estimate.identified[0] and " if pure" in repr(estimate) and " yes" not in repr(estimate)
    assert "label_frequency is larger" in estimate.diagnosis[-1]


# -- wrong turns ---------------------------------------------------------------------------------------------


@every_method
def test_wrong_turns(method):
    x, z, _ = separable(6, "single-training-set", n=60)
    with pytest.raises(ScenarioError) as caught:
        method(x, z, scenario="fully-observed")
    assert caught.value.parameter == "scenario"
    with pytest.raises(ScenarioError, match="confirmed negatives"):
        method(x, np.where(z == 0, np.tile([0, -1], 30), z), unlabeled=0, negative=-1, **ONE_SET)
    with pytest.raises(ScenarioError, match="no unlabeled row"):
        method(x[z > 0], z[z > 0], unlabeled=np.nan, scenario="case-control")
    with pytest.raises(LabelError):
        method(x, np.zeros(60), **ONE_SET)
    with pytest.raises(ValueError, match="level=2"):
        method(x, z, level=2, **ONE_SET)
    with pytest.raises(ValueError, match="59"):
        method(x, z[:59], **ONE_SET)
    with pytest.raises(InputError) as caught:
        method(LocalChunks(ArraySource(x, 20)), z, **ONE_SET)
    assert caught.value.parameter == "X"


@pytest.mark.parametrize(
    ("method", "settings", "parameter"),
    [
        (profile_likelihood, {"features": "some"}, "features"),
        (profile_likelihood, {"features": ["height", 0, 7]}, "features"),
        (profile_likelihood, {"response": "probit"}, "response"),
        (best_bin, {"cv": 40}, "cv"),
    ],
)
def test_wrong_turns_of_one_method(method, settings, parameter):
    x, z, _ = separable(6, "single-training-set", n=60)
    with pytest.raises(InputError) as caught:
        method(x, z, **settings, **ONE_SET)
    assert caught.value.parameter == parameter


def test_a_quantile_out_of_range_and_a_guessed_order():
    x, z, _ = separable(6, "single-training-set", n=60)
    with pytest.raises(ValueError, match=r"quantile=1\.5"):
        elkan_noto(x, z, quantile=1.5, **ONE_SET)
    with pytest.warns(ClassOrderWarning):
        profile_likelihood(x, np.array(["a", "b", "c"])[z], response="ordinal", features=[], **ONE_SET)
