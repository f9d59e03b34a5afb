"""How far a run has come: a bar on a terminal, lines elsewhere if asked for, else nothing."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

__all__ = ["showing_progress"]

LINES_AT_MOST = 20


@contextmanager
def showing_progress(
    progress: bool | None, title: str, total: int, done: int
) -> Iterator[Callable[[], None]]:
    """Give a function to call after every step, which moves a bar on stderr.

    Parameters
    ----------
    progress : bool or None
        None: only if stderr is a terminal.
    title : str
    total : int
        Number of steps.
    done : int
        Steps that were finished before.
    """
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if progress is False or (progress is None and not terminal) or done == total:
        yield lambda: None
    elif terminal and find_spec("rich") is not None:
        with _bar(title, total, done) as advance:
            yield advance
    else:
        yield _lines(title, total, done)


@contextmanager
def _bar(title: str, total: int, done: int) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title or "steps", total=total, completed=done)
        yield lambda: bar.advance(task)


def _lines(title: str, total: int, done: int) -> Callable[[], None]:
    def advance() -> None:
        nonlocal done
        done += 1
        # A log wants a line now and then, not one for each of a thousand steps.
        if done * LINES_AT_MOST // total > (done - 1) * LINES_AT_MOST // total:
            print(f"{title or 'steps'}: {done} of {total}", file=sys.stderr, flush=True)

    return advance
