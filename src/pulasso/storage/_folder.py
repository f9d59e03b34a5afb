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
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from pulasso.exceptions import SavedModelError
from pulasso.storage._files import flush, new_file, refuse_existing, regular_file, uninterrupted

__all__ = ["read_folder", "write_folder"]

DESCRIPTION = "model.json"
ARRAYS = re.compile(r"arrays-[0-9a-f]{16}\.safetensors")
# Numbers lie in the arrays; what is left is settings, names of columns, and notes.
DESCRIPTION_BYTES = 2**28
ATTEMPTS, PAUSE = (
    50,
    0.01,
)  # at reading a folder that somebody replaces at the same time, and seconds between them


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
    refuse_existing(folder, force, hint)
    is_ours = folder.is_dir() and ((folder / DESCRIPTION).is_file() or not any(folder.iterdir()))
    if os.path.lexists(folder) and (not is_ours or folder.is_symlink()):
        raise FileExistsError(f"{folder} exists and is not a folder with {DESCRIPTION}; it is not replaced.")
    data = save(dict(sorted(arrays.items())))
    name = f"arrays-{hashlib.sha256(data).hexdigest()[:16]}.safetensors"
    text = json.dumps({**description, "arrays": name}, indent=1, allow_nan=False).encode()
    if folder.is_dir():
        _write(folder, name, data, text)
        return
    # A new folder appears whole: it is filled beside its place, under a name that nobody else uses.
    part = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.part")
    try:
        part.mkdir(parents=True)
        _write(part, name, data, text)
        with uninterrupted():
            os.replace(part, folder)
    finally:
        with uninterrupted():
            shutil.rmtree(part, ignore_errors=True)
    flush(folder.parent)


def _write(folder: Path, name: str, data: bytes, text: bytes) -> None:
    with new_file(folder / name, force=True) as part:
        part.write_bytes(data)
    with new_file(folder / DESCRIPTION, force=True) as part:
        part.write_bytes(text)
    for old in folder.iterdir():
        if ARRAYS.fullmatch(old.name) and old.name != name:
            old.unlink(missing_ok=True)


def read_folder(folder: Path) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """Return description and arrays of a folder, or raise a `SavedModelError`; runs no code."""
    for attempt in range(ATTEMPTS):
        description = _read_description(folder)
        name = description.get("arrays")
        if not isinstance(name, str) or not ARRAYS.fullmatch(name):
            raise SavedModelError(f"{folder / DESCRIPTION} does not name its arrays.")
        file = folder / name
        if file.exists() or attempt == ATTEMPTS - 1:
            break
        time.sleep(
            PAUSE
        )  # between our two readings the model was replaced: the next one finds the new arrays
    regular_file(file)
    try:
        data = file.read_bytes()
        if hashlib.sha256(data).hexdigest()[:16] != name[7:23]:
            raise SavedModelError(f"{file} is damaged: its hash is not the one in its name.")
        return description, load(data)
    except (OSError, SafetensorError, ValueError, KeyError) as error:
        if isinstance(error, SavedModelError):
            raise
        raise SavedModelError(f"{file} is damaged: {error}") from None


def _read_description(folder: Path) -> dict[str, Any]:
    file = folder / DESCRIPTION
    if not file.exists():
        raise SavedModelError(
            f"{folder} holds no {DESCRIPTION}, so it is not a saved model. Give the folder that was passed to "
            "`save`, or that the command line wrote."
        )
    if regular_file(file) > DESCRIPTION_BYTES:
        raise SavedModelError(f"{file} is larger than {DESCRIPTION_BYTES} bytes: it is not ours.")
    try:
        description = json.loads(file.read_bytes().decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SavedModelError(f"{file} is damaged: {error}") from None
    if not isinstance(description, dict):
        raise SavedModelError(f"{file} does not describe a saved model.")
    return description
