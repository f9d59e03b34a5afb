"""Simulated data follow the model they claim to follow."""

import pickle

import numpy as np
import pytest
from scipy import integrate, stats

from pulasso.datasets import mask_labels, simulate_multinomial, simulate_ordinal
from pulasso.datasets._predictor import _invert
from pulasso.datasets._truth import GaussianFeatures
from pulasso.exceptions import InputError

SIMULATORS = [simulate_multinomial, simulate_ordinal]
each_simulator = pytest.mark.parametrize("simulate", SIMULATORS)

DESIGNS = [
    {},
    {"n_positive": 1},
    {"n_positive": 4, "n_active": 2},  # more classes than active features: a singular covariance
    {"variance": 4.0, "correlation": 0.6, "null_proba": [0.8, 0.15, 0.05]},
]


@each_simulator
@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_labelled_rows_are_drawn_from_their_class(simulate, design):
    data = simulate(8_000, 6, random_state=0, **design)
    x, y = data.truth.draw(80_000, random_state=1)
    for k in range(1, len(data.prevalence) + 1):
        drawn, picked = data.X[data.z == k], x[y == k]
        assert len(drawn) == 4000 // len(data.prevalence)
        for column in range(6):
            assert stats.ks_2samp(drawn[:, column], picked[:, column]).pvalue > 1e-4
        gap = np.cov(drawn.T) - np.cov(picked.T)
        assert np.abs(gap).max() < 0.15 * np.cov(picked.T).max()


@each_simulator
@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_prevalence_is_that_of_the_population(simulate, design):
    data = simulate(300, 6, random_state=0, **design)
    _, y = data.truth.draw(80_000, random_state=1)
    found = np.bincount(y, minlength=len(data.prevalence) + 1)[1:] / len(y)
    np.testing.assert_allclose(data.prevalence, found, atol=0.008)


def test_prevalence_of_a_binary_model_is_the_integral():
    data = simulate_multinomial(300, 6, n_positive=1, random_state=0)
    spread = np.sqrt(data.truth.predictor_covariance[0, 0])
    exact, _ = integrate.quad(
        lambda t: stats.norm.pdf(t) / (1 + np.exp(-spread * t - data.intercept[0])), -9, 9
    )
    assert data.prevalence[0] == pytest.approx(exact, abs=1e-5)


@each_simulator
def test_a_rare_class_is_drawn_as_surely_as_a_common_one(simulate):
    data = simulate(600, 50, null_proba=[0.9999989, 1e-6, 1e-7], random_state=0)
    assert np.bincount(data.z).tolist() == [300, 150, 150]
    # Far out P(y = 2 | u) grows like exp(u), which shifts the normal predictor by its variance.
    score = (data.X @ data.truth.theta)[:, -1]
    wanted = data.truth.predictor_covariance[-1, -1]
    assert score[data.z == 2].mean() == pytest.approx(wanted, abs=4 * np.sqrt(wanted / 150))


def test_inversion_is_exact_to_the_last_digits():
    level = np.append(np.random.default_rng(0).random(1000), [1e-12, 0.5])
    found = _invert(lambda t: np.exp(-0.5 * t * t), 0.3, level)
    np.testing.assert_allclose(stats.norm.cdf(found), level, rtol=0, atol=1e-14)


@pytest.mark.parametrize("correlation", [0.0, 0.7, -0.5])
def test_features_have_the_covariance_they_are_asked_for(correlation):
    features = GaussianFeatures(5, variance=2.0, correlation=correlation)
    wanted = 2.0 * correlation ** np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    np.testing.assert_allclose(np.cov(features.draw(np.random.default_rng(0), 100_000).T), wanted, atol=0.05)
    np.testing.assert_allclose(features.covariance_with(np.eye(5)), wanted)


def test_rows_given_their_predictor_have_it():
    rng = np.random.default_rng(0)
    features, theta = GaussianFeatures(8, correlation=0.5), np.zeros((8, 3))
    theta[[1, 4]] = rng.normal(size=(2, 3))
    linear = rng.normal(size=(40, 8)) @ theta
    np.testing.assert_allclose(features.draw_given(rng, theta, linear) @ theta, linear, atol=1e-12)


@each_simulator
def test_the_design_of_the_paper(simulate):
    data = simulate(200, 40, n_active=3, n_positive=2, signal=(0.5, 1.0), random_state=3)
    coef = np.atleast_2d(data.coef)
    active = coef.any(axis=0)
    assert active.sum() == 3
    assert (np.abs(coef[:, active]) >= 0.5).all() and (np.abs(coef) <= 1.0).all()
    np.testing.assert_allclose(data.truth.predict_proba(np.zeros((1, 40))), 1 / 3)
    assert np.bincount(data.z).tolist() == [100, 50, 50]
    assert (data.y[data.z > 0] == data.z[data.z > 0]).all()
    assert data.scenario_params["scenario"] == "case-control"


