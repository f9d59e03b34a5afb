"""Curvature along a line: against second differences of the loss, and in directions known to be flat."""

import numpy as np
import pytest

from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.estimators import MultinomialPULasso, OrdinalPULasso
from pulasso.exceptions import InputError
from pulasso.theory import curvature_along, least_curved_direction

CASES = [
    (simulate_multinomial, MultinomialPULasso, "intercept_", "intercept"),
    (simulate_ordinal, OrdinalPULasso, "thresholds_", "thresholds"),
]


@pytest.mark.parametrize(("simulate", "estimator", "fitted", "true"), CASES)
@pytest.mark.parametrize("scenario", ["case-control", "single-training-set"])
def test_curvature_is_the_change_of_slope_of_the_observed_loss(simulate, estimator, fitted, true, scenario):
    data = simulate(300, 6, scenario=scenario, random_state=0)
    direction = np.random.default_rng(1).normal(size=data.coef.shape)
    model = estimator(lam=0.1, groups="entries", **data.scenario_params).fit(data.X, data.z)
    setattr(model, fitted, getattr(data, true))

    def loss(t):
        model.coef_ = data.coef + t * direction
        return -model.observed_score(data.X, data.z)

    def slope(t, step=1e-4):
        return (loss(t + step) - loss(t - step)) / (2 * step)

    radii = np.array([-1.0, 0.3, 2.0])
    expected = [(slope(t) - slope(0.0)) / t / (direction**2).sum() for t in radii]
    np.testing.assert_allclose(curvature_along(data, direction, radii), expected, rtol=1e-4, atol=1e-7)


def test_classes_that_move_together_have_less_curvature_than_classes_that_move_apart():
    data = simulate_multinomial(4000, 5, random_state=0)
    together, apart = np.zeros((2, 2, 5))
    together[:, 0] = 1.0
    apart[:, 0] = 1.0, -1.0
    assert curvature_along(data, together, 0.5) < 0.3 * curvature_along(data, apart, 0.5)


@pytest.mark.parametrize(
    ("direction", "radii", "parameter"),
    [(np.ones(3), 1.0, "direction"), (np.zeros(4), 1.0, "direction"), (np.ones(4), [1.0, 0.0], "radii")],
)
def test_bad_directions_and_radii_are_named(direction, radii, parameter):
    with pytest.raises(InputError) as refused:
        curvature_along(simulate_ordinal(60, 4, random_state=0), direction, radii)
    assert refused.value.parameter == parameter


@pytest.mark.parametrize("simulate", [simulate_multinomial, simulate_ordinal])
def test_the_least_curved_direction_has_the_least_curvature(simulate):
    data = simulate(300, 8, random_state=3)
    direction, least = least_curved_direction(data)
    assert np.linalg.norm(direction) == pytest.approx(1.0)
    ahead, back = curvature_along(data, direction, [1e-3, -1e-3])
    assert 0.5 * (ahead + back) == pytest.approx(least, rel=1e-3)
    rng = np.random.default_rng(0)
    for _ in range(30):
        other = rng.normal(size=data.coef.shape)
        assert curvature_along(data, other, [1e-3])[0] >= least - 1e-6


@pytest.mark.parametrize("simulate", [simulate_multinomial, simulate_ordinal])
def test_few_features_curve_upward_where_all_together_do_not(simulate):
    data = simulate(60, 120, random_state=1)
    direction, least = least_curved_direction(data, [2, 5])
    assert least > 0
    assert set(np.flatnonzero(np.atleast_2d(direction).any(axis=0))) <= {2, 5}
    everywhere, lowest = least_curved_direction(data)
    assert lowest < 0
    assert np.count_nonzero(everywhere) > 60


@pytest.mark.parametrize("features", [[], [0, 100], [-1], [0.5]])
def test_features_must_be_columns(features):
    with pytest.raises(InputError, match="features"):
        least_curved_direction(simulate_ordinal(50, 5, random_state=0), features)
