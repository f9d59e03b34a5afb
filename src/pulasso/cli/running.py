"""How every command ends: with its result, or with a message that leads on."""

import functools
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

__all__ = ["CommandError", "note", "reporting"]

INTERRUPTED = 130  # what shells report for a program that ended by Ctrl-C


class CommandError(Exception):
    """What was asked cannot be done; the message says why and what to try."""


def note(words: str) -> None:
    """Say something beside the result, on stderr."""
    typer.secho(words, err=True)


def reporting(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command: errors of data and files become messages and exit code 1, warnings become lines."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            with _warnings_as_lines():
                command(*args, **kwargs)
        except (CommandError, ValueError, OSError, ImportError, MemoryError) as error:
            _fail(_words_of(error), code=1)
        except KeyboardInterrupt as error:
            _fail(str(error) or "Interrupted.", code=INTERRUPTED)

    return run


def _words_of(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return f"Not enough memory ({error}). Try fewer columns (--keep) or fewer rows."
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    return str(error)


def _fail(words: str, code: int) -> None:
    typer.secho("Error: ", err=True, nl=False, fg=typer.colors.RED, bold=True)
    typer.secho(words, err=True)
    raise typer.Exit(code)


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Show each warning once, as a sentence without the line of code that gave it."""

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        typer.secho("Warning: ", err=True, nl=False, fg=typer.colors.YELLOW)
        typer.secho(str(message), err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecations in other libraries are not the user's affair
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = show
        yield
