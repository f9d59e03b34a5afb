"""Every experiment runs at tiny scale, twice with the same numbers, and can be drawn and judged."""

import os
from pathlib import Path

import pytest

from pulasso import MultinomialPULasso, MultinomialPULassoCV, OrdinalPULasso, OrdinalPULassoCV
from pulasso.estimators import fit_path
from reproduction import NAMES, get_experiment
from reproduction.registry import SCALES

NEED_DATA = {
    "table-1": "mfeat",
    "table-1-choices": "mfeat",
    "table-1-early": "mfeat",
    "table-1-lams": "mfeat",
    "table-2": "colposcopy",
    "table-2-choices": "colposcopy",
    "table-2-merged": "colposcopy",
}

DRAWN_AS_LINES = ("figure-1", "figure-2", "figure-2-wide", "figure-3", "figure-4")


def needs_its_data(name):
    folder = Path(os.environ.get("PULASSO_DATA", "/nowhere"), NEED_DATA.get(name, ""))
    missing = name in NEED_DATA and not folder.is_dir()
    return pytest.mark.skipif(missing, reason="PULASSO_DATA does not name the folder of the data sets")


RUNNABLE = [pytest.param(name, marks=needs_its_data(name)) for name in NAMES]


@pytest.fixture(scope="module")
def table_of():
    """Return a function from names to tables that computes each table once."""
    done = {}

    def run(name):
        if name not in done:
            done[name] = get_experiment(name).run("tiny", 0)
        return done[name]

    return run


@pytest.fixture
def without_default_anchor(monkeypatch):
    """Make every fit fail that leaves `anchor` to the library: the paper's estimator must not move with a default."""
    lassos = (MultinomialPULasso, OrdinalPULasso, MultinomialPULassoCV, OrdinalPULassoCV)
    for function in (fit_path, *(lasso.__init__ for lasso in lassos)):
        monkeypatch.setitem(function.__kwdefaults__, "anchor", -1.0)
    with pytest.raises(ValueError, match="anchor"):
        MultinomialPULassoCV(prevalence=0.5).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_keeps_its_contract(name):
    experiment = get_experiment(name)
    assert tuple(experiment.SETTINGS) == SCALES
    assert experiment.TITLE
    assert experiment.PAPER.endswith(".")
    assert all(note.endswith(".") for note in experiment.NOTES)


@pytest.mark.parametrize("name", RUNNABLE)
def test_tables_are_summarized_judged_and_drawn(name, table_of):
    experiment, table = get_experiment(name), table_of(name)
    assert "warned" in table
    assert len(experiment.summarize(table))
    claims = experiment.judge(table)
    assert claims
    assert all(type(claim.holds) is bool and claim.text and claim.evidence for claim in claims)
    axes = experiment.draw(table).axes
    assert all(ax.has_data() and ax.get_xlabel() + ax.get_title() for ax in axes)


@pytest.mark.parametrize("name", [pytest.param(each, marks=needs_its_data(each)) for each in DRAWN_AS_LINES])
def test_methods_keep_apart_in_grey_print(name, table_of):
    for ax in get_experiment(name).draw(table_of(name)).axes:
        lines = [container.lines[0] for container in ax.containers]
        assert len(lines) > 1
        assert len({line.get_marker() for line in lines}) == len(lines)
        assert len({line.get_linestyle() for line in lines}) == len(lines)


# The experiments about choices compute their cells by the same function as the tables.
@pytest.mark.parametrize("name", [each for each in RUNNABLE if "choices" not in each.values[0]])
@pytest.mark.usefixtures("without_default_anchor")
def test_two_runs_give_the_same_table(name, table_of):
    from pandas.testing import assert_frame_equal

    experiment = get_experiment(name)
    again = experiment.run("tiny", 0)
    times = list(getattr(experiment, "TIMED", ()))
    assert_frame_equal(again.drop(columns=times), table_of(name).drop(columns=times), check_exact=True)


def test_another_seed_gives_another_table(table_of):
    other = get_experiment("rsc").run("tiny", 1)
    assert not other["curvature"].equals(table_of("rsc")["curvature"])


def test_unknown_scales_are_named():
    with pytest.raises(ValueError, match="scale='huge' is unknown; use one of 'tiny', 'quick', 'paper'"):
        get_experiment("figure-1").run("huge")
