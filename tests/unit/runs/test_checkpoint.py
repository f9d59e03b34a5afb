"""A run that is killed, interrupted or given a damaged file ends as if nothing had happened."""

import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import pulasso
from pulasso.exceptions import CheckpointError, CheckpointWarning
from pulasso.runs import Checkpoint, run_steps

SOURCE = Path(pulasso.__file__).parents[1]
FINGERPRINT = {"seed": 7, "n_lams": 100}

# The result of every step depends on its argument alone; "slow" steps wait to be killed.
RUN = """
import sys, time
sys.path.insert(0, {source!r})
import numpy as np
from pulasso.runs import run_steps

def step(seed):
    if {slow} and seed >= 2:
        time.sleep(600)
    rng = np.random.default_rng(seed)
    return {{"x": rng.normal(size=50), "n": np.array(seed), "text": np.array(["a", "bc"]), "flag": np.array(True)}}

steps = {{f"step {{i}}": (i,) for i in range(5)}}
results = run_steps(step, steps, n_jobs={n_jobs}, checkpoint={folder!r}, fingerprint={{"seed": 7, "n_lams": 100}})
print(repr([{{k: (v.dtype.str, v.tobytes().hex()) for k, v in r.items()}} for r in results]))
"""


def start(folder, n_jobs=1, slow=True):
    code = RUN.format(source=str(SOURCE), folder=str(folder), n_jobs=n_jobs, slow=slow)
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # so that its workers can be ended with it
    )


def finish(folder, n_jobs=1):
    out, err = start(folder, n_jobs, slow=False).communicate(timeout=60)
    assert not err, err
    return out


