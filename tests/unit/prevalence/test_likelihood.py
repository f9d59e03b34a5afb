"""The joint likelihood: derivatives by finite differences, information by its definition, scales and profiles."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from pulasso.losses import PULoss
from pulasso.prevalence.likelihood import JointLikelihood
from pulasso.prevalence.maximum import maximize
from pulasso.prevalence.profile import profile_numbers
from pulasso.prevalence.scales import Scale
from pulasso.responses import RESPONSES
from pulasso.scenarios import CaseControl, LabelCounts, SingleTrainingSet

P, K = 2, 2
SCALES = {
    "label frequencies": {"is_prevalence": False},
    "one label frequency": {"is_prevalence": False, "common": True},
    "prevalences": {"is_prevalence": True},
    "an anchored prevalence": {"is_prevalence": True, "anchor": 1},
    "one prevalence": {"is_prevalence": True, "common": True},
}

every_response = pytest.mark.parametrize("response", RESPONSES)
every_scale = pytest.mark.parametrize("scale", SCALES)


def make(response, scale, n=12, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(K + 1), rng.integers(0, K + 1, n - K - 1)])
    x, weight = rng.normal(size=(n, P)), rng.uniform(0.5, 2.0, n)
    counts = LabelCounts.from_codes(codes, np.arange(K + 1), weight)
    joint = JointLikelihood(x, codes, weight, RESPONSES[response].build(K), Scale(counts, **SCALES[scale]))
    return joint, 0.5 * rng.normal(size=joint.n_model + joint.scale.n_free)


def observed_log_proba(joint, unknowns):
    theta, offsets, free = joint.split(unknowns)
    eta = joint.response.log_odds(joint.x @ theta, offsets)
    return PULoss(joint.scale.label_model(free)[0]).log_proba(eta)


@every_response
@every_scale
def test_derivatives_and_information(response, scale):
    joint, unknowns = make(response, scale)
    at = joint.evaluate(unknowns)
    log_proba = observed_log_proba(joint, unknowns)
    by_hand = joint.weight @ log_proba[np.arange(len(joint.codes)), joint.codes]
    assert joint.log_likelihood(unknowns) == pytest.approx(by_hand)
    numeric = approx_fprime(unknowns, lambda u: joint.evaluate(u).value, 1e-6)
    np.testing.assert_allclose(at.gradient, numeric, atol=1e-4)
    # the Fisher information is the mean outer product of the scores of each row and label
    scores = approx_fprime(unknowns, lambda u: observed_log_proba(joint, u).ravel(), 1e-6)
    weight = (joint.weight[:, None] * np.exp(log_proba)).ravel()
    expected = np.diag(joint.precision) + scores.T @ (scores * weight[:, None])
    np.testing.assert_allclose(at.information, expected, atol=1e-4)


@every_scale
def test_scales_agree_with_the_scenarios_of_the_estimators(scale):
    scale = make("multinomial", scale)[0].scale
    numbers = np.array([0.3, 0.3]) if scale.common else np.array([0.3, 0.5])
    free = scale.free(numbers)
    np.testing.assert_allclose(scale.numbers(free), numbers)
    np.testing.assert_allclose(scale.gather(scale.spread(free)[0]), free)
    scenario = CaseControl(numbers) if scale.is_prevalence else SingleTrainingSet(numbers)
    found, expected = scale.label_model(free)[0], scenario.label_model(scale.counts)
    np.testing.assert_allclose(found.log_labeled, expected.log_labeled)
    np.testing.assert_allclose(found.log_hidden, expected.log_hidden, atol=1e-12)


def test_an_anchor_holds_one_prevalence_whatever_the_others_do():
    scale = make("multinomial", "prevalences")[0].scale.anchored(1)
    for other in (-3.0, 0.0, 5.0):
        assert scale.numbers(np.array([other, 0.4]))[1] == pytest.approx(1.0 / (1.0 + np.exp(-0.4)))


@every_response
@pytest.mark.parametrize("scale", ["one label frequency", "one prevalence"])
def test_profile_points_are_stationary_and_lie_below_the_maximum(response, scale):
    joint, _ = make(response, scale, n=40, seed=3)
    best, (profile,) = profile_numbers(joint, 0.9)
    highest, gradient, _ = joint.evaluate(best)
    assert np.abs(gradient).max() < 1e-2
    assert (np.diff(profile.numbers) > 0).all()
    assert profile.drop.min() == 0.0
    # Points of the curve, fitted again from the null model: the curve, which follows the maximum, is never worse;
    # close to the maximum, where the likelihood is nearly quadratic, both are the same.
    close = int(np.argsort(profile.drop)[1])
    for point in (0, close):
        start = joint.null(joint.scale.free(np.full(K, profile.numbers[point])))
        _, value = maximize(joint, start, held=joint.n_model)
        assert profile.drop[point] <= value - highest + 0.02
    assert value - highest == pytest.approx(profile.drop[close], abs=0.02)
