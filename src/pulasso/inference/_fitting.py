"""What restarts, bootstrap and stability selection do first: check the estimator, read and fit all rows."""

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from pulasso.data.chunks import is_chunked
from pulasso.estimators import ESTIMATORS
from pulasso.exceptions import (
    ConvergenceWarning,
    IdentifiabilityWarning,
    LabelFrequencyWarning,
    StationaryPointWarning,
)
from pulasso.inference._rows import Rows
from pulasso.runs import data_hash, one_blas_thread, run_steps
from pulasso.runs.seeds import draw_entropy
from pulasso.solvers import SolverResult

if TYPE_CHECKING:
    from pulasso.estimators._assemble import Assembled

__all__ = ["AllRows", "Run", "fit_all", "quietly", "read_all"]

# A result does not depend on these; what other seeds do is settled by the entropy of the run.
NOT_IN_THE_FINGERPRINT = ("random_state",)


@dataclass(frozen=True, eq=False)
class AllRows:
    """An estimator and all rows, checked.

    Attributes
    ----------
    template : estimator
        Not fitted, but it knows the features; steps fit copies of it.
    rows : Rows
    assembled : Assembled
        The problem of all rows.
    """

    template: Any
    rows: Rows
    assembled: "Assembled"

    def fingerprint(self) -> dict[str, Any]:
        """Return what results depend on: settings of the estimator and hashes of the data."""
        names = getattr(self.template, "feature_names_in_", None)
        settings = self.template.get_params(deep=False)
        return {
            "estimator": type(self.template).__name__,
            **{name: value for name, value in settings.items() if name not in NOT_IN_THE_FINGERPRINT},
            "X": data_hash(self.rows.x, names),
            "z": data_hash(self.rows.labels.codes, self.rows.labels.classes),
            "sample_weight": data_hash(self.rows.weight),
        }


@dataclass(frozen=True, eq=False)
class Run:
    """How a long computation runs: seeds, processes, checkpoint folder, progress.

    Attributes
    ----------
    entropy : array of uint32
        All random numbers grow from these.
    options : mapping
        For :func:`run_steps`.
    """

    entropy: NDArray[np.uint32]
    options: Mapping[str, Any]

    @classmethod
    def start(
        cls,
        fingerprint: Mapping[str, Any],
        *,
        random_state: Any,
        n_jobs: int | None,
        checkpoint: str | os.PathLike | None,
        progress: bool | None,
    ) -> "Run":
        """Settle the seeds; without `random_state` they are kept in the checkpoint folder like any step."""
        if progress not in (None, True, False):
            raise ValueError(f"progress={progress!r} must be True, False or None.")
        given = None if random_state is None else draw_entropy(random_state)
        kept: dict[str, Any] = {
            "checkpoint": checkpoint,
            "fingerprint": {**fingerprint, "random_state": given},
        }
        drawn = run_steps(_entropy_step, {"seeds": (given,)}, progress=False, **kept)[0]
        return cls(drawn["entropy"], {**kept, "n_jobs": n_jobs, "progress": progress})


def _entropy_step(given: NDArray[np.uint32] | None) -> dict[str, NDArray]:
    return {"entropy": draw_entropy(None) if given is None else given}


def read_all(estimator: Any, X: Any, z: ArrayLike, sample_weight: ArrayLike | None, caller: str) -> AllRows:
    """Check the estimator and the data; the estimator itself is left alone."""
    _check_estimator(estimator, caller)
    template = clone(estimator)
    template._check_params()
    x, labels, weight = template._check_data(X, z, sample_weight)
    if is_chunked(x):
        raise TypeError(
            f"{caller} needs all rows in memory, but X comes in chunks. Try it on a sample of the rows."
        )
    assembled = template._assemble_checked(x, labels, weight)
    return AllRows(template, Rows(x, labels, weight, assembled.scenario.sampled_by_label), assembled)


def fit_all(everything: AllRows, random_state: Any) -> tuple[Any, SolverResult]:
    """Return the estimator fitted to all rows, and the solution in the solver's variables."""
    model = copy(everything.template)
    model.random_state = random_state
    # One thread, as in the steps: the same bits on any machine load.
    with one_blas_thread():
        results = model._minimize(everything.assembled)
        model._store(everything.assembled, results)
    return model, results[-1]


@contextmanager
def quietly() -> Iterator[None]:
    """Leave out warnings that hundreds of fits would repeat: all rows give them, and results count them."""
    with warnings.catch_warnings():
        for kind in (
            ConvergenceWarning,
            IdentifiabilityWarning,
            LabelFrequencyWarning,
            StationaryPointWarning,
        ):
            warnings.simplefilter("ignore", kind)
        yield


def _check_estimator(estimator: Any, caller: str) -> None:
    names = " or ".join(each.__name__ for each in ESTIMATORS)
    if isinstance(estimator, type):
        raise TypeError(
            f"{caller} got the class {estimator.__name__}; pass an object, {estimator.__name__}(...)."
        )
    if not isinstance(estimator, ESTIMATORS):
        hint = (
            " Transform X with the other steps of the pipeline first, and pass its last step."
            if hasattr(estimator, "steps")
            else ""
        )
        raise TypeError(f"{caller} takes a {names}, not a {type(estimator).__name__}.{hint}")
    if "lam" not in estimator.get_params(deep=False):
        plain = next(each for each in ESTIMATORS if isinstance(estimator, each)).__name__
        raise TypeError(
            f"{caller} takes an estimator of one lam, and {type(estimator).__name__} chooses its own. Fit it first "
            f"and pass {plain}(lam=model.lam_, ...)."
        )
