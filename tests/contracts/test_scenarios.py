"""Every scenario: the likelihood of observed labels is what its story says, derived here by brute force."""

import numpy as np
import pytest

from support.brute_force import central_difference, joint_proba, softmax
from support.cases import CASES, LabelSample

pytestmark = [
    pytest.mark.parametrize("case", CASES, ids=repr),
    pytest.mark.parametrize("n_positive", [1, 2, 4]),
]

N = 60


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


@pytest.fixture
def sample(case, n_positive, rng):
    return case.labels(rng, N, n_positive)


@pytest.fixture
def eta(n_positive, rng):
    return rng.normal(0.0, 2.0, (N, n_positive))


@pytest.fixture
def joint(sample, eta):
    """P(y, z | x), labels in the order of their codes."""
    return joint_proba(sample.scenario, sample.counts, softmax(eta))


def all_labels(case, n_positive):
    return range(n_positive + 1 + case.confirmed)


def test_observed_probabilities(sample, eta, joint, case, n_positive):
    proba = np.exp(sample.likelihood.log_proba(eta))
    assert proba.shape == (N, len(all_labels(case, n_positive)))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(proba, joint.sum(axis=2)[:, : proba.shape[1]], rtol=1e-10)


def test_posterior_in_the_sampled_population(sample, eta, joint):
    np.testing.assert_allclose(sample.loss.curvature(eta).q, joint.sum(axis=1)[:, 1:], rtol=1e-10)


def test_e_step_is_bayes_rule(sample, eta, joint):
    of_label = joint[np.arange(N), sample.codes]
    bayes = of_label / of_label.sum(axis=1, keepdims=True)
    found = sample.likelihood.responsibilities(eta, sample.codes)
    np.testing.assert_allclose(found, bayes, rtol=1e-10, atol=1e-300)


def test_loss_is_the_weighted_mean_of_minus_log_probabilities(sample, eta, joint):
    log_proba = np.log(joint.sum(axis=2)[np.arange(N), sample.codes])
    expected = -np.average(log_proba, weights=sample.weight)
    assert sample.loss.value_and_grad(eta)[0] == pytest.approx(expected, rel=1e-12)


def test_gradient_in_eta(sample, eta):
    numeric = central_difference(lambda e: sample.loss.value_and_grad(e)[0], eta)
    np.testing.assert_allclose(sample.loss.value_and_grad(eta)[1], numeric, rtol=1e-6, atol=1e-11)


def test_value_and_grad_leaves_its_input_alone(sample, eta):
    before = eta.copy()
    eta.flags.writeable = False
    sample.loss.value_and_grad(eta)
    sample.loss.complete(eta).value_and_grad(eta)
    np.testing.assert_array_equal(eta, before)


