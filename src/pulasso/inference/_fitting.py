"""What restarts, bootstrap and stability selection do first: check the estimator, read all rows, settle the seeds."""

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from pulasso.data.inputs import check_flag
from pulasso.estimators import ESTIMATORS
from pulasso.estimators.fitting import problem_of, read
from pulasso.exceptions import (
    ClassShareWarning,
    ConvergenceWarning,
    FewLabelsWarning,
    IdentifiabilityWarning,
    LabelFrequencyWarning,
    RareIndicatorWarning,
    StationaryPointWarning,
)
from pulasso.model_selection.learners import is_learner
from pulasso.problem import Problem
from pulasso.runs import Run, draw_entropy, open_run, run_steps

__all__ = ["check_estimator", "open_seeded_run", "prepare", "quietly", "solver_settings"]

INSTEAD = {
    "stability_selection": " bootstrap() says how far its importances vary.",
    "test_labelling": " Test with a linear model first; SelectedLabelling is a scenario of linear models, too.",
    "find_stationary_points": " Fit it with several random_state and compare validation_loss_.",
}
# Many fits would repeat these: all rows give them once, and results count them.
REPEATED = (
    ClassShareWarning,
    ConvergenceWarning,
    FewLabelsWarning,
    IdentifiabilityWarning,
    LabelFrequencyWarning,
    RareIndicatorWarning,
    StationaryPointWarning,
)


def prepare(
    estimator: Any, X: Any, z: ArrayLike, sample_weight: ArrayLike | None, caller: str
) -> tuple[Any, Problem]:
    """Return an unfitted copy of the estimator that knows the features, and its problem for all rows."""
    check_estimator(estimator, caller)
    template = clone(estimator)
    data = read(template, X, z, sample_weight)
    if data.is_chunked:
        raise TypeError(
            f"{caller} needs all rows in memory, but X comes in chunks. Try it on a sample of the rows."
        )
    return template, problem_of(template, data)


def check_estimator(estimator: Any, caller: str) -> None:
    names = " or ".join(each.__name__ for each in ESTIMATORS)
    if isinstance(estimator, type):
        raise TypeError(
            f"{caller} got the class {estimator.__name__}; pass an object, {estimator.__name__}(...)."
        )
    if not isinstance(estimator, ESTIMATORS):
        is_pipeline = hasattr(estimator, "steps")
        hint = " Transform X with its other steps first, and pass its last step." if is_pipeline else ""
        # By the name of the caller: what it asks of coefficients, and who answers it for others.
        if is_learner(estimator):
            hint = f" That one has neither coefficients nor a likelihood to solve to the end.{INSTEAD.get(caller, '')}"
        raise TypeError(f"{caller} takes a {names}, not a {type(estimator).__name__}.{hint}")
    if "lam" not in estimator.get_params(deep=False):
        plain = next(each for each in ESTIMATORS if isinstance(estimator, each)).__name__
        raise TypeError(
            f"{caller} takes an estimator of one lam, and {type(estimator).__name__} chooses its own. Fit it first "
            f"and pass {plain}(lam=model.lam_, ...)."
        )


def open_seeded_run(
    what: str,
    template: Any,
    settings: Mapping[str, Any],
    random_state: Any,
    checkpoint: str | os.PathLike | None,
    progress: bool | None,
    ignored: tuple[str, ...] = (),
) -> tuple[NDArray[np.uint32], Run | None]:
    """Return the numbers from which all random streams grow, and where finished steps are saved.

    Results depend on `settings` and on the parameters of the estimator, but for those `ignored`. Without
    `random_state` the numbers are a step like any other, so that they survive an interruption.
    """
    if progress is not None:
        check_flag("progress", progress)
    given = None if random_state is None else draw_entropy(random_state)
    own = {k: v for k, v in template.get_params(deep=False).items() if k not in (*ignored, "random_state")}
    everything = {"estimator": type(template).__name__, **own, **settings, "random state": given}
    run = open_run(what, everything, checkpoint)
    if given is not None:
        return given, run
    return run_steps(_draw_entropy, {"seeds": ()}, run=run, progress=False)[0]["entropy"], run


def _draw_entropy() -> dict[str, NDArray]:
    return {"entropy": draw_entropy(None)}


def solver_settings(estimator: Any) -> dict[str, Any]:
    """Return what :func:`solve_path` takes from an estimator."""
    return {"solver": estimator.solver, "tol": estimator.tol, "max_iter": estimator.max_iter}


@contextmanager
def quietly() -> Iterator[None]:
    """Leave out warnings that hundreds of fits would repeat."""
    with warnings.catch_warnings():
        for kind in REPEATED:
            warnings.simplefilter("ignore", kind)
        yield
