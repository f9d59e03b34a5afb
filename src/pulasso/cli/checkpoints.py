"""Finished steps, saved while a command computes, so that the same command resumes after an interruption."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

__all__ = ["checkpoint_folder", "fit_resumably", "saved_in"]

# Steps that take no time; a folder that holds nothing else is of no use.
CHEAP = {"folds.npz", "seeds.npz"}


def saved_in(folder: Path, step: str) -> dict[str, Any]:
    """Return the argument by which a function of the library saves its finished steps below a folder."""
    return {"checkpoint": folder / step}


def fit_resumably(model: Any, x: Any, z: NDArray, weight: NDArray | None, folder: Path) -> None:
    """Fit a model; cross-validation saves its finished folds in a folder."""
    has_folds = "cv" in model.get_params(deep=False)
    model.set_params(**({"checkpoint": folder} if has_folds else {}))
    model.fit(x, z, sample_weight=weight)
    model.set_params(**({"checkpoint": None} if has_folds else {}))  # a next fit would look for it


@contextmanager
def checkpoint_folder(out: Path, key: Any, given: Path | None = None) -> Iterator[Path]:
    """Give a folder for finished steps; it is deleted when the block ends well, unless the user named it.

    Parameters
    ----------
    out : Path
        Folder of the results, in which the folder of steps is made.
    key : what JSON can hold
        Whatever the steps depend on. It makes the name of the folder, so that runs with other data or settings
        have one of their own.
    given : Path, optional
        The folder that the user named.
    """
    digest = hashlib.sha256(json.dumps(key, sort_keys=True, default=str).encode()).hexdigest()
    folder = out / f"checkpoint-{digest[:8]}" if given is None else given
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
