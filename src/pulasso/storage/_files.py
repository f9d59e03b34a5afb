"""Files and folders that appear under their names only once they are complete and on the disk."""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pulasso.exceptions import SavedModelError

__all__ = ["new_file", "new_folder", "refuse_existing", "regular_file"]


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
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        _flush(part)
        os.replace(part, path)
    finally:
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
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    old = path.with_name(f".{path.name}.{os.getpid()}.old")
    shutil.rmtree(part, ignore_errors=True)  # left by a killed process that had our number
    part.mkdir(parents=True)
    try:
        yield part
        for file in part.iterdir():
            _flush(file)
        _flush(part)
        if path.exists():
            os.replace(path, old)
        os.replace(part, path)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        if old.exists() and not path.exists():
            os.replace(old, path)
        shutil.rmtree(old, ignore_errors=True)
    _flush(path.parent)


def _flush(path: Path) -> None:
    """Make sure that a file, or the names in a folder, are on the disk."""
    if path.is_dir() and os.name != "posix":
        return  # only POSIX opens folders
    handle = os.open(path, os.O_RDONLY if path.is_dir() or os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