@each_simulator
def test_single_training_set_labels_as_often_as_asked(simulate):
    data = simulate(
        20_000, 3, scenario="single-training-set", label_frequency={1: 0.2, 2: 0.9}, random_state=0
    )
    for k, wanted in ((1, 0.2), (2, 0.9)):
        assert np.mean(data.z[data.y == k] == k) == pytest.approx(wanted, abs=0.02)
    assert set(data.scenario_params) == {"scenario", "label_frequency"}
    full = simulate(500, 3, scenario="fully-observed", random_state=0)
    assert (full.z == full.y).all() and set(full.scenario_params) == {"scenario"}


@each_simulator
def test_the_same_seed_gives_the_same_data(simulate):
    one, two, other = (simulate(60, 10, random_state=seed) for seed in (1, 1, 2))
    assert (one.X == two.X).all() and (one.z == two.z).all()
    assert not np.array_equal(one.X, other.X)


@each_simulator
def test_no_signal_is_possible(simulate):
    data = simulate(300, 4, n_active=0, random_state=0)
    assert not data.coef.any()
    np.testing.assert_allclose(data.prevalence, 1 / 3)


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        ({"scenario": "cohort"}, "scenario"),
        ({"n_active": 20}, "n_active"),
        ({"n_samples": 2}, "n_samples"),
        ({"n_samples": 2.5}, "n_samples"),
        ({"n_positive": 0}, "n_positive"),
        ({"correlation": 1.0}, "correlation"),
        ({"variance": "much"}, "variance"),
        ({"null_proba": [0.5, 0.5]}, "null_proba"),
        ({"null_proba": [0.5, 0.6, -0.1]}, "null_proba"),
        ({"unlabeled_share": 0.99, "n_samples": 30}, "unlabeled_share"),
        ({"unlabeled_share": 1.5}, "unlabeled_share"),
        ({"signal": (1.0, 0.5)}, "signal"),
        ({"scenario": "single-training-set", "label_frequency": 1.5}, "label_frequency"),
    ],
)
def test_impossible_designs_are_refused(arguments, parameter):
    with pytest.raises(ValueError, match=parameter):
        simulate_multinomial(**{"n_samples": 60, "n_features": 10, "random_state": 0} | arguments)


def test_a_class_that_does_not_occur_is_named(monkeypatch):
    monkeypatch.setattr("pulasso.datasets._predictor.MAX_PROPOSALS", 1)
    monkeypatch.setattr("pulasso.datasets._predictor.PROPOSALS_AT_ONCE", 1)
    with pytest.raises(InputError, match="class 1 hardly occurs in this model"):
        simulate_multinomial(300, 5, random_state=0)


# --- masking ------------------------------------------------------------------------------------------------


def test_masking_hides_the_right_share_of_the_right_classes():
    y = np.repeat([0, 1, 2], 10_000)
    z = mask_labels(y, [0.3, 1.0], random_state=0)
    assert (z[y == 0] == 0).all() and (z[y == 2] == 2).all()
    assert np.mean(z[y == 1] == 1) == pytest.approx(0.3, abs=0.02)
    assert set(z[y == 1]) == {0, 1}


def test_masking_text_with_a_long_marker():
    z = mask_labels(["no", "oak", "fir"] * 20, 0.5, 0, unlabeled="unlabeled", classes=["no", "oak", "fir"])
    assert set(z) == {"unlabeled", "oak", "fir"}


def test_masking_with_missing_values_as_marker():
    z = mask_labels([0, 1, 2, 1], 1.0, unlabeled=np.nan)
    np.testing.assert_array_equal(z, [np.nan, 1, 2, 1])


@pytest.mark.parametrize(
    ("y", "arguments", "words"),
    [
        ([0, 1], {"label_frequency": 0.0}, "label_frequency"),
        ([0, 1], {"label_frequency": {3: 0.5}}, "label_frequency"),
        ([0, 0], {"label_frequency": 0.5}, "no label to hide"),
        ([0, 5], {"label_frequency": 0.5, "classes": [0, 1]}, "y holds 5"),
        ([[0, 1]], {"label_frequency": 0.5}, "shape"),
    ],
)
def test_bad_masks_are_refused(y, arguments, words):
    with pytest.raises(InputError, match=words):
        mask_labels(y, **arguments)


@each_simulator
def test_both_simulators_describe_themselves(simulate):
    name = simulate.__name__.removeprefix("simulate_")
    assert simulate.__module__ == "pulasso.datasets.simulate" and f"the {name} model" in simulate.__doc__
    assert "unlabeled_share : float" in simulate.__doc__ and "{" not in simulate.__doc__.replace(
        '{"case-control"', ""
    )
    assert pickle.loads(pickle.dumps(simulate)) is simulate
