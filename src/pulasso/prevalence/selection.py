"""Which features a profile likelihood is computed with: all of them, or those that a naive lasso finds."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import listed
from pulasso.design import as_design, standardize
from pulasso.path import lam_grid, scale_by_null, solve_path
from pulasso.penalties import GroupLasso, Groups
from pulasso.prevalence.data import PUData
from pulasso.problem import Problem
from pulasso.responses import Multinomial, Response
from pulasso.scenarios import FullyObserved, LabelCounts, ObservedLoss
from pulasso.solvers import solve_working_set

__all__ = ["choose_features"]

# With at least so many labelled rows for each coefficient, all features are used; with fewer the fit of noise
# makes numbers wander. A selection, which has little noise in it, may have more coefficients.
ROWS_PER_COEFFICIENT, ROWS_PER_SELECTED = 20, 5
N_LAMS, LAM_MIN_RATIO, TOL, MAX_ITER = 40, 0.05, 1e-4, 1_000


def choose_features(
    data: PUData, response: Response, features: str | Sequence[Any] | NDArray
) -> tuple[NDArray, str]:
    """Return column numbers and, for the diagnosis, how they were found.

    Parameters
    ----------
    data : PUData
    response : Response
    features : {"auto", "all", "selected"}, or sequence of column numbers or names
    """
    n_features = data.x.shape[1]
    if not isinstance(features, str):
        return _named_columns(data, features), ""
    if features not in ("auto", "all", "selected"):
        raise ValueError(
            f"features={features!r} is unknown; use 'auto', 'all', 'selected', or a list of columns."
        )
    n_labeled = int(np.count_nonzero(data.codes))
    few = n_features * response.n_outputs * ROWS_PER_COEFFICIENT <= n_labeled
    if features == "all" or (features == "auto" and few):
        return np.arange(n_features), ""
    found = _by_bic(data, response, n_labeled // ROWS_PER_SELECTED)
    words = (
        f"Fitted with {len(found)} of {n_features} features, those of the naive lasso with the best BIC; the interval "
        "takes this choice as given."
    )
    return found, words


def _named_columns(data: PUData, features: Sequence[Any] | NDArray) -> NDArray:
    names = [] if data.feature_names is None else data.feature_names.tolist()
    places = {name: j for j, name in enumerate(names)}
    known = [each for each in features if each in places or _is_column_number(each, data.x.shape[1])]
    if len(known) < len(list(features)):
        unknown = [each for each in features if each not in known]
        raise ValueError(f"features names {listed(unknown)}, which is no column of X.")
    return np.array([places.get(each, each) for each in features], dtype=np.intp)


def _is_column_number(value: Any, n_features: int) -> bool:
    return isinstance(value, int | np.integer) and bool(0 <= value < n_features)


def _by_bic(data: PUData, response: Response, budget: int) -> NDArray:
    """Return the features on the naive path (unlabeled = class 0: convex, and no number needed) with the best BIC."""
    counts = LabelCounts.from_codes(data.codes, data.classes, data.weight)
    label_model = FullyObserved().label_model(counts)
    loss = ObservedLoss(label_model, data.codes, data.weight)
    blocks = Groups.of("rows" if isinstance(response, Multinomial) else "entries").resolve(
        data.x.shape[1], response.n_outputs, None, None
    )
    design = standardize(as_design(data.x), loss.share)
    problem, null = scale_by_null(
        Problem(design, response, loss, GroupLasso(blocks)),
        label_model.null_model(counts.frequencies).log_odds,
    )
    lams = lam_grid(problem.lam_max, N_LAMS, LAM_MIN_RATIO)
    best, found = np.inf, np.empty(0, dtype=np.intp)
    for lam, result in zip(
        lams,
        solve_path(problem, null, lams, solver=solve_working_set, tol=TOL, max_iter=MAX_ITER),
        strict=True,
    ):
        theta = result.params.theta
        size = np.count_nonzero(theta)
        if size > max(budget, response.n_outputs):
            break
        fit = result.objective - lam * problem.penalty.value(theta)
        bic = 2.0 * counts.total * fit + np.log(counts.total) * size
        if bic < best:
            best, found = bic, np.flatnonzero(theta.any(axis=1))
    return found
