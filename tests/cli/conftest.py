"""A small table of sightings, and a way to give commands."""

from dataclasses import dataclass
from functools import wraps

import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from pulasso.cli.main import app


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str
    error: BaseException | None = None  # why it failed, if it did

    def refused(self, parameter=None, words="", code=1):
        """Check that it failed because of a parameter (None: whatever), with a message that holds these words."""
        assert self.code == code, (self.code, self.out, self.err)
        assert parameter is None or self.error.parameter == parameter, repr(self.error)
        assert words in self.words, self.words

    @property
    def words(self):
        """What was said on stderr, without the line breaks of boxes."""
        return " ".join(self.err.replace("│", " ").split())


@pytest.fixture(name="run")
def give_commands(tmp_path, monkeypatch):
    """Return a function that gives a command in an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*words):
        found = CliRunner().invoke(app, [str(word) for word in words])
        if found.exception is not None and not isinstance(found.exception, SystemExit):
            raise found.exception
        error = found.exception
        while isinstance(error, SystemExit | typer.Exit):
            error = error.__context__
        return Done(found.exit_code, found.stdout, found.stderr, error)

    return run


@pytest.fixture(name="pages")
def pages_without_pictures(monkeypatch):
    """Return what pages were written from, one dict each; drawing real ones takes seconds."""
    from pulasso.report import write_report

    pages = []

    @wraps(write_report)
    def record(model, path, *, force=False, **about):
        path.write_text("a page")
        pages.append(about)

    monkeypatch.setattr("pulasso.report.write_report", record)
    return pages


def make_sightings(n=240):
    """Oaks like rain and clay, firs like warmth; six of ten of both were seen."""
    rng = np.random.default_rng(0)
    y = rng.permuted(np.repeat([0, 1, 2], [n // 2, n // 4, n // 4]))
    table = pd.DataFrame(rng.normal(size=(n, 3)), columns=["height", "rain", "temp"])
    table.loc[y == 1, "rain"] += 2.0
    table.loc[y == 2, "temp"] += 2.0
    table["soil"] = np.where(rng.random(n) < 0.5, np.where(y == 1, "clay", "sand"), "loam")
    table["road"] = rng.choice(["near", "far"], n)
    seen = np.where(rng.random(n) < 0.6, y, 0)
    table.insert(0, "species", np.array(["background", "oak", "fir"])[seen])
    return table.round(3)


@pytest.fixture(name="table")
def sightings():
    return make_sightings()


@pytest.fixture(name="csv")
def sightings_file(table, tmp_path):
    table.to_csv(tmp_path / "sightings.csv", index=False)
    return "sightings.csv"


KNOWN = ("--label", "species", "--scenario", "single-training-set", "--label-frequency", "0.6")


@pytest.fixture(name="known")
def what_is_known():
    """Options that say enough about the table of sightings."""
    return KNOWN
