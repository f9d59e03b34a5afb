"""The one atomic writer: files appear under their names only once they are complete and on the disk."""

import os
import signal
import stat
import threading
import uuid
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pulasso.exceptions import SavedModelError

__all__ = ["DAMAGED", "as_path", "flush", "new_file", "refuse_existing", "regular_file", "uninterrupted"]

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
    if not force and os.path.lexists(path):
        raise FileExistsError(f"{path} exists already and is not overwritten. {hint}")


def regular_file(path: Path) -> int:
    """Return the size of an ordinary file; a pipe or a device could keep a reader waiting for ever."""
    try:
        found = path.stat()
    except OSError as error:
        raise SavedModelError(f"{path} cannot be read: {error.strerror}.") from None
    if not stat.S_ISREG(found.st_mode):
        raise SavedModelError(f"{path} is not an ordinary file.")
    return found.st_size


@contextmanager
def new_file(path: Path, *, force: bool = False, hint: str = "Choose another name.") -> Iterator[Path]:
    """Give the name of a temporary file beside `path`; it takes that name when the block ends well."""
    refuse_existing(path, force, hint)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        yield part
        flush(part)
        with uninterrupted():
            os.replace(part, path)
    finally:
        with uninterrupted():
            part.unlink(missing_ok=True)
    flush(path.parent)


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
