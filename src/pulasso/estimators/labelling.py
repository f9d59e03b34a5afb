"""Classes and labelling fitted together, where the chance of a label is a model of its own."""

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import arg, warn
from pulasso.data.pu_data import PUData
from pulasso.estimators._labelling_words import check_columns, what_is_told, words_about_level
from pulasso.estimators._profile import JointObjective, JointPoint, Profile
from pulasso.estimators._row_labelling import RowLabelling, labelling_of, with_start
from pulasso.exceptions import ConvergenceWarning, ScenarioError
from pulasso.path import lam_grid, solve_path
from pulasso.problem import Problem
from pulasso.scenarios import SelectedLabelling, Sources

__all__ = [
    "Prepared",
    "constant_and_free",
    "find_labelling",
    "fit_labelling",
    "fits_labelling",
    "labelling_of_rows",
    "prepare",
]

# Besides a constant, from what is hardly shrunk to what nearly is one: relative to the largest gradient at the start.
SHRUNK = np.array([0.001, 0.03, 0.1, 0.3])
# Where no lam of the classes is given, these find the features with the smallest BIC at a constant propensity, and a
# fraction of their lam is used.
N_LAMS, LEAST_RATIO, FIRST_TOL, FIRST_STEPS, RELAXED = 12, 0.01, 1e-3, 200, 0.02
# The path from the null model may end elsewhere than the fit that followed the labelling: then that goes on from there.
ROUNDS = 3


def fits_labelling(scenario: Any) -> bool:
    """Say whether a scenario has a propensity, or shifts between sources, that are to be fitted."""
    if isinstance(scenario, Sources):
        return not scenario.is_fitted
    return isinstance(scenario, SelectedLabelling) and scenario.propensity is None


def labelling_of_rows(estimator: Any, data: PUData, rows: NDArray, scenario: Any) -> Any:
    """Return a scenario as some rows show it: its labelling, if it is to be fitted, by them alone."""
    own = estimator.scenario
    return (
        fit_labelling(estimator, data.take(rows), own, with_errors=False) if fits_labelling(own) else scenario
    )


def fit_labelling(
    estimator: Any, data: PUData, scenario: Any, lam: float | None = None, with_errors: bool = True
) -> Any:
    """Return the scenario with its labelling, fitted together with the classes.

    Parameters
    ----------
    estimator : BasePULasso
        How classes are fitted.
    data : PUData
    scenario : SelectedLabelling or Sources
    lam : float, optional
        Of the classes. By default they are those with the smallest BIC at a constant propensity, hardly shrunk: the
        labelling of a whole path.
    with_errors : bool, default=True
        Whether to find standard errors, which takes two fits for each number.
    """
    part = prepare(estimator, data, scenario, lam)
    at, facts, late = find_labelling(part.profile, part.lam, estimator)
    said = part.said + words_about_level(part.profile.labelling, at.gamma) + late
    facts |= {"identification": part.words, "warnings": said}
    return part.profile.labelling.fitted(at.gamma, part.profile.steps(at) if with_errors else None, **facts)


class Prepared(NamedTuple):
    """Labelling that can be fitted: its columns serve, and the data tell it.

    Attributes
    ----------
    profile : Profile
    lam : float or None
        Of the effects; None chooses it.
    words : str
        What the data can tell.
    said : tuple of str
        Warnings.
    """

    profile: Profile
    lam: float | None
    words: str
    said: tuple[str, ...]


def prepare(estimator: Any, data: PUData, scenario: Any, lam: float | None) -> Prepared:
    """Return the problem of classes and labelling, or refuse what cannot serve; parameters as above."""
    if data.is_chunked:
        raise ScenarioError(
            "Labelling is fitted to rows in memory, and X comes in chunks.",
            parameter="scenario",
            remedy="Fit it on a sample of the rows, and pass scenario=model.scenario_.",
        )
    labelling = labelling_of(scenario, data, data.weight / data.weight.sum())
    said = tuple(each for _, _, part in labelling.parts for each in check_columns(part.data, part.scenario))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever builds the problem of the answer warns
        problem = estimator._build(data, with_start(labelling))
    words, about = what_is_told(problem, labelling)
    kept = [part.scenario.positions(data.n_features, data.feature_names) for _, _, part in labelling.parts]
    columns = np.unique(np.concatenate([*kept, np.empty(0)]).astype(np.intp))
    problem = _relaxed(problem, columns) if lam is None else problem.at_lam(float(lam))
    lams = {part.scenario.lam for _, _, part in labelling.parts} or {0.0}
    own = lams.pop() if len(lams) == 1 else None
    return Prepared(_profile(estimator, problem, labelling), own, words, said + about)


