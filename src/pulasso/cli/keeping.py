"""Folders that keep what is finished while a command computes, and go once it is not needed any more."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

__all__ = ["kept_folder"]

# Steps that take no time; a folder that holds nothing else is not worth keeping.
CHEAP = {"folds.npz", "seeds.npz"}


@contextmanager
def kept_folder(out: Path, parts: Any, given: Path | None = None) -> Iterator[Path]:
    """Give a folder for finished steps; it is deleted when the block ends well, unless the user named it.

    Parameters
    ----------
    out : Path
        Folder of the results, beside which the steps are kept.
    parts : what JSON can hold
        Whatever the steps depend on. It makes the name of the folder, so that runs with other data or settings
        find one of their own.
    given : Path, optional
        The folder that the user named.
    """
    key = hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
    folder = out / f"checkpoint-{key[:8]}" if given is None else given
    was_there = out.exists()
    try:
        yield folder
    except Exception:
        if given is None and not any(file.name not in CHEAP for file in folder.rglob("*.npz")):
            shutil.rmtree(folder, ignore_errors=True)  # nothing in it that a next run could use
        if not was_there:
            with suppress(OSError):  # not empty
                out.rmdir()
        raise
    if given is None:
        shutil.rmtree(folder, ignore_errors=True)
