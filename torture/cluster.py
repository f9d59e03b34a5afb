"""Kill workers of a cluster, and the program itself, at random times over a cross-validation: nothing may change.

    python torture/cluster.py                 # 20 of each; the last line is the figure
    python torture/cluster.py --kills 2       # a taste

Workers: data are held in the memory of a dask LocalCluster, and random workers are killed (SIGKILL) at random times
while models are cross-validated. Driver: a program that cross-validates with `checkpoint=` is killed at a random time
and started again, until it has been killed often enough; then it may end. Results are compared bit for bit.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

N_ROWS, N_FEATURES, CHUNK = 10_000, 20, 1_250
SETTINGS = {"scenario": "single-training-set", "label_frequency": 0.5, "cv": 4, "random_state": 0}
SETTINGS |= {"n_lams": 8, "lam_min_ratio": 0.01}
DRIVER_LAMS = 40  # in memory a lam takes less than a moment, and the kill should find it at work


def make_data():
    """Draw three classes that two features tell apart; half of the labels are lost."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(N_ROWS, N_FEATURES))
    eta = np.column_stack([np.zeros(N_ROWS), x[:, 0], x[:, 1] - 0.5])
    y = np.argmax(eta + rng.gumbel(size=eta.shape), axis=1)
    return x, np.where(rng.random(N_ROWS) < 0.5, y, 0)


def bits(model):
    """Return everything that a cross-validation ends with, as bytes."""
    parts = (model.coef_, model.intercept_, model.cv_loss_, model.lams_, np.array([model.lam_]))
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def cross_validate(x, z, **more):
    """Fit the model that all runs fit."""
    from pulasso import MultinomialPULassoCV

    return MultinomialPULassoCV(**{**SETTINGS, **more}).fit(x, z)


# -- workers -----------------------------------------------------------------------------------------------


def kill_workers(n_kills, rng):
    """Return how many fits were disturbed, by how many kills, and how many of them ended differently."""
    import dask.array as da
    from dask.distributed import Client, LocalCluster

    x, z = make_data()
    quiet = {"dashboard_address": None, "silence_logs": 50}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, **quiet) as cluster,
        Client(cluster) as client,
    ):
        held = da.from_array(x, chunks=(CHUNK, N_FEATURES)).persist()
        started = time.perf_counter()
        expected = bits(cross_validate(held, z))
        undisturbed = time.perf_counter() - started
        print(f"undisturbed: {undisturbed:.1f} s", flush=True)
        killed, fits, different = 0, 0, 0
        while killed < n_kills:
            at_once = min(2, n_kills - killed)
            killer = Killer(client, rng.uniform(0, undisturbed, at_once))
            killer.start()
            different += bits(cross_validate(held, z)) != expected
            killer.join()
            fits, killed = fits + 1, killed + killer.killed
            print(f"workers: {killed} killed in {fits} fits, {different} ended differently", flush=True)
    return fits, killed, different


class Killer(threading.Thread):
    """Kills a random worker at each of some times."""

    def __init__(self, client, times):
        super().__init__(daemon=True)
        self.client, self.times, self.killed = client, np.diff(np.sort(times), prepend=0.0), 0

    def run(self):
        """Wait, kill, wait, kill."""
        for pause in self.times:
            time.sleep(pause)
            pids = list(self.client.run(os.getpid, on_error="ignore").values())
            if pids:
                os.kill(pids[int(1e6 * pause) % len(pids)], signal.SIGKILL)
                self.killed += 1


# -- the driver --------------------------------------------------------------------------------------------


def drive(folder):
    """Cross-validate with a checkpoint, and write what came out: what the child process does."""
    x, z = make_data()
    from pulasso import checkpoint

    with checkpoint(folder / "saved"):
        result = bits(cross_validate(x, z, n_lams=DRIVER_LAMS))
    (folder / "result.part").write_bytes(result)
    (folder / "result.part").replace(folder / "result")


def kill_driver(n_kills, rng):
    """Return how many runs there were, how many kills, and how many runs ended differently."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        started = time.perf_counter()
        start_driver(folder / "undisturbed").wait()
        undisturbed = time.perf_counter() - started
        expected = (folder / "undisturbed" / "result").read_bytes()
        print(f"undisturbed: {undisturbed:.1f} s, with its start", flush=True)
        killed, runs, different = 0, 0, 0
        while killed < n_kills:
            run = folder / f"run {runs}"
            while not (run / "result").exists():
                process = start_driver(run)
                try:
                    pause = rng.uniform(0.2, 1.0) * undisturbed if killed < n_kills else None
                    if process.wait(pause):
                        sys.exit("the driver ended by itself, and not well: see above")
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    killed += 1
            runs, different = runs + 1, different + ((run / "result").read_bytes() != expected)
            shutil.rmtree(run)
            print(f"driver: {killed} kills in {runs} runs, {different} ended differently", flush=True)
    return runs, killed, different


def start_driver(folder):
    """Start this script as the program that is to be killed."""
    folder.mkdir(exist_ok=True)
    return subprocess.Popen([sys.executable, __file__, "--drive", str(folder)])


def main():
    """Kill both, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--drive", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.drive:
        drive(given.drive)
        return 0
    rng = np.random.default_rng(given.seed)
    by_workers, by_driver = kill_workers(given.kills, rng), kill_driver(given.kills, rng)
    different = by_workers[2] + by_driver[2]
    print(
        f"{by_workers[1]} workers killed over {by_workers[0]} cross-validations and {by_driver[1]} drivers over "
        f"{by_driver[0]}: {different} results differ from the undisturbed one"
    )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
