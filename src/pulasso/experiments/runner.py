"""Run the cells of an experiment: in parallel, kept by the content of their settings, taken up again."""

import hashlib
import json
import os
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pulasso._version import __version__
from pulasso.exceptions import ConvergenceWarning, GridEdgeWarning, LabelFrequencyWarning
from pulasso.runs import describe, run_steps
from pulasso.tables import make_frame

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Cell", "at_scale", "generator", "repetitions", "run_cells"]

Cell = dict[str, Any]
Compute = Callable[[Cell, Mapping[str, Any], int], Mapping[str, Any]]

# Expected now and then in a study, and kept in the table instead of being shown.
NOTED = (ConvergenceWarning, GridEdgeWarning, LabelFrequencyWarning)


def at_scale(settings: Mapping[str, Mapping[str, Any]], scale: str) -> dict[str, Any]:
    """Return the settings of one scale, or say which scales there are."""
    if scale not in settings:
        raise ValueError(f"scale={scale!r} is unknown; use one of {', '.join(map(repr, settings))}.")
    return dict(settings[scale])


def generator(seed: int, *parts: Any) -> np.random.Generator:
    """Return random numbers that depend on the seed and on what they are for, and on nothing else.

    Cells that share their parts share their data, whatever the scale and the order of computation.

    Examples
    --------
    >>> generator(0, "split", 3).random() == generator(0, "split", 3).random()
    True
    """
    return np.random.default_rng([seed, *(zlib.crc32(repr(part).encode()) for part in parts)])


def repetitions(cells: Sequence[Cell], number: int | Sequence[int]) -> list[Cell]:
    """Return every cell `number` times, or each as often as its own number says, all once before any is repeated.

    Examples
    --------
    >>> repetitions([{"n": 10}, {"n": 20}], [2, 1])
    [{'n': 10, 'repetition': 0}, {'n': 20, 'repetition': 0}, {'n': 10, 'repetition': 1}]
    """
    numbers = [number] * len(cells) if isinstance(number, int) else number
    return [
        {**cell, "repetition": repetition}
        for repetition in range(max(numbers))
        for cell, wanted in zip(cells, numbers, strict=True)
        if repetition < wanted
    ]


def run_cells(
    name: str,
    compute: Compute,
    cells: Sequence[Cell],
    fixed: Mapping[str, Any],
    seed: int,
    *,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike | None = None,
    progress: bool | None = None,
) -> "DataFrame":
    """Compute every cell and return one table.

    Parameters
    ----------
    name : str
        Of the experiment.
    compute : callable
        ``compute(cell, fixed, seed)`` returns named scalars (one row) or arrays of one length (several rows).
    cells : sequence of dict
        What varies. The columns of a cell come first in the table.
    fixed : mapping
        What is the same for all cells. Together with name, seed and version it names the folder that keeps
        finished cells, so that scales that differ only in the number of cells share them.
    seed : int
    n_jobs : int, optional
        Processes; the table does not depend on it.
    checkpoint : str or path, optional
        Folder for folders of finished cells. A run that was killed goes on from there.
    progress : bool, optional
        None shows a bar if stderr is a terminal.

    Returns
    -------
    DataFrame
        With a column `warned`: kinds of warnings during the cell.
    """
    steps = {_name_of(cell): (compute, cell, dict(fixed), seed) for cell in cells}
    kept: dict[str, Any] = {}
    if checkpoint is not None:
        fingerprint = {"experiment": name, "seed": seed, **fixed}
        folder = Path(checkpoint) / f"{name}-{_digest(fingerprint)}"
        kept = {"checkpoint": folder, "fingerprint": fingerprint}
    results = run_steps(_compute_cell, steps, n_jobs=n_jobs, progress=progress, title=name, **kept)
    return _stack(cells, results)


def _name_of(cell: Cell) -> str:
    return " ".join(f"{key} {value}" for key, value in cell.items())


def _digest(fingerprint: Mapping[str, Any]) -> str:
    # With the version: another one computes its own cells beside those of this one.
    words = json.dumps(describe({"pulasso": __version__, **fingerprint}), sort_keys=True)
    return hashlib.sha256(words.encode()).hexdigest()[:12]


def _compute_cell(compute: Compute, cell: Cell, fixed: Mapping[str, Any], seed: int) -> Mapping[str, Any]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = dict(compute(cell, fixed, seed))
    for each in caught:
        if not issubclass(each.category, NOTED):
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    kinds = {each.category.__name__ for each in caught if issubclass(each.category, NOTED)}
    return {**result, "warned": " ".join(sorted(kinds))}


def _stack(cells: Sequence[Cell], results: Sequence[Mapping[str, Any]]) -> "DataFrame":
    rows = []
    for cell, result in zip(cells, results, strict=True):
        columns = {name: np.atleast_1d(values) for name, values in result.items()}
        length = max(len(values) for values in columns.values())
        for i in range(length):
            row = {key: values[i if len(values) > 1 else 0].item() for key, values in columns.items()}
            rows.append({**cell, **row})
    return make_frame(rows)
