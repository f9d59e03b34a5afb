"""Restarts: what is found, what counts as one point, and what `fit` makes of it."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from pulasso import Groups, MultinomialPULasso, MultinomialPULassoCV, OrdinalPULasso, fit_path
from pulasso.baselines import MomentLasso
from pulasso.data.chunks import ArraySource, LocalChunks
from pulasso.estimators.fitting import problem_of, read, solve
from pulasso.exceptions import ConvergenceWarning, StationaryPointWarning
from pulasso.inference import find_stationary_points
from pulasso.problem import Params
from pulasso.restarts import merge, random_start
from pulasso.runs import draw_entropy, spawn
from pulasso.solvers import Solution


def solution(objective, theta, offsets=0.0, converged=True):
    params = Params(np.array([[theta]]), np.array([offsets]))
    return Solution(0.1, params, objective, 1e-7, 3, converged, (), "converged")


# -- one point or two ------------------------------------------------------------------------------------


def test_points_are_one_if_objective_and_coefficients_agree():
    results = [
        solution(1.0, 2.0),
        solution(0.5, -2.0),
        solution(1.0 + 1e-9, 2.001),
        solution(1.0, -2.0),  # the same objective by symmetry, another point
        solution(1.0 + 1e-3, 2.0),  # the same coefficients to 1 %, another objective
        solution(1.0, 2.0, offsets=3.0),
    ]
    assert [cluster.members for cluster in merge(results)] == [(1,), (0, 2), (3,), (5,), (4,)]


def test_what_did_not_converge_is_no_point_unless_nothing_did():
    assert [each.members for each in merge([solution(0.1, 1.0, converged=False), solution(1.0, 2.0)])] == [
        (1,)
    ]
    assert [each.members for each in merge([solution(0.1, 1.0, converged=False)])] == [(0,)]


# -- starts ----------------------------------------------------------------------------------------------


def test_random_starts_leave_the_solution_on_and_off_its_support(model, case_control, rng):
    problem = problem_of(model, read(model, case_control.X, case_control.z))
    center = solve(model, problem)[0].params
    active = center.theta.any(axis=1)
    starts = [random_start(problem, center, rng, 1.0) for _ in range(20)]
    assert 0 < active.sum() < len(active)
    for start in starts:
        assert (start.theta[active] != center.theta[active]).all()
        n_new = np.count_nonzero(start.theta[~active].any(axis=1))
        assert n_new == min(active.sum(), (~active).sum())
        assert (start.offsets != center.offsets).all()
    sizes = [np.sqrt(np.mean((problem.design.matmul(s.theta - center.theta)) ** 2)) for s in starts]
    own = max(1.0, np.sqrt(np.mean(problem.design.matmul(center.theta) ** 2)))
    assert own / 3 <= min(sizes) < max(sizes) <= 3 * own


def test_excluded_and_unpenalised_groups_are_respected(case_control, rng):
    groups = Groups.from_columns(
        {"kept": [0, 1], "out": [2]}, weights={"kept": 0, "out": np.inf}, rest="rows"
    )
    model = MultinomialPULasso(lam=0.05, groups=groups, **case_control.scenario_params)
    points = find_stationary_points(model, case_control.X, case_control.z, n_restarts=4, random_state=0)
    assert not points.not_converged
    for each in points.models:
        assert not each.coef_[:, 2].any()
        assert each.coef_[:, :2].all()


def test_starts_of_the_ordinal_model_have_increasing_thresholds(several_points, rng):
    estimator, X, z = several_points
    model = clone(estimator)
    problem = problem_of(model, read(model, X, z))
    for _ in range(50):
        assert problem.is_feasible(random_start(problem, problem.null, rng, 3.0))


# -- what is found ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found(several_points):
    estimator, X, z = several_points
    return find_stationary_points(estimator, X, z, n_restarts=6, random_state=0)


def test_a_better_point_than_that_of_the_path(found, several_points):
    estimator, X, z = several_points
    plain = clone(estimator).fit(X, z)
    assert len(found) >= 2
    assert found.path_index > 0
    assert found.objective[found.path_index] == plain.objective_
    assert (np.diff(found.objective) > 0).all()
    assert found.best.objective_ == found.objective[0] < plain.objective_ - 1e-3
    assert (found.kkt <= estimator.tol).all()
    assert found.n_starts.sum() + len(found.not_converged) == 6 + 3
    assert {name for names in found.starts for name in names} == {"path", "naive", "em"} | {
        f"random {i}" for i in range(1, 7)
    }


def test_models_are_fitted_and_certified_at_their_own_coefficients(found, several_points):
    _, X, z = several_points
    for i, model in enumerate(found.models):
        # F = mean loss + penalty, from public parts only.
        penalty = model.lam * np.sum(model.groups_.weights * model.group_norms_)
        assert -model.observed_score(X, z) + penalty == pytest.approx(found.objective[i], rel=1e-9)
        assert np.count_nonzero(model.coef_) == found.n_active[i]


def test_differences_are_those_of_the_models(found, several_points):
    _, X, _ = several_points
    for i, model in enumerate(found.models):
        assert found.predictions_differ[i] == pytest.approx(
            np.mean(model.predict(X) != found.best.predict(X))
        )
        distance = np.abs(model.predict_proba(X) - found.best.predict_proba(X)).mean()
        assert found.proba_difference[i] == pytest.approx(distance)
    assert found.predictions_differ[0] == found.proba_difference[0] == 0
    assert found.predictions_differ[1] > 0


def test_renderings(found):
    text, html, frame = repr(found), found._repr_html_(), found.to_frame()
    assert f"{len(found)} distinct points from 9 starts" in text
    assert f"point {found.path_index}, " in text
    assert "<table>" in html
    assert frame["objective"].tolist() == found.objective.tolist()
    assert "path" in frame["starts"][found.path_index]


def test_one_point_says_so(model, case_control):
    points = find_stationary_points(model, case_control.X, case_control.z, n_restarts=2, random_state=0)
    assert len(points) == 1
    assert points.path_index == 0
    assert "1 distinct point from 5 starts" in repr(points)
    assert points.best.objective_ == model.fit(case_control.X, case_control.z).objective_


def test_no_start_converged(model, case_control):
    model.set_params(max_iter=1, tol=1e-9)
    with pytest.warns(ConvergenceWarning, match="From no start"):
        points = find_stationary_points(model, case_control.X, case_control.z, n_restarts=1, random_state=0)
    assert "none of which converged" in repr(points)
    assert points.n_starts.sum() == 4


def test_seeds_and_processes(several_points, found, tmp_path):
    estimator, X, z = several_points
    again = find_stationary_points(
        estimator, X, z, n_restarts=6, random_state=0, n_jobs=2, checkpoint=tmp_path / "run"
    )
    saved = find_stationary_points(estimator, X, z, n_restarts=6, random_state=0, checkpoint=tmp_path / "run")
    other = find_stationary_points(estimator, X, z, n_restarts=6, random_state=1)
    for result in (again, saved):
        assert result.objective.tobytes() == found.objective.tobytes()
        assert result.starts == found.starts
        assert result.best.coef_.tobytes() == found.best.coef_.tobytes()
    # The best point may come from a start that no seed changes; not all points of both seeds do.
    assert other.objective.tobytes() != found.objective.tobytes() or other.starts != found.starts


# -- in the estimators -----------------------------------------------------------------------------------


def test_fit_keeps_the_best_point_and_warns(several_points):
    estimator, X, z = several_points
    model = clone(estimator).set_params(n_restarts=6, random_state=0)
    with pytest.warns(StationaryPointWarning):
        model.fit(X, z)
    assert model.objective_ == model.stationary_points_.objective[0]
    assert model.objective_ < clone(estimator).fit(X, z).objective_
    assert model.coef_.tobytes() == model.stationary_points_.best.coef_.tobytes()
    assert "stationary points" in model.warnings_[-1]
    assert not hasattr(model.stationary_points_.best, "stationary_points_")
    model.set_params(n_restarts=0).fit(X, z)
    assert not hasattr(model, "stationary_points_")


def test_restarts_that_find_nothing_change_nothing(model, case_control):
    plain = clone(model).fit(case_control.X, case_control.z)
    with_restarts = model.set_params(n_restarts=2, random_state=0).fit(case_control.X, case_control.z)
    assert with_restarts.coef_.tobytes() == plain.coef_.tobytes()
    assert with_restarts.warnings_ == []


@pytest.mark.parametrize("n_restarts", [-1, 1.5, "many", None])
@pytest.mark.parametrize("kind", [MultinomialPULasso, OrdinalPULasso])
def test_impossible_numbers_of_restarts(kind, n_restarts, case_control):
    with pytest.raises(ValueError, match="n_restarts="):
        kind(n_restarts=n_restarts, scenario="fully-observed").fit(case_control.X, case_control.z)


def test_a_path_makes_no_restarts(case_control):
    with pytest.raises(TypeError, match="find_stationary_points"):
        fit_path(case_control.X, case_control.z, n_restarts=3, **case_control.scenario_params)
    fit_path(case_control.X, case_control.z, n_restarts=0, n_lams=2, **case_control.scenario_params)


# -- bad input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (MultinomialPULasso, "pass an object"),
        (MultinomialPULassoCV(prevalence=0.2), r"pass MultinomialPULasso\(lam="),
        (make_pipeline(MultinomialPULasso()), "not a Pipeline. Transform X"),
        ("lasso", "not a str"),
        (MomentLasso(prevalence=0.2), "MomentLasso minimises another loss"),
    ],
)
def test_other_estimators_are_refused(estimator, words, case_control):
    with pytest.raises(TypeError, match=words):
        find_stationary_points(estimator, case_control.X, case_control.z)


@pytest.mark.parametrize(
    "settings",
    [{"n_restarts": -1}, {"scale": 0}, {"random_state": -3}, {"random_state": "seed"}, {"progress": "yes"}],
    ids=str,
)
def test_bad_settings_are_named(model, case_control, settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        find_stationary_points(model, case_control.X, case_control.z, **settings)


def test_data_in_chunks_are_refused(model, case_control):
    chunks = LocalChunks(ArraySource(case_control.X, 50))
    with pytest.raises(TypeError, match="find_stationary_points needs all rows in memory"):
        find_stationary_points(model, chunks, case_control.z)
    with pytest.raises(ValueError, match="n_restarts needs all rows in memory"):
        model.set_params(n_restarts=1).fit(chunks, case_control.z)


# -- seeds -----------------------------------------------------------------------------------------------


def test_entropy():
    assert draw_entropy(2**40 + 3).tolist() == [3, 256, 0, 0]
    assert draw_entropy(np.int64(3)).tolist() == [3, 0, 0, 0]
    assert (draw_entropy(np.random.default_rng(1)) == draw_entropy(np.random.default_rng(1))).all()
    assert (draw_entropy(np.random.RandomState(1)) == draw_entropy(np.random.RandomState(1))).all()
    assert (draw_entropy(None) != draw_entropy(None)).any()
    longer = spawn(draw_entropy(5), 4)
    for one, other in zip(spawn(draw_entropy(5), 2), longer, strict=False):
        assert (one.generate_state(4) == other.generate_state(4)).all()