def wait_for(folder, n_steps):
    deadline = time.monotonic() + 60
    while len(list(Path(folder).glob("*.npz"))) < n_steps:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def end(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    return process.communicate(timeout=60)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_killed_run_goes_on_and_ends_the_same(tmp_path):
    expected = finish(tmp_path / "undisturbed")
    killed = start(tmp_path / "killed", n_jobs=2)
    wait_for(tmp_path / "killed", 2)
    end(killed)
    finished = sorted(tmp_path.glob("killed/*.npz"))
    assert [file.name for file in finished] == ["step 0.npz", "step 1.npz"]
    before = [(file.stat().st_mtime_ns, file.read_bytes()) for file in finished]
    assert finish(tmp_path / "killed") == expected
    assert [(file.stat().st_mtime_ns, file.read_bytes()) for file in finished] == before


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupted_run_says_how_to_go_on(tmp_path):
    process = start(tmp_path, n_jobs=2)
    wait_for(tmp_path, 2)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    deadline = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert process.poll() is not None
    _, err = end(process)
    assert f"KeyboardInterrupt: Interrupted after 2 of 5 steps. What is finished lies in '{tmp_path}'" in err
    assert sorted(file.name for file in tmp_path.iterdir()) == ["settings.json", "step 0.npz", "step 1.npz"]


def interrupt(value=3):
    if value == 3:
        raise KeyboardInterrupt
    return double(value)


def test_an_interrupted_run_in_one_process_goes_on(tmp_path):
    with pytest.raises(
        KeyboardInterrupt, match=r"after 2 of 3 steps. What .* the same call goes on from there"
    ):
        run(tmp_path, function=interrupt)
    assert sorted(file.name for file in tmp_path.glob("*")) == [
        "fold 1.npz",
        "fold 2%2F3.npz",
        "settings.json",
    ]
    assert run(tmp_path) == [2.0, 4.0, 6.0]


def test_without_a_folder_the_interrupt_names_one():
    with pytest.raises(KeyboardInterrupt, match="after 0 of 1 steps. Nothing was kept; with checkpoint="):
        run_steps(interrupt, {"a": ()})


# -- damaged files, other runs, folders that cannot be used ----------------------------------------------


def double(value):
    return {"value": np.array([2.0 * value]), "file": np.array(["names may be any"])}


STEPS = {"fold 1": (1,), "fold 2/3": (2,), "..": (3,)}


def run(folder, steps=STEPS, function=double, **changes):
    results = run_steps(function, steps, checkpoint=folder, fingerprint={**FINGERPRINT, **changes})
    return [float(result["value"][0]) for result in results]


def not_called(value):
    raise AssertionError(f"step with {value} is computed again")


def test_finished_steps_are_not_computed_again(tmp_path):
    assert run(tmp_path) == [2.0, 4.0, 6.0]
    assert run(tmp_path, function=not_called) == [2.0, 4.0, 6.0]
    assert len(list(tmp_path.glob("*.npz"))) == 3
    with pytest.raises(AssertionError, match="step with 9"):
        run(tmp_path, {**STEPS, "new": (9,)}, function=not_called)


DAMAGES = {
    "cut short": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "one byte": lambda data: data.replace(np.float64(2.0).tobytes(), np.float64(3.0).tobytes()),
    "another file": lambda data: b"no arrays at all",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named_and_computed_again(tmp_path, damage):
    run(tmp_path)
    file = tmp_path / "fold 1.npz"
    whole = file.read_bytes()
    file.write_bytes(DAMAGES[damage](whole))
    assert file.read_bytes() != whole
    with pytest.warns(CheckpointWarning, match=r"fold 1\.npz is damaged .* step 'fold 1' computed again"):
        assert run(tmp_path) == [2.0, 4.0, 6.0]
    assert run(tmp_path, function=not_called) == [2.0, 4.0, 6.0]


def test_a_file_that_was_moved_here_is_not_taken(tmp_path):
    run(tmp_path / "here")
    run(tmp_path / "there", seed=8)
    (tmp_path / "there" / "fold 1.npz").replace(tmp_path / "here" / "fold 1.npz")
    with pytest.warns(CheckpointWarning, match="its hash does not fit"):
        run(tmp_path / "here")
    (tmp_path / "here" / "...npz").replace(tmp_path / "here" / "fold 1.npz")
    with pytest.warns(CheckpointWarning, match="its hash does not fit"):
        assert run(tmp_path / "here") == [2.0, 4.0, 6.0]


def test_another_run_is_refused_by_what_differs(tmp_path):
    run(tmp_path)
    with pytest.raises(CheckpointError, match="holds steps of another run: seed was 7 and is 8 now. Give"):
        run(tmp_path, seed=8)
    with pytest.raises(CheckpointError, match="run: cv was missing and is 5 now"):
        run(tmp_path, cv=5)
    with pytest.raises(CheckpointError, match="n_lams differs"):
        run(tmp_path, n_lams="x" * 100)
    assert run(tmp_path, function=not_called) == [2.0, 4.0, 6.0]


def test_settings_are_readable(tmp_path):
    run(tmp_path)
    stored = json.loads((tmp_path / "settings.json").read_text())
    assert stored["fingerprint"] == {"pulasso": pulasso.__version__, "seed": 7, "n_lams": 100}


@pytest.mark.parametrize("words", ["{ // an editor's settings\n}", "[]", '{"a": 1}', '{"fingerprint": 3}'])
def test_a_folder_of_something_else_is_left_alone(tmp_path, words):
    (tmp_path / "settings.json").write_text(words)
    with pytest.raises(CheckpointError, match=r"settings\.json is not the description of a run"):
        run(tmp_path)
    assert (tmp_path / "settings.json").read_text() == words


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckpointError, match="cannot be used: .* Choose a folder that you may write to"):
        run(tmp_path / "file")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_folder_is_refused_before_the_work(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(CheckpointError, match="cannot be used: Permission denied"):
        run(tmp_path, function=not_called)


def test_a_folder_that_became_read_only_is_refused_before_the_work_but_can_be_read(tmp_path, monkeypatch):
    run(tmp_path)

    def refuse(*arguments, **settings):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    assert run(tmp_path, function=not_called) == [2.0, 4.0, 6.0]
    with pytest.raises(CheckpointError, match="cannot be used: Permission denied. Choose a folder"):
        run(tmp_path, {"new": (9,)}, function=not_called)


def test_a_full_disk_leaves_no_half_files(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    kept = Checkpoint(tmp_path, FINGERPRINT)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CheckpointError, match="No space left on device"):
        kept.save("a", double(1))
    assert [file.name for file in tmp_path.iterdir()] == ["settings.json"]


def test_leftovers_of_a_killed_run_are_removed(tmp_path):
    run(tmp_path)
    (tmp_path / "fold 1.npz.123.part").write_bytes(b"half")
    run(tmp_path, {"new": (9,)})
    assert not list(tmp_path.glob("*.part"))


def test_a_folder_needs_a_fingerprint(tmp_path):
    with pytest.raises(ValueError, match="checkpoint= needs fingerprint="):
        run_steps(double, STEPS, checkpoint=tmp_path)


def test_any_flipped_bit_is_found_out(tmp_path):
    kept = Checkpoint(tmp_path, {"a": 1})
    kept.save("one", {"x": np.arange(3.0)})
    (file,) = tmp_path.glob("*.npz")
    whole, harmless = file.read_bytes(), 0
    for place in range(len(whole)):
        content = bytearray(whole)
        content[place] ^= 1 << place % 8
        file.write_bytes(content)
        with contextlib.suppress(CheckpointWarning), warnings.catch_warnings():
            warnings.simplefilter("error")
            result = kept.load("one")
            assert result is not None and result["x"].tolist() == [0.0, 1.0, 2.0]
            harmless += 1  # dates of files, say
    assert harmless < len(whole) / 2