def find_labelling(
    profile: JointObjective, lam: float | None, estimator: Any
) -> tuple[JointPoint, dict[str, Any], tuple[str, ...]]:
    """Return the labelling with its classes, what a propensity tells of the fit, and the warning if it is late."""
    at, lam, history = _fit(profile, lam, estimator.tol)
    facts = {"lam": lam, "kkt": profile.kkt(at, lam), "objective": tuple(history)}
    if facts["kkt"] <= estimator.tol:
        return at, facts, ()
    late = (
        f"The propensity did not reach tol={estimator.tol:g}: its KKT violation is {facts['kkt']:.2g} of lam_max. "
        f"Try a larger lam of {arg('scenario')}, fewer columns, or {arg('max_iter')} above {estimator.max_iter}."
    )
    return at, facts, (warn(late, ConvergenceWarning),)


def _relaxed(problem: Problem, columns: NDArray[np.intp]) -> Problem:
    """Return the problem of the features with the smallest BIC at a constant propensity, hardly shrunk.

    Shrunken classes explain less than they should, and the level of labelling would make up for it.
    """
    best, least = problem.null, np.inf
    lams = lam_grid(problem.lam_max, N_LAMS, LEAST_RATIO)
    lam, n = float(lams[0]), np.count_nonzero(problem.data.weight)
    for solution in solve_path(problem, lams, tol=FIRST_TOL, max_iter=FIRST_STEPS):
        loss = solution.objective - problem.penalty.value(solution.params.theta, solution.lam)
        if (bic := 2.0 * n * loss + np.log(n) * np.count_nonzero(solution.params.theta)) < least:
            best, least, lam = solution.params, bic, solution.lam
    assert best is not None
    blocks, selected = problem.blocks, problem.blocks.norms(best.theta) > 0
    selected[blocks.index[columns]] = True  # else labelling alone would have to explain these
    weights = np.where(selected | (blocks.weights == 0), blocks.weights, np.inf)
    penalty = replace(problem.penalty, blocks=blocks.with_weights(weights))
    return replace(problem, penalty=penalty, lam=RELAXED * lam)


# -- the fit -----------------------------------------------------------------------------------------------


def constant_and_free(
    estimator: Any, data: PUData, scenario: SelectedLabelling, free: bool = True
) -> tuple[float, float, SelectedLabelling, Any]:
    """Return the objective with labelling that is constant, with one that is free, and the model of the first.

    Parameters
    ----------
    estimator : BasePULasso
        With the lam of the classes.
    data : PUData
    scenario : SelectedLabelling
    free : bool, default=True
        Whether labelling is to be freed at all.

    Returns
    -------
    constant, free : float
        The smallest values of ``L + P`` that were found; `free` is at most `constant`.
    scenario : SelectedLabelling
        With the constant propensity.
    params : Params
        Of the classes beside it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem = estimator._build(data, scenario).at_lam(float(estimator.lam))
    labelling = labelling_of(scenario, data, data.weight / data.weight.sum())
    profile, start = _profile(estimator, problem, labelling), labelling.start()
    at, lam, _ = _stationary(profile, start, np.inf, estimator.tol)
    # From the constant and from where every fit begins: the better of two.
    starts = (at.gamma, start) if free else ()
    found = [at, *(_stationary(profile, gamma, 0.0, estimator.tol)[0] for gamma in starts)]
    best = min(each.loss + each.penalty for each in found)
    return at.loss + at.penalty, best, labelling.fitted(at.gamma, lam=lam), at.params


def _profile(estimator: Any, problem: Problem, labelling: RowLabelling) -> Profile:
    return Profile(problem, labelling, estimator.solver, estimator.tol, estimator.max_iter)


def _fit(profile: JointObjective, lam: float | None, tol: float) -> tuple[JointPoint, float, list[float]]:
    """Return the labelling at its lam, or at the one of a few with the smallest BIC; the lam; and how it was found."""
    gamma, found = profile.labelling.start(), []
    if lam is None:
        lams = SHRUNK * profile.largest_gradient(profile.at(gamma, profile.down_the_path(gamma)))
        found.append(_stationary(profile, gamma, np.inf, tol))
    for each in lams if lam is None else [lam]:
        found.append(_stationary(profile, gamma, float(each), tol))
        gamma = found[-1][0].gamma
    return min(found, key=lambda each: profile.bic(each[0]))


def _stationary(
    profile: JointObjective, gamma: NDArray, lam: float, tol: float
) -> tuple[JointPoint, float, list[float]]:
    """Return where both classes and labelling are stationary, the classes as their own path finds them, and the lam.

    An infinite lam keeps labelling constant; what is returned is then the smallest that does.
    """
    constant = np.isinf(lam)
    history: list[float] = []
    for _ in range(ROUNDS):
        at = profile.at(gamma, profile.down_the_path(gamma))
        if constant:
            lam = profile.largest_gradient(at)
        if profile.kkt(at, lam) <= tol:
            break
        at, history = profile.minimize(at, lam, tol, constant)
        gamma = at.gamma
    return at, profile.largest_gradient(at) if constant else lam, history
