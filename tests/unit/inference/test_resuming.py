"""A bootstrap, or a stability selection, that is killed resumes where it was; results are bitwise identical."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pulasso
from pulasso import MultinomialPULasso, PUData
from pulasso.inference import bootstrap, stability_selection

SOURCE = Path(pulasso.__file__).parents[1]
SETTINGS = {"bootstrap": {"n_replicates": 6}, "stability_selection": {"n_subsamples": 6, "n_lams": 20}}

# Each function runs in a process of its own, which is killed the fourth time that rows are taken.
RUN = """
import os, signal, sys
sys.path.insert(0, {source!r})
import pulasso.inference
from pulasso import MultinomialPULasso, PUData
from pulasso.datasets import simulate_multinomial

take, calls = PUData.take, []
def deadly(self, *args):
    calls.append(1)
    if len(calls) == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return take(self, *args)
PUData.take = deadly

data = simulate_multinomial(120, 8, signal=(2, 3), random_state=0)
model = MultinomialPULasso(lam=0.05, **data.scenario_params)
for name, settings in {settings!r}.items():
    child = os.fork()
    if not child:
        folder = os.path.join({folder!r}, name)
        getattr(pulasso.inference, name)(model, data.X, data.z, checkpoint=folder, **settings)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """Folder of checkpoints that killed runs left behind."""
    folder = tmp_path_factory.mktemp("killed")
    code = RUN.format(source=str(SOURCE), folder=str(folder), settings=SETTINGS)
    done = subprocess.run([sys.executable, "-c", code], timeout=300, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize(
    ("function", "saved", "n_left"),
    # At most the step in work is lost: a replicate, which is one fit, or a pair, which is two.
    [(bootstrap, ["replicate 1", "replicate 2", "replicate 3"], 3), (stability_selection, ["pair 1"], 4)],
)
def test_a_killed_run_resumes_and_ends_the_same(killed, monkeypatch, case_control, function, saved, n_left):
    folder, settings = killed / function.__name__, SETTINGS[function.__name__]
    files = {file.stem: file for file in folder.glob("*/*.npz")}
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
    found = function(model, case_control.X, case_control.z, checkpoint=folder, **settings)
    assert len(calls) == n_left
    for name in ("coefs", "offsets") if function is bootstrap else ("entered",):
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()
