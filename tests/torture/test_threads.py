"""Threads and processes: whoever computes, the answers are the same bits."""

import multiprocessing
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from pulasso import MultinomialPULasso
from support.elsewhere import fit_and_predict
from support.small_models import SETTINGS, make_data

N_THREADS, N_FITS = 4, 12
FREE_THREADED = ("python3.14t", "python3.13t")
TESTS, SOURCE = Path(__file__).parents[1], Path(__file__).parents[2] / "src"


def test_fits_at_the_same_time():
    alone = [fit_and_predict(seed) for seed in range(N_FITS)]
    with ThreadPoolExecutor(N_THREADS) as pool:
        together = list(pool.map(fit_and_predict, range(N_FITS)))
    assert together == alone


def test_one_model_predicts_in_many_threads():
    X, z = make_data(2)
    model = MultinomialPULasso(lam=0.01, **SETTINGS).fit(X, z)
    alone = model.predict_proba(X)
    with ThreadPoolExecutor(N_THREADS) as pool:
        for found in pool.map(lambda _: model.predict_proba(X), range(40)):
            np.testing.assert_array_equal(found, alone)


def test_saving_under_one_name_from_many_threads(tmp_path):
    """One of them ends up there, whole; nothing else is left."""
    import pulasso

    X, z = make_data(2)
    models = [MultinomialPULasso(lam=lam, **SETTINGS).fit(X, z) for lam in (0.01, 0.02, 0.05, 0.1)]

    def save(model):
        try:
            model.save(tmp_path / "model", force=True)
        except OSError:  # another one was faster between two steps
            return

    with ThreadPoolExecutor(N_THREADS) as pool:
        list(pool.map(save, models * 3))
    assert pulasso.load(tmp_path / "model").lam in (0.01, 0.02, 0.05, 0.1)
    assert [each.name for each in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_after_a_fit(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    here = fit_and_predict(3)
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(fit_and_predict, (3,)) == here


def test_python_without_a_global_lock():
    python = next((found for name in FREE_THREADED if (found := shutil.which(name))), None)
    if python is None:
        pytest.skip(f"none of {FREE_THREADED} is installed")
    code = (
        f"import sys; sys.path[:0] = [{str(SOURCE)!r}, {str(TESTS)!r}]\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from support.elsewhere import fit_and_predict\n"
        "assert not sys._is_gil_enabled()\n"
        "alone = [fit_and_predict(seed) for seed in range(8)]\n"
        "assert list(ThreadPoolExecutor(4).map(fit_and_predict, range(8))) == alone\n"
    )
    if subprocess.run([python, "-c", "import sklearn"], capture_output=True, check=False).returncode:
        pytest.skip(f"{python} has no scikit-learn")
    done = subprocess.run([python, "-X", "gil=0", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert sys.version_info >= (3, 11)
