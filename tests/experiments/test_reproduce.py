"""Files, page and resuming: what `pulasso reproduce` leaves behind."""

import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from pulasso.exceptions import CheckpointError
from pulasso.experiments import get_experiment, reproduce, rsc, runner, table_1
from pulasso.experiments.page import write_page
from pulasso.experiments.registry import NAMES, names_wanted
from pulasso.experiments.runner import generator, repetitions, run_cells
from pulasso.experiments.writing import write_text

LINES = []


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory):
    """Return a folder in which one experiment was reproduced; tests work on copies."""
    folder = tmp_path_factory.mktemp("reproduced")
    reproduce("rsc", "tiny", folder, say=LINES.append)
    return folder


@pytest.fixture
def results(reproduced, tmp_path):
    return Path(shutil.copytree(reproduced, tmp_path / "results"))


def test_every_file_is_written_and_the_page_needs_no_other(results):
    home, page = results / "rsc", results / "index.html"
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
    assert all((results / link).is_file() for link in links)
    assert any(line.startswith("rsc (tiny)") for line in LINES)


def test_a_second_run_writes_the_same_bytes_from_kept_cells(results, monkeypatch):
    files = [results / "index.html", *(results / "rsc").iterdir()]
    before = {file: file.read_bytes() for file in files}
    monkeypatch.setattr(rsc, "curvature_along", None)  # whoever computes again, fails
    reproduce(["rsc"], "tiny", results)
    assert {file: file.read_bytes() for file in files} == before


def test_new_numbers_are_dated_and_old_ones_keep_their_date(results):
    file = results / "rsc" / "made.json"
    made = json.loads(file.read_text())
    assert set(made["versions"]) == {"python", "pulasso", "numpy", "scipy", "scikit-learn"}
    file.write_text(json.dumps({**made, "date": "1999-12-31"}))
    reproduce(["rsc"], "tiny", results)
    assert json.loads(file.read_text())["date"] == "1999-12-31"
    (results / "rsc" / "table.csv").write_text("other,numbers\n")
    reproduce(["rsc"], "tiny", results)
    assert json.loads(file.read_text()) == made


def test_the_page_keeps_what_was_run_before(results):
    reproduce("pgd-vs-em", "tiny", results)
    text = (results / "index.html").read_text(encoding="utf-8")
    assert 'id="rsc"' in text
    assert 'id="pgd-vs-em"' in text


def test_claims_are_judged_at_larger_scales(results):
    file = results / "rsc" / "settings.json"
    file.write_text(file.read_text().replace('"scale": "tiny"', '"scale": "quick"'))
    claims = results / "rsc" / "claims.json"
    claims.write_text(json.dumps([{"text": "Pigs fly", "holds": False, "evidence": "none did"}]))
    text = write_page(results).read_text(encoding="utf-8")
    assert "0 of 1 hold" in text
    assert 'class="verdict does-not-hold"' in text


@pytest.mark.parametrize("kind", [OSError, ImportError])  # no connection, or nothing to download with
def test_data_that_cannot_be_had_do_not_cost_the_others(results, monkeypatch, kind):
    def nowhere(*args, **kwargs):
        raise kind("mfeat-fou could not be downloaded.")

    monkeypatch.setattr(table_1, "run", nowhere)
    with pytest.raises(OSError, match=r"Not everything .* table-1: mfeat-fou could not be downloaded"):
        reproduce(["table-1", "rsc"], "tiny", results)
    assert 'id="rsc"' in (results / "index.html").read_text(encoding="utf-8")


def test_an_error_of_one_experiment_does_not_cost_the_others_and_is_named_at_the_end(results, monkeypatch):
    from typer.testing import CliRunner

    from pulasso.cli.main import app

    def refused(*args, **kwargs):
        raise CheckpointError("steps/table-1 belongs to another run.")

    monkeypatch.setattr(table_1, "run", refused)
    (results / "index.html").unlink()
    done = CliRunner().invoke(app, ["reproduce", "table-1", "rsc", "--scale", "tiny", "--out", str(results)])
    assert done.exit_code == 1
    assert "rsc (tiny)" in done.output
    assert "table-1: steps/table-1 belongs to another run." in done.output.splitlines()[-1]
    assert (results / "index.html").is_file()


