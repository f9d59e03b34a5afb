"""Finished steps, saved while a command computes, so that the same command resumes after an interruption."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pulasso.runs import checkpoint, fingerprint

__all__ = ["resumable"]

# Steps that take no time; a folder that holds nothing else is of no use.
CHEAP = {"folds.npz", "seeds.npz"}


@contextmanager
def resumable(out: Path, key: Any, given: Path | None = None) -> Iterator[None]:
    """Save finished steps inside the block; their folder is deleted when it ends well, unless the user named it.

    Parameters
    ----------
    out : Path
        Folder of the results, in which the folder of steps is made.
    key : object
        Whatever the steps depend on. It makes the name of the folder, so that runs with other data or settings
        have one of their own.
    given : Path, optional
        The folder that the user named.
    """
    folder = out / f"checkpoint-{fingerprint(key)[:8]}" if given is None else given
    was_there = out.exists()
    try:
        with checkpoint(folder):
            yield
    except BaseException:  # Ctrl-C, too
        if given is None and not any(file.name not in CHEAP for file in folder.rglob("*.npz")):
            shutil.rmtree(folder, ignore_errors=True)  # nothing in it that a next run could use
        if not was_there:
            with suppress(OSError):  # not empty
                out.rmdir()
        raise
    if given is None:
        shutil.rmtree(folder, ignore_errors=True)
