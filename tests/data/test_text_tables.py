"""Text that is not quite a table is refused with the line, and no row is lost or shifted."""

import time

import pytest

from pulasso.data.tables import read_table
from pulasso.exceptions import DataFileError

ROWS = [f"{i},{2 * i},oak" for i in range(60)]
HEADER = "a,b,species"


def table(tmp_path, *lines, encoding="utf-8", end="\n"):
    path = tmp_path / "t.csv"
    path.write_bytes(end.join([HEADER, *lines]).encode(encoding))
    return path


@pytest.mark.parametrize(
    "lines, line, n_cells",
    [
        (["0,0,oak,9", *ROWS], 2, 4),
        ([*ROWS[:1], "1,2,oak,9", *ROWS], 3, 4),
        ([*ROWS, "1,2,oak,9"], 62, 4),
        ([*(f"{row},9" for row in ROWS[:19]), *ROWS], 2, 4),
        ([*ROWS[:5], "1,2", *ROWS], 7, 2),
        ([*ROWS, '"1,2",oak'], 62, 2),
        ([*ROWS, "", "oak"], 63, 1),
    ],
)
def test_rows_of_another_length_are_refused(tmp_path, lines, line, n_cells):
    with pytest.raises(DataFileError, match=rf"line {line} has {n_cells} cells?, but the header has 3"):
        read_table(table(tmp_path, *lines), label="species")


@pytest.mark.parametrize("n_before", [5, 40])
@pytest.mark.parametrize(
    "cells, words",
    [
        (['6,7,"oak', *ROWS[:20], '8,9,oak"'], "goes on to line"),
        (['6,7,"oak', *ROWS], "not closed up to the end"),
        (['6,7,"oak" tree'], "followed by something else"),
        (['6,7,"' + 150_000 * "x" + '"'], "more than 131,072 characters"),
    ],
)
def test_quotes_that_do_not_match_are_refused_with_their_line(tmp_path, n_before, cells, words):
    path = table(tmp_path, *ROWS[:n_before], *cells, *ROWS[n_before:])
    with pytest.raises(DataFileError, match=rf"begins in line {n_before + 2} .*{words}"):
        read_table(path, label="species")


@pytest.mark.parametrize("n_before", [5, 40])
@pytest.mark.parametrize(
    "cell, value",
    [
        ('"oak, old"', "oak, old"),
        (' "oak, old"', "oak, old"),
        ('"oak\nold"', "oak\nold"),
        ('"5"" oak"', '5" oak'),
        ('5" oak', '5" oak'),
        (150_000 * "x", 150_000 * "x"),
    ],
)
def test_unusual_cells_are_read(tmp_path, n_before, cell, value):
    frame = read_table(
        table(tmp_path, *ROWS[:n_before], f"6,7,{cell}", *ROWS[n_before:]), label="species"
    ).frame
    assert len(frame) == 61 and frame["species"][n_before] == value
    assert frame["b"].tolist() == [*range(0, 2 * n_before, 2), 7, *range(2 * n_before, 120, 2)]


def test_a_separator_at_the_end_of_rows_does_not_shift_them(tmp_path):
    with pytest.raises(DataFileError, match="from line 2 on, end in a separator"):
        read_table(table(tmp_path, *(f"{row}," for row in ROWS)), label="species")


def test_names_of_rows_are_said_to_be_left_out(tmp_path):
    found = read_table(
        table(tmp_path, *(f"r{row}" for row in (f"{i},{i},2,oak" for i in range(3)))), label="species"
    )
    assert found.frame["a"].tolist() == [0, 1, 2] and "name of the row" in found.notes[0]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_wide_encodings_are_recognised(tmp_path, encoding, end):
    found = read_table(table(tmp_path, *ROWS, "1,2,föhre", encoding=encoding, end=end), label="species")
    assert found.frame["species"].tolist() == [*60 * ["oak"], "föhre"]
    assert ("UTF" in "".join(found.notes)) == (encoding != "utf-8-sig")


@pytest.mark.parametrize(
    "content", [b"a,b\n1,2\n3,\x00\n", b"\xff\xfea", b"\xff\xfea\x00,\x00\x00\xd8\x00\xd8"]
)
def test_what_is_no_text_is_refused(tmp_path, content):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(DataFileError, match="is no text"):
        read_table(tmp_path / "t.csv")


def test_names_of_many_columns_are_compared_quickly(tmp_path):
    names = [f"c{i // 2}" for i in range(50_000)]
    (tmp_path / "t.csv").write_text(",".join(names) + "\n" + ",".join("1" for _ in names))
    start = time.perf_counter()
    with pytest.raises(DataFileError, match="more than one column named"):
        read_table(tmp_path / "t.csv")
    assert time.perf_counter() - start < 5.0  # it was 26 s, by comparing each with all
