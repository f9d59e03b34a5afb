"""The multinomial response: intercepts optional, symmetric coefficients by a change of basis."""

import numpy as np
import pytest

from pulasso.responses import Multinomial


def test_log_odds_are_linear():
    u, b = np.array([[1.0, -2.0], [0.5, 0.0]]), np.array([0.1, 0.2])
    np.testing.assert_allclose(Multinomial(2).log_odds(u, b), u + b)


def test_without_intercept_there_are_no_free_parameters():
    response, u = Multinomial(2, fit_intercept=False), np.ones((3, 2))
    offsets = response.null_offsets(np.array([1.0, 2.0]))
    assert offsets.shape == (0,)
    np.testing.assert_array_equal(response.log_odds(u, offsets), u)
    assert response.pullback(u, offsets, u)[1].shape == (0,)
    assert response.is_feasible(offsets)


@pytest.mark.parametrize("n_positive", [1, 2, 3, 6])
def test_the_symmetric_norm_is_that_of_coefficients_that_sum_to_zero(n_positive):
    rng = np.random.default_rng(1)
    phi = rng.normal(size=n_positive)
    gamma = phi @ Multinomial(n_positive, symmetric=True).contrast  # against class 0
    everyone = np.concatenate([[0.0], gamma])
    centred = everyone - everyone.mean()
    assert np.linalg.norm(phi) == pytest.approx(np.linalg.norm(centred), rel=1e-13)
    m = np.eye(n_positive) - 1.0 / (n_positive + 1)
    assert phi @ phi == pytest.approx(gamma @ m @ gamma, rel=1e-13)


def test_the_plain_contrast_is_the_identity():
    np.testing.assert_array_equal(Multinomial(3).contrast, np.eye(3))
