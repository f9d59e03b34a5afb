"""Files, page and resuming: what `python -m reproduction` leaves behind."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from pulasso.exceptions import CheckpointError
from reproduction import NAMES, get_experiment, results, rsc, table_1
from reproduction.__main__ import main
from reproduction.cells import generator, repetitions, run_cells
from reproduction.page import render_page
from reproduction.registry import names_wanted
from reproduction.results import reproduce, write_text

LINES = []


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory):
    """Return a folder in which one experiment was reproduced; tests work on copies."""
    folder = tmp_path_factory.mktemp("reproduced")
    reproduce("rsc", "tiny", folder, say=LINES.append)
    return folder


@pytest.fixture
def folder(reproduced, tmp_path):
    return Path(shutil.copytree(reproduced, tmp_path / "results"))


def test_every_file_is_written_and_the_page_needs_no_other(folder):
    home, page = folder / "rsc", folder / "index.html"
    assert {file.name for file in home.iterdir()} == {
        "table.csv", "summary.csv", "figure.png", "figure.svg", "settings.json", "claims.json", "made.json",
    }  # fmt: skip
    assert json.loads((home / "settings.json").read_text())["settings"]["repetitions"] == 3
    text = page.read_text(encoding="utf-8")
    assert rsc.TITLE in text
    assert "not judged" in text
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text)
    links = re.findall(r'href="([^#"][^"]*)"', text)
    assert links
    assert all((folder / link).is_file() for link in links)
    assert any(line.startswith("rsc (tiny)") for line in LINES)


def test_a_second_run_writes_the_same_bytes_from_saved_cells(folder, monkeypatch):
    files = [folder / "index.html", *(folder / "rsc").iterdir()]
    before = {file: file.read_bytes() for file in files}
    monkeypatch.setattr(rsc, "curvature_along", None)  # whoever computes again, fails
    reproduce(["rsc"], "tiny", folder)
    assert {file: file.read_bytes() for file in files} == before


def test_new_numbers_are_dated_and_old_ones_keep_their_date(folder):
    file = folder / "rsc" / "made.json"
    made = json.loads(file.read_text())
    assert set(made["versions"]) == {"python", "pulasso", "numpy", "scipy", "scikit-learn"}
    file.write_text(json.dumps({**made, "date": "1999-12-31"}))
    reproduce(["rsc"], "tiny", folder)
    assert json.loads(file.read_text())["date"] == "1999-12-31"
    (folder / "rsc" / "table.csv").write_text("other,numbers\n")
    reproduce(["rsc"], "tiny", folder)
    assert json.loads(file.read_text()) == made


def test_the_page_keeps_what_was_run_before(folder):
    reproduce("pgd-vs-em", "tiny", folder)
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert 'id="rsc"' in text
    assert 'id="pgd-vs-em"' in text


def test_claims_are_judged_at_larger_scales(folder):
    file = folder / "rsc" / "settings.json"
    file.write_text(file.read_text().replace('"scale": "tiny"', '"scale": "quick"'))
    claims = folder / "rsc" / "claims.json"
    claims.write_text(json.dumps([{"text": "Pigs fly", "holds": False, "evidence": "none did"}]))
    text, damaged = render_page(folder)
    assert not damaged
    assert "0 of 1 hold" in text
    assert 'class="verdict does-not-hold"' in text


@pytest.mark.parametrize("kind", [OSError, ImportError])  # no connection, or nothing to download with
def test_data_that_cannot_be_had_do_not_cost_the_others(folder, monkeypatch, kind):
    def nowhere(*args, **kwargs):
        raise kind("mfeat-fou could not be downloaded.")

    monkeypatch.setattr(table_1, "run", nowhere)
    with pytest.raises(OSError, match=r"Not everything .* table-1: mfeat-fou could not be downloaded"):
        reproduce(["table-1", "rsc"], "tiny", folder)
    assert 'id="rsc"' in (folder / "index.html").read_text(encoding="utf-8")


def test_an_error_of_one_experiment_does_not_cost_the_others_and_is_named_at_the_end(
    folder, monkeypatch, capsys
):
    def refused(*args, **kwargs):
        raise CheckpointError("cells/table-1 belongs to another run.")

    monkeypatch.setattr(table_1, "run", refused)
    (folder / "index.html").unlink()
    assert main(["table-1", "rsc", "--scale", "tiny", "--out", str(folder)]) == 1
    printed = capsys.readouterr()
    assert "rsc (tiny)" in printed.out
    assert "table-1: cells/table-1 belongs to another run." in printed.err
    assert (folder / "index.html").is_file()


def test_wrong_words_and_places_are_refused_before_anything_is_computed(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="scale='huge' is unknown"):
        reproduce("all", "huge", tmp_path / "folder")
    assert not (tmp_path / "folder").exists()
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        reproduce("all", "tiny", tmp_path / "file")
    monkeypatch.setattr(results, "NEEDED", ("pandas", "no_such_package"))
    with pytest.raises(ImportError, match=r"needs no_such_package: pip install \"\.\[reproduction\]\""):
        reproduce("all", "tiny", tmp_path / "folder")


@pytest.mark.parametrize("file", ["settings.json", "claims.json", "summary.csv"])
def test_damaged_results_of_another_experiment_are_named(folder, file):
    shutil.copytree(folder / "rsc", folder / "figure-1")
    (folder / "figure-1" / file).write_text("{" if file != "summary.csv" else "")
    text, damaged = render_page(folder)
    assert 'id="rsc"' in text
    assert "The results of <code>figure-1</code> are damaged" in text
    assert list(damaged) == ["figure-1"]
    said = []
    reproduce("rsc", "tiny", folder, say=said.append)
    assert any(str(folder / "figure-1") in words for words in said)


def test_a_file_that_cannot_be_finished_leaves_the_old_one(tmp_path):
    file = tmp_path / "claims.json"
    write_text(file, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(file, 10_000 * "new" + "\ud800")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_kill_between_date_and_table_is_made_good(folder, monkeypatch):
    home = folder / "rsc"
    table = (home / "table.csv").read_text()
    (home / "table.csv").write_text("other,numbers\n")
    (home / "made.json").write_text('{"date": "1999-12-31"}')

    def killed(file, text):
        if file.name == "table.csv":
            raise KeyboardInterrupt
        write_text(file, text)

    with monkeypatch.context() as patch:
        patch.setattr(results, "write_text", killed)
        with pytest.raises(KeyboardInterrupt):
            reproduce("rsc", "tiny", folder)
    assert "1999" not in (home / "made.json").read_text()  # a new table never carries an old date
    reproduce("rsc", "tiny", folder)
    assert (home / "table.csv").read_text() == table


def test_the_command(folder, capsys, monkeypatch):
    assert main(["rsc", "--scale", "tiny", "--out", str(folder)]) == 0
    assert "rsc (tiny)" in capsys.readouterr().out
    assert main(["figur-1"]) == 1
    assert "Did you mean 'figure-1'" in capsys.readouterr().err
    for wrong in (["rsc", "--seed", "-1"], ["rsc", "--scale", "huge"], []):
        with pytest.raises(SystemExit, match="2"):
            main(wrong)

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(rsc, "run", interrupted)
    assert main(["rsc", "--scale", "tiny", "--out", str(folder)]) == 130


def test_names():
    assert names_wanted(["all"]) == list(NAMES)
    assert names_wanted(["rsc", "all"])[0] == "rsc"
    with pytest.raises(ValueError, match=r"no experiment 'figure1'\. Did you mean 'figure-1'"):
        get_experiment("figure1")


def _square(cell, fixed, seed):
    if cell["x"] == fixed.get("fails_at"):
        raise ArithmeticError("interrupted")
    return {"square": np.array([cell["x"] ** 2, -1]), "draw": generator(seed, cell["x"]).random()}


CELLS = repetitions([{"x": 1}, {"x": 2}], 2)


def test_cells_become_rows():
    table = run_cells("squares", _square, CELLS, {}, 0)
    assert table["repetition"].tolist() == [0] * 4 + [1] * 4
    assert table["square"].tolist() == [1, -1, 4, -1] * 2
    assert table["draw"].nunique() == 2


def test_cells_are_saved_by_the_content_of_their_settings(tmp_path):
    few = run_cells("squares", _square, CELLS[:2], {"c": 1}, 0, checkpoint=tmp_path)
    run_cells("squares", _square, CELLS, {"c": 1}, 0, checkpoint=tmp_path)
    assert len(list(tmp_path.iterdir())) == 1  # more cells of the same settings join the others
    run_cells("squares", _square, CELLS[:2], {"c": 2}, 0, checkpoint=tmp_path)
    run_cells("squares", _square, CELLS[:2], {"c": 1}, 1, checkpoint=tmp_path)
    assert len(list(tmp_path.iterdir())) == 3
    assert few.equals(run_cells("squares", None, CELLS[:2], {"c": 1}, 0, checkpoint=tmp_path))


def test_another_version_computes_its_own_cells(tmp_path, monkeypatch):
    run_cells("squares", _square, CELLS, {}, 0, checkpoint=tmp_path)
    monkeypatch.setattr("pulasso.runs._checkpoint.__version__", "99.0")
    run_cells("squares", _square, CELLS, {}, 0, checkpoint=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_what_was_finished_before_a_failure_is_saved(tmp_path):
    with pytest.raises(ArithmeticError):
        run_cells("squares", _square, CELLS, {"fails_at": 2}, 0, checkpoint=tmp_path)
    saved = run_cells("squares", None, CELLS[:1], {"fails_at": 2}, 0, checkpoint=tmp_path)
    assert saved["square"].tolist() == [1, -1]