def test_weight_two_is_the_row_twice(case, n_positive, eta, rng):
    sample = case.labels(rng, N, n_positive, weighted=False)
    times = rng.integers(1, 4, N)
    weighted = LabelSample.of(sample.scenario, sample.codes, times.astype(float), n_positive)
    repeated = LabelSample.of(
        sample.scenario, np.repeat(sample.codes, times), np.ones(times.sum()), n_positive
    )
    value, grad = weighted.loss.value_and_grad(eta)
    value_repeated, grad_repeated = repeated.loss.value_and_grad(np.repeat(eta, times, axis=0))
    assert value == pytest.approx(value_repeated, rel=1e-12)
    summed = np.add.reduceat(grad_repeated, np.concatenate([[0], np.cumsum(times)[:-1]]), axis=0)
    np.testing.assert_allclose(grad, summed, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(weighted.null.log_odds, repeated.null.log_odds, rtol=1e-10, atol=1e-12)


def test_scaling_all_weights_changes_nothing(sample, eta, n_positive):
    scaled = LabelSample.of(sample.scenario, sample.codes, 37.0 * sample.weight, n_positive)
    assert scaled.loss.value_and_grad(eta)[0] == pytest.approx(sample.loss.value_and_grad(eta)[0], rel=1e-12)


def score_second_moments(joint):
    """Return E[s s^T | x] by summing over all labels, with s_k = P(y=k | x, z) - P(y=k | x)."""
    of_label = joint.sum(axis=2)
    posterior = joint / np.where(of_label > 0, of_label, 1.0)[:, :, None]
    score = (posterior - joint.sum(axis=1)[:, None, :])[:, :, 1:]
    return np.einsum("nz,nzk,nzl->nkl", of_label, score, score)


def test_fisher_information_is_the_second_moment_of_the_score(sample, eta, joint):
    curvature = sample.loss.curvature(eta)
    np.testing.assert_allclose(curvature.matrices(), score_second_moments(joint), rtol=1e-8, atol=1e-12)


def test_fisher_information_is_the_mean_hessian(sample, eta, joint, case, n_positive):
    eta, proba = eta[:1], joint.sum(axis=2)[0]

    def gradient(label, k):
        single = LabelSample(
            sample.scenario, sample.counts, sample.label_model, np.array([label]), np.ones(1)
        )
        return lambda e: single.loss.value_and_grad(e)[1][0, k]

    hessian = np.zeros((n_positive, n_positive))
    for label in all_labels(case, n_positive):
        for k in range(n_positive):
            hessian[k] += proba[label] * central_difference(gradient(label, k), eta)[0]
    np.testing.assert_allclose(sample.loss.curvature(eta).matrices()[0], hessian, rtol=1e-6, atol=1e-10)


def test_fisher_information_matches_simulated_scores(sample, eta, rng, n_positive):
    eta, n_draws = eta[:1], 100_000
    proba = np.exp(sample.likelihood.log_proba(eta))[0]
    codes = rng.choice(len(proba), size=n_draws, p=proba / proba.sum())
    drawn = LabelSample(sample.scenario, sample.counts, sample.label_model, codes, np.ones(n_draws))
    score = n_draws * drawn.loss.value_and_grad(np.repeat(eta, n_draws, axis=0))[1]
    np.testing.assert_allclose(score.mean(axis=0), 0.0, atol=0.02)
    np.testing.assert_allclose(score.T @ score / n_draws, sample.loss.curvature(eta).matrices()[0], atol=0.01)


def test_exact_curvature_is_the_hessian(sample, eta, n_positive):
    exact, fisher = sample.loss.curvature(eta, 1.0).matrices(), sample.loss.curvature(eta).matrices()
    share = sample.loss.sample_weight
    for k, direction in enumerate(np.eye(n_positive)):
        # Every row's gradient depends on its own log odds only, so that all rows can be moved at once.
        above, below = (sample.loss.value_and_grad(eta + h * direction)[1] for h in (1e-5, -1e-5))
        np.testing.assert_allclose(
            exact[:, k] * share[:, None], (above - below) / 2e-5, rtol=1e-5, atol=1e-10
        )
    np.testing.assert_allclose(sample.loss.curvature(eta, 0.5).matrices(), 0.5 * (exact + fisher), atol=1e-14)


def test_curvature_is_positive_semidefinite_and_applies_like_its_matrices(sample, eta, rng):
    for loss in (sample.loss, sample.loss.complete(eta)):
        curvature = loss.curvature(eta)
        matrices, v = curvature.matrices(), rng.normal(size=eta.shape)
        assert np.linalg.eigvalsh(matrices).min() >= -1e-14
        np.testing.assert_allclose(
            curvature.apply(v), np.einsum("nkl,nl->nk", matrices, v), rtol=1e-10, atol=1e-14
        )


def test_completed_loss_touches_the_observed_one(sample, eta):
    observed, completed = sample.loss.value_and_grad(eta), sample.loss.complete(eta).value_and_grad(eta)
    np.testing.assert_allclose(completed[1], observed[1], rtol=1e-10, atol=1e-16)


def test_completed_loss_lies_above_the_observed_one(sample, eta, rng):
    completed = sample.loss.complete(eta)
    gap = completed.value_and_grad(eta)[0] - sample.loss.value_and_grad(eta)[0]
    for size in (1e-3, 0.1, 1.0, 10.0):
        other = eta + size * rng.normal(size=eta.shape)
        above = completed.value_and_grad(other)[0] - sample.loss.value_and_grad(other)[0] - gap
        assert above >= -1e-13


def test_completed_gradient(sample, eta):
    completed = sample.loss.complete(eta[::-1].copy())
    numeric = central_difference(lambda e: completed.value_and_grad(e)[0], eta)
    np.testing.assert_allclose(completed.value_and_grad(eta)[1], numeric, rtol=1e-6, atol=1e-11)


def test_null_model_is_stationary(sample):
    null = sample.null
    assert null.exists
    _, grad = sample.loss.value_and_grad(np.tile(null.log_odds, (N, 1)))
    np.testing.assert_allclose(grad.sum(axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize("size", [50.0, 1e3, 1e4])
def test_everything_stays_finite_far_out(sample, size, n_positive, rng):
    signs = rng.choice([-1.0, 0.0, 1.0], (N, n_positive))
    eta = size * signs
    for loss in (sample.loss, sample.loss.complete(eta)):
        value, grad = loss.value_and_grad(eta)
        assert np.isfinite(value) and np.isfinite(grad).all()
        assert np.isfinite(loss.curvature(eta).matrices()).all()
    for proba in (
        np.exp(sample.likelihood.log_proba(eta)),
        sample.likelihood.responsibilities(eta, sample.codes),
    ):
        np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-9)
