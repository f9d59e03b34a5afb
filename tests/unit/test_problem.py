"""A problem is the sum of its parts: values, points on a line, and a certificate that knows the minimum."""

import numpy as np
import pytest

from pulasso.problem import Params
from support.brute_force import kkt_violation
from support.cases import BY_SCENARIO
from support.groups import rows, weighted_column_sets
from support.problems import random_problem


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.fixture(params=["multinomial", "ordinal"])
def problem_and_null(request):
    return random_problem(request.param, BY_SCENARIO[0], rows, n=60, p=6, n_positive=3, seed=1, lam_ratio=0.3)


def moved(rng, null, size=0.5):
    return Params(null.theta + size * rng.normal(size=null.theta.shape), null.offsets * rng.uniform(0.9, 1.1))


def test_params_are_a_vector_space():
    one = Params(np.array([[1.0, 2.0]]), np.array([3.0]))
    other = Params(np.array([[0.5, -1.0]]), np.array([2.0]))
    combined = one + 2.0 * (other - one)
    np.testing.assert_allclose(combined.theta, [[0.0, -4.0]])
    np.testing.assert_allclose(combined.offsets, [1.0])
    assert one.dot(other) == pytest.approx(0.5 - 2.0 + 6.0)


def test_objective_is_loss_plus_penalty(problem_and_null, rng):
    problem, null = problem_and_null
    params = moved(rng, null)
    point = problem.at(params)
    eta = problem.response.log_odds(problem.design.matmul(params.theta), params.offsets)
    assert point.loss == pytest.approx(problem.loss.value_and_grad(eta)[0], rel=1e-14)
    assert point.objective == pytest.approx(
        point.loss + problem.penalty.value(params.theta, problem.lam), rel=1e-14
    )
    assert problem.at_lam(0.0).at(params).objective == point.loss


def test_lam_zero_with_excluded_groups_costs_nothing():
    problem, null = random_problem(
        "ordinal", BY_SCENARIO[1], weighted_column_sets, n=60, p=8, n_positive=2, seed=2
    )
    assert np.isfinite(problem.at_lam(0.0).at(null).objective)


def test_points_on_a_line_need_no_pass_over_x(problem_and_null, rng):
    problem, null = problem_and_null
    start, end = problem.at(null), problem.at(moved(rng, null))
    for step in (0.0, 0.3, 1.0, 1.2):
        between = problem.between(start, end, step)
        direct = problem.at(start.params + step * (end.params - start.params))
        assert between.objective == pytest.approx(direct.objective, rel=1e-12)
        np.testing.assert_allclose(between.linear, direct.linear, atol=1e-12)
        np.testing.assert_allclose(between.grad_linear, direct.grad_linear, atol=1e-14)


def test_outside_the_domain_there_is_no_point():
    problem, null = random_problem("ordinal", BY_SCENARIO[0], rows, n=60, p=4, n_positive=3, seed=3)
    narrow = Params(null.theta, np.append(null.offsets[:-1], 0.5 * null.offsets[-1]))
    assert problem.is_feasible(narrow)
    assert problem.between(problem.at(null), problem.at(narrow), 2.1) is None
    assert problem.between(problem.at(null), problem.at(narrow), 1.9) is not None


def test_change_of_slope(problem_and_null, rng):
    problem, null = problem_and_null
    one, other = problem.at(moved(rng, null)), problem.at(moved(rng, null))
    expected = (problem.gradient(one) - problem.gradient(other)).dot(one.params - other.params)
    assert one.change_of_slope(other) == pytest.approx(expected, rel=1e-9)


def test_certificate_by_the_book(problem_and_null, rng):
    problem, null = problem_and_null
    for params in (null, moved(rng, null), Params(null.theta + np.eye(*null.theta.shape), null.offsets)):
        found = problem.kkt_violation(params, problem.gradient(problem.at(params)))
        assert found == pytest.approx(kkt_violation(problem, params), rel=1e-9, abs=1e-12)


def test_certificate_is_relative_to_lam_max(problem_and_null):
    problem, null = problem_and_null
    grad = problem.gradient(problem.at(null))
    # At the null model nothing but the largest block violates, by lam_max - lam (weights are at least 1).
    weights = problem.penalty.blocks.weights
    expected = weights * (problem.lam_max - problem.lam) / problem.lam_max
    assert 0 < problem.kkt_violation(null, grad) <= expected.max() * (1 + 1e-12)
    assert problem.at_lam(problem.lam_max).kkt_violation(null, grad) <= 1e-12
