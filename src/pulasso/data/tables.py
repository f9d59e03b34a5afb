"""Tables from files: text, Parquet, Feather, svmlight and npz."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pulasso._messages import did_you_mean, listed
from pulasso.data.text_tables import read_text
from pulasso.design import canonical
from pulasso.exceptions import DataFileError, InputError

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["FORMATS", "Table", "file_hash", "read_table"]

FORMATS = {
    ".csv": "text",
    ".tsv": "text",
    ".txt": "text",
    ".parquet": "arrow",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".npz": "npz",
}
LABEL_OF_MATRICES = "y"


@dataclass(frozen=True)
class Table:
    """What a file holds: named columns, or a matrix and perhaps labels.

    Attributes
    ----------
    frame : pandas.DataFrame or None
        Named columns.
    matrix : array or sparse matrix, or None
        Features without names.
    labels : array or None
        Labels that came with a matrix.
    notes : tuple of str
        What is unusual about the file.
    """

    frame: "DataFrame | None" = None
    matrix: Any = None
    labels: Any = None
    notes: tuple[str, ...] = ()


def read_table(
    path: Path,
    *,
    label: str | None = None,
    na: Sequence[str] = (),
    n_features: int | None = None,
    text: Sequence[str] = (),
) -> Table:
    """Read a table by the ending of its name.

    Parameters
    ----------
    path : Path
    label : str, optional
        Column to read as plain text, where "None" or "null" may be the name of a class.
    na : sequence of str, optional
        Text that stands for missing values, besides what usually does.
    n_features : int, optional
        Width of a matrix, for formats that do not say.
    text : sequence of str, optional
        Further columns to read as plain text, such as identifiers: 007 is not 7.
    """
    if not path.exists():
        raise DataFileError(f"{path} does not exist.{_similar_file(path)}")
    suffixes = [each.lower() for each in path.suffixes]
    ending = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else "".join(suffixes[-1:])
    kind = FORMATS.get(ending)
    if path.is_dir() or kind is None:
        raise DataFileError(f"{path} is no table: its name should end in {listed(FORMATS, show=str)}.")
    if kind == "text":
        frame, notes = read_text(path, [*text, *([] if label is None else [label])], na)
        return _without_row_numbers(Table(frame, notes=notes))
    if kind == "arrow":
        return _without_row_numbers(Table(_read_arrow(path, ending)))
    return _read_svmlight(path, n_features) if kind == "svmlight" else _read_npz(path, label)


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file, by which a saved model recognises its table."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _similar_file(path: Path) -> str:
    if not path.parent.is_dir():
        return f" There is no folder {path.parent}, either."
    return did_you_mean(path.name, [each.name for each in path.parent.iterdir()])


def _without_row_numbers(table: Table) -> Table:
    """Leave out a first column without a title that only counts the rows: many programs write one."""
    frame: Any = table.frame
    first = str(frame.columns[0]) if len(frame.columns) else ""
    if not first.startswith("Unnamed: 0") or frame[first].dtype.kind not in "if" or len(frame) < 2:
        return table
    if (np.diff(frame[first].to_numpy()) != 1).any():
        return table
    words = "The first column has no title and counts the rows; it is not used."
    return replace(table, frame=frame.drop(columns=first), notes=(*table.notes, words))


# --- binary -----------------------------------------------------------------------------------------------


def _read_arrow(path: Path, ending: str) -> "DataFrame":
    import pandas as pd

    try:
        return pd.read_parquet(path) if ending == ".parquet" else pd.read_feather(path)
    except ImportError:
        raise ImportError(
            f"{path}: Parquet and Feather need pyarrow; install it with `pip install pulasso[frames]`."
        ) from None
    except (ValueError, OSError) as error:
        raise DataFileError(f"{path} cannot be read: {error}") from None


def _read_svmlight(path: Path, n_features: int | None) -> Table:
    from sklearn.datasets import load_svmlight_file

    try:
        matrix, labels = load_svmlight_file(str(path), n_features=n_features)
    except (ValueError, OverflowError) as error:  # an index may be too large for any matrix
        raise DataFileError(f"{path} cannot be read as svmlight: {error}") from None
    whole = np.array_equal(labels, np.round(labels))
    return Table(matrix=matrix, labels=labels.astype(int) if whole else labels)


def _read_npz(path: Path, label: str | None) -> Table:
    from scipy import sparse

    from pulasso.storage import DAMAGED

    key = label or LABEL_OF_MATRICES
    try:
        with open(path, "rb") as stream:
            stored = np.load(stream, allow_pickle=False)
            if isinstance(stored, np.ndarray):
                raise ValueError(
                    "it holds one array without a name; write it by np.savez(path, X=..., y=...)."
                )
            names = list(stored.files)
            labels = stored[key] if key in names else None
            matrix = stored["X"] if "X" in names else None
        if matrix is None and "format" in names:  # what scipy.sparse.save_npz writes
            matrix = sparse.load_npz(path)
    except DAMAGED as error:
        raise DataFileError(f"{path} cannot be read: {error}") from None
    if matrix is None:
        raise DataFileError(f"{path} holds {listed(names)}; features are expected as X, labels as {key!r}.")
    if label is not None and labels is None:
        raise DataFileError(f"{path} has no labels called {label!r}; it holds {listed(names)}.")
    if sparse.issparse(matrix):
        try:
            matrix = canonical(matrix)
        except InputError as error:
            raise DataFileError(f"{path}: {error}") from None
    _check_axes(path, "X", matrix, 2, "one row for each case, one column for each feature")
    if labels is not None:
        _check_axes(path, key, labels, 1, "one label for each row of X")
    return Table(matrix=matrix, labels=labels)


def _check_axes(path: Path, name: str, array: Any, n_axes: int, meaning: str) -> None:
    if array.ndim != n_axes:
        raise DataFileError(f"{path}: {name} has the shape {array.shape}, but should have {meaning}.")
