"""The steps of a fit, one by one, for rooms that fit the same estimator again and again.

``fitted(model, problem, *solve(model, problem))`` with ``problem = problem_of(model, read(model, X, z))`` is what
``model.fit(X, z)`` does; between the steps rows may be drawn, scenarios replaced, or other starts tried.
"""

from copy import copy
from typing import Any

from numpy.typing import ArrayLike

from pulasso.data.pu_data import PUData
from pulasso.estimators._base import BasePULasso
from pulasso.problem import Problem
from pulasso.scenarios import Scenario
from pulasso.solvers import Solution

__all__ = ["fitted", "problem_of", "read", "solve"]


def read(
    estimator: Any,
    X: Any,
    z: ArrayLike,
    sample_weight: ArrayLike | None = None,
    source: ArrayLike | None = None,
) -> PUData:
    """Check the estimator's parameters and the data; the estimator notes the features, as `fit` would.

    Parameters
    ----------
    estimator : MultinomialPULasso or OrdinalPULasso
    X, z, sample_weight, source
        As for its `fit`.

    Returns
    -------
    PUData

    Examples
    --------
    >>> from pulasso import MultinomialPULasso
    >>> from pulasso.datasets import simulate_multinomial
    >>> from pulasso.estimators.fitting import fitted, problem_of, read, solve
    >>> data = simulate_multinomial(200, 5, random_state=0)
    >>> model = MultinomialPULasso(lam=0.05, **data.scenario_params)
    >>> problem = problem_of(model, read(model, data.X, data.z))
    >>> by_steps = fitted(model, problem, *solve(model, problem))
    >>> bool((by_steps.coef_ == model.fit(data.X, data.z).coef_).all())
    True
    """
    estimator._check_params()
    return estimator._read(X, z, sample_weight, source)


def problem_of(estimator: Any, data: PUData, scenario: Scenario | None = None) -> Problem:
    """Return the problem that an estimator solves for these data.

    Parameters
    ----------
    estimator : MultinomialPULasso or OrdinalPULasso
        Notes the number that it estimates, if it is to estimate one.
    data : PUData
    scenario : Scenario, optional
        One that is known already; by default the estimator's own.

    Returns
    -------
    Problem
    """
    return estimator._build(data, scenario)


def solve(estimator: Any, problem: Problem) -> tuple[Solution, int]:
    """Solve as `fit` does, down the path and with the estimator's restarts; return the best solution and all steps.

    Parameters
    ----------
    estimator : MultinomialPULasso or OrdinalPULasso
        Notes its stationary points, if it looks for them.
    problem : Problem

    Returns
    -------
    solution : Solution
    n_iter : int
        Iterations, the way down included.
    """
    return estimator._solve(problem)


def fitted(estimator: Any, problem: Problem, solution: Solution, n_iter: int | None = None) -> Any:
    """Return a copy of the estimator with this solution stored; warns as `fit` does.

    Parameters
    ----------
    estimator : MultinomialPULasso or OrdinalPULasso
    problem : Problem
    solution : Solution
    n_iter : int, optional
        By default that of the solution.

    Returns
    -------
    estimator
        Fitted, of the same class.
    """
    model: BasePULasso = copy(estimator)
    model._store(problem, solution, solution.n_iter if n_iter is None else n_iter)
    return model
