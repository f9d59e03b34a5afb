"""A cluster whose workers are killed, or whose scheduler is lost, while a model is fitted."""

import os
import signal
import subprocess
import sys
import threading
import time

import joblib
import numpy as np
import pytest

from pulasso import MultinomialPULassoCV, fit_path
from pulasso.data.chunks import as_chunked
from pulasso.exceptions import ClusterError

distributed = pytest.importorskip("distributed", reason="distributed is not installed")
da = pytest.importorskip("dask.array", reason="dask is not installed")

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="signals"),
    # Sockets and loops of what was killed are closed when they are collected, if at all.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]

N, P = 3000, 8
SETTINGS = {"scenario": "single-training-set", "label_frequency": 0.5}
PATH = {**SETTINGS, "n_lams": 6, "lam_min_ratio": 0.02}
PATIENCE = 120.0


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(N, P))
    y = np.searchsorted([0.0, 1.5], x[:, 0] + rng.logistic(size=N))
    return x, np.where(rng.random(N) < 0.5, y, 0)


@pytest.fixture(scope="module", autouse=True)
def patient():
    """On a busy machine it may take a while until a worker answers."""
    waits = {f"distributed.comm.timeouts.{name}": f"{PATIENCE:.0f}s" for name in ("connect", "tcp")}
    with pytest.importorskip("dask").config.set(waits):
        yield


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def in_background(action):
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    return thread


@pytest.mark.slow
def test_workers_killed_twice_change_nothing(data, client):
    x, z = data
    held = da.from_array(x, chunks=(400, P)).persist()  # on the workers, and re-made when they are lost
    expected = fit_path(as_chunked(held), z, **PATH)
    chunks, rng = as_chunked(held), np.random.default_rng(0)
    killed = []

    def kill():
        for n_passes in (3, 8):
            wait_until(lambda n=n_passes: chunks.n_passes >= n)
            time.sleep(0.03 * rng.random())
            pids = list(client.run(os.getpid).values())
            os.kill(pids[rng.integers(len(pids))], signal.SIGKILL)
            killed.append(chunks.n_passes)

    thread = in_background(kill)
    path = fit_path(chunks, z, **PATH)
    thread.join(PATIENCE)
    assert len(killed) == 2 and max(killed) <= chunks.n_passes
    np.testing.assert_array_equal(path.coefs, expected.coefs)
    np.testing.assert_array_equal(path.objective, expected.objective)


def test_folds_on_the_workers_of_joblib(data, client):
    x, z = data
    model = MultinomialPULassoCV(n_lams=4, cv=2, n_jobs=2, random_state=0, **SETTINGS)
    expected = model.fit(x, z).coef_
    with joblib.parallel_config("dask"):
        np.testing.assert_array_equal(model.fit(x, z).coef_, expected)


def start(module, *arguments):
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.slow
def test_a_lost_scheduler_is_named_and_the_path_goes_on(data, tmp_path):
    x, z = data
    np.save(tmp_path / "x.npy", x)
    chunks = as_chunked(tmp_path / "x.npy", by_workers=True)
    expected = fit_path(chunks, z, **PATH)  # by threads of this process
    where, kept = str(tmp_path / "scheduler.json"), tmp_path / "kept"
    scheduler = start("dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", where)
    worker = start(
        "dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--scheduler-file", where
    )
    try:
        wait_until((tmp_path / "scheduler.json").exists)
        with distributed.Client(scheduler_file=where, timeout=PATIENCE) as client:
            client.wait_for_workers(1, timeout=PATIENCE)

            def kill():
                wait_until(lambda: list(kept.rglob("lam 3.npz")))
                scheduler.kill()

            thread = in_background(kill)
            with pytest.raises(
                ClusterError, match=r"scheduler was lost .* new Client, .* pulasso.checkpoint"
            ):
                for _ in range(100):  # a path takes less than a moment; the scheduler is lost in one of them
                    fit_path(chunks, z, checkpoint=kept, **PATH)
                    next(kept.rglob("lam 6.npz")).unlink()
            thread.join(PATIENCE)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait(PATIENCE)
    assert list(kept.rglob("lam 3.npz"))
    path = fit_path(chunks, z, checkpoint=kept, **PATH)
    np.testing.assert_array_equal(path.coefs, expected.coefs)
