"""A few hundred of the random calls that `make torture` makes 50,000 of."""

import numpy as np
import pytest

from support.fuzz import calls, files, notes, public
from support.fuzz.judge import UnnamedError, judge

N_CASES = {
    calls.fit: 60,
    calls.features: 50,
    calls.labels: 80,
    calls.groups: 40,
    calls.weights: 50,
    calls.path: 40,
    calls.cross_validation: 10,
    calls.species: 40,
    calls.chunks: 25,
    files.model_folder: 80,
    files.command: 30,
    notes.notes: 40,
    files.process: 1,
    public.public: 300,
}

# Cases that ended without a name once; `torture/fuzz.py --face public --first 901975 --cases 1` repeats one.
MENDED = (
    (public.public, 901975),
    (public.public, 902523),
    (public.public, 902595),
    (public.public, 1000177),
    (public.public, 1007100),
    (public.public, 1008383),
    (public.public, 2000325),
    (public.public, 2003718),
    (public.public, 2016747),
    (public.public, 3003300),
    (public.public, 3005868),
    (public.public, 3008257),
    (public.public, 5002412),
    (public.public, 6002783),
    (public.public, 6003305),
    (public.public, 6047916),
    (calls.groups, 5000869),
    (calls.fit, 5001561),
)


@pytest.mark.parametrize("face", N_CASES, ids=lambda face: face.__name__)
def test_calls_end_well_or_by_name(face, record_figure):
    outcomes = {}
    for case in range(N_CASES[face]):
        ended = judge(face(np.random.default_rng(case)))
        outcomes[ended] = outcomes.get(ended, 0) + 1
    record_figure(f"fuzzed {face.__name__}", outcomes)


@pytest.mark.parametrize(("face", "case"), MENDED)
def test_cases_that_once_failed(face, case):
    judge(face(np.random.default_rng(case)))


def test_every_public_name_is_called_or_left_out_for_a_reason():
    names = {name.rsplit(".", 1)[1] for name, _ in public.public_names()}
    called = {part for name in public.recipes() for part in name.split(".")}
    assert names - called - set(public.LEFT_OUT) == set()
    assert set(public.LEFT_OUT) <= names and all(public.LEFT_OUT.values())


def test_the_calls_that_are_made_odd_work_as_they_are(capsys):
    """Otherwise the fuzz would see refusals of arguments that it never meant to change."""
    for recipe in public.recipes().values():
        assert judge(public.call_of(recipe, np.random.default_rng(0), n_odd=0)) == "done", recipe.name


def failing(kind):
    def call():
        if kind == "index":
            return [][1]
        if kind == "operation":
            return np.zeros(2) + np.zeros(3)
        if kind == "warning":
            return np.log(np.zeros(1) - 1)
        while True:
            pass

    return call


@pytest.mark.parametrize("kind", ["index", "operation", "warning", "hang"])
def test_the_judge_finds_what_nobody_named(kind, monkeypatch):
    monkeypatch.setattr("support.fuzz.judge.SECONDS", 0.2)
    with pytest.raises(UnnamedError):
        judge(failing(kind))
