"""How every command ends: with its result, or with a message that leads on."""

import functools
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import typer

__all__ = [
    "CommandError",
    "as_option",
    "command_line",
    "in_option_words",
    "note",
    "reporting",
    "said",
    "warn",
]

INTERRUPTED = 130  # what shells report for a program that ended by Ctrl-C

_said: ContextVar[list[str]] = ContextVar("said")

# The library speaks of arguments, the command line of options.
OPTIONS = (
    "prevalence|label_frequency|negative_label_frequency|unlabeled|negative|groups|n_lams|lam_min_ratio|"
    "checkpoint"
)
TRANSLATIONS: tuple[tuple[str, str | Callable[[re.Match], str]], ...] = (
    (rf"`({OPTIONS})=`", lambda m: _flag(m[1])),
    (r'unlabeled=float\("nan"\)', '--unlabeled ""'),
    (r"class_order=\[\.\.\.\](?: or an ordered pandas categorical)?", '--ordered "low<mid<high"'),
    (r"\bclass_order\b", "--ordered"),
    (r"scenario='([\w-]+)'", r"--scenario \1"),
    (r"\b(prevalence|label_frequency)=\{([^}]*)\}", lambda m: f"{_flag(m[1])} {_shares(m[2])}"),
    (r"scenario=SingleTrainingSet\(label_frequency=\.\.\., negative_label_frequency=\.\.\.\)",
     "--negative-label-frequency with that number"),
    (r"\bcv=", "--folds "),
    (r"standardize=True", "--standardize"),
    (r"force=True", "--force"),
    (rf"\b({OPTIONS})=(?=\s|[,.;:)`]|$)", lambda m: _flag(m[1])),
    (rf"\b({OPTIONS})=", lambda m: f"{_flag(m[1])} "),
    (r"\bassumed (prevalence|label_frequency)\b", lambda m: f"assumed {_flag(m[1])}"),
    (r"\bin y\b", "in the label column"),
    (r"^y (has|holds|contains)", r"The label column \1"),
)  # fmt: skip


class CommandError(Exception):
    """What was asked cannot be done; the message says why and what to try."""


def _flag(name: str) -> str:
    return f"--{name}".replace("_", "-")


def as_option(name: str, value: str | None) -> str:
    """Return a parameter of the library, with the value that is advised for it, as it is written here."""
    return _flag(name) if value is None else f"{_flag(name)} {value}"


def _shares(text: str) -> str:
    return re.sub(r"'([^']*)':\s*", r"\1=", text).replace(", ", ",")


def in_option_words(words: str) -> str:
    """Return a message of the library in the words of the command line.

    Examples
    --------
    >>> in_option_words("scenario='case-control' needs prevalence=, for example prevalence={'oak': 0.2}.")
    '--scenario case-control needs --prevalence, for example --prevalence oak=0.2.'
    """
    for pattern, replacement in TRANSLATIONS:
        words = re.sub(pattern, replacement, words)
    return words


def command_line() -> str | None:
    """Return the command as it was typed, for those who want to repeat it; None inside another program."""
    program, *words = sys.argv
    return (
        shlex.join(["pulasso", *words]) if program.endswith(("pulasso", "pulasso.exe", "main.py")) else None
    )


def said() -> list[str]:
    """Return the warnings of this command so far."""
    return list(_said.get([]))


def note(words: str) -> None:
    """Say something beside the result, on stderr."""
    typer.secho(words, err=True)


def warn(words: str) -> None:
    """Say what the user should look at, on stderr; it is repeated in JSON results."""
    typer.secho("Warning: ", err=True, nl=False, fg=typer.colors.YELLOW)
    typer.secho(words, err=True)
    _said.get([]).append(words)


def reporting(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command: errors of data and files become messages and exit code 1, warnings become lines."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        token = _said.set([])
        try:
            with _warnings_as_lines():
                command(*args, **kwargs)
        except BrokenPipeError:
            raise  # the reader of our output has left, as `| head` does: typer ends quietly
        except (CommandError, ValueError, OSError, ImportError, MemoryError) as error:
            _fail(_words_of(error), code=1)
        except KeyboardInterrupt as error:
            _fail(in_option_words(str(error)) or "Interrupted.", code=INTERRUPTED)
        finally:
            _said.reset(token)

    return run


def _words_of(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return f"Not enough memory ({error}). Try fewer columns (--keep) or fewer rows."
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    return in_option_words(str(error))


def _fail(words: str, code: int) -> None:
    typer.secho("Error: ", err=True, nl=False, fg=typer.colors.RED, bold=True)
    typer.secho(words, err=True)
    raise typer.Exit(code)


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Show each warning once, as a sentence without the line of code that gave it."""

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        warn(in_option_words(str(message)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecations in other libraries are not the user's affair
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = show
        yield
