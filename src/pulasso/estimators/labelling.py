"""Classes and labelling fitted together, where the chance of a label is a model of its own."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import arg, listed, warn
from pulasso.data.pu_data import PUData
from pulasso.estimators._profile import JointPoint, Profile
from pulasso.exceptions import ConvergenceWarning, IdentifiabilityWarning, ScenarioError
from pulasso.path import lam_grid, solve_path
from pulasso.problem import Problem
from pulasso.scenarios import Propensity, SelectedLabelling

__all__ = ["constant_and_free", "fit_labelling", "fits_labelling", "labelling_of_rows"]

# Besides a constant, from what is hardly shrunk to what nearly is one: relative to the largest gradient at the start.
SHRUNK = np.array([0.001, 0.03, 0.1, 0.3])
# Where no lam of the classes is given, these find the features with the smallest BIC at a constant propensity, and a
# fraction of their lam is used.
N_LAMS, LEAST_RATIO, FIRST_TOL, FIRST_STEPS, RELAXED = 12, 0.01, 1e-3, 200, 0.02
NEARLY_ALL, LARGEST_LOG_ODDS = 0.99, 100.0
# The path from the null model may end elsewhere than the fit that followed the labelling: then that goes on from there.
ROUNDS = 3


def fits_labelling(scenario: Any) -> bool:
    """Say whether a scenario has a propensity that is to be fitted."""
    return isinstance(scenario, SelectedLabelling) and scenario.propensity is None


def labelling_of_rows(estimator: Any, data: PUData, rows: NDArray, scenario: Any) -> Any:
    """Return a scenario as some rows show it: its propensity, if it is to be fitted, by them alone."""
    own = estimator.scenario
    return fit_labelling(estimator, data.take(rows), own) if fits_labelling(own) else scenario


def fit_labelling(
    estimator: Any, data: PUData, scenario: SelectedLabelling, lam: float | None = None
) -> SelectedLabelling:
    """Return the scenario with its propensity, fitted together with the classes.

    Parameters
    ----------
    estimator : BasePULasso
        How classes are fitted.
    data : PUData
    scenario : SelectedLabelling
    lam : float, optional
        Of the classes. By default they are those with the smallest BIC at a constant propensity, hardly shrunk: the
        propensity of a whole path.
    """
    if data.is_chunked:
        raise ScenarioError(
            "A propensity is fitted to rows in memory, and X comes in chunks.",
            parameter="scenario",
            remedy="Fit it on a sample of the rows, and pass scenario=model.scenario_.",
        )
    said = _check_columns(data, scenario)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever builds the problem of the answer warns
        problem = estimator._build(data, scenario)
    columns = scenario.positions(data.n_features, data.feature_names)
    words, about = _identification(problem, scenario, columns[: len(scenario.columns)])
    problem = _relaxed(problem, columns) if lam is None else problem.at_lam(float(lam))
    found, objective = _fit(_profile(estimator, problem, scenario), scenario.lam, estimator.tol)
    said += about + _words_about_level(data, replace(scenario, propensity=found))
    if not found.kkt <= estimator.tol:
        late = (
            f"The propensity did not reach tol={estimator.tol:g}: its KKT violation is {found.kkt:.2g} of lam_max. "
            f"Try a larger lam of {arg('scenario')}, fewer columns, or {arg('max_iter')} above {estimator.max_iter}."
        )
        said += (warn(late, ConvergenceWarning),)
    propensity = replace(
        found,
        identification=words,
        objective=objective,
        warnings=said,
        positions=tuple(columns.tolist()),
    )
    return replace(scenario, propensity=propensity)


# -- what is said before -------------------------------------------------------------------------------------


def _check_columns(data: PUData, scenario: SelectedLabelling) -> tuple[str, ...]:
    """Refuse columns that are constant, and warn of those that part labelled from unlabeled rows."""
    w, effort = scenario.effort(data.x, data.feature_names)
    counted = data.weight > 0
    if np.abs(effort[counted]).max(initial=0.0) > LARGEST_LOG_ODDS:
        raise ScenarioError(
            f"offset={scenario.offset!r} is added to log odds and holds values beyond {LARGEST_LOG_ODDS:g}, which is "
            "certainty.",
            parameter="offset",
            remedy="Give the logarithm of the effort.",
        )
    w, labeled = w[counted], data.codes[counted] > 0
    constant = [name for name, each in zip(scenario.columns, w.T, strict=True) if np.ptp(each) == 0]
    if constant:
        raise ScenarioError(
            f"columns names {listed(constant)}, which {'is' if len(constant) == 1 else 'are'} the same in every row: "
            "labelling cannot depend on it.",
            parameter="columns",
            remedy="Leave it out; without any column, SingleTrainingSet is the scenario.",
        )
    apart = [
        name
        for name, each in zip(scenario.columns, w.T, strict=True)
        if labeled.any() and not labeled.all() and _part(each[labeled], each[~labeled])
    ]
    if not apart:
        return ()
    words = (
        f"Column {listed(apart)} parts all labelled rows from all unlabeled ones: where nobody looked, nothing tells "
        "the classes. The effect in the propensity is as large as its lam allows, and classes of unlabeled rows "
        "are read off the labelled ones. Check that the column was not made from the labels."
    )
    return (warn(words, IdentifiabilityWarning),)


def _part(one: NDArray, other: NDArray) -> bool:
    return bool(one.min() > other.max() or one.max() < other.min())


def _identification(
    problem: Problem, scenario: SelectedLabelling, columns: NDArray[np.intp]
) -> tuple[str, tuple[str, ...]]:
    """Return what the data can tell, in words, and the warning if it is nothing; refuse that unless it is allowed."""
    counts, blocks = problem.data.counts, problem.blocks
    holds, words = scenario.identification(
        len(counts.classes) - 1,
        excluded=bool(blocks.is_excluded[blocks.index[columns]].all(axis=1).any()),
        told_shares=problem.anchor is not None and problem.anchor.is_active,
        confirmed_negatives=bool(counts.n_labeled[0] > 0),
    )
    if holds:
        return words, ()
    if not scenario.allow_unidentified:
        raise ScenarioError(
            words,
            parameter="scenario",
            remedy="If the columns decide who is looked at but not who belongs to a class, say excluded=True. Else "
            "tell the class shares (prevalence=, and anchor= of the estimator), or give confirmed negatives. "
            "allow_unidentified=True fits all the same.",
        )
    return words, (warn(f"{words} It was fitted because allow_unidentified=True.", IdentifiabilityWarning),)


def _words_about_level(data: PUData, scenario: SelectedLabelling) -> tuple[str, ...]:
    """Warn where nearly all members of a class are said to be labelled: then labelling has no part in the model."""
    model = scenario.label_model(data.counts, data.x, data.feature_names)
    frequency = (data.weight / data.weight.sum()) @ np.exp(model.log_labeled[:, 1:])
    if not (frequency > NEARLY_ALL).any():
        return ()
    words = (
        f"By the fit more than {100 * NEARLY_ALL:g} % of the members of a class would be labelled, and unlabeled rows "
        "are read as class 0: the data hardly show how many are hidden. If the share of labelled members or that of "
        "the class is known, give label_frequency= or prevalence= of the scenario, with anchor=."
    )
    return (warn(words, IdentifiabilityWarning),)


def _relaxed(problem: Problem, columns: NDArray[np.intp]) -> Problem:
    """Return the problem of the features with the smallest BIC at a constant propensity, hardly shrunk.

    Shrunken classes explain less than they should, and the level of labelling would make up for it.
    """
    best, least = problem.null, np.inf
    lams = lam_grid(problem.lam_max, N_LAMS, LEAST_RATIO)
    lam = float(lams[0])
    for solution in solve_path(problem, lams, tol=FIRST_TOL, max_iter=FIRST_STEPS):
        loss = solution.objective - problem.penalty.value(solution.params.theta, solution.lam)
        if (bic := _bic(problem, loss, solution.params.theta)) < least:
            best, least, lam = solution.params, bic, solution.lam
    assert best is not None
    blocks, selected = problem.blocks, problem.blocks.norms(best.theta) > 0
    selected[blocks.index[columns]] = True  # else labelling alone would have to explain these
    weights = np.where(selected | (blocks.weights == 0), blocks.weights, np.inf)
    penalty = replace(problem.penalty, blocks=blocks.with_weights(weights))
    return replace(problem, penalty=penalty, lam=RELAXED * lam)


def _bic(problem: Problem, loss: float, *effects: NDArray) -> float:
    n = np.count_nonzero(problem.data.weight)
    return float(2.0 * n * loss + np.log(n) * sum(map(np.count_nonzero, effects)))


# -- the fit -----------------------------------------------------------------------------------------------


def constant_and_free(
    estimator: Any, data: PUData, scenario: SelectedLabelling
) -> tuple[float, float, SelectedLabelling, Any]:
    """Return the objective with labelling that is constant, with one that is free, and the model of the first.

    Parameters
    ----------
    estimator : BasePULasso
        With the lam of the classes.
    data : PUData
    scenario : SelectedLabelling

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
    profile = _profile(estimator, problem, scenario)
    at, lam, _ = _stationary(profile, _start(profile), np.inf, estimator.tol)
    # From the constant and from where every fit begins: the better of two.
    free = [_stationary(profile, gamma, 0.0, estimator.tol)[0] for gamma in (at.gamma, _start(profile))]
    best = min(at.loss + at.penalty, *(each.loss + each.penalty for each in free))
    return at.loss + at.penalty, best, replace(scenario, propensity=_public(profile, at, lam)), at.params


