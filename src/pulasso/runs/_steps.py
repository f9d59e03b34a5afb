"""Run named steps one by one or in parallel, and save what is finished."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from pulasso.runs._checkpoint import Run, no_checkpoint
from pulasso.runs._processes import n_processes
from pulasso.runs._progress import showing_progress
from pulasso.runs._threads import one_blas_thread

__all__ = ["how_to_resume", "run_steps"]

Step = Callable[..., Mapping[str, Any]]

# A step that itself runs steps shows no bar inside the bar.
_inside_a_step: ContextVar[bool] = ContextVar("inside_a_step", default=False)


def run_steps(
    function: Step,
    steps: Mapping[str, tuple],
    *,
    n_jobs: int | None = None,
    run: Run | None = None,
    progress: bool | None = None,
    title: str = "",
) -> list[dict[str, NDArray]]:
    """Call a function once for each step and return the results in the order of the steps.

    Every step runs with one BLAS thread, whatever `n_jobs` is: sums then have the same order, and results
    are bitwise identical for any `n_jobs`.

    Parameters
    ----------
    function : callable
        ``function(*arguments)`` returns a flat mapping from names to NumPy arrays (numbers, booleans or
        text). For more than one process it must be importable, or picklable by joblib.
    steps : mapping from str to tuple
        Name of every step and the arguments of `function` for it.
    n_jobs : int, optional
        Number of processes, as in joblib: None is one, -1 is one for each core.
    run : Run, optional
        Saves finished steps, and knows those of a run that was interrupted: see :func:`open_run`.
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
    n_processes(n_jobs)  # refuses what is no number of them
    results: dict[str, Any] = {name: None if run is None else run.load(name) for name in steps}
    todo = {name: steps[name] for name, result in results.items() if result is None}
    shown = False if progress is None and _inside_a_step.get() else progress
    n_done = len(steps) - len(todo)
    try:
        with showing_progress(shown, title, len(steps), n_done) as advance:
            for name, result in _compute(function, todo, n_jobs, run):
                results[name] = result
                n_done += 1
                advance()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(how_to_resume(n_done, len(steps), run)) from None
    return list(results.values())


def _compute(
    function: Step, steps: Mapping[str, tuple], n_jobs: int | None, run: Run | None
) -> Iterator[tuple[str, dict[str, NDArray]]]:
    """Yield name and result of every step as it is finished."""
    tasks = [(function, name, arguments, run) for name, arguments in steps.items()]
    if min(len(tasks), n_processes(n_jobs)) <= 1:
        yield from (_one_step(*task) for task in tasks)
    else:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        yield from parallel(delayed(_one_step)(*task) for task in tasks)


def _one_step(function: Step, name: str, arguments: tuple, run: Run | None) -> tuple[str, dict[str, NDArray]]:
    """Compute one step and save it at once, in the process that has it."""
    with one_blas_thread(), no_checkpoint(), _inside():
        result = {key: np.asarray(value) for key, value in function(*arguments).items()}
    for key, value in result.items():
        if value.dtype.hasobject:
            raise TypeError(
                f"step {name!r} returned {key!r} as objects; only numbers, booleans and text are saved."
            )
    return name, result if run is None else run.save(name, result)


@contextmanager
def _inside() -> Iterator[None]:
    token = _inside_a_step.set(True)
    try:
        yield
    finally:
        _inside_a_step.reset(token)


def how_to_resume(n_done: int, n_steps: int, run: Run | None, steps: str = "steps") -> str:
    """Return the words of an interruption."""
    words = f"Interrupted after {n_done} of {n_steps} {steps}."
    if run is None:
        return f"{words} Nothing was saved; with pulasso.checkpoint('some/folder'): a next call resumes from here."
    return f"{words} What is finished lies in {str(run.folder.parent)!r}: the same call resumes from there."
