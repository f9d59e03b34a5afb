"""A bootstrap, or a stability selection, that is killed goes on where it was and ends with the same bits."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import pulasso
from pulasso import MultinomialPULasso
from pulasso.inference import bootstrap, stability_selection
from pulasso.inference._rows import Rows

SOURCE = Path(pulasso.__file__).parents[1]

# The fourth fit kills the process in which it runs.
RUN = """
import os, signal, sys
sys.path.insert(0, {source!r})
from pulasso import MultinomialPULasso
from pulasso.datasets import simulate_multinomial
from pulasso.inference import bootstrap, stability_selection
from pulasso.inference._rows import Rows

assemble, calls = Rows.assemble, []
def deadly(self, *args):
    calls.append(1)
    if len(calls) == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return assemble(self, *args)
Rows.assemble = deadly

data = simulate_multinomial(120, 8, signal=(2, 3), random_state=0)
model = MultinomialPULasso(lam=0.05, **data.scenario_params)
{call}(model, data.X, data.z, checkpoint={folder!r}, **{settings!r})
"""
SETTINGS = {
    "bootstrap": {"n_replicates": 6, "random_state": 1},
    "stability_selection": {"n_subsamples": 8, "n_lams": 20, "random_state": 1},
}


def kill_after_three_fits(call, folder):
    code = RUN.format(source=str(SOURCE), call=call, folder=str(folder), settings=SETTINGS[call])
    done = subprocess.run([sys.executable, "-c", code], timeout=300, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


def count_fits(monkeypatch):
    calls, assemble = [], Rows.assemble

    def counted(self, *args):
        calls.append(1)
        return assemble(self, *args)

    monkeypatch.setattr(Rows, "assemble", counted)
    return calls


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(
    ("function", "kept", "n_left"),
    # At most the step in work is lost: a replicate, which is one fit, or a pair, which is two.
    [(bootstrap, ["replicate 1", "replicate 2", "replicate 3"], 3), (stability_selection, ["pair 1"], 6)],
)
def test_a_killed_run_goes_on_and_ends_the_same(tmp_path, monkeypatch, case_control, function, kept, n_left):
    call = function.__name__
    kill_after_three_fits(call, tmp_path)
    assert sorted(file.stem for file in tmp_path.glob("*.npz")) == [*kept, "seeds"]
    model = MultinomialPULasso(lam=0.05, **case_control.scenario_params)
    expected = function(model, case_control.X, case_control.z, **SETTINGS[call])
    calls = count_fits(monkeypatch)
    found = function(model, case_control.X, case_control.z, checkpoint=tmp_path, **SETTINGS[call])
    assert len(calls) == n_left
    for name in ("coefs", "offsets") if call == "bootstrap" else ("entered",):
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()
