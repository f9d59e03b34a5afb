"""Run the cells of an experiment in parallel, and save them by the content of their settings, to resume from."""

import os
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pulasso.exceptions import (
    ClassShareWarning,
    ConvergenceWarning,
    FewLabelsWarning,
    GridEdgeWarning,
    LabelFrequencyWarning,
    StationaryPointWarning,
)
from pulasso.runs import open_run, run_steps

Cell = dict[str, Any]
Compute = Callable[[Cell, Mapping[str, Any], int], Mapping[str, Any]]

# Expected now and then in a study, and noted in the table instead of being shown.
NOTED = (
    ClassShareWarning,
    ConvergenceWarning,
    FewLabelsWarning,
    GridEdgeWarning,
    LabelFrequencyWarning,
    StationaryPointWarning,
)


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
) -> pd.DataFrame:
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
        What is the same for all cells. Together with name, seed and version it names the folder of finished cells,
        so that scales that differ only in the number of cells share them.
    seed : int
    n_jobs : int, optional
        Processes; the table does not depend on it.
    checkpoint : str or path, optional
        Folder for folders of finished cells. A run that was killed resumes from there.
    progress : bool, optional
        None shows a bar if stderr is a terminal.

    Returns
    -------
    DataFrame
        With a column `warned`: kinds of warnings during the cell.
    """
    steps = {
        " ".join(f"{key} {value}" for key, value in cell.items()): (compute, cell, dict(fixed), seed)
        for cell in cells
    }
    run = None if checkpoint is None else open_run(name, {"seed": seed, **fixed}, checkpoint)
    results = run_steps(_compute_cell, steps, n_jobs=n_jobs, progress=progress, title=name, run=run)
    rows = [row for cell, result in zip(cells, results, strict=True) for row in _rows(cell, result)]
    return pd.DataFrame(rows)


def _compute_cell(compute: Compute, cell: Cell, fixed: Mapping[str, Any], seed: int) -> Mapping[str, Any]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = dict(compute(cell, fixed, seed))
    for each in caught:
        if not issubclass(each.category, NOTED):
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    kinds = {each.category.__name__ for each in caught if issubclass(each.category, NOTED)}
    return {**result, "warned": " ".join(sorted(kinds))}


def _rows(cell: Cell, result: Mapping[str, Any]) -> list[dict[str, Any]]:
    columns = np.broadcast_arrays(*(np.atleast_1d(values) for values in result.values()))
    lists = [column.tolist() for column in columns]
    return [{**cell, **dict(zip(result, values, strict=True))} for values in zip(*lists, strict=True)]
