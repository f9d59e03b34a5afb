"""`--config file.toml`: options from a file, under the names they have on the command line."""

import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import typer

__all__ = ["read_config"]


def read_config(context: typer.Context, path: Path | None) -> Path | None:
    """Make the options of a file the defaults of a command; a callback of `--config`."""
    if path is None or context.resilient_parsing:
        return path
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise typer.BadParameter(f"{path}: {error.strerror}.") from None
    except ValueError as error:
        raise typer.BadParameter(f"{path} is not TOML: {error}") from None
    options = [each for each in context.command.params if each.param_type_name == "option"]
    known = {str(each.name): each for each in options if each.name != "config"}
    defaults = {}
    for key, value in given.items():
        name = key.replace("-", "_")
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f" Did you mean {close[0].replace('_', '-')!r}?" if close else ""
            raise typer.BadParameter(f"{path} sets {key!r}, which is no option of this command.{hint}")
        defaults[name] = _as_text(value, several=bool(getattr(known[name], "multiple", False)))
    context.default_map = {**(context.default_map or {}), **defaults}
    return path


def _as_text(value: Any, several: bool) -> Any:
    """Return a value as it would have been typed: a table as oak=0.1,fir=0.2."""
    if isinstance(value, dict):
        return ",".join(f"{name}={number}" for name, number in value.items())
    if several:
        return [str(each) for each in (value if isinstance(value, list) else [value])]
    return value if isinstance(value, bool) else str(value)
