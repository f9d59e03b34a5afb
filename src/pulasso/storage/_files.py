"""Files and folders that appear under their names only once they are complete and on the disk."""

import os
import shutil
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pulasso.exceptions import SavedModelError

__all__ = ["as_path", "new_file", "new_folder", "refuse_existing", "regular_file", "uninterrupted"]


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
    part = _beside(path, "part")
    try:
        yield part
        _flush(part)
        with uninterrupted():
            os.replace(part, path)
    finally:
        with uninterrupted():
            part.unlink(missing_ok=True)
    _flush(path.parent)


@contextmanager
def new_folder(path: Path, *, marker: str, force: bool = False, hint: str = "") -> Iterator[Path]:
    """Give a temporary folder beside `path`; it takes that name when the block ends well.

    Parameters
    ----------
    path : Path
    marker : str
        With `force` a folder is replaced only if it is empty or holds a file of this name: whatever else
        is there was not written by us.
    force : bool
    hint : str
        What to do about a folder that exists, in the words of the caller.
    """
    refuse_existing(path, force, hint)
    replaceable = (
        not path.exists() or (path / marker).is_file() or (path.is_dir() and not any(path.iterdir()))
    )
    if not replaceable or path.is_symlink():
        raise FileExistsError(f"{path} exists and is not a folder with {marker}; it is left alone, even so.")
    part, old = _beside(path, "part"), _beside(path, "old")
    shutil.rmtree(part, ignore_errors=True)  # left by a killed process that had our number
    try:
        part.mkdir(parents=True)
        yield part
        for file in part.iterdir():
            _flush(file)
        _flush(part)
        with uninterrupted():
            if path.exists():
                os.replace(path, old)
            os.replace(part, path)
    finally:
        with uninterrupted():
            if old.exists() and not path.exists():
                os.replace(old, path)
            for left in (part, old):
                shutil.rmtree(left, ignore_errors=True)
    _flush(path.parent)


def _beside(path: Path, what: str) -> Path:
    """Return a hidden name that no other process or thread uses."""
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.{what}")


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


def _flush(path: Path) -> None:
    """Make sure that a file, or the names in a folder, are on the disk."""
    if path.is_dir() and os.name != "posix":
        return  # only POSIX opens folders
    handle = os.open(path, os.O_RDONLY if path.is_dir() or os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
