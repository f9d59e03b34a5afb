"""A folder with one JSON file, which a person can read, and the arrays that it speaks of.

``model.json`` names the file of arrays, whose name holds a hash of its content. Replacing a model writes new arrays
first and then the JSON, in one step that a reader either sees or does not; only then are the old arrays removed. So a
reader always finds a whole model, and files that we did not write are left alone.
"""

import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors.numpy import load, save

from pulasso.exceptions import SavedModelError
from pulasso.storage._files import flush, new_file, part_of, read_bytes, refuse_existing, uninterrupted

__all__ = ["read_description", "read_folder", "write_folder"]

DESCRIPTION = "model.json"
ARRAYS = re.compile(r"arrays-([0-9a-f]{16})\.safetensors")
# Arrays, and what a writer that was killed leaves behind.
LEFTOVER = re.compile(rf"{ARRAYS.pattern}|\..*\.[0-9a-f]{{32}}\.part")
DAY = 86_400.0
# Numbers lie in the arrays; what is left is settings, names of columns, and notes.
DESCRIPTION_BYTES = 2**28
# At reading a folder that somebody replaces at the same time, with so many seconds between them.
ATTEMPTS, PAUSE = 10, 0.005


def write_folder(
    folder: Path, description: Mapping[str, Any], arrays: Mapping[str, NDArray], *, force: bool, hint: str
) -> None:
    """Write a model into a folder that is new, or replace the model in it.

    Parameters
    ----------
    folder : Path
    description : mapping
        As JSON holds it.
    arrays : mapping from name to array
    force : bool
        Replace a model that is already there. A folder that holds something else is refused all the same.
    hint : str
        What to do about a folder that exists, in the words of the caller.
    """
    is_new = not os.path.lexists(folder)
    refuse_existing(folder, force, hint)
    before = None if is_new else _arrays_before(folder)
    data = save(dict(sorted(arrays.items())))
    name = f"arrays-{hashlib.sha256(data).hexdigest()[:16]}.safetensors"
    text = json.dumps({**description, "arrays": name}, indent=1, allow_nan=False, ensure_ascii=False).encode()
    if not is_new:
        _write(folder, name, data, text)
        _tidy(folder, name, before)
        return
    # A new folder appears whole: it is filled beside its place, under a name that nobody else uses.
    part = part_of(folder)
    try:
        part.mkdir(parents=True)
        _write(part, name, data, text)
        with uninterrupted():
            os.rename(part, folder)
    except OSError:
        if not os.path.lexists(folder):
            raise
        write_folder(folder, description, arrays, force=force, hint=hint)  # somebody was faster
    finally:
        with uninterrupted():
            shutil.rmtree(part, ignore_errors=True)
    flush(folder.parent)


def _arrays_before(folder: Path) -> tuple | None:
    """Return which file has the arrays of the model that is there, if any; refuse a folder of somebody else."""
    if folder.is_dir() and not folder.is_symlink():
        with suppress(SavedModelError):
            description = read_description(folder)
            if "pulasso" in description:
                name = str(description.get("arrays"))
                return _identity(folder / name) if ARRAYS.fullmatch(name) else None
        if all(LEFTOVER.fullmatch(each.name) for each in folder.iterdir()):
            return None
    raise FileExistsError(f"{folder} exists and holds no model that can be read; it is not replaced.")


def _identity(file: Path) -> tuple | None:
    """Return what tells a file from another one of the same name; None if there is none."""
    try:
        found = file.lstat()
    except FileNotFoundError:
        return None
    return file.name, found.st_ino, found.st_mtime_ns


def _write(folder: Path, name: str, data: bytes, text: bytes) -> None:
    with new_file(folder / name, force=True) as part:
        part.write_bytes(data)
    with new_file(folder / DESCRIPTION, force=True) as part:
        part.write_bytes(text)


def _tidy(folder: Path, name: str, before: tuple | None) -> None:
    """Remove the arrays of the model before, and what killed writers left long ago; others may be at work now."""
    for each in folder.iterdir():
        if LEFTOVER.fullmatch(each.name) and each.name != name:
            with suppress(OSError):
                # Another writer may just now have written the same arrays as those before: another file.
                is_before = before is not None and _identity(each) == before
                if is_before or time.time() - each.lstat().st_mtime > DAY:
                    each.unlink()


def read_folder(folder: Path) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """Return description and arrays of a folder, or raise a `SavedModelError`; runs no code."""
    for attempt in range(ATTEMPTS):
        time.sleep(PAUSE if attempt else 0.0)
        description = read_description(folder)
        name = description.get("arrays")
        match = ARRAYS.fullmatch(name) if isinstance(name, str) else None
        if match is None:
            raise SavedModelError(f"{folder / DESCRIPTION} does not name its arrays.")
        file = folder / match[0]
        try:
            data = read_bytes(file)
        except FileNotFoundError:
            continue  # the model was replaced between our two readings: the next ones find the new arrays
        if hashlib.sha256(data).hexdigest()[:16] != match[1]:
            raise SavedModelError(f"{file} is damaged: its hash is not the one in its name.")
        try:
            return description, load(data)
        except Exception as error:  # safetensors and NumPy have many ways to say no
            raise SavedModelError(f"{file} is damaged: {error}") from None
    raise SavedModelError(f"{file} is missing.")


def read_description(folder: Path) -> dict[str, Any]:
    """Return what the JSON file of a folder says, without its arrays, or raise a `SavedModelError`."""
    file = folder / DESCRIPTION
    try:
        data = read_bytes(file, DESCRIPTION_BYTES)
    except FileNotFoundError:
        raise SavedModelError(
            f"{folder} holds no {DESCRIPTION}, so it is not a saved model. Give the folder that was passed to "
            "`save`, or that the command line wrote."
        ) from None
    try:
        description = json.loads(data.decode("utf-8"))
        # What could not be written, such as half a character, could not be printed either.
        json.dumps(description, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise SavedModelError(f"{file} is damaged: {error}") from None
    if not isinstance(description, dict):
        raise SavedModelError(f"{file} does not describe a saved model.")
    return description
