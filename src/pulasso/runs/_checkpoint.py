"""A folder that keeps finished steps: every file in it is whole, or is found out and computed again."""

import hashlib
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from pulasso._version import __version__
from pulasso.exceptions import CheckpointError, CheckpointWarning
from pulasso.runs._fingerprint import array_digest, as_json
from pulasso.storage import DAMAGED, as_path

__all__ = ["Checkpoint"]

SETTINGS = "settings.json"
HASH = "sha256"  # the array inside a step's file that holds its hash
PREFIX = "result."  # before the names of the others, which may be any
UNFINISHED = ".part"
SHOWN = 60  # characters of a differing setting in a message


class Checkpoint:
    """Finished steps in a folder, one ``.npz`` file each, beside a readable ``settings.json``.

    The folder belongs to one run at a time. Files appear under their names only once they are complete
    and on the disk, so a run may be killed at any moment.

    Parameters
    ----------
    folder : str or path
        Made if it does not exist.
    fingerprint : mapping
        Readable names of everything the results depend on: settings, and hashes of data. The version of
        the library is added.

    Raises
    ------
    CheckpointError
        If the folder holds steps of a run with another fingerprint, or cannot be used.
    """

    def __init__(self, folder: str | os.PathLike, fingerprint: Mapping[str, Any]):
        self.folder = as_path(folder, "checkpoint")
        settings = as_json({"pulasso": __version__, **fingerprint})
        self._key = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
        with self._refusals():
            self.folder.mkdir(parents=True, exist_ok=True)
            file = self.folder / SETTINGS
            if file.exists():
                self._compare(settings, file)
            else:
                readable = {name: json.loads(text) for name, text in settings.items()}
                words = json.dumps({"fingerprint": readable}, indent=2)
                self._write(file, lambda stream: stream.write(words.encode()))

    def check_writable(self) -> None:
        """Refuse a folder that could not keep the next step, and remove what killed runs left unfinished."""
        with self._refusals():
            for left in self.folder.glob(f"*{UNFINISHED}"):
                left.unlink(missing_ok=True)
            probe = self.folder / f"probe{UNFINISHED}"
            probe.write_bytes(b"")
            probe.unlink()

    def load(self, name: str) -> dict[str, NDArray] | None:
        """Return the result of a finished step, or None if there is none that can be trusted."""
        file = self._file(name)
        if not file.exists():
            return None
        try:
            with open(file, "rb") as stream, np.load(stream, allow_pickle=False) as stored:
                found = str(stored[HASH])
                result = {key.removeprefix(PREFIX): stored[key] for key in stored.files if key != HASH}
            why = "its hash does not fit" if found != self._hash(name, result) else ""
        except DAMAGED as error:
            why = f"{type(error).__name__}: {error}"
        if not why:
            return result
        warnings.warn(
            f"{file} is damaged or of another run ({why}); it is ignored, and step {name!r} computed again.",
            CheckpointWarning,
            stacklevel=5,
        )
        return None

    def load_all(self, names: Iterable[str]) -> dict[str, dict[str, NDArray]]:
        """Return the results of those steps that are finished."""
        found = {name: self.load(name) for name in names}
        return {name: result for name, result in found.items() if result is not None}

    def save(self, name: str, result: Mapping[str, NDArray]) -> None:
        """Keep the result of a step, all of it or nothing."""
        arrays: dict[str, Any] = {f"{PREFIX}{key}": value for key, value in result.items()}
        arrays[HASH] = np.array(self._hash(name, result))
        with self._refusals():
            self._write(self._file(name), lambda stream: np.savez(stream, **arrays))

    def remove(self, name: str) -> None:
        """Forget a step that later ones have made superfluous."""
        with self._refusals():
            self._file(name).unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        return self.folder / f"{quote(name, safe=' ')}.npz"

    def _hash(self, name: str, result: Mapping[str, NDArray]) -> str:
        """Hash of the run, the step and the result: a file moved from elsewhere does not pass, either."""
        digest = hashlib.sha256(f"{self._key}{name}".encode())
        for key in sorted(result):
            digest.update(f"{key!r};".encode())
            array_digest(digest, result[key])
        return digest.hexdigest()

    @staticmethod
    def _write(file: Path, write: Any) -> None:
        """Write, flush to the disk, then rename: a name never stands for half a file."""
        part = file.with_name(f"{file.name}.{os.getpid()}{UNFINISHED}")
        stream: IO[bytes]
        try:
            with open(part, "wb") as stream:
                write(stream)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(part, file)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        if os.name == "posix":  # the new name itself must reach the disk, too
            folder = os.open(file.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _compare(self, settings: dict[str, str], file: Path) -> None:
        try:
            stored = json.loads(file.read_bytes())["fingerprint"]
            before = {name: json.dumps(value, sort_keys=True) for name, value in stored.items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            raise CheckpointError(
                f"{file} is not the description of a run. Choose another folder as checkpoint=, or delete "
                "this one if it held nothing else."
            ) from None
        names = [*settings, *(name for name in before if name not in settings)]
        different = [name for name in names if settings.get(name) != before.get(name)]
        if different:
            raise CheckpointError(
                f"checkpoint={str(self.folder)!r} holds steps of another run: "
                + "; ".join(_difference(name, before, settings) for name in different)
                + ". Give the same settings to go on with it, or another folder (or delete this one) to "
                "start afresh."
            )

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise CheckpointError(
                f"checkpoint={str(self.folder)!r} cannot be used: {error.strerror or error}. Choose a folder "
                "that you may write to, with room on its disk."
            ) from error


def _difference(name: str, before: Mapping[str, str], now: Mapping[str, str]) -> str:
    there, here = before.get(name, "missing"), now.get(name, "missing")
    if max(len(there), len(here)) > SHOWN:
        return f"{name} differs"
    return f"{name} was {there} and is {here} now"
