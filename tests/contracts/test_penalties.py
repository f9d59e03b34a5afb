"""Every penalty in every layout: value, prox, certificate, critical lams and bounds agree with each other."""

import numpy as np
import pytest

from pulasso.penalties import PENALTIES, BlockPenalty, as_penalty
from pulasso.problem import Params
from pulasso.solvers import SOLVERS
from support import groups as kinds
from support.brute_force import central_difference
from support.cases import BY_SCENARIO
from support.problems import random_problem

P, M = 9, 3
LAYOUTS = [kinds.rows, kinds.entries, kinds.blocks, kinds.column_sets, kinds.weighted_column_sets]
STEPS = [1e-3, 0.3, 1.0, 10.0]
by_layout = pytest.mark.parametrize("kind", LAYOUTS, ids=lambda kind: kind.__name__)
by_penalty = pytest.mark.parametrize("name", PENALTIES)
CONVEX = [name for name in PENALTIES if getattr(as_penalty(name), "concavity", 0.0) == 0]
CONCAVE = [name for name in PENALTIES if name not in CONVEX]


@pytest.fixture
def rng():
    return np.random.default_rng(20260104)


@pytest.fixture
def penalty(name, kind, rng):
    return BlockPenalty(as_penalty(name), kind(rng, P, M).resolve(P, M))


def feasible(penalty, theta):
    """Put excluded blocks to zero."""
    return np.where(penalty.blocks.is_excluded[penalty.blocks.index], 0.0, theta)


@by_layout
def test_the_group_lasso_is_the_weighted_sum_of_norms(kind, rng):
    penalty = BlockPenalty(as_penalty(None), kind(rng, P, M).resolve(P, M))
    theta, blocks = feasible(penalty, rng.normal(size=(P, M))), penalty.blocks
    parts = [theta[blocks.index == j] for j in range(blocks.n_blocks)]
    weights = np.where(blocks.is_excluded, 0.0, blocks.weights)
    expected = 0.7 * sum(w * np.linalg.norm(part) for w, part in zip(weights, parts, strict=True))
    assert penalty.value(theta, 0.7) == pytest.approx(expected, rel=1e-13)


@by_layout
@by_penalty
def test_value_is_zero_at_zero_and_infinite_for_what_is_excluded(penalty):
    assert penalty.value(np.zeros((P, M)), 0.3) == 0.0
    if penalty.blocks.is_excluded.any():
        assert penalty.value(np.ones((P, M)), 0.3) == penalty.value(np.ones((P, M)), 0.0) == np.inf


@by_layout
@by_penalty
@pytest.mark.parametrize("step", STEPS)
def test_prox_beats_its_neighbours(penalty, step, rng):
    v, lam = rng.normal(size=(P, M)), 0.5

    def model(b):
        return 0.5 * np.sum((b - v) ** 2) + step * penalty.value(b, lam)

    b = penalty.prox(v, step, lam)
    assert not b[penalty.blocks.is_excluded[penalty.blocks.index]].any()
    others = [feasible(penalty, v), np.zeros_like(v)]
    others += [
        feasible(penalty, b + size * rng.normal(size=b.shape)) for size in (1e-3, 0.1, 1.0) for _ in range(9)
    ]
    others += [np.where(penalty.blocks.index == j, 0.0, b) for j in range(penalty.blocks.n_blocks)]
    assert all(model(b) <= model(feasible(penalty, other)) + 1e-13 for other in others)


@by_layout
@by_penalty
@pytest.mark.parametrize("step", [1e-3, 0.3, 1.0])
def test_certificate_is_zero_at_the_minimiser(penalty, step, rng):
    v, lam = rng.normal(size=(P, M)), 0.5
    b = penalty.prox(v, step, lam)
    # b minimises 0.5 ||b - v||^2 / step + value(b), whose smooth gradient is (b - v) / step.
    np.testing.assert_allclose(penalty.subdiff_distance(b, (b - v) / step, lam), 0.0, atol=1e-11 / step)


@by_layout
@by_penalty
def test_where_the_penalty_is_smooth_its_gradient_is_its_subdifferential(penalty, rng):
    theta, lam = feasible(penalty, rng.normal(size=(P, M))), 0.4
    slope = central_difference(lambda b: penalty.value(feasible(penalty, b), lam), theta, step=1e-5)
    np.testing.assert_allclose(penalty.subdiff_distance(theta, -slope, lam), 0.0, atol=1e-8)
    other = feasible(penalty, rng.normal(size=(P, M)))
    expected = penalty.blocks.norms(feasible(penalty, other + slope))
    np.testing.assert_allclose(penalty.subdiff_distance(theta, other, lam), expected, atol=1e-8)


@by_layout
@by_penalty
def test_critical_lams_are_exact(penalty, rng):
    grad, zero = rng.normal(size=(P, M)), np.zeros((P, M))
    critical, penalized = penalty.critical_lams(grad), penalty.blocks.is_penalized
    assert np.isinf(critical[~penalized]).all()
    for j in np.flatnonzero(penalized):
        assert penalty.subdiff_distance(zero, grad, critical[j] * (1 + 1e-12))[j] <= 1e-13
        assert penalty.subdiff_distance(zero, grad, 0.999 * critical[j])[j] > 0.0
    assert penalty.lam_max(grad) == critical[penalized].max()


