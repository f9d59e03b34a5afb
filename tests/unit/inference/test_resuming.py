"""A bootstrap, or a stability selection, that is killed resumes where it was; results are bitwise identical."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pulasso
from pulasso import MultinomialPULasso, PUData
from pulasso.inference import bootstrap, stability_selection

SOURCE = Path(pulasso.__file__).parents[1]

# The fourth time that rows are taken the process is killed.
RUN = """
import os, signal, sys
sys.path.insert(0, {source!r})
from pulasso import MultinomialPULasso, PUData
from pulasso.datasets import simulate_multinomial
from pulasso.inference import bootstrap, stability_selection

take, calls = PUData.take, []
def deadly(self, *args):
    calls.append(1)
    if len(calls) == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return take(self, *args)
PUData.take = deadly

data = simulate_multinomial(120, 8, signal=(2, 3), random_state=0)
model = MultinomialPULasso(lam=0.05, **data.scenario_params)
{call}(model, data.X, data.z, checkpoint={folder!r}, **{settings!r})
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(
    ("function", "settings", "saved", "n_left"),
    # At most the step in work is lost: a replicate, which is one fit, or a pair, which is two.
    [
        (bootstrap, {"n_replicates": 6}, ["replicate 1", "replicate 2", "replicate 3"], 3),
        (stability_selection, {"n_subsamples": 6, "n_lams": 20}, ["pair 1"], 4),
    ],
)
def test_a_killed_run_resumes_and_ends_the_same(
    tmp_path, monkeypatch, case_control, function, settings, saved, n_left
):
    call = function.__name__
    code = RUN.format(source=str(SOURCE), call=call, folder=str(tmp_path), settings=settings)
    done = subprocess.run([sys.executable, "-c", code], timeout=300, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    files = {file.stem: file for file in tmp_path.glob("*/*.npz")}
    assert sorted(files) == [*saved, "seeds"]
    # Nobody gave seeds; they survived like any other step.
    words = np.load(files["seeds"])["entropy"].tolist()
    seed = sum(word << (32 * i) for i, word in enumerate(words))
    model = MultinomialPULasso(lam=0.05, **case_control.scenario_params)
    expected = function(model, case_control.X, case_control.z, random_state=seed, **settings)
    calls, take = [], PUData.take

    def counted(self, *args):
        calls.append(1)
        return take(self, *args)

    monkeypatch.setattr(PUData, "take", counted)
    found = function(model, case_control.X, case_control.z, checkpoint=tmp_path, **settings)
    assert len(calls) == n_left
    for name in ("coefs", "offsets") if call == "bootstrap" else ("entered",):
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()
