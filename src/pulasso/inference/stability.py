"""Stability selection: which groups are selected again and again by halves of the rows."""

import os
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import plain
from pulasso.data.inputs import check_number
from pulasso.estimators.fit_path import make_grid
from pulasso.inference._fitting import AllRows, Run, quietly, read_all
from pulasso.inference._rows import Rows
from pulasso.inference._stability_result import StabilityResult
from pulasso.inference.bounds import check_threshold, largest_q
from pulasso.path import solve_path
from pulasso.runs import run_steps
from pulasso.runs.seeds import spawn
from pulasso.solvers import SOLVERS

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
    """Select groups that enter the path early in most of many random halves of the rows.

    Rows are split at random into two disjoint halves, again and again (complementary pairs, Shah and Samworth
    2013): within every observed label in case-control data, among all rows in a single training set. On each half
    a path is followed down from the null model; the half *selects* the groups that are ever active until more than
    `q` would be, or until the smallest of `lams`. A group is stable if a share of at least `threshold` of
    the halves selects it. Then, on average, the number V of false selections is bounded:

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
        Number of halves, an even number.
    q : int, optional
        Groups that a half may select. By default, and if no `lams` are given, the largest number for which the bound
        above is at most `expected_false`.
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
        Number of processes; the result is the same, bit for bit, for any number.
    checkpoint : str or path, optional
        Folder that keeps every finished pair; the same call, or one with more subsamples, goes on from there.
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
        raise ValueError(f"n_subsamples={n_subsamples} must be even: halves come in pairs.")
    everything = read_all(estimator, X, z, sample_weight, "stability_selection")
    _check_halves(everything.rows)
    weights = everything.assembled.blocks.weights
    candidates = (weights > 0) & np.isfinite(weights)
    q = _check_q(q, lams, threshold, expected_false, int(np.count_nonzero(candidates)))
    grid = _grid(everything, lams, n_lams, lam_min_ratio)
    settings = {
        name: each for name, each in everything.fingerprint().items() if name not in ("lam", "n_restarts")
    }
    run = Run.start(
        {"what": "stability selection", **settings, "q": q, "lams": grid},
        random_state=random_state,
        n_jobs=n_jobs,
        checkpoint=checkpoint,
        progress=progress,
    )
    steps = {
        f"pair {i}": (everything.template, everything.rows, seed, grid, q, candidates)
        for i, seed in enumerate(spawn(run.entropy, int(n_subsamples) // 2), 1)
    }
    found = run_steps(_pair, steps, title="pairs of halves", **run.options)
    return StabilityResult(
        groups=tuple(everything.assembled.blocks.names),
        candidates=candidates,
        lams=grid,
        entered=np.concatenate([each["entered"] for each in found]),
        q=q,
        threshold=float(threshold),
        by_label=everything.rows.by_label,
        n_redrawn=int(sum(each["n_redrawn"] for each in found)),
        n_not_converged=int(sum(each["n_not_converged"] for each in found)),
        n_too_low=int(sum(each["n_too_low"] for each in found)),
        n_short=int(sum(each["n_short"] for each in found)),
    )


def _check_halves(rows: Rows) -> None:
    """Refuse labels that cannot be in both halves."""
    codes = rows.labels.codes[rows.weight > 0]
    for code in np.unique(codes):
        if np.count_nonzero(codes == code) < 2:
            names = ["unlabeled", *rows.labels.classes[1:].tolist(), rows.labels.classes[0]]
            raise ValueError(
                f"Only one row carries the label {plain(names[code])!r}, so that one of two halves would have "
                "none. Get more such rows, merge the class with another one, or leave it out."
            )


def _check_q(
    q: int | None, lams: ArrayLike | None, threshold: float, expected_false: float, n_groups: int
) -> int | None:
    if not n_groups:
        raise ValueError("No group is penalised, so there is nothing to select from.")
    if q is not None:
        check_number("q", q, least=1, most=n_groups, whole=True)
        return int(q)
    if lams is not None:
        return None
    check_number("expected_false", expected_false, above=0.0)
    best = largest_q(expected_false, threshold, n_groups)
    if best < 1:
        least = 1.0 / ((2.0 * threshold - 1.0) * n_groups)
        raise ValueError(
            f"With {n_groups} groups and threshold={threshold:g} no q has a bound of {expected_false:g} false "
            f"selections. Try expected_false={least:.2g} or more, a higher threshold, or give q."
        )
    return best


def _grid(everything: AllRows, lams: ArrayLike | None, n_lams: int, lam_min_ratio: float) -> NDArray:
    top = TOP_OF_GRID * everything.assembled.problem.lam_max
    if lams is not None:
        return make_grid(lams, top, n_lams, lam_min_ratio)
    check_number("lam_min_ratio", lam_min_ratio, above=0.0, most=1.0)
    return make_grid(None, top, n_lams, lam_min_ratio / TOP_OF_GRID)


def _pair(
    template: Any,
    rows: Rows,
    seed: np.random.SeedSequence,
    grid: NDArray,
    q: int | None,
    candidates: NDArray[np.bool_],
) -> dict[str, NDArray]:
    """Draw two disjoint halves and note where on the path of each the groups enter."""
    *halves, n_redrawn = rows.halves(np.random.default_rng(seed))
    found = []
    for half in halves:
        with quietly():
            model = copy(template)
            assembled = rows.assemble(model, half)
            found.append((*_follow(model, assembled, grid, q, candidates), bool(assembled.warnings)))
    entered, n_late, short, too_low = zip(*found, strict=True)
    return {
        "entered": np.array(entered),
        "n_redrawn": np.array(n_redrawn),
        "n_not_converged": np.array(sum(late > 0 for late in n_late)),
        "n_short": np.array(sum(short)),
        "n_too_low": np.array(sum(too_low)),
    }


def _follow(
    model: Any, assembled: Any, grid: NDArray, q: int | None, candidates: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], int, bool]:
    """Return where every group enters (the length of the grid: never), and how the path ended."""
    entered = np.full(len(candidates), len(grid), dtype=np.int32)
    seen, n_late = np.zeros(len(candidates), dtype=bool), 0
    path = solve_path(
        assembled.problem,
        assembled.null,
        grid,
        solver=SOLVERS[model.solver],
        tol=model.tol,
        max_iter=model.max_iter,
    )
    for i, result in enumerate(path):
        now = seen | (candidates & (assembled.blocks.norms(result.params.theta) > 0))
        if q is not None and np.count_nonzero(now) > q:
            return entered, n_late, False
        entered[now & ~seen] = i
        seen = now
        n_late += not result.converged
        if q is not None and np.count_nonzero(now) == q:
            return entered, n_late, False
    return entered, n_late, q is not None