@by_layout
@by_penalty
def test_thresholds_bound_the_penalty_and_touch_it(penalty, rng):
    segments, lam = penalty.blocks.segments, 0.5
    here = penalty.blocks.flat(feasible(penalty, penalty.prox(rng.normal(size=(P, M)), 0.5, lam)))
    bound = penalty.formula.thresholds(here, segments, lam)

    def bounded(values):
        total = bound.by_block @ segments.norms(values)
        total += 0.0 if bound.by_entry is None else bound.by_entry @ np.abs(values)
        return total + (0.0 if bound.ridge is None else 0.5 * bound.ridge @ values**2)

    gap = penalty.formula.value(here, segments, lam) - bounded(here)
    for size in (0.01, 0.3, 3.0):
        for _ in range(10):
            other = here + size * rng.normal(size=here.shape)
            assert penalty.formula.value(other, segments, lam) <= bounded(other) + gap + 1e-12


@by_layout
@pytest.mark.parametrize("name", CONVEX)
def test_value_is_convex(penalty, rng):
    one, other = (feasible(penalty, rng.normal(size=(P, M))) for _ in range(2))
    for t in (0.1, 0.5, 0.9):
        mixed = penalty.value(t * one + (1 - t) * other, 0.7)
        assert mixed <= t * penalty.value(one, 0.7) + (1 - t) * penalty.value(other, 0.7) + 1e-12


@pytest.mark.parametrize("name", CONCAVE)
def test_concavity_is_the_curvature_that_makes_the_objective_convex(name):
    formula = as_penalty(name)
    segments = BlockPenalty(formula, kinds.rows(None, 1, 1).resolve(1, 1)).blocks.segments
    r = np.linspace(0.0, 5.0, 2001)

    def bend(curvature):
        heights = [formula.value(np.array([each]), segments, 1.0) for each in r]
        return np.diff(np.array(heights) + 0.5 * curvature * r**2, 2).min()

    assert bend(1.001 * formula.concavity) >= -1e-12
    assert bend(0.99 * formula.concavity) < 0.0


@by_layout
def test_without_penalized_keeps_only_free_blocks(kind, rng):
    penalty = BlockPenalty(as_penalty(None), kind(rng, P, M).resolve(P, M))
    moved = penalty.without_penalized().prox(rng.normal(size=(P, M)), 1.0, 1.0)
    norms = penalty.blocks.norms(moved)
    np.testing.assert_array_equal(norms > 0, penalty.blocks.weights == 0)


# -- with every solver -----------------------------------------------------------------------------------------

SETTINGS = [
    ("multinomial", kinds.rows, 0),
    ("multinomial", kinds.blocks, 1),
    ("ordinal", kinds.entries, 2),
    ("ordinal", kinds.column_sets, 0),
]


@pytest.mark.parametrize(("response", "groups", "case"), SETTINGS)
@by_penalty
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_reaches_the_certificate(response, groups, case, name, solver):
    problem, null = random_problem(
        response, BY_SCENARIO[case], groups, n=120, p=15, n_positive=2, seed=3, lam_ratio=0.3, penalty=name
    )
    lams = problem.lam_max * np.array([0.7, 0.3])
    for solution in SOLVERS[solver](problem, null, lams, tol=1e-7, max_iter=20_000):
        at_lam = problem.at_lam(solution.lam)
        point = at_lam.at(solution.params)
        assert solution.converged
        assert at_lam.kkt_violation(solution.params, at_lam.gradient(point)) <= 1.1e-7
        assert solution.objective == pytest.approx(point.objective, rel=1e-12)
        assert (np.diff([each.objective for each in solution.history]) <= 1e-12).all()


@pytest.mark.parametrize("name", CONVEX)
@pytest.mark.parametrize(
    ("response", "groups"), [("multinomial", kinds.rows), ("ordinal", kinds.column_sets)]
)
def test_solvers_agree_where_the_problem_is_convex(response, groups, name):
    convex = next(each for each in BY_SCENARIO if each.name == "fully-observed")
    problem, null = random_problem(
        response, convex, groups, n=100, p=30, n_positive=3, seed=1, lam_ratio=0.2, penalty=name
    )
    solutions = [
        next(solve(problem, null, np.array([problem.lam]), tol=1e-8, max_iter=20_000))
        for solve in SOLVERS.values()
    ]
    assert np.ptp([solution.objective for solution in solutions]) <= 1e-9
    for solution in solutions[1:]:
        np.testing.assert_allclose(solution.params.theta, solutions[0].params.theta, atol=1e-5)


@by_penalty
def test_the_minimiser_beats_what_a_general_optimiser_finds(name):
    """A few variables, by scipy from many starts: nothing is lower than the best stationary point that we find."""
    from scipy.optimize import minimize

    problem, null = random_problem(
        "multinomial",
        BY_SCENARIO[1],
        kinds.rows,
        n=80,
        p=3,
        n_positive=2,
        seed=5,
        lam_ratio=0.25,
        penalty=name,
    )
    ours = list(SOLVERS["working-set"](problem, null, problem.lam_max * np.geomspace(1, 0.25, 6), tol=1e-8))[
        -1
    ]
    shape, rng = problem.shape, np.random.default_rng(0)

    def objective(x):
        return problem.at(Params(x[:6].reshape(shape), x[6:])).objective

    found = [
        minimize(
            objective, np.append(rng.normal(size=6), null.offsets), method="Powell", options={"xtol": 1e-9}
        )
        for _ in range(4)
    ]
    assert ours.objective <= min(each.fun for each in found) + 1e-6
