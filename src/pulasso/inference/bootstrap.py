"""The bootstrap: fit again to rows drawn from the rows, in the way the scenario says they were drawn."""

import os
from copy import copy
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from pulasso._messages import listed
from pulasso.data.inputs import check_features, check_number
from pulasso.inference._bootstrap_result import BootstrapResult
from pulasso.inference._fitting import Run, fit_all, quietly, read_all
from pulasso.inference._rows import Rows
from pulasso.problem import Params, Problem
from pulasso.runs import data_hash, run_steps
from pulasso.runs.seeds import spawn
from pulasso.solvers import SOLVERS

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
) -> BootstrapResult:
    """Fit an estimator again and again to rows drawn with replacement, all at the same lam.

    Case-control data are drawn within every observed label, so that the numbers of rows per label stay as they
    were fixed. A single training set, or a fully observed one, is drawn as a whole, and the numbers of
    labels vary. A draw that misses a label altogether is thrown away and repeated; how often is reported.

    What comes out says how much the *penalised* estimates would vary in new samples: selection frequencies and
    percentile intervals. They are no confidence intervals for the true coefficients, because the penalty
    shrinks every estimate, and there are no p-values.

    Parameters
    ----------
    estimator : MultinomialPULasso or OrdinalPULasso
        With its lam; it is not fitted, nor changed. With `n_restarts`, every replicate restarts, too.
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
        Number of processes; the result is the same, bit for bit, for any number.
    checkpoint : str or path, optional
        Folder that keeps every finished replicate. A run that was killed, called again, goes on from there; with
        a larger `n_replicates` it adds to those that are there.
    progress : bool, optional
        None shows a bar if stderr is a terminal.

    Returns
    -------
    BootstrapResult

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
    if start not in STARTS:
        raise ValueError(f"start={start!r} is unknown; use one of {listed(STARTS)}.")
    everything = read_all(estimator, X, z, sample_weight, "bootstrap")
    template, rows = everything.template, everything.rows
    new_rows = None if predict_at is None else check_features(template, predict_at, reset=False)
    run = Run.start(
        {
            "what": "bootstrap",
            **everything.fingerprint(),
            "start": start,
            "predict_at": None if new_rows is None else data_hash(new_rows),
        },
        random_state=random_state,
        n_jobs=n_jobs,
        checkpoint=checkpoint,
        progress=progress,
    )
    # The first stream is for the fit to all rows, so that replicate i is the same in longer runs.
    first, *seeds = spawn(run.entropy, int(n_replicates) + 1)
    model, solution = fit_all(everything, np.random.default_rng(first))
    begin = solution.params if start == "all rows" else None
    steps = {f"replicate {i}": (template, rows, seed, begin, new_rows) for i, seed in enumerate(seeds, 1)}
    found = run_steps(_replicate, steps, title="replicates", **run.options)
    model.random_state = estimator.random_state
    return _collect(model, found, rows.by_label)


def _replicate(
    template: Any, rows: Rows, seed: np.random.SeedSequence, begin: Params | None, new_rows: Any
) -> dict[str, NDArray]:
    """Draw rows, fit to them, and return what is wanted of the fit."""
    rng = np.random.default_rng(seed)
    counts, n_redrawn = rows.resample(rng)
    chosen = np.flatnonzero(counts)
    model = copy(template)
    model.random_state = rng
    with quietly():
        assembled = rows.assemble(model, chosen, counts[chosen])
        if begin is None:
            results = model._minimize(assembled)
        else:
            problem = cast(Problem, assembled.problem).at_lam(float(model.lam))
            results = [SOLVERS[model.solver](problem, begin, tol=model.tol, max_iter=model.max_iter)]
        model._store(assembled, results)
    nonzero = np.flatnonzero(model.coef_)
    return {
        "nonzero": nonzero,
        "values": model.coef_.ravel()[nonzero],
        "offsets": model.thresholds_ if hasattr(model, "thresholds_") else model.intercept_,
        "selected": np.flatnonzero(model.group_norms_),
        "proba": np.empty(0) if new_rows is None else _predict(model, new_rows),
        "n_redrawn": np.array(n_redrawn),
        "converged": np.array(model.converged_),
        "label_frequency_too_low": np.array(bool(assembled.warnings)),
    }


def _predict(model: Any, checked: Any) -> NDArray:
    """Return P(y | x) of rows that were checked before, with their column names."""
    response, theta, offsets = model._model()
    return np.exp(response.log_proba(np.asarray(checked @ theta), offsets))


def _collect(model: Any, found: list[dict[str, NDArray]], by_label: bool) -> BootstrapResult:
    n_replicates = len(found)
    lengths = [len(each["nonzero"]) for each in found]
    coefs = sparse.csc_matrix(
        (
            np.concatenate([each["values"] for each in found]),
            (
                np.repeat(np.arange(n_replicates), lengths),
                np.concatenate([each["nonzero"] for each in found]),
            ),
        ),
        shape=(n_replicates, model.coef_.size),
    )
    selected = np.bincount(
        np.concatenate([each["selected"] for each in found]), minlength=model.groups_.n_blocks
    )
    return BootstrapResult(
        model=model,
        n_replicates=n_replicates,
        group_frequency=selected / n_replicates,
        entry_frequency=(np.diff(coefs.indptr) / n_replicates).reshape(model.coef_.shape),
        offsets=np.array([each["offsets"] for each in found]),
        proba=np.array([each["proba"] for each in found]) if found[0]["proba"].size else None,
        by_label=by_label,
        n_redrawn=int(sum(each["n_redrawn"] for each in found)),
        n_not_converged=int(sum(not each["converged"] for each in found)),
        n_too_low=int(sum(bool(each["label_frequency_too_low"]) for each in found)),
        _coefs=coefs,
    )
