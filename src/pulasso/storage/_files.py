"""The one atomic writer: files appear under their names only once they are complete and on the disk."""

import os
import re
import signal
import stat
import threading
import uuid
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pulasso.exceptions import InputError, SavedModelError

__all__ = [
    "DAMAGED",
    "as_path",
    "flush",
    "is_part_of",
    "new_file",
    "part_of",
    "read_bytes",
    "refuse_existing",
    "uninterrupted",
]

# How Python says that an archive of arrays cannot be read: flags for encryption and unknown compression among them.
DAMAGED = (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)


def as_path(value: str | os.PathLike, name: str) -> Path:
    """Return the path that a user gave as text or as a path object; refuse anything else."""
    path = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(path, str):
        raise TypeError(f"{name}={value!r} is not a path: give the name of a folder as text.")
    if "\0" in path:
        raise ValueError(f"{name}={value!r} holds a null character; no file can be called so.")
    return Path(path)


def refuse_existing(path: Path, force: bool, hint: str) -> None:
    """Refuse to write where something is, unless told to replace it."""
    if not isinstance(force, bool):
        raise InputError(f"force must be True or False, not a {type(force).__name__}.", parameter="force")
    if not force and os.path.lexists(path):
        raise FileExistsError(f"{path} exists already and is not overwritten. {hint}")


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """Return the content of an ordinary file; a pipe or a device could keep a reader waiting for ever.

    Raises a `SavedModelError`, or a `FileNotFoundError`.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise SavedModelError(f"{path} is not an ordinary file.")
        if most is not None and found.st_size > most:
            raise SavedModelError(f"{path} is larger than {most} bytes: it is not ours.")
        return path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise SavedModelError(f"{path} cannot be read: {error.strerror}.") from None


@contextmanager
def new_file(path: Path, *, force: bool = False, hint: str = "Choose another name.") -> Iterator[Path]:
    """Give the name of a temporary file beside `path`; it takes that name when the block ends well.

    Without `force` nothing is ever replaced, not even what another process has written in the meantime.
    """
    refuse_existing(path, force, hint)
    part = part_of(path)
    try:
        yield part
        flush(part)
        with uninterrupted():
            _rename(part, path, force, hint)
    finally:
        with uninterrupted():
            part.unlink(missing_ok=True)
    flush(path.parent)


def part_of(path: Path) -> Path:
    """Return a name beside `path` that nobody else uses; what a killed process leaves there harms nobody."""
    return path.with_name(f".{path.name[:100]}.{uuid.uuid4().hex}.part")


def is_part_of(part: Path, path: Path) -> bool:
    """Say whether a name is one of those that :func:`part_of` gives."""
    return re.fullmatch(rf"\.{re.escape(path.name[:100])}\.[0-9a-f]{{32}}\.part", part.name) is not None


def _rename(part: Path, path: Path, force: bool, hint: str) -> None:
    if not force:
        try:
            os.link(part, path)  # in one step, and only if nothing is there
            return
        except OSError:  # something is there, or the file system has no links
            refuse_existing(path, force, hint)
    os.replace(part, path)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait until the block is done, which must not take long."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # other threads are never interrupted, and some programs ignore Ctrl-C
        return
    waiting: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting:
        before(waiting[0], None)


def flush(path: Path) -> None:
    """Make sure that a file, or the names in a folder, are on the disk."""
    if path.is_dir() and os.name != "posix":
        return  # only POSIX opens folders
    handle = os.open(path, os.O_RDONLY if path.is_dir() or os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
