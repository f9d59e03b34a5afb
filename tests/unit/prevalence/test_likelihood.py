"""The joint likelihood: derivatives by finite differences, information by its definition, anchors."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from pulasso.prevalence.likelihood import JointLikelihood, make_response
from pulasso.prevalence.profile import maximize, profile_numbers

N, P, K = 40, 2, 2
SCENARIOS = ("case-control", "single-training-set")

every_model = pytest.mark.parametrize("response", ["multinomial", "ordinal"])
every_scenario = pytest.mark.parametrize("scenario", SCENARIOS)
every_anchor = pytest.mark.parametrize(
    ("common", "anchor"), [(False, None), (False, 1), (True, None)], ids=["free", "anchored", "common"]
)


def make(response, scenario, common=False, anchor=None, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(K + 1), rng.integers(0, K + 1, N - K - 1)])
    joint = JointLikelihood(
        rng.normal(size=(N, P)),
        codes,
        rng.uniform(0.5, 2.0, N),
        make_response(response, K),
        np.arange(K + 1),
        scenario,
        common,
        anchor,
    )
    return joint, 0.5 * rng.normal(size=joint.n_model + joint.n_numbers)


def observed_log_proba(joint, unknowns, row):
    parts = joint.split(unknowns)
    eta = joint.response.log_odds(joint.x[row : row + 1] @ parts.theta, parts.offsets)
    return joint.label_model(parts.t).observed_log_proba(eta)[0]


@every_model
@every_scenario
@every_anchor
def test_derivatives(response, scenario, common, anchor):
    joint, unknowns = make(response, scenario, common, anchor)
    at = joint.evaluate(unknowns)
    by_hand = -joint.weight @ [observed_log_proba(joint, unknowns, i)[z] for i, z in enumerate(joint.codes)]
    assert -joint.log_likelihood(unknowns) == pytest.approx(by_hand)
    numeric = approx_fprime(unknowns, lambda u: joint.evaluate(u).value, 1e-6)
    np.testing.assert_allclose(at.gradient, numeric, atol=1e-4)


@every_model
@every_scenario
@every_anchor
def test_information_is_the_mean_outer_product_of_scores(response, scenario, common, anchor):
    joint, unknowns = make(response, scenario, common, anchor)
    expected = np.diag(joint.precision)
    for i in range(N):
        proba = np.exp(observed_log_proba(joint, unknowns, i))
        scores = approx_fprime(unknowns, lambda u, i=i: observed_log_proba(joint, u, i), 1e-6)
        expected += joint.weight[i] * np.einsum("z,za,zb->ab", proba, scores, scores)
    np.testing.assert_allclose(joint.evaluate(unknowns).information, expected, atol=1e-4)


@every_scenario
def test_numbers_and_their_scale_are_inverse(scenario):
    joint, _ = make("multinomial", scenario)
    numbers = np.array([0.3, 0.5])
    np.testing.assert_allclose(joint.numbers(joint.scale_of(numbers)), numbers)
    # the labelling says the same as the scenario of the estimators
    log_labeled = joint.label_model(joint.scale_of(numbers)).log_labeled[1:]
    counts = joint.counts
    expected = numbers if scenario != "case-control" else counts.n_labeled[1:] / numbers / counts.n_unlabeled
    np.testing.assert_allclose(np.exp(log_labeled), expected)


def test_an_anchor_holds_one_prevalence_whatever_the_others_do():
    joint, _ = make("multinomial", "case-control", anchor=1)
    for other in (-3.0, 0.0, 5.0):
        t, _ = joint.spread(np.array([other, 0.4]))
        assert joint.numbers(t)[1] == pytest.approx(1.0 / (1.0 + np.exp(-0.4)))
        np.testing.assert_allclose(joint.gather(t), [other, 0.4])


@every_model
@every_scenario
def test_profile_points_are_stationary_and_lie_below_the_maximum(response, scenario):
    joint, _ = make(response, scenario, common=True, seed=3)
    found = profile_numbers(joint, 0.9)
    assert np.abs(joint.evaluate(found.unknowns).gradient).max() < 1e-2
    (profile,) = found.profiles
    assert (np.diff(profile.numbers) > 0).all()
    assert profile.drop.min() == 0.0
    # Points of the curve, fitted again from the null model: the curve, which follows the maximum, is never worse;
    # close to the maximum, where the likelihood is nearly quadratic, both are the same.
    close = int(np.argsort(profile.drop)[1])
    for point in (0, close):
        held = joint.null(joint.gather(joint.scale_of(np.full(K, profile.numbers[point]))))
        _, value = maximize(joint, held, held=joint.n_model)
        assert profile.drop[point] <= value - found.value + 0.02
    assert value - found.value == pytest.approx(profile.drop[close], abs=0.02)
