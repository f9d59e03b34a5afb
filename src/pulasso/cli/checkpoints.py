"""What a command has begun, so that the same command finishes it after an interruption or a kill."""

import json
import os
import shutil
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pulasso.cli.errors import this_command
from pulasso.exceptions import InputError
from pulasso.runs import checkpoint, fingerprint
from pulasso.storage import is_part_of, refuse_existing

__all__ = ["resumable", "writing"]

# Steps that take no time; a folder that holds nothing else is of no use.
CHEAP = {"folds.npz", "seeds.npz"}


@contextmanager
def writing(
    results: Sequence[Path], force: bool, elsewhere: str = "another folder by --out"
) -> Iterator[bool]:
    """Refuse results that are there already, before anything is computed; give what `force` is inside the block.

    A command that was killed may have written some of its results. While it works a small file beside them says so:
    the same command finds it, and replaces what it had begun.
    """
    folder, was_there = results[0].parent, results[0].parent.exists()
    begun = folder / f".pulasso-{this_command()}.begun"
    resumes = _was_begun(begun)
    for path in results:
        refuse_existing(path, force or resumes, f"Give --force to replace it, or {elsewhere}.")
        for part in path.parent.iterdir() if resumes else ():
            if is_part_of(part, path):
                shutil.rmtree(part) if part.is_dir() else part.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    begun.write_text(json.dumps({"process": os.getpid(), "computer": socket.gethostname()}), encoding="utf-8")
    try:
        yield force or resumes
    except BaseException:  # Ctrl-C, too
        if force or not any(map(os.path.lexists, results)):
            begun.unlink(missing_ok=True)
        if not was_there:
            with suppress(OSError):  # not empty
                folder.rmdir()
        raise
    begun.unlink(missing_ok=True)


def _was_begun(file: Path) -> bool:
    """Say whether this command was begun and not finished; refuse it while it is still running."""
    try:
        owner = json.loads(file.read_text(encoding="utf-8"))
        process, computer = int(owner["process"]), owner["computer"]
    except FileNotFoundError:
        return False
    except (OSError, ValueError, KeyError, TypeError):
        return True  # it was killed before it could write its name
    if computer == socket.gethostname() and process != os.getpid() and _is_running(process):
        raise InputError(
            f"The same command is running already, as process {process}.",
            parameter="out",
            remedy=f"Wait for it, stop it, or (if process {process} is something else) delete {file}.",
        )
    return True


def _is_running(process: int) -> bool:
    """Say whether there is such a process; elsewhere than on POSIX asking would stop it, and the answer is no."""
    if os.name != "posix" or process <= 0:
        return False
    try:
        os.kill(process, 0)
    except PermissionError:
        return True  # somebody else's
    except (OSError, OverflowError):
        return False
    return True


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
    try:
        with checkpoint(folder):
            yield
    except BaseException:  # Ctrl-C, too
        if given is None and not any(file.name not in CHEAP for file in folder.rglob("*.npz")):
            shutil.rmtree(folder, ignore_errors=True)  # nothing in it that a next run could use
        raise
    if given is None:
        shutil.rmtree(folder, ignore_errors=True)
