"""Estimators of labelling numbers: right where they should be, and honest where they cannot be."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.exceptions import ClassOrderWarning, LabelError, ScenarioError
from pulasso.prevalence import METHODS, best_bin, elkan_noto, profile_likelihood
from pulasso.prevalence.by_best_bin import _doubt

ONE_SET = {"scenario": "single-training-set"}
SIMULATORS = {"multinomial": simulate_multinomial, "ordinal": simulate_ordinal}


def simulate(response="multinomial", n=1500, p=4, k=1, scenario="single-training-set", size=2.0, seed=0):
    return SIMULATORS[response](
        n,
        p,
        n_active=min(4, p),
        n_positive=k,
        scenario=scenario,
        label_frequency=0.6,
        signal=(size, size),
        random_state=seed,
    )


def separable(rng, scenario, n=1200, distance=6.0):
    """Three classes that hardly overlap; a third of the population each."""
    y = rng.integers(0, 3, n)
    x = rng.normal(size=(n, 2)) + distance * np.eye(3)[y][:, 1:]
    if scenario == "single-training-set":
        return x, np.where(rng.random(n) < 0.6, y, 0), 0.6
    first = np.arange(n) < n // 2
    keep = first | (y > 0)
    return x[keep], np.where(first, 0, y)[keep], 1 / 3


# -- profile likelihood --------------------------------------------------------------------------------------


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
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


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
def test_profile_of_noise_is_open(scenario):
    data = simulate(scenario=scenario, size=0.0, n=800)
    estimate = profile_likelihood(data.X, data.z, scenario=scenario)
    truth = 0.6 if scenario == "single-training-set" else data.prevalence[0]
    assert estimate.lower[0] <= truth <= estimate.upper[0]
    assert estimate.upper[0] - estimate.lower[0] > 0.5
    assert not estimate.is_identified
    assert "is not identified: the profile likelihood is flat" in estimate.diagnosis[0]


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
    assert "of 150 features" in estimate.diagnosis[-1]
    chosen = profile_likelihood(data.X, data.z, features=active.tolist(), **ONE_SET)
    assert np.abs(chosen.numbers - estimate.numbers).max() < 0.1


def test_classes_are_named_and_results_render():
    rng = np.random.default_rng(0)
    x, z, _ = separable(rng, "single-training-set", n=200, distance=3.0)
    frame = pd.DataFrame(x, columns=["height", "<width>"])
    labels = np.array(["?", "oak", "<fir>"])[z]
    for method in METHODS.values():
        estimate = method(frame, labels, unlabeled="?", **ONE_SET)
        assert list(estimate.values) == ["<fir>", "oak"]
        assert all(
            0 <= low <= estimate.values[name] <= high <= 1 for name, (low, high) in estimate.intervals.items()
        )
        text = repr(estimate)
        assert estimate.method in text and "oak" in text and "identified" in text
        assert "&lt;fir&gt;" in estimate._repr_html_() and "<fir>" not in estimate._repr_html_()
        assert estimate.to_frame().loc["oak", "label_frequency"] == estimate.values["oak"]
        display = estimate.plot()
        assert len(display.lines_) == 2 and display.ax_.get_xlabel()
        display.figure_.clear()
    named = profile_likelihood(frame, labels, unlabeled="?", features=["height"], **ONE_SET)
    assert named.details["features"].tolist() == [0]


# -- scores ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
@pytest.mark.parametrize("method", [elkan_noto, best_bin])
def test_separable_classes(method, scenario):
    x, z, truth = separable(np.random.default_rng(2), scenario)
    estimate = method(x, z, scenario=scenario, random_state=0)
    assert np.abs(estimate.numbers - truth).max() < 0.08
    assert (estimate.standard_error < 0.08).all()
    again = method(x, z, scenario=scenario, random_state=0)
    np.testing.assert_array_equal(estimate.lower, again.lower)


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
def test_overlap_is_said(scenario):
    x, z, truth = separable(np.random.default_rng(3), scenario, distance=1.5)
    for method in (elkan_noto, best_bin):
        estimate = method(x, z, scenario=scenario, random_state=0)
        # too low a label frequency, too high a prevalence
        wrong = estimate.numbers < truth if scenario == "single-training-set" else estimate.numbers > truth
        assert wrong.all()
    estimate = elkan_noto(x, z, scenario=scenario, random_state=0)
    assert "overlaps with others" in " ".join(estimate.diagnosis)
    assert not estimate.identified.any()


def test_a_quantile_asks_less():
    x, z, truth = separable(np.random.default_rng(3), "single-training-set", distance=2.5)
    mean = elkan_noto(x, z, random_state=0, **ONE_SET).numbers
    upper = elkan_noto(x, z, quantile=0.9, random_state=0, **ONE_SET).numbers
    assert (np.abs(upper - truth) < np.abs(mean - truth)).all()


@pytest.mark.parametrize("method", [elkan_noto, best_bin])
def test_scores_of_noise(method):
    rng = np.random.default_rng(4)
    x, z = rng.normal(size=(900, 3)), np.where(rng.random(900) < 0.3, 1, 0)
    estimate = method(x, z, random_state=0, **ONE_SET)
    assert not estimate.is_identified
    assert "hardly tells" in estimate.diagnosis[0]


def test_a_region_without_unlabeled_rows_is_no_pure_region():
    # The top 10 of 40 labelled rows have no unlabeled row beside them, all others half of them.
    doubt = _doubt("prevalence", 1, (np.array([0.25, 1.0]), np.array([0.0, 0.5]), 40.0, 400.0), 1)
    assert "still falls from 0.5 to 0 " in doubt[0]


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
    assert_only_too_wide(few)
    assert_only_too_wide(on_the_brink)


def assert_only_too_wide(estimate):
    assert not estimate.is_identified
    assert not estimate.doubtful.any()
    assert "is not identified: everything from" in estimate.diagnosis[0]


def test_other_classifiers_and_weights():
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    x, z, truth = separable(np.random.default_rng(5), "single-training-set", n=600)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 600)
    tree = DecisionTreeClassifier(min_samples_leaf=30, random_state=0)
    estimate = best_bin(x, z, classifier=tree, sample_weight=weight, random_state=0, **ONE_SET)
    assert np.abs(estimate.numbers - truth).max() < 0.15
    with pytest.raises(ValueError, match="KNeighborsClassifier does not take sample_weight"):
        best_bin(x, z, classifier=KNeighborsClassifier(), sample_weight=weight, **ONE_SET)


# -- wrong turns ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_wrong_turns(method):
    x, z, _ = separable(np.random.default_rng(6), "single-training-set", n=60)
    with pytest.raises(ScenarioError, match="scenario='fully-observed' has no number to estimate"):
        method(x, z, scenario="fully-observed")
    with pytest.raises(ScenarioError, match="confirmed negatives"):
        method(x, np.where(z == 0, np.tile([0, -1], 30), z), unlabeled=0, negative=-1, **ONE_SET)
    with pytest.raises(ScenarioError, match="no unlabeled row"):
        method(x[z > 0], z[z > 0], unlabeled=np.nan, scenario="case-control")
    with pytest.raises(LabelError):
        method(x, np.zeros(60), **ONE_SET)
    with pytest.raises(ValueError, match="level=2 must be at most 1"):
        method(x, z, level=2, **ONE_SET)
    with pytest.raises(ValueError, match="60 rows but y has 59"):
        method(x, z[:59], **ONE_SET)


def test_wrong_turns_of_one_method():
    x, z, _ = separable(np.random.default_rng(6), "single-training-set", n=60)
    with pytest.raises(ValueError, match="features='some' is unknown"):
        profile_likelihood(x, z, features="some", **ONE_SET)
    with pytest.raises(ValueError, match="features names 'height', 7, which is no column"):
        profile_likelihood(x, z, features=["height", 0, 7], **ONE_SET)
    with pytest.raises(ValueError, match="response='probit' is unknown"):
        profile_likelihood(x, z, response="probit", **ONE_SET)
    with pytest.raises(LabelError, match=r"rows labelled 2, but \d+ are needed for cv=40 folds"):
        best_bin(x, np.where(np.arange(60) == 5, 2, z % 2), cv=40, **ONE_SET)
    with pytest.raises(ValueError, match="quantile=1.5"):
        elkan_noto(x, z, quantile=1.5, **ONE_SET)
    with pytest.warns(ClassOrderWarning, match="alphabetical order"):
        profile_likelihood(x, np.array(["a", "b", "c"])[z], response="ordinal", features=[], **ONE_SET)


def test_confirmed_negatives_of_case_control_data_are_left_out():
    data = simulate(scenario="case-control", n=600, p=2)
    z = np.concatenate([data.z, np.full(50, -1)])
    x = np.vstack([data.X, np.zeros((50, 2))])
    with_them = profile_likelihood(x, z, scenario="case-control", unlabeled=0, negative=-1)
    without = profile_likelihood(data.X, data.z, scenario="case-control")
    np.testing.assert_array_equal(with_them.numbers, without.numbers)


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
