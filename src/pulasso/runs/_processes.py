"""How many processes there are, and one copy of an array for all of them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from pulasso._messages import arg
from pulasso.exceptions import InputError

__all__ = ["n_processes", "shared_array"]

WORTH_A_FILE = 2**20  # bytes; joblib sends smaller arrays to its processes as they are


def n_processes(n_jobs: Any) -> int:
    """Return the number of processes that `n_jobs` asks for."""
    is_whole = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not is_whole or n_jobs == 0):
        given = arg(
            "n_jobs", repr(n_jobs) if isinstance(n_jobs, str | float | int) else type(n_jobs).__name__
        )
        words = f"{given} must be a number of processes, -1 for one on every core, or None."
        raise InputError(words, parameter="n_jobs")
    return effective_n_jobs(n_jobs)


@contextmanager
def shared_array(x: Any, given: Any, n_jobs: int | None) -> Iterator[Any]:
    """Give an array that was converted from what was `given` as a file that several processes read; others as they are.

    joblib writes such files by itself. What this spares is the array in memory, once the caller lets go of it, too.
    The file lies in ``JOBLIB_TEMP_FOLDER``, if that is set, or among temporary files, and ends with the block.
    """
    is_converted = isinstance(x, np.ndarray) and x.flags.owndata and x is not given
    if n_processes(n_jobs) <= 1 or not is_converted or x.nbytes < WORTH_A_FILE:
        yield x
        return
    place = os.environ.get("JOBLIB_TEMP_FOLDER")
    with TemporaryDirectory(prefix="pulasso-", dir=place, ignore_cleanup_errors=True) as folder:
        file = Path(folder, "x.npy")
        try:
            np.save(file, x)
            x = np.asarray(np.load(file, mmap_mode="r"))
        except OSError:  # no room for the file: all goes on, with more memory
            pass
        yield x
