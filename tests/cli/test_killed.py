"""A command that was killed or interrupted is finished by the same command; others do not touch what it began."""

import json
import os

import pytest
from typer.testing import CliRunner

import pulasso
from pulasso.cli.main import app
from support.killed import at_every_moment

posix_only = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
COMMANDS = {
    "fit": ("fit", "--lam", "0.05"),
    "path": ("path", "--n-lams", "3"),
}
RESULTS = {"fit": {"model", "predictions.csv"}, "path": {"path", "path.csv"}}


@pytest.fixture
def words(csv, known, tmp_path):
    return lambda name: [COMMANDS[name][0], csv, *known, *COMMANDS[name][1:], "--out", "results"]


@posix_only
@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_any_moment(words, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    moments = 0
    for moment in at_every_moment(lambda: CliRunner().invoke(app, words(name))):
        done = CliRunner().invoke(app, words(name))
        assert done.exit_code == 0, done.output
        assert {each.name for each in (tmp_path / "results").iterdir()} == RESULTS[name]
        pulasso.load(tmp_path / "results" / name.replace("fit", "model"))
        for each in sorted((tmp_path / "results").rglob("*"), reverse=True):
            each.rmdir() if each.is_dir() else each.unlink()
        (tmp_path / "results").rmdir()
        moments = moment
    assert moments >= 8


def begun_by(run, words, tmp_path, monkeypatch, owner):
    """Let a command fail after its first result, and put another owner into the file that says so."""
    with monkeypatch.context() as broken:
        broken.setattr(
            "pulasso.cli.results.write_csv", lambda *_, **__: (_ for _ in ()).throw(OSError("full"))
        )
        assert run(*words("fit")).code == 1
    (file,) = (tmp_path / "results").glob(".pulasso-*.begun")
    file.write_text(owner)
    return file


HERE = os.uname().nodename if hasattr(os, "uname") else ""
OWNERS = [(0, "another"), (0, HERE), (-1, HERE), (10**30, HERE)]


@pytest.mark.parametrize(
    "owner", ["", "{}", *(json.dumps({"process": number, "computer": name}) for number, name in OWNERS)]
)
def test_what_was_begun_is_finished(run, words, tmp_path, monkeypatch, owner):
    begun_by(run, words, tmp_path, monkeypatch, owner)
    other = run(*words("fit"), "--no-standardize")
    assert other.code == 1 and "exists already" in other.err
    assert run(*words("fit")).code == 0
    assert {each.name for each in (tmp_path / "results").iterdir()} == RESULTS["fit"]
    again = run(*words("fit"))
    assert again.code == 1 and "exists already" in again.err


@posix_only
def test_a_command_that_is_still_running(run, words, tmp_path, monkeypatch):
    owner = {"process": os.getppid(), "computer": HERE}
    file = begun_by(run, words, tmp_path, monkeypatch, json.dumps(owner))
    done = run(*words("fit"))
    assert done.code == 1 and f"as process {os.getppid()}" in done.err
    assert file.exists()
