"""Names in tables reach neither the terminal as commands nor a spreadsheet as formulas."""

import numpy as np
import pandas as pd
import pytest

from pulasso._messages import visible
from pulasso.tables import text_facts, text_table

ESCAPE = "\x1b]0;owned\x07red\x1b[2J"
FORMULA = "=cmd|' /C calc'!A0"


@pytest.fixture(name="table")
def hostile_table(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 2))
    species = np.select([x[:, 0] > 0.7, x[:, 0] < -0.7], [ESCAPE, FORMULA], "background")
    frame = pd.DataFrame({"species": species, f"rain{ESCAPE}": x[:, 0], "@sum": x[:, 1]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    return "t.csv"


ASK = ("--label", "species", "--scenario", "fully-observed", "--unlabeled", "background")


def test_commands_print_no_escape_codes(run, table):
    commands = [
        ("fit", table, *ASK, "--lam", "0.01", "--no-report", "--out", "here"),
        ("predict", "here/model", table),
        ("path", table, *ASK, "--out", "there"),
        ("fit", table, "--label", f"spe{ESCAPE}cies", "--lam", "0.1"),
        ("fit", table, *ASK[:-1], f"back{ESCAPE}", "--lam", "0.1"),
    ]
    for words in commands:
        done = run(*words)
        assert done.code == 0 or "\\x1b" in done.err, (words, done.err)
        assert not {"\x1b", "\x07", "\r"} & set(done.out + done.err), words


def test_formulas_are_text_in_predictions(run, table, tmp_path):
    assert run("fit", table, *ASK, "--lam", "0.01", "--no-report").code == 0
    (written,) = tmp_path.rglob("predictions.csv")
    found = pd.read_csv(written)
    assert {f"'{FORMULA}", "background"} <= set(found["predicted"]) and f"'{FORMULA}" in set(found["label"])
    for line in written.read_text().splitlines():
        assert not any(cell.lstrip('"').startswith(("=", "+", "@")) for cell in line.split(","))
    assert found.filter(like="P(").dtypes.eq(float).all()


def test_numbers_stay_numbers(run, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    frame = pd.DataFrame(
        {"z": np.where(x[:, 0] > 0.5, -1, np.where(x[:, 0] < -0.5, -2, 0)), "a": -x[:, 0], "b": x[:, 1]}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    ask = ("--label", "z", "--scenario", "fully-observed", "--unlabeled", "0", "--negative", "0")
    assert run("fit", "t.csv", *ask, "--lam", "0.01", "--no-report").code == 0
    (written,) = tmp_path.rglob("predictions.csv")
    assert pd.read_csv(written)["predicted"].dtype.kind == "i" and "'" not in written.read_text()


def test_tables_of_text_keep_their_lines():
    lines = [
        *text_table(["class", "n"], [["oak\nfir", "1"], [ESCAPE, "2"]]),
        *text_facts({"a\x1b[0mb": "c\rd"}),
    ]
    assert len(lines) == 4 and all(line == visible(line) and "\n" not in line for line in lines)
    assert visible("føhre\tæ\n👩‍🌾") == "føhre\tæ\n👩‍🌾"
    assert visible("\u202eoak\x9b") == "\\u202eoak\\x9b"
