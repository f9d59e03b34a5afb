"""A path that is kept in a folder, lam by lam, and taken up again with the same bits.

An undisturbed run and one that was killed a hundred times do the same arithmetic: in memory every lam starts from
the coefficients of the one before and from nothing else; in chunks, where that would cost a pass over the data, the
state of the solver is kept beside the solutions.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.chunked import ChunkedProblem, MeasuredChunks
from pulasso.estimators._assemble import Assembled
from pulasso.estimators.stationary import arrays_of_result, result_from_arrays
from pulasso.path import solve_path
from pulasso.problem import Params, Problem
from pulasso.runs import Checkpoint, data_hash, one_blas_thread
from pulasso.solvers import SolverResult, SummedSteps, solve_working_set, solve_working_set_path

__all__ = ["deterministic", "open_checkpoint", "solve_kept_path"]

# The results do not depend on these, or other names say it better.
NOT_IN_THE_FINGERPRINT = ("checkpoint", "random_state", "n_restarts")


def deterministic(checkpoint: Any) -> AbstractContextManager[None]:
    """Let a path that is kept use one BLAS thread: the order of sums must not depend on the machine's load."""
    return nullcontext() if checkpoint is None else one_blas_thread()


def open_checkpoint(
    checkpoint: str | os.PathLike | None, estimator: Any, assembled: Assembled, lams: NDArray
) -> Checkpoint | None:
    """Return the folder that keeps a path, refused if it keeps that of other data or settings."""
    if checkpoint is None:
        return None
    settings = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name not in NOT_IN_THE_FINGERPRINT
    }
    base, labels = assembled.design.base, assembled.labels
    x = base.chunks if isinstance(base, MeasuredChunks) else base.x
    kept = Checkpoint(
        checkpoint,
        {
            "path of": type(estimator).__name__,
            **settings,
            "lams": lams,
            "X": data_hash(x, getattr(estimator, "feature_names_in_", None)),
            "y": data_hash(labels.codes, labels.classes),
            "sample_weight": data_hash(assembled.weight),
        },
    )
    kept.check_writable()
    return kept


def solve_kept_path(
    problem: Problem | ChunkedProblem,
    start: Params,
    lams: NDArray,
    *,
    solver: Callable[..., SolverResult],
    tol: NDArray | float,
    max_iter: int,
    kept: Checkpoint | None,
) -> list[SolverResult]:
    """Solve for every lam in turn, beginning with the first that is not in the folder.

    Parameters are those of :func:`pulasso.path.solve_path`; without a folder it is called.
    """
    how: dict[str, Any] = {"solver": solver, "max_iter": max_iter}
    if kept is None:
        return list(solve_path(problem, start, lams, tol=tol, **how))
    tols = np.broadcast_to(tol, len(lams))
    results = _finished(kept, len(lams))
    try:
        if isinstance(problem, ChunkedProblem) and solver is solve_working_set:
            remaining = _in_chunks(problem, start, lams, tols, max_iter, results, kept)
        else:
            remaining = _in_memory(problem, start, lams, tols, how, results)
        for result in remaining:
            kept.save(f"lam {len(results) + 1}", arrays_of_result(result))
            results.append(result)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"Interrupted after {len(results)} of {len(lams)} lams. What is finished lies in {str(kept.folder)!r}: "
            "the same call goes on from there."
        ) from None
    return results


def _finished(kept: Checkpoint, n_lams: int) -> list[SolverResult]:
    """Return the solutions of the first lams, up to the first that is missing or damaged."""
    results: list[SolverResult] = []
    for number in range(1, n_lams + 1):
        arrays = kept.load(f"lam {number}")
        if arrays is None:
            break
        results.append(result_from_arrays(arrays))
    return results


def _in_memory(
    problem: Any,
    start: Params,
    lams: NDArray,
    tols: NDArray,
    how: Mapping[str, Any],
    done: list[SolverResult],
) -> Iterator[SolverResult]:
    """Solve the remaining lams, each from the coefficients of the one before alone."""
    for i in range(len(done), len(lams)):
        start = done[i - 1].params if i else start
        if how["solver"] is solve_working_set:
            before = float(lams[i - 1]) if i else None
            yield from solve_working_set_path(
                problem, start, lams[[i]], tol=tols[i], max_iter=how["max_iter"], lam_before=before
            )
        else:
            yield from solve_path(problem, start, lams[[i]], tol=tols[i], **how)


def _in_chunks(
    problem: ChunkedProblem,
    start: Params,
    lams: NDArray,
    tols: NDArray,
    max_iter: int,
    done: list[SolverResult],
    kept: Checkpoint,
) -> Iterator[SolverResult]:
    """Solve the remaining lams; the state after one is on the disk before its solution, until the next one is."""
    for superfluous in range(1, len(done)):  # of a run that was killed just before it forgot them
        kept.remove(f"state {superfluous}")
    if len(done) == len(lams):
        return
    state = kept.load(f"state {len(done)}") if done else None
    if state is None:
        done.clear()  # without it the next lams would have other bits
    steps = SummedSteps(problem, start, max_iter=max_iter, state=state)
    ahead = np.append(lams[1:], lams[-1:])
    for i in range(len(done), len(lams)):
        result = steps.solve(float(lams[i]), float(tols[i]), lam_ahead=float(ahead[i]))
        if i + 1 < len(lams):
            kept.save(f"state {i + 1}", steps.state())
        yield result
        kept.remove(f"state {i}")
