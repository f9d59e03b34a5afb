"""A folder that keeps finished steps of computations, each under a name that tells it from all others."""

import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import warn
from pulasso._version import __version__
from pulasso.exceptions import CheckpointError, CheckpointWarning
from pulasso.runs._fingerprint import fingerprint
from pulasso.storage import as_path, new_file

__all__ = ["Run", "checkpoint", "open_run"]

_folder: ContextVar[Path | None] = ContextVar("checkpoint", default=None)
# How NumPy says that an archive of arrays cannot be read.
DAMAGED = (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)


@contextmanager
def checkpoint(folder: str | os.PathLike) -> Iterator[None]:
    """Save the finished steps of every fit, path, bootstrap or sweep inside the block, and resume from them.

    A computation that was interrupted or killed, called again with the same data and settings inside the same
    folder, takes up what is finished there and ends with the same result, bit for bit. Others have their own
    subfolders, so that one folder serves a whole script, a grid search included. Delete it when you are done.

    Parameters
    ----------
    folder : str or path
        Made if it does not exist.

    Examples
    --------
    >>> import tempfile
    >>> import pulasso
    >>> from pulasso.datasets import simulate_multinomial
    >>> data = simulate_multinomial(200, 5, random_state=0)
    >>> model = pulasso.MultinomialPULasso(lam=0.05, **data.scenario_params)
    >>> with tempfile.TemporaryDirectory() as folder, pulasso.checkpoint(folder):
    ...     first = model.fit(data.X, data.z).coef_
    ...     again = model.fit(data.X, data.z).coef_  # read from the folder
    >>> bool((first == again).all())
    True
    """
    path = as_path(folder, "checkpoint")
    _make(path)
    token = _folder.set(path.resolve())
    try:
        yield
    finally:
        _folder.reset(token)


@contextmanager
def no_checkpoint() -> Iterator[None]:
    """Let computations inside the block save nothing: what contains them is saved as a whole."""
    token = _folder.set(None)
    try:
        yield
    finally:
        _folder.reset(token)


def open_run(what: str, settings: Mapping[str, Any], folder: str | os.PathLike | None = None) -> "Run | None":
    """Return where the steps of a computation are saved; None without a folder, neither given nor in the context.

    Parameters
    ----------
    what : str
        Kind of computation, for people who look into the folder.
    settings : mapping
        Everything that the results depend on, data included.
    folder : str or path, optional
        By default that of the innermost :func:`checkpoint`.
    """
    path = _folder.get() if folder is None else as_path(folder, "checkpoint")
    if path is None:
        return None
    key = fingerprint({"pulasso": __version__, "what": what, **settings})
    return Run(path / f"{quote(what, safe=' ')} {key[:20]}")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise CheckpointError(
            f"checkpoint={str(folder)!r} cannot be used: {error.strerror or error}.",
            parameter="checkpoint",
            remedy="Choose a folder that you may write to, with room on its disk.",
        ) from error


class Run:
    """Finished steps of one computation in a folder, an ``.npz`` file each.

    Files appear under their names only once they are complete and on the disk, so a run may be killed at any moment.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        _make(folder)

    def _file(self, name: str) -> Path:
        return self.folder / f"{quote(name, safe=' ')}.npz"

    def load(self, name: str) -> dict[str, NDArray] | None:
        """Return the result of a finished step, or None if there is none that can be read."""
        file = self._file(name)
        if not file.exists():
            return None
        try:
            # Reading checks the sums that the archive holds of every array.
            with np.load(file, allow_pickle=False) as stored:
                return {key: stored[key] for key in stored.files}
        except DAMAGED as error:
            warn(
                f"{file} is damaged ({type(error).__name__}: {error}); it is ignored, and step {name!r} computed again.",
                CheckpointWarning,
            )
            return None

    def save(self, name: str, result: Mapping[str, NDArray]) -> None:
        """Save the result of a step, all of it or nothing."""
        arrays: dict[str, Any] = dict(result)
        try:
            with new_file(self._file(name), force=True) as part, open(part, "wb") as stream:
                np.savez(stream, **arrays)
        except OSError as error:
            raise CheckpointError(
                f"checkpoint={str(self.folder)!r} cannot be used: {error.strerror or error}.",
                parameter="checkpoint",
                remedy="Choose a folder that you may write to, with room on its disk.",
            ) from error

    def remove(self, name: str) -> None:
        """Forget a step that later ones have made superfluous."""
        self._file(name).unlink(missing_ok=True)
