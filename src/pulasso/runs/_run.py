"""Run named steps one by one or in parallel, and keep what is finished."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from pulasso.runs._checkpoint import Checkpoint
from pulasso.runs._one_thread import one_blas_thread
from pulasso.runs._progress import showing_progress

__all__ = ["run_steps"]

Step = Callable[..., Mapping[str, Any]]

# A step that itself runs steps shows no bar inside the bar.
_inside_a_step: ContextVar[bool] = ContextVar("inside_a_step", default=False)


def run_steps(
    function: Step,
    steps: Mapping[str, tuple],
    *,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike | None = None,
    fingerprint: Mapping[str, Any] | None = None,
    progress: bool | None = None,
    title: str = "",
) -> list[dict[str, NDArray]]:
    """Call a function once for each step and return the results in the order of the steps.

    Every step runs with one BLAS thread, whatever `n_jobs` is: sums then have the same order, and results
    are the same bit for bit for any `n_jobs`.

    Parameters
    ----------
    function : callable
        ``function(*arguments)`` returns a flat mapping from names to NumPy arrays (numbers, booleans or
        text). For more than one process it must be importable, or picklable by joblib.
    steps : mapping from str to tuple
        Name of every step and the arguments of `function` for it.
    n_jobs : int, optional
        Number of processes, as in joblib: None is one, -1 is one for each core.
    checkpoint : str or path, optional
        Folder that keeps finished steps. A run that was interrupted or killed goes on from there when it
        is called again with the same settings, and ends with the same result.
    fingerprint : mapping, optional
        What the results depend on, with `checkpoint` only: see :class:`Checkpoint`.
    progress : bool, optional
        Whether to show how many steps are done. None: a bar if stderr is a terminal.
    title : str
        What the bar is called.

    Returns
    -------
    list of dict

    Examples
    --------
    >>> run_steps(lambda x: {"square": x**2}, {"one": (1,), "three": (3,)})
    [{'square': array(1)}, {'square': array(9)}]
    """
    kept = _open(checkpoint, fingerprint)
    results = {} if kept is None else kept.load_all(steps)
    todo = [name for name in steps if name not in results]
    if kept is not None and todo:
        kept.check_writable()
    shown = False if progress is None and _inside_a_step.get() else progress
    try:
        with showing_progress(shown, title, len(steps), len(results)) as advance:
            for name, result in _compute(function, {name: steps[name] for name in todo}, n_jobs, kept):
                results[name] = result
                advance()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_how_to_go_on(len(results), len(steps), kept)) from None
    return [results[name] for name in steps]


def _open(checkpoint: str | os.PathLike | None, fingerprint: Mapping[str, Any] | None) -> Checkpoint | None:
    if checkpoint is None:
        return None
    if fingerprint is None:
        raise ValueError("checkpoint= needs fingerprint=, or steps of another run could be taken for ours.")
    return Checkpoint(checkpoint, fingerprint)


def _compute(
    function: Step, steps: Mapping[str, tuple], n_jobs: int | None, kept: Checkpoint | None
) -> Iterator[tuple[str, dict[str, NDArray]]]:
    """Yield name and result of every step as it is finished."""
    tasks = [(function, name, arguments, kept) for name, arguments in steps.items()]
    if min(len(tasks), effective_n_jobs(n_jobs)) <= 1:
        with one_blas_thread():
            yield from (_one_step(*task) for task in tasks)
    else:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        yield from parallel(delayed(_one_step_of_a_worker)(*task) for task in tasks)


def _one_step_of_a_worker(*task: Any) -> tuple[str, dict[str, NDArray]]:
    with one_blas_thread():
        return _one_step(*task)


def _one_step(
    function: Step, name: str, arguments: tuple, kept: Checkpoint | None
) -> tuple[str, dict[str, NDArray]]:
    """Compute one step and keep it at once, in the process that has it."""
    with _inside():
        result = {key: np.asarray(value) for key, value in function(*arguments).items()}
    for key, value in result.items():
        if value.dtype.hasobject:
            raise TypeError(
                f"step {name!r} returned {key!r} as objects; only numbers, booleans and text are kept."
            )
    if kept is not None:
        kept.save(name, result)
    return name, result


@contextmanager
def _inside() -> Iterator[None]:
    token = _inside_a_step.set(True)
    try:
        yield
    finally:
        _inside_a_step.reset(token)


def _how_to_go_on(n_done: int, n_steps: int, kept: Checkpoint | None) -> str:
    words = f"Interrupted after {n_done} of {n_steps} steps."
    if kept is None:
        return f"{words} Nothing was kept; with checkpoint='some/folder' a next run could go on from here."
    return f"{words} What is finished lies in {str(kept.folder)!r}: the same call goes on from there."
