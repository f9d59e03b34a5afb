"""Files about a model that appear complete or not at all."""

import os
from pathlib import Path

from pulasso.storage import as_path, new_file, refuse_existing

__all__ = ["check_target", "write_file"]

HINT = "Choose another name, or force=True to replace it."


def check_target(path: str | os.PathLike, force: bool, example: str) -> Path:
    """Return the path of a file to write; refuse a folder, and a file that is there already."""
    target = as_path(path, "path")
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; name a file in it, for example {target / example}.")
    refuse_existing(target, force, HINT)
    return target


def write_file(target: Path, content: str | bytes, force: bool) -> Path:
    """Write a file, and the folders on the way to it; return its path."""
    if isinstance(content, str):
        # Names that are no valid text must not keep the file from being written.
        content = content.encode("utf-8", "replace")
    target.parent.mkdir(parents=True, exist_ok=True)
    with new_file(target, force=force, hint=HINT) as part:
        part.write_bytes(content)
    return target
