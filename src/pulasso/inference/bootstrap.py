"""The bootstrap: fit again to rows drawn from the rows, in the way the scenario says they were drawn."""

import os
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from pulasso.data.inputs import check_features, check_number
from pulasso.data.parameters import check_choice
from pulasso.data.pu_data import PUData
from pulasso.estimators.fitting import fitted, problem_of, solve
from pulasso.exceptions import InputError
from pulasso.inference._bootstrap_result import BootstrapResult
from pulasso.inference._drawing import resample
from pulasso.inference._fitting import open_seeded_run, prepare, quietly, solver_settings
from pulasso.inference.learners import LearnerBootstrap, bootstrap_learner
from pulasso.model_selection.learners import is_learner
from pulasso.path import solve_path
from pulasso.problem import Params
from pulasso.runs import one_blas_thread, run_steps, spawn

__all__ = ["bootstrap"]

STARTS = ("path", "all rows")


def bootstrap(
    estimator: Any,
    X: Any,
    z: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    n_replicates: int = 200,
    predict_at: Any = None,
    start: str = "path",
    random_state: Any = None,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike | None = None,
    progress: bool | None = None,
) -> BootstrapResult | LearnerBootstrap:
    """Fit an estimator again and again to rows drawn with replacement, all at the same lam.

    Case-control data are drawn within every observed label, so that the numbers of rows per label stay as they
    were fixed. A single training set, or a fully observed one, is drawn as a whole, and the numbers of
    labels vary. A draw that misses a label altogether is thrown away and repeated; how often is reported.

    What comes out says how much the *penalised* estimates would vary in new samples: selection frequencies and
    percentile intervals. They are no confidence intervals for the true coefficients, because the penalty
    shrinks every estimate, and there are no p-values.

    Parameters
    ----------
    estimator : MultinomialPULasso or OrdinalPULasso, or a learner such as PUBoostingClassifier
        With its lam; it is not fitted, nor changed. With `n_restarts`, every replicate restarts, too. A learner stops
        by itself in every replicate.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    z : array-like of shape (n_samples,)
        Observed labels.
    sample_weight : array-like of shape (n_samples,), optional
        Rows are drawn with equal probability and take their weights along; those of weight 0 are not drawn.
    n_replicates : int, default=200
    predict_at : array-like of shape (n_rows, n_features), optional
        Rows whose class probabilities are wanted from every replicate.
    start : {"path", "all rows"}, default="path"
        Where a replicate begins: at its null model and down a path, as `fit` does; or at the solution of all rows.
        The latter is about twice as fast and the same where the objective has one stationary point, but
        for small lam it often ends in a worse one, close to where it began, and intervals are then too narrow.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Number of processes; results are bitwise identical for any number.
    checkpoint : str or path, optional
        Folder that saves every finished replicate. A run that was killed, called again, resumes from there; with
        a larger `n_replicates` it adds to those that are there.
    progress : bool, optional
        None shows a bar if stderr is a terminal.

    Returns
    -------
    BootstrapResult, of a learner LearnerBootstrap

    Examples
    --------
    >>> from pulasso import MultinomialPULasso
    >>> from pulasso.datasets import simulate_multinomial
    >>> from pulasso.inference import bootstrap
    >>> data = simulate_multinomial(400, 8, scenario="single-training-set", signal=(2, 2), random_state=3)
    >>> model = MultinomialPULasso(lam=0.03, **data.scenario_params)
    >>> result = bootstrap(model, data.X, data.z, n_replicates=20, random_state=0)
    >>> [name for name, share in zip(result.groups, result.group_frequency) if share > 0.9]
    ['x3', 'x4']
    >>> lower, upper = result.intervals(level=0.9)
    >>> lower.shape == model.fit(data.X, data.z).coef_.shape
    True
    """
    check_number("n_replicates", n_replicates, least=2, whole=True)
    check_choice("start", start, STARTS)
    if is_learner(estimator):
        if start != "path":
            raise InputError("A learner always begins anew.", parameter="start", remedy="Leave it out.")
        how = (n_replicates, predict_at, random_state, n_jobs, checkpoint, progress)
        return bootstrap_learner(estimator, X, z, sample_weight, *how)
    template, problem = prepare(estimator, X, z, sample_weight, "bootstrap")
    new_rows = None if predict_at is None else check_features(template, predict_at, reset=False)
    settings = {**problem.data.fingerprint(), "start": start, "predict_at": new_rows}
    entropy, run = open_seeded_run("bootstrap", template, settings, random_state, checkpoint, progress)
    # The first stream is for the fit to all rows, so that replicate i is the same in longer runs.
    first, *seeds = spawn(entropy, int(n_replicates) + 1)
    model = copy(template)
    model.random_state = np.random.default_rng(first)
    with one_blas_thread():  # as in the steps: results must not depend on the number of threads
        solution, n_iter = solve(model, problem)
    model = fitted(model, problem, solution, n_iter)
    begin = solution.params if start == "all rows" else None
    by_label = problem.scenario.sampled_by_label
    steps = {
        f"replicate {i}": (template, problem.data, by_label, seed, begin, new_rows)
        for i, seed in enumerate(seeds, 1)
    }
    found = run_steps(_replicate, steps, n_jobs=n_jobs, run=run, progress=progress, title="replicates")
    model.random_state = estimator.random_state
    return _collect(model, found, by_label)


