"""Names that users type: columns and classes, found or explained."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from pulasso._messages import listed
from pulasso.cli.running import CommandError

__all__ = ["find_column", "find_columns", "suggestion"]


def suggestion(wanted: str, names: Iterable[Any]) -> str:
    """Return a closing "Did you mean ...?" if a name looks like the wanted one, else nothing."""
    by_text = {str(name).strip().casefold(): str(name) for name in names}
    close = get_close_matches(wanted.strip().casefold(), by_text, n=2, cutoff=0.6)
    return f" Did you mean {' or '.join(repr(by_text[each]) for each in close)}?" if close else ""


def find_column(wanted: str, names: Sequence[str], option: str, path: Any) -> str:
    """Return the column that an option names, or say which ones there are."""
    if wanted in names:
        return wanted
    raise CommandError(
        f"{option}: {path} has no column {wanted!r}.{suggestion(wanted, names)} Its columns are {listed(names)}."
    )


def find_columns(patterns: Sequence[str], names: Sequence[str], option: str, path: Any) -> list[str]:
    """Return the columns that an option names, one by one, by commas, or by patterns such as soil_*."""
    found: list[str] = []
    for pattern in patterns:
        # A name with a comma in it is taken as it stands.
        for part in [pattern] if pattern in names else [each.strip() for each in pattern.split(",")]:
            matched = [name for name in names if part == name or fnmatchcase(name, part)]
            if not matched and part:
                find_column(part, names, option, path)
            found.extend(name for name in matched if name not in found)
    return found
