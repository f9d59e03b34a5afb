"""Stability selection: which groups are selected again and again by random subsamples of the rows."""

import os
from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg
from pulasso.data.inputs import check_number
from pulasso.data.pu_data import PUData
from pulasso.estimators.fit_path import make_grid
from pulasso.estimators.fitting import problem_of
from pulasso.exceptions import InputError
from pulasso.inference._drawing import draw_pair
from pulasso.inference._fitting import open_seeded_run, prepare, quietly, solver_settings
from pulasso.inference._stability_result import StabilityResult
from pulasso.inference.bounds import check_threshold, largest_q
from pulasso.path import solve_path
from pulasso.problem import Problem
from pulasso.runs import run_steps, spawn
from pulasso.solvers import Solution

__all__ = ["stability_selection"]

# Half of the rows have more noise, so that their groups begin to enter above the lam_max of all rows (by the
# square root of 2 if there is nothing but noise).
TOP_OF_GRID = 2.0


def stability_selection(
    estimator: Any,
    X: Any,
    z: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    n_subsamples: int = 100,
    q: int | None = None,
    threshold: float = 0.75,
    expected_false: float = 1.0,
    lams: ArrayLike | None = None,
    n_lams: int = 100,
    lam_min_ratio: float = 0.05,
    random_state: Any = None,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike | None = None,
    progress: bool | None = None,
) -> StabilityResult:
    """Select groups that enter the path early in most of many random subsamples of half the rows.

    Rows are split at random into two disjoint subsamples, again and again (complementary pairs, Shah and Samworth
    2013): within every observed label in case-control data, among all rows in a single training set. On each of them
    a path is followed down from the null model; the subsample *selects* the groups that are ever active until more
    than `q` would be, or until the smallest of `lams`. A group is stable if a share of at least `threshold` of
    the subsamples selects it. Then, on average, the number V of false selections is bounded:

        E[V] <= q^2 / ((2 threshold - 1) n_groups),

    under the assumptions named by :func:`selection_bound`; :func:`pairs_bound` is sharper.

    Parameters
    ----------
    estimator : MultinomialPULasso or OrdinalPULasso
        Its lam (and n_restarts) are not used; it is not fitted, nor changed.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    z : array-like of shape (n_samples,)
        Observed labels.
    sample_weight : array-like of shape (n_samples,), optional
    n_subsamples : int, default=100
        An even number, as they come in pairs.
    q : int, optional
        Groups that a subsample may select. By default, and if no `lams` are given, the largest number for which the
        bound above is at most `expected_false`.
    threshold : float, default=0.75
        In (0.5, 1]; 0.6 to 0.9 are usual. Another one can be tried afterwards, at no cost, by
        :meth:`StabilityResult.at`.
    expected_false : float, default=1.0
        False selections that one accepts on average; used for the default of `q` only.
    lams : array-like, optional
        Values of lam along which probabilities are reported and, without `q`, down to which groups are selected.
        By default `n_lams` values from twice the lam_max of all rows down to ``lam_min_ratio * lam_max``.
    n_lams : int, default=100
    lam_min_ratio : float, default=0.05
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Number of processes; results are bitwise identical for any number.
    checkpoint : str or path, optional
        Folder that saves every finished pair; the same call, or one with more subsamples, resumes from there.
    progress : bool, optional
        None shows a bar if stderr is a terminal.

    Returns
    -------
    StabilityResult

    Notes
    -----
    Groups of weight 0, which are always in the model, and excluded ones are not judged and not counted. The bound
    is about groups, whatever they are: features for "rows", single coefficients for "entries".

    Examples
    --------
    >>> from pulasso import MultinomialPULasso
    >>> from pulasso.datasets import simulate_multinomial
    >>> from pulasso.inference import stability_selection
    >>> data = simulate_multinomial(1000, 50, scenario="single-training-set", signal=(2, 2), random_state=0)
    >>> model = MultinomialPULasso(**data.scenario_params)
    >>> result = stability_selection(model, data.X, data.z, n_subsamples=10, n_lams=30, random_state=0)
    >>> result.q, result.bound
    (5, 1.0)
    >>> result.stable
    ['x24', 'x30']
    """
    check_threshold(threshold)
    check_number("n_subsamples", n_subsamples, least=2, whole=True)
    if int(n_subsamples) % 2:
        raise InputError(
            f"n_subsamples={n_subsamples} must be even: they come in pairs.", parameter="n_subsamples"
        )
    template, problem = prepare(estimator, X, z, sample_weight, "stability_selection")
    data, by_label = problem.data, problem.scenario.sampled_by_label
    draw_pair(
        data, by_label, np.random.default_rng(0)
    )  # refuses labels that are too rare, before anything is fitted
    candidates = _find_candidates(template, problem)
    q = _check_q(q, lams, threshold, expected_false, int(np.count_nonzero(candidates)))
    grid = _make_grid(problem.lam_max, lams, n_lams, lam_min_ratio)
    settings, ignored = {**data.fingerprint(), "q": q, "lams": grid}, ("lam", "n_restarts")
    entropy, run = open_seeded_run(
        "stability selection", template, settings, random_state, checkpoint, progress, ignored
    )
    steps = {
        f"pair {i}": (template, data, by_label, seed, grid, q, candidates)
        for i, seed in enumerate(spawn(entropy, int(n_subsamples) // 2), 1)
    }
    found = run_steps(_pair, steps, n_jobs=n_jobs, run=run, progress=progress, title="pairs of subsamples")
    counted = ("n_redrawn", "n_not_converged", "n_too_low", "n_short")
    return StabilityResult(
        groups=tuple(problem.blocks.names),
        candidates=candidates,
        lams=grid,
        entered=np.concatenate([each["entered"] for each in found]),
        q=q,
        threshold=float(threshold),
        by_label=by_label,
        **{name: int(sum(each[name] for each in found)) for name in counted},
    )


def _find_candidates(template: Any, problem: Problem) -> NDArray[np.bool_]:
    """Return which groups the user leaves to the penalty; those that an adaptive one excludes depend on the rows."""
    if hasattr(problem.penalty.formula, "reweigh"):
        problem = problem_of(copy(template).set_params(penalty=None), problem.data, problem.scenario)
    return problem.blocks.is_penalized


def _check_q(
    q: int | None, lams: ArrayLike | None, threshold: float, expected_false: float, n_groups: int
) -> int | None:
    if not n_groups:
        raise InputError(
            "No group is penalised, so there is nothing to select from.",
            parameter="groups",
            remedy="Give some of them a positive weight.",
        )
    if q is not None:
        check_number("q", q, least=1, most=n_groups, whole=True)
        return int(q)
    if lams is not None:
        return None
    check_number("expected_false", expected_false, above=0.0)
    best = largest_q(expected_false, threshold, n_groups)
    if best < 1:
        least = 1.0 / ((2.0 * threshold - 1.0) * n_groups)
        raise InputError(
            f"With {n_groups} groups and threshold={threshold:g} no q has a bound of {expected_false:g} false "
            "selections.",
            parameter="expected_false",
            remedy=f"Try {arg('expected_false', f'{least:.2g}')} or more, a higher {arg('threshold')}, or give "
            f"{arg('q')}.",
        )
    return best


def _make_grid(lam_max: float, lams: ArrayLike | None, n_lams: int, lam_min_ratio: float) -> NDArray:
    if lams is None:
        check_number("lam_min_ratio", lam_min_ratio, above=0.0, most=1.0)
        lam_min_ratio = lam_min_ratio / TOP_OF_GRID
    return make_grid(lams, TOP_OF_GRID * lam_max, n_lams, lam_min_ratio)


def _pair(
    template: Any,
    data: PUData,
    by_label: bool,
    seed: np.random.SeedSequence,
    grid: NDArray,
    q: int | None,
    candidates: NDArray[np.bool_],
) -> dict[str, Any]:
    """Draw two disjoint subsamples and note where on the path of each the groups enter."""
    pair, n_redrawn = draw_pair(data, by_label, np.random.default_rng(seed))
    found = []
    for rows in pair:
        with quietly():
            problem = problem_of(copy(template), data.take(rows))
            path = solve_path(problem, grid, **solver_settings(template))
            found.append((*_follow(path, problem, grid, q, candidates), bool(problem.warnings)))
    entered, converged, short, too_low = zip(*found, strict=True)
    return {
        "entered": np.array(entered),
        "n_redrawn": n_redrawn,
        "n_not_converged": converged.count(False),
        "n_short": sum(short),
        "n_too_low": sum(too_low),
    }


def _follow(
    path: Iterator[Solution], problem: Problem, grid: NDArray, q: int | None, candidates: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], bool, bool]:
    """Return where every group enters (the length of the grid: never), and how the path ended."""
    entered = np.full(len(candidates), len(grid), dtype=np.int32)
    seen, all_converged = np.zeros(len(candidates), dtype=bool), True
    for i, solution in enumerate(path):
        now = seen | (candidates & (problem.blocks.norms(solution.params.theta) > 0))
        n_seen = np.count_nonzero(now)
        if q is not None and n_seen > q:
            return entered, all_converged, False
        entered[now & ~seen] = i
        seen = now
        all_converged &= solution.converged
        if n_seen == q:
            return entered, all_converged, False
    return entered, all_converged, q is not None
