"""Which features a profile likelihood is computed with: all of them, or those that a naive lasso finds."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import arg, did_you_mean, listed
from pulasso.build import build_problem
from pulasso.data.parameters import shape_of
from pulasso.data.pu_data import PUData
from pulasso.exceptions import InputError
from pulasso.path import lam_grid, solve_path
from pulasso.responses import Response

__all__ = ["choose_features"]

# With at least so many labelled rows for each coefficient, all features are used; with fewer the fit of noise
# makes numbers wander. A selection, which has little noise in it, may have more coefficients.
ROWS_PER_COEFFICIENT, ROWS_PER_SELECTED = 20, 5
N_LAMS, LAM_MIN_RATIO, TOL, MAX_ITER, N_FOLDS = 40, 0.05, 1e-4, 1_000, 5
CHOICES = ("auto", "all", "selected")


def choose_features(
    data: PUData, response: Response, features: str | Sequence[Any] | NDArray
) -> tuple[NDArray, list[str]]:
    """Return column numbers and, for the diagnosis, how they were found."""
    n_features = data.n_features
    if not isinstance(features, str):
        if not isinstance(features, list | tuple | np.ndarray) or len(shape_of("features", features)) != 1:
            raise InputError(f"{arg('features')} must be a list of columns.", parameter="features")
        return _named_columns(data, list(features)), []
    if features not in CHOICES:
        raise InputError(
            f"features={features!r} is unknown.{did_you_mean(features, CHOICES)}",
            parameter="features",
            remedy=f"Use one of {listed(CHOICES)}, or a list of columns.",
        )
    n_labeled = int(np.count_nonzero(data.codes))
    are_few = n_features * response.n_outputs * ROWS_PER_COEFFICIENT <= n_labeled
    if features == "all" or (features == "auto" and are_few):
        return np.arange(n_features), []
    budget = max(n_labeled // ROWS_PER_SELECTED, response.n_outputs)
    found, how = _by_bic(data, response, budget), "with the best BIC"
    if not len(found):  # of many features BIC is too strict
        found, how = _by_cross_validation(data, response, budget), "chosen by cross-validation"
    if not len(found):
        raise InputError(
            "No feature tells the labelled rows from the others, so that nothing in the data says how many of them are "
            "positive.",
            parameter="features",
            remedy="Give the number instead of an estimate, or name features that matter.",
        )
    words = (
        f"Fitted with {len(found)} of {n_features} features, those of the naive lasso {how}; the interval takes this "
        "choice as given."
    )
    return found, [words]


def _named_columns(data: PUData, features: list[Any]) -> NDArray:
    names = [] if data.feature_names is None else data.feature_names.tolist()
    places = {**{j: j for j in range(data.n_features)}, **{name: j for j, name in enumerate(names)}}
    unknown = [
        each
        for each in features
        if not isinstance(each, str | int | np.integer) or isinstance(each, bool) or each not in places
    ]
    if unknown:
        raise InputError(
            f"{arg('features')} names {listed(unknown)}, which is no column of X.{did_you_mean(unknown[0], names)}",
            parameter="features",
        )
    return np.array([places[each] for each in features], dtype=np.intp)


def _by_bic(data: PUData, response: Response, budget: int) -> NDArray:
    """Return the features on the naive path (unlabeled = class 0: convex, and no number needed) with the best BIC."""
    problem = build_problem(data, response=type(response), scenario="fully-observed")
    total = data.counts.total
    best, found = np.inf, np.empty(0, dtype=np.intp)
    lams = lam_grid(problem.lam_max, N_LAMS, LAM_MIN_RATIO)
    for solution in solve_path(problem, lams, tol=TOL, max_iter=MAX_ITER):
        theta = solution.params.theta
        size = np.count_nonzero(theta)
        if size > budget:
            break
        loss = solution.objective - problem.penalty.value(theta, solution.lam)
        bic = 2.0 * total * loss + np.log(total) * size
        if bic < best:
            best, found = bic, np.flatnonzero(theta.any(axis=1))
    return found


def _by_cross_validation(data: PUData, response: Response, budget: int) -> NDArray:
    """Return the features of the naive lasso whose lam cross-validation chooses, or of a larger one within budget."""
    from pulasso.estimators import MultinomialPULassoCV, OrdinalPULassoCV

    kind = OrdinalPULassoCV if response.is_ordered else MultinomialPULassoCV
    grid: dict[str, Any] = {
        "n_lams": N_LAMS,
        "lam_min_ratio": LAM_MIN_RATIO,
        "tol": TOL,
        "max_iter": MAX_ITER,
    }
    model = kind(scenario="fully-observed", cv=N_FOLDS, random_state=0, progress=False, **grid)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the choice is rough, and told
        model.fit(data.x, data.codes % len(data.classes), sample_weight=data.weight)
    sizes = np.count_nonzero(model.path_.coefs.reshape(len(model.path_), -1), axis=1)
    within = np.flatnonzero(sizes <= budget)
    chosen = model.path_.coefs[within[-1]] if len(within) else np.zeros((1, data.n_features))
    return np.flatnonzero(np.atleast_2d(chosen).any(axis=0))
