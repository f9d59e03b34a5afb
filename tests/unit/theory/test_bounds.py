"""The lam of the theorems and the errors that they allow: by hand, in the limits, and against a fit."""

import numpy as np
import pytest

from pulasso import fit_path
from pulasso.datasets import simulate_multinomial
from pulasso.exceptions import InputError
from pulasso.theory import MultinomialConstants, OrdinalConstants, Sample, error_bound, theorem_lam

SAMPLE = Sample(400, 50, 3, [1.0, 2.0], smallest_eigenvalue=0.5, largest_eigenvalue=4.0)
MULTINOMIAL = MultinomialConstants(1.5, 0.4, [0.5, 2.0])
ORDINAL = OrdinalConstants(1.5, 0.4, 1.2, [0.5, 2.0])
RATE = np.sqrt((np.log(50) + 3) / 400)


def test_multinomial_by_hand():
    lam = theorem_lam(MULTINOMIAL, SAMPLE, constant=3.0)
    assert lam == pytest.approx(3.0 * 2.0 * (2 + 1.5 * 0.4 * np.sqrt(2)) * RATE, rel=1e-12)
    expected = 3 * np.sqrt(5.0) * 0.7 / (float(MULTINOMIAL.h(1e-6)) * 0.5)
    assert error_bound(MULTINOMIAL, SAMPLE, 0.7, radius=1e-6) == pytest.approx(expected, rel=1e-12)


def test_ordinal_by_hand():
    at = {"radius": 1e-3, "shrink": 0.2}
    l_0, gamma_0 = float(ORDINAL.L_0(1e-3, 0.2)), float(ORDINAL.gamma_0(1e-3, 0.2))
    assert theorem_lam(ORDINAL, SAMPLE, **at) == pytest.approx(l_0 * 2.0 * np.sqrt(2) * RATE, rel=1e-12)
    offsets = 5.0 * l_0 * 2 * np.sqrt((np.log(50) + 3 + np.log(2)) / 400)
    expected = 2 / 0.5 / (gamma_0 * 0.5) * (3 * np.sqrt(5.0) * 0.7 + offsets)
    assert error_bound(ORDINAL, SAMPLE, 0.7, **at, constant=5.0) == pytest.approx(expected, rel=1e-12)


def test_lam_and_bound_fall_as_one_over_the_root_of_n():
    more = Sample(1600, 50, 3, [1.0, 2.0])
    less = Sample(400, 50, 3, [1.0, 2.0])
    for constants in (MULTINOMIAL, ORDINAL):
        lams = [theorem_lam(constants, sample) for sample in (less, more)]
        assert lams[0] == pytest.approx(2 * lams[1], rel=1e-12)
        bounds = [error_bound(constants, sample, lam) for sample, lam in zip((less, more), lams, strict=True)]
        assert bounds[0] == pytest.approx(2 * bounds[1], rel=1e-12)


def test_where_the_theorem_says_nothing_the_bound_is_infinite():
    assert error_bound(MULTINOMIAL, SAMPLE, 0.1, radius=1.0) == np.inf
    far = OrdinalConstants(50.0, 50.0, 1.0, [1.0, 1.0])
    assert error_bound(far, SAMPLE, 0.1) == np.inf


def test_a_fit_at_the_lam_of_the_theorem_is_closer_than_its_bound():
    data = simulate_multinomial(2000, 10, n_active=1, signal=(0.1, 0.2), random_state=0)
    data.X[:] = np.clip(data.X, -1.0, 1.0)
    ratios = np.bincount(data.z)[1:] / (data.prevalence * np.sum(data.z == 0))
    constants = MultinomialConstants(1.0, float(np.abs(data.coef).sum(axis=1).max()), ratios)
    sample = Sample(2000, 10, 2, [np.sqrt(2.0)], *np.linalg.eigvalsh(np.cov(data.X.T))[[0, -1]].tolist())
    lam = theorem_lam(constants, sample)
    path = fit_path(data.X, data.z, lams=[lam], standardize=False, anchor=0.0, **data.scenario_params)
    assert np.linalg.norm(path.coefs[0] - data.coef) < error_bound(constants, sample, lam) < np.inf


@pytest.mark.parametrize(
    ("wrong", "parameter"),
    [
        ({"n_rows": 0}, "n_rows"),
        ({"n_groups": 1.5}, "n_groups"),
        ({"largest_group": 0}, "largest_group"),
        ({"support_weights": [-1.0]}, "support_weights"),
        ({"smallest_eigenvalue": 0.0}, "smallest_eigenvalue"),
        ({"largest_eigenvalue": 0.5}, "largest_eigenvalue"),
    ],
)
def test_wrong_samples_are_refused(wrong, parameter):
    given = {"n_rows": 10, "n_groups": 5, "largest_group": 1, "support_weights": [1.0], **wrong}
    with pytest.raises(InputError) as caught:
        Sample(**given)
    assert caught.value.parameter == parameter


def test_wrong_numbers_are_refused():
    with pytest.raises(InputError, match="constant"):
        theorem_lam(MULTINOMIAL, SAMPLE, constant=0.0)
    with pytest.raises(InputError, match="lam"):
        error_bound(MULTINOMIAL, SAMPLE, -1.0)
    for radius in ([1e-6, 1e-5], None, -1.0):
        for constants in (MULTINOMIAL, ORDINAL):
            with pytest.raises(InputError, match="radius"):
                error_bound(constants, SAMPLE, 0.7, radius=radius)
