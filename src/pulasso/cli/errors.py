"""How every command ends: with its result, or with a message in the words of the command line."""

import ast
import functools
import hashlib
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
    "command_line",
    "in_option_words",
    "note",
    "reporting",
    "said",
    "say",
    "show_parameter",
    "this_command",
    "warn",
]

INTERRUPTED = 130  # what shells report for a program that ended by Ctrl-C

# What users of the command line call a parameter of the library, where it is not the same word.
OTHER_WORDS = {
    "X": "the table",
    "class_order": "--ordered",
    "cv": "--folds",
    "n_jobs": "--jobs",
    "n_restarts": "--restarts",
    "n_subsamples": "--subsamples",
    "random_state": "--seed",
    "sample_weight": "--weights",
    "y": "the label column",
    "z": "the label column",
}
SAME_WORDS = {
    "anchor", "checkpoint", "drop", "force", "groups", "keep", "label", "label_frequency", "lam", "lam_min_ratio",
    "max_active", "missing", "models", "n_lams", "na", "negative", "negative_label_frequency", "penalty", "prevalence",
    "reference", "refit", "scenario", "select", "source", "source_scenario", "standardize", "unlabeled", "weights",
}  # fmt: skip

_said: ContextVar[list[str]] = ContextVar("said")
_asked: ContextVar[str] = ContextVar("asked")


# --- words ------------------------------------------------------------------------------------------------


def show_parameter(name: str, value: str | None = None) -> str:
    """Return a parameter of the library, and a value that is advised for it, as it is typed on the command line.

    Examples
    --------
    >>> show_parameter("lam_min_ratio", "0.01"), show_parameter("prevalence", "{'oak': 0.2, 'fir': 0.1}")
    ('--lam-min-ratio 0.01', '--prevalence oak=0.2,fir=0.1')
    """
    option = OTHER_WORDS.get(name)
    if name in SAME_WORDS:
        option = f"--{name}".replace("_", "-")
    if option is None:  # what the command line does not offer
        return f"{name}={value}" if value else name
    if not value or not option.startswith("--"):
        return option
    if value.startswith("SingleTrainingSet("):
        return "--negative-label-frequency"
    if name == "standardize" and value == "'auto'":
        return "--leave-indicators"
    if value in ("True", "False"):
        return option if value == "True" else f"--no{option[1:]}"
    return f"{option} {_as_typed(value)}"


def _as_typed(value: str) -> str:
    """Return what stands in Python code as it is typed: 'oak' as oak, a mapping as oak=0.2,fir=0.1."""
    if value.startswith("float("):  # of NaN, which an empty cell is
        return '""'
    try:
        found = ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return value
    if isinstance(found, dict):
        found = ",".join(f"{name}={number}" for name, number in found.items())
    elif isinstance(found, list):
        found = "<".join("..." if each is ... else str(each) for each in found)
    return shlex.quote(str(found))


def in_option_words(message: object) -> str:
    """Return a message of the library, an error or a warning in the words of the command line."""
    from pulasso._messages import render, visible

    if isinstance(message, BaseException) and message.args and isinstance(message.args[0], str):
        message = message.args[0]
    words = visible(render(message if isinstance(message, str) else str(message), show_parameter))
    return re.sub(r"(^|[.?!] )the (table|label column)\b", r"\1The \2", words)


def command_line() -> str | None:
    """Return the command as it was typed, for those who want to repeat it; None inside another program."""
    program, *words = sys.argv
    ours = program.endswith(("pulasso", "pulasso.exe", "main.py"))
    return shlex.join(["pulasso", *words]) if ours else None


def this_command() -> str:
    """Return what tells this command, with all of its options, from others."""
    return hashlib.sha256(_asked.get().encode()).hexdigest()[:8]


def said() -> list[str]:
    """Return the warnings of this command so far."""
    return list(_said.get([]))


def say(words: str) -> None:
    """Print a part of the result; names of classes and columns may hold what steers a terminal."""
    from pulasso._messages import visible

    typer.echo(visible(words))


def note(words: str) -> None:
    """Say something beside the result, on stderr."""
    typer.secho(in_option_words(words), err=True)


def warn(message: object) -> None:
    """Say what the user should look at, on stderr; it is repeated in JSON results."""
    words = in_option_words(message)
    typer.secho("Warning: ", err=True, nl=False, fg=typer.colors.YELLOW)
    typer.secho(words, err=True)
    _said.get([]).append(words)


# --- ends -------------------------------------------------------------------------------------------------


def reporting(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command: errors of data and files become messages and exit code 1, warnings become lines."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        said_before, asked_before = _said.set([]), _asked.set(f"{command.__name__} {args} {kwargs}")
        try:
            with _warnings_as_lines():
                command(*args, **kwargs)
        except BrokenPipeError:
            raise  # the reader of our output has left, as `| head` does: typer ends quietly
        except (ValueError, OSError, ImportError, MemoryError) as error:
            _fail(words_of(error), code=1)
        except KeyboardInterrupt as error:
            _fail(in_option_words(error) or "Interrupted.", code=INTERRUPTED)
        finally:
            _said.reset(said_before)
            _asked.reset(asked_before)

    return run


def words_of(error: BaseException) -> str:
    """Return what an error says to users of the command line."""
    if isinstance(error, MemoryError):
        return f"Not enough memory ({error}). Try fewer columns (--keep) or fewer rows."
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    return in_option_words(error)


def _fail(words: str, code: int) -> None:
    typer.secho("Error: ", err=True, nl=False, fg=typer.colors.RED, bold=True)
    note(words)
    raise typer.Exit(code)


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Show each warning once, as a sentence without the line of code that gave it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecations in other libraries are not the user's affair
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = lambda message, *args, **kwargs: warn(message)
        yield