def _replicate(
    template: Any,
    data: PUData,
    by_label: bool,
    seed: np.random.SeedSequence,
    begin: Params | None,
    new_rows: Any,
) -> dict[str, Any]:
    """Draw rows, fit to them, and return what is wanted of the fit."""
    rng = np.random.default_rng(seed)
    counts, n_redrawn = resample(data, by_label, rng)
    rows = np.flatnonzero(counts)
    model = copy(template)
    model.random_state = rng
    with quietly():
        problem = problem_of(model, data.take(rows, counts[rows]))
        if begin is None:
            solution, _ = solve(model, problem)
        else:
            lams = np.array([float(model.lam)])
            solution = next(solve_path(problem, lams, start=begin, **solver_settings(model)))
        model = fitted(model, problem, solution)
    nonzero = np.flatnonzero(model.coef_)
    return {
        "nonzero": nonzero,
        "values": model.coef_.ravel()[nonzero],
        "offsets": getattr(model, model.response_.offsets_name),
        "selected": np.flatnonzero(model.group_norms_),
        "proba": np.empty(0) if new_rows is None else _predict(model, new_rows),
        "n_redrawn": n_redrawn,
        "converged": model.converged_,
        "label_frequency_too_low": bool(problem.warnings),
    }


def _predict(model: Any, checked: Any) -> NDArray:
    """Return P(y | x) of rows that were checked before, with their column names."""
    response, theta, offsets = type(model.response_).from_public(model)
    return np.exp(response.log_proba(np.asarray(checked @ theta), offsets))


def _collect(model: Any, found: list[dict[str, NDArray]], by_label: bool) -> BootstrapResult:
    n_replicates = len(found)
    replicate = np.repeat(np.arange(n_replicates), [len(each["nonzero"]) for each in found])
    entry, values, selected = (
        np.concatenate([each[name] for each in found]) for name in ("nonzero", "values", "selected")
    )
    coefs = sparse.csc_matrix((values, (replicate, entry)), shape=(n_replicates, model.coef_.size))
    in_group = np.bincount(selected, minlength=model.groups_.n_blocks)
    return BootstrapResult(
        model=model,
        n_replicates=n_replicates,
        group_frequency=in_group / n_replicates,
        entry_frequency=(np.diff(coefs.indptr) / n_replicates).reshape(model.coef_.shape),
        offsets=np.array([each["offsets"] for each in found]),
        proba=np.array([each["proba"] for each in found]) if found[0]["proba"].size else None,
        by_label=by_label,
        n_redrawn=int(sum(each["n_redrawn"] for each in found)),
        n_not_converged=sum(not each["converged"] for each in found),
        n_too_low=int(sum(each["label_frequency_too_low"] for each in found)),
        _coefs=coefs,
    )