def _profile(estimator: Any, problem: Problem, scenario: SelectedLabelling) -> Profile:
    return Profile(problem, scenario, estimator.solver, estimator.tol, estimator.max_iter)


def _start(profile: Profile) -> NDArray:
    scenario = profile.scenario
    start = scenario.start(profile.problem.data.counts).intercept[: 1 if scenario.shared else None]
    return np.column_stack([start, np.zeros((len(start), len(scenario.columns)))])


def _fit(profile: Profile, lam: float | None, tol: float) -> tuple[Propensity, tuple[float, ...]]:
    """Return the propensity at its lam, or at the one of a few with the smallest BIC."""
    gamma, found = _start(profile), []
    if lam is None:
        first = profile.at(gamma, profile.down_the_path(gamma))
        lams = SHRUNK * np.abs(first.grad[:, 1:]).max()
        found.append(_stationary(profile, gamma, np.inf, tol))
    for each in lams if lam is None else [lam]:
        found.append(_stationary(profile, gamma, float(each), tol))
        gamma = found[-1][0].gamma
    at, lam, history = min(found, key=lambda each: _score(profile, each[0]))
    return _public(profile, at, lam), tuple(history)


def _public(profile: Profile, at: JointPoint, lam: float) -> Propensity:
    """Return the propensity on the scale of X, one row for each class."""
    mean, scale = profile.moments
    coef = at.gamma[:, 1:] / scale
    intercept = at.gamma[:, 0] - coef @ mean
    n_positive, n_columns = len(profile.problem.data.classes) - 1, len(mean)
    return Propensity(
        profile.scenario.columns,  # type: ignore[arg-type]
        np.broadcast_to(intercept, n_positive).copy(),
        np.broadcast_to(coef, (n_positive, n_columns)).copy(),
        lam=lam,
        kkt=profile.kkt(at, lam),
    )


def _stationary(
    profile: Profile, gamma: NDArray, lam: float, tol: float
) -> tuple[JointPoint, float, list[float]]:
    """Return where both classes and labelling are stationary, the classes as their own path finds them, and the lam.

    An infinite lam keeps labelling constant; what is returned is then the smallest that does.
    """
    constant = np.isinf(lam)
    history: list[float] = []
    for _ in range(ROUNDS):
        at = profile.at(gamma, profile.down_the_path(gamma))
        if constant:
            lam = float(np.abs(at.grad[:, 1:]).max())
        if profile.kkt(at, lam) <= tol:
            break
        at, history = profile.minimize(at, lam, tol, constant)
        gamma = at.gamma
    return at, float(np.abs(at.grad[:, 1:]).max()) if constant else lam, history


def _score(profile: Profile, at: JointPoint) -> float:
    return _bic(profile.problem, at.loss, at.params.theta, at.gamma[:, 1:])
