"""The relaxed refit: another fit to what a penalty has selected, with a ridge in its place."""

import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import arg, warn
from pulasso.data.pu_data import PUData
from pulasso.estimators._base import TOL_ON_THE_WAY, BasePULasso
from pulasso.estimators._folds import Criterion, held_out_label_model, recorded, recorded_warnings
from pulasso.estimators.fit_path import collect_path
from pulasso.exceptions import ConvergenceWarning
from pulasso.model_selection import Fold
from pulasso.path import lams_down_to, solve_path
from pulasso.penalties import BlockPenalty, ElasticNet
from pulasso.problem import Problem
from pulasso.runs import Run, run_steps
from pulasso.scenarios import Scenario
from pulasso.solvers import Solution

__all__ = ["relax"]

# The ridge is one of these times the lam that was chosen, by the rows held out.
RIDGES = (3.0, 1.0, 0.3)
# The elastic net needs a little of the lasso; this much is next to nothing.
L1_RATIO = 0.01


def relax(
    estimator: Any,
    shared: Sequence[tuple],
    problem: Problem,
    criterion: Criterion,
    results: Sequence[Mapping[str, NDArray]],
    run: Run | None,
) -> tuple[list[dict[str, NDArray]], int]:
    """Fit again what was selected, on all rows and without every fold.

    Parameters
    ----------
    estimator : CrossValidated
        Fitted at the lam that it chose; it becomes the refitted model.
    shared, problem, criterion, results, run
        Template, data, fold and number of every fold; the problem of all rows; how folds are judged; what
        :func:`pulasso.estimators._folds.fit_fold` found in them; and where steps are saved.

    Returns
    -------
    list of dict
        What :func:`_relax_fold` found in every fold.
    int
        Position of the ridge that has the smallest loss there.
    """
    i, lam, selected = estimator.best_index_, estimator.lam_, estimator.group_norms_ > 0
    how = {"progress": estimator.progress, "run": run}
    in_folds = [{"active": found["active"], "coefs": found["coefs"][i]} for found in results]
    steps = {
        f"fold {each[-1]}, relaxed {i}": (*each, lam, problem.scenario, criterion, found)
        for each, found in zip(shared, in_folds, strict=True)
    }
    folds = run_steps(_relax_fold, steps, title="relaxed folds", n_jobs=estimator.n_jobs, **how)
    weights = [float(each["weight"]) for each in folds]
    losses = np.average([each["loss"] for each in folds], axis=0, weights=weights)
    best = int(np.argmin(np.where(np.isfinite(losses), losses, np.inf)))
    estimator.refit_loss_, estimator.refit_lam_ = float(losses[best]), RIDGES[best] * lam
    steps = {
        f"relaxed {i}, ridge {best}": (
            estimator._template(),
            problem,
            selected,
            lam * np.array(RIDGES[: best + 1]),
        )
    }
    solution = Solution.from_arrays(run_steps(_relax_all, steps, title="relaxed refit", **how)[0])
    relaxed = _relaxed_problem(problem, selected)
    estimator._store_solution(relaxed, solution, n_iter=estimator.n_iter_ + solution.n_iter)
    estimator._store_convexity(relaxed, solution)
    for number, each in enumerate(folds, start=1):
        for kind, words in recorded_warnings(each):
            said = f"Fold {number} of {len(folds)}, relaxed refit: {words}"
            estimator.warnings_.append(warn(said, kind))
    if not solution.converged:
        said = (
            f"The relaxed refit with a ridge of {estimator.refit_lam_:g} did not reach tol={estimator.tol:g}: the KKT "
            f"violation is {solution.kkt:.2g} of lam_max ({solution.message}). "
            f"Try a larger {arg('tol')} or {arg('max_iter')}."
        )
        estimator.warnings_.append(warn(said, ConvergenceWarning))
    return folds, best


def _relaxed_problem(problem: Problem, selected: NDArray[np.bool_]) -> Problem:
    """Return the problem that keeps all but the selected blocks at zero and penalises those by a ridge.

    Loss, anchor and null model stay what they are, and so does the scale of the certificate; blocks that were not
    penalised are still free.
    """
    weights = np.where(selected | (problem.blocks.weights == 0), problem.blocks.weights, np.inf)
    penalty = BlockPenalty(ElasticNet(L1_RATIO), problem.blocks.with_weights(weights))
    assert problem.null_gradient is not None
    return replace(problem, penalty=penalty, lam_max=penalty.lam_max(problem.null_gradient))


def _relax_all(
    template: BasePULasso, problem: Problem, selected: NDArray[np.bool_], lams: NDArray
) -> dict[str, NDArray]:
    """Return the last solution of the relaxed problem, on the way down from its null model, as arrays."""
    return _solve(template, _relaxed_problem(problem, selected), lams)[-1].to_arrays()


def _relax_fold(
    template: BasePULasso,
    data: PUData,
    fold: Fold,
    number: int,
    lam: float,
    scenario: Scenario,
    criterion: Criterion,
    found: Mapping[str, NDArray],
) -> dict[str, NDArray]:
    """Refit what a fold has selected at one lam, and judge the model by the held-out rows.

    Parameters
    ----------
    template, data, fold, number, lam, scenario, criterion
        As for :func:`pulasso.estimators._folds.fit_fold`, at the lam that was chosen.
    found : mapping
        The fold's coefficients there, ``coefs``, of the features ``active``.

    Returns
    -------
    dict
        ``coefs`` (of the features ``active``), ``offsets`` and ``loss`` by ridge, and what was warned about.
    """
    model = copy(template)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the path without this fold has warned of all that
        label_model = held_out_label_model(scenario, data, fold, number)
        problem = model._build(data.take(fold.train), scenario)
    theta = np.zeros(problem.shape)
    theta[found["active"]] = np.atleast_2d(found["coefs"]).T
    problem = _relaxed_problem(problem, problem.blocks.norms(theta) > 0)
    model._store_problem(problem)
    with recorded() as notes:
        path = collect_path(model, problem, _solve(model, problem, lam * np.array(RIDGES)))
        loss = criterion.losses(path, data, fold.test, label_model)
    active = np.flatnonzero(path.coefs.any(axis=tuple(range(path.coefs.ndim - 1))))
    return {
        "active": active,
        "coefs": path.coefs[..., active],
        "offsets": path.offsets,
        "loss": loss,
        "weight": data.weight[fold.test].sum(),
        **notes,
    }


def _solve(template: BasePULasso, problem: Problem, lams: NDArray) -> list[Solution]:
    """Return the solutions at some ridges, the largest first, and on the way to it what is not returned."""
    above = lams_down_to(lams[0], problem.lam_max)[:-1]
    tols = np.r_[np.full(len(above), max(template.tol, TOL_ON_THE_WAY)), np.full(len(lams), template.tol)]
    settings = {"solver": template.solver, "tol": tols, "max_iter": template.max_iter}
    found = list(solve_path(problem, np.r_[above, lams], **settings))
    before = sum(each.n_iter for each in found[: len(above)])
    found[-1] = replace(found[-1], n_iter=found[-1].n_iter + before)
    return found[len(above) :]