def test_wrong_words_and_places_are_refused_before_anything_is_computed(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="scale='huge' is unknown"):
        reproduce("all", "huge", tmp_path / "results")
    assert not (tmp_path / "results").exists()
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        reproduce("all", "tiny", tmp_path / "file")
    module = sys.modules["pulasso.experiments.reproduce"]
    monkeypatch.setattr(module, "NEEDED", ("pandas", "no_such_package"))
    with pytest.raises(ImportError, match=r"needs no_such_package: pip install \"pulasso\[experiments\]\""):
        reproduce("all", "tiny", tmp_path / "results")


@pytest.mark.parametrize("file", ["settings.json", "claims.json", "summary.csv"])
def test_damaged_results_of_another_experiment_are_named(results, file):
    shutil.copytree(results / "rsc", results / "figure-1")
    (results / "figure-1" / file).write_text("{" if file != "summary.csv" else "")
    said = []
    text = write_page(results, said.append).read_text(encoding="utf-8")
    assert 'id="rsc"' in text
    assert "The results of <code>figure-1</code> are damaged" in text
    assert [str(results / "figure-1") in words for words in said] == [True]


def test_a_file_that_cannot_be_finished_leaves_the_old_one(tmp_path):
    file = tmp_path / "claims.json"
    write_text(file, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(file, 10_000 * "new" + "\ud800")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_kill_between_date_and_table_is_made_good(results, monkeypatch):
    home = results / "rsc"
    table = (home / "table.csv").read_text()
    (home / "table.csv").write_text("other,numbers\n")
    (home / "made.json").write_text('{"date": "1999-12-31"}')

    def killed(file, text):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["pulasso.experiments.reproduce"], "write_text", killed)
        with pytest.raises(KeyboardInterrupt):
            reproduce("rsc", "tiny", results)
    assert "1999" not in (home / "made.json").read_text()  # a new table never carries an old date
    reproduce("rsc", "tiny", results)
    assert (home / "table.csv").read_text() == table


def test_the_command(results):
    from typer.testing import CliRunner

    from pulasso.cli.main import app

    done = CliRunner().invoke(app, ["reproduce", "rsc", "--scale", "tiny", "--out", str(results)])
    assert done.exit_code == 0
    assert "rsc (tiny)" in done.output
    assert CliRunner().invoke(app, ["reproduce", "figur-1"]).exit_code == 1


def test_names():
    assert names_wanted(["all"]) == list(NAMES)
    assert names_wanted(["rsc", "all"])[0] == "rsc"
    with pytest.raises(ValueError, match=r"no experiment 'figure1'\. Did you mean 'figure-1'\?"):
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


def test_cells_are_kept_by_the_content_of_their_settings(tmp_path):
    few = run_cells("squares", _square, CELLS[:2], {"c": 1}, 0, checkpoint=tmp_path)
    run_cells("squares", _square, CELLS, {"c": 1}, 0, checkpoint=tmp_path)
    assert len(list(tmp_path.iterdir())) == 1  # more cells of the same settings join the others
    run_cells("squares", _square, CELLS[:2], {"c": 2}, 0, checkpoint=tmp_path)
    run_cells("squares", _square, CELLS[:2], {"c": 1}, 1, checkpoint=tmp_path)
    assert len(list(tmp_path.iterdir())) == 3
    assert few.equals(run_cells("squares", None, CELLS[:2], {"c": 1}, 0, checkpoint=tmp_path))


def test_another_version_computes_its_own_cells(tmp_path, monkeypatch):
    run_cells("squares", _square, CELLS, {}, 0, checkpoint=tmp_path)
    for module in (runner, sys.modules["pulasso.runs._checkpoint"]):
        monkeypatch.setattr(module, "__version__", "99.0")
    run_cells("squares", _square, CELLS, {}, 0, checkpoint=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_what_was_finished_before_a_failure_is_kept(tmp_path):
    with pytest.raises(ArithmeticError):
        run_cells("squares", _square, CELLS, {"fails_at": 2}, 0, checkpoint=tmp_path)
    (folder,) = tmp_path.iterdir()
    assert [file.stem for file in folder.glob("*.npz")] == ["x 1 repetition 0"]
