"""Text files that appear complete or not at all."""

import os
from pathlib import Path

__all__ = ["check_target", "write_text"]

UNFINISHED = ".part"


def check_target(target: Path, force: bool, example: str = "report.html") -> None:
    """Refuse a folder, and a file that is there already."""
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; name a file in it, for example {target / example}.")
    if target.exists() and not force:
        raise FileExistsError(f"{target} is there already; choose another name, or force=True to replace it.")


def write_text(target: Path, text: str, force: bool) -> None:
    """Write beside the target, then put in its place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}{UNFINISHED}")
    try:
        with open(part, "w", encoding="utf-8", newline="\n") as stream:
            # Names that are no valid text must not keep the file from being written.
            stream.write(text.encode("utf-8", "replace").decode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
        check_target(target, force)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
