"""The path of all rows is the same beside the folds and after them, and goes on where the grid does."""

import numpy as np
import pytest

from pulasso import MultinomialPULassoCV, PUData, build_problem
from pulasso.estimators._all_rows import AllRows

SETTINGS = {"scenario": "single-training-set", "label_frequency": 0.6}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 20))
    y = X[:, :4].sum(axis=1) + rng.logistic(size=300) > 0
    return X, (y & (rng.random(300) < 0.6)).astype(int)


def all_rows(data, n_folds, n_jobs):
    problem = build_problem(PUData.read(*data), **SETTINGS)
    lams = problem.lam_max * np.geomspace(1.0, 0.3, 6)
    return AllRows(MultinomialPULassoCV(**SETTINGS), problem, lams, n_folds, n_jobs)


@pytest.mark.parametrize(
    ("n_folds", "n_jobs", "is_beside"),
    [(5, 1, False), (5, 2, True), (4, 2, False), (5, 5, False), (5, 6, True)],
)
def test_it_takes_a_process_that_would_be_idle(data, n_folds, n_jobs, is_beside):
    assert bool(all_rows(data, n_folds, n_jobs).beside) == is_beside


def test_it_stops_at_the_chosen_lam_and_goes_on_beyond_the_grid(data):
    after, beside = all_rows(data, 5, None), all_rows(data, 5, 2)
    longer = np.append(after.lams, after.lams[-1] * np.array([0.9, 0.8]))
    function, *arguments = beside.beside["all rows"]
    assert beside.take([function(*arguments), {"fold": np.zeros(1)}]) == [{"fold": np.zeros(1)}]
    for n_solved in (3, 7):
        one, other = (each.solutions(longer, n_solved)[0] for each in (all_rows(data, 5, None), beside))
        assert len(one) == len(other) == n_solved
        assert np.array_equal(one[-1].params.theta, other[-1].params.theta)
        assert one[-1].lam == longer[n_solved - 1]
        assert all(each.converged for each in one)


@pytest.mark.parametrize("grid", [{"n_lams": 8}, {"lams": [0.1, 0.05, 0.02, 0.001]}])
def test_the_number_of_processes_changes_nothing(data, grid):
    one, two = (
        MultinomialPULassoCV(cv=5, n_jobs=n_jobs, random_state=0, **grid, **SETTINGS).fit(*data)
        for n_jobs in (1, 2)
    )
    for name in ("coef_", "lams_", "cv_loss_", "cv_proba_"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
