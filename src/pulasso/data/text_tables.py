"""Tables of text: separators, encodings, and rows that must be whole, because a lost quote shifts all that follow."""

import csv
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import listed
from pulasso.exceptions import DataFileError

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["read_text"]

ROWS_LOOKED_AT = 20
BYTES_LOOKED_AT = 200
CELLS_AT_ONCE = 2_000_000
# What a cell of a feature without a value holds, as R, spreadsheets, databases and Python write it.
MISSING = ("", "NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "-nan", "NULL", "null", "None", "<NA>")
# The marks by which files say that they are UTF-16 or UTF-32; the longer ones begin with a shorter one.
MARKS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}


def read_text(path: Path, text: Sequence[str], na: Sequence[str]) -> "tuple[DataFrame, tuple[str, ...]]":
    """Return a table of text, and what is unusual about it.

    Parameters
    ----------
    path : Path
    text : sequence of str
        Columns to read as plain text.
    na : sequence of str
        Text that stands for missing values, besides what usually does.
    """
    try:
        wide = _wide_encoding(path)
        for encoding in (wide,) if wide else ("utf-8-sig", "cp1252"):
            try:
                frame, notes = _read_encoded(path, text, na, encoding)
            except UnicodeError as error:
                culprit = _culprit(error)
                continue
            said = {"utf-8-sig": (), "cp1252": (f"{path} is not UTF-8; it is read as Windows-1252.",)}
            return frame, (*said.get(encoding, (f"{path} is read as {encoding.upper()}.",)), *notes)
    except (zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise DataFileError(f"{path} is damaged and cannot be unpacked: {error}.") from None
    known = wide.upper() if wide else "UTF-8 nor in Windows-1252"
    raise DataFileError(
        f"{path} is no text: {culprit} is {'no letter' if wide else 'a letter neither'} in {known}. Save the table as "
        "UTF-8."
    )


def _open(path: Path, mode: str, **how: Any) -> Any:
    return (gzip.open if path.suffix.lower() == ".gz" else open)(path, mode, **how)


def _wide_encoding(path: Path) -> str | None:
    """Return UTF-16 or UTF-32 if a file begins with their marks, or every other byte is zero."""
    with _open(path, "rb") as stream:
        start = stream.read(BYTES_LOOKED_AT)
    for mark, encoding in MARKS.items():
        if start.startswith(mark):
            return encoding
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(start) > 1 and not any(start[first::2]):
            return encoding
    return None


def _culprit(error: UnicodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.object[error.start]:#04x} at position {error.start}"
    return "the mark at its beginning"


def _read_encoded(
    path: Path, text: Sequence[str], na: Sequence[str], encoding: str
) -> "tuple[DataFrame, tuple[str, ...]]":
    with _open(path, "rt", encoding=encoding, newline="") as stream:
        lines = [line for line in islice(stream, ROWS_LOOKED_AT + 1) if line.strip()]
    if not lines:
        raise DataFileError(f"{path} is empty.")
    separator = max(",\t;", key=lines[0].count)
    with _open(path, "rt", encoding=encoding, newline="") as stream:
        header, has_row_names = _check_rows(path, stream, separator)
    decimal = "," if separator == ";" and re.search(r"(^|;)-?\d+,\d+(;|$)", "".join(lines[1:])) else "."
    missing = [*MISSING, *na]
    known = {
        "sep": separator,
        "decimal": decimal,
        "encoding": encoding,
        "index_col": 0 if has_row_names else False,
        # Labels are read as they stand: a class may be called "None".
        "na_values": {name: missing for name in header if name not in text}
        if set(text) & set(header)
        else missing,
        "keep_default_na": False,
        "dtype": {name: str for name in text if name in header},
        "skipinitialspace": True,
    }
    try:
        frame = _read_in_chunks(path, max(1, CELLS_AT_ONCE // len(header)), known)
    except (UnicodeError, DataFileError):
        raise
    except ValueError as error:  # among them pandas' ParserError
        raise DataFileError(f"{path} cannot be read as a table: {str(error).strip()}.") from None
    words = "Rows have one cell more than the header: their first one is taken as the name of the row, and not used."
    return frame, (words,) if has_row_names else ()


# --- rows that must be whole ------------------------------------------------------------------------------


def _check_rows(path: Path, stream: Iterable[str], separator: str) -> tuple[list[str], bool]:
    """Return the header, and whether rows begin with a name that has no title, as R writes them.

    Rows that have more or fewer cells than the first ones are refused: what would be their cells, nobody knows.
    """
    rows = _rows(path, stream, separator)
    _, header, _ = next(rows)
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise DataFileError(f"{path} has more than one column named {listed(twice)}. Rename one of them.")
    first = list(islice(rows, ROWS_LOOKED_AT))
    width = len(header)
    has_row_names = bool(first) and all(len(cells) == width + 1 for _, cells, _ in first)
    if has_row_names and not any(cells[-1].strip() for _, cells, _ in first):
        raise DataFileError(
            f"{path}: the rows, from line {first[0][0]} on, end in a separator ({separator!r}) that the header lacks. "
            "Take it away there, or add one to the header."
        )
    width += has_row_names
    for line, cells, text in chain(first, rows):
        n_cells = len(cells) if cells else text.count(separator) + 1
        if n_cells != width:
            raise DataFileError(
                f"{path}: line {line} has {n_cells} {'cell' if n_cells == 1 else 'cells'}, but the "
                f"{'other rows have' if has_row_names else 'header has'} {width}. Is a separator ({separator!r}) "
                "missing or too many, or a cell with one not in quotes?"
            )
    return header, has_row_names


def _rows(path: Path, stream: Iterable[str], separator: str) -> Iterator[tuple[int, list[str], str]]:
    """Yield the rows: number of the first line, and its cells, or its text where this needs no second look."""
    lines = enumerate(stream, start=1)
    n_seen = 0
    for number, line in lines:
        if "\0" in line:
            raise DataFileError(
                f"{path} is no text: line {number} holds a zero byte. Save the table as UTF-8."
            )
        if not line.strip(" \r\n"):
            continue
        n_seen += 1
        if '"' not in line:  # most lines of a large file, of which the number of cells is enough
            is_shown = n_seen <= ROWS_LOOKED_AT + 1
            yield number, [each.strip(" \r\n") for each in line.split(separator)] if is_shown else [], line
            continue
        taken = [line]
        reader = csv.reader(_taking(taken, lines), delimiter=separator, skipinitialspace=True, strict=True)
        try:
            cells = next(reader)
        except csv.Error as error:
            raise _bad_quotes(path, number, str(error)) from None
        n_separators = max(1, len(cells) - 1)
        if any(each.count(separator) >= n_separators for each in taken[1:-1]):
            raise _bad_quotes(path, number, f"goes on to line {number + len(taken) - 1}, over whole rows")
        yield number, cells, ""


def _taking(taken: list[str], lines: Iterator[tuple[int, str]]) -> Iterator[str]:
    """Yield a line, and those after it as long as more are asked for; note which."""
    yield taken[0]
    for _, line in lines:
        taken.append(line)
        yield line


def _bad_quotes(path: Path, line: int, what: str) -> DataFileError:
    if "field larger" in what:
        what = f"has more than {csv.field_size_limit():,} characters"
    elif "unexpected end" in what:
        what = "is not closed up to the end of the file"
    elif "expected after" in what:
        what = "is followed by something else than a separator"
    return DataFileError(
        f"{path}: text in quotes that begins in line {line} {what}. Is a quote missing? One within quotes is written "
        'twice: "5"" pipe".'
    )


# --- numbers ----------------------------------------------------------------------------------------------


def _read_in_chunks(path: Path, n_rows: int, known: dict[str, Any]) -> "DataFrame":
    """Read some rows at a time: all at once, pandas takes three times the memory of the table."""
    import pandas as pd
    from pandas.api.types import is_numeric_dtype

    numbers: list[NDArray] = []
    others: list[DataFrame] = []
    with pd.read_csv(path, chunksize=n_rows, low_memory=False, **known) as reader:
        for chunk in reader:
            if not others and len(chunk) < n_rows:
                if not len(chunk):
                    raise DataFileError(f"{path} has a header, but no rows.")
                return chunk
            numeric = [name for name in chunk.columns if is_numeric_dtype(chunk[name].dtype)]
            numbers.append(chunk[numeric].to_numpy(dtype=float))
            others.append(chunk.drop(columns=numeric))
    texts = {name for each in others for name in each.columns}
    mixed = [name for name in texts if any(name not in each.columns for each in others)]
    if mixed:  # numbers in one chunk and text in another: text throughout, as it stands in the file
        return _read_in_chunks(path, n_rows, {**known, "dtype": known["dtype"] | dict.fromkeys(mixed, str)})
    frame = pd.DataFrame(_stack(numbers), columns=numeric, copy=False)
    for name, column in pd.concat(others, ignore_index=True).items():
        frame.insert(chunk.columns.get_loc(name), name, column)
    return frame


def _stack(chunks: list[NDArray]) -> NDArray:
    """Put chunks below each other, and let go of each as soon as it is copied."""
    whole = np.empty((sum(map(len, chunks)), chunks[0].shape[1]))
    end = len(whole)
    while chunks:
        chunk = chunks.pop()
        whole[end - len(chunk) : end] = chunk
        end -= len(chunk)
    return whole
