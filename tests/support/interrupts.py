"""Ctrl-C at any time: what was there before is there, or what was to come, never half of it.

    python -m support.interrupts saving

Each of these runs in a process of its own: Ctrl-C in the middle of a test would also hit what measures its lines, or
hands tests out, and those hold locks that they would never give back.
"""

import os
import signal
import sys
import tempfile
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np

import pulasso
from pulasso import MultinomialPULasso, MultinomialPULassoCV
from support.small_models import SETTINGS, make_data

N_TIMES = 30


def interrupted(call, seconds):
    """Press Ctrl-C so many seconds after the call begins; say whether that came before its end."""
    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    came = True
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            call()
            came = False
        finally:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)  # it may be on its way
            signal.setitimer(signal.ITIMER_REAL, 0.0)
    except KeyboardInterrupt:
        pass
    return came


def duration(call, n_calls=5):
    """Return the seconds that a call takes on this machine when nothing comes between: the least of a few."""
    times = [perf_counter()]
    for _ in range(n_calls):
        call()
        times.append(perf_counter())
    return min(np.diff(times))


def saving(tmp_path):
    """A model folder holds the old model or the new one."""
    X, z = make_data(2)
    fitted = [MultinomialPULasso(lam=lam, **SETTINGS).fit(X, z) for lam in (0.1, 0.01)]
    rng, seen = np.random.default_rng(0), set()
    folder = tmp_path / "model"
    fitted[0].save(folder)
    usual = duration(lambda: fitted[0].save(folder, force=True))
    for i in range(N_TIMES):
        interrupted(
            lambda model=fitted[i % 2]: model.save(folder, force=True), usual * rng.uniform(0.01, 3.0)
        )
        assert [each.name for each in tmp_path.iterdir()] == ["model"]
        seen.add(pulasso.load(folder).lam)
    assert seen == {0.1, 0.01}


def fitting(tmp_path):
    """A model that is fitted anew keeps what it had; a new one has nothing."""
    X, z = make_data(2)
    model = MultinomialPULasso(lam=0.1, **SETTINGS).fit(X, z)
    rng, n_interrupted = np.random.default_rng(1), 0
    coef = model.coef_.copy()
    usual = duration(lambda: model.fit(X, z))
    for _ in range(N_TIMES):
        n_interrupted += interrupted(lambda: model.fit(X, z), usual * rng.uniform(0.01, 1.5))
        np.testing.assert_array_equal(model.coef_, coef)
    assert n_interrupted > N_TIMES / 8
    new = MultinomialPULasso(lam=1e-4, **SETTINGS)
    assert interrupted(lambda: new.fit(X, z), 0.1 * usual)
    assert not hasattr(new, "coef_")


def cross_validation(tmp_path):
    """What was finished is saved; the same call resumes, and ends with the same bits."""
    X, z = make_data(2)
    settings = {"cv": 3, "n_lams": 5, "random_state": 0, "progress": False, **SETTINGS}
    expected = MultinomialPULassoCV(**settings)
    usual = duration(lambda: expected.fit(X, z))
    rng, model = np.random.default_rng(2), MultinomialPULassoCV(**settings)
    with pulasso.checkpoint(tmp_path / "undisturbed"):
        expected.fit(X, z)
    with pulasso.checkpoint(tmp_path / "saved"):
        for _ in range(10):
            interrupted(lambda: model.fit(X, z), usual * rng.uniform(0.01, 0.5))
        model.fit(X, z)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(model.cv_loss_, expected.cv_loss_)
    assert not [each for each in tmp_path.rglob("*") if "part" in each.name or "tmp" in each.name]


def commands(tmp_path):
    """Files of a command are complete, or not there."""
    import pandas as pd
    from typer.testing import CliRunner

    from pulasso.cli.main import app

    os.chdir(tmp_path)
    X, z = make_data(2, n_samples=60)
    pd.DataFrame(X, columns=list("abcdef")).assign(y=z).to_csv("table.csv", index=False)
    words = ["fit", "table.csv", "--label", "y", "--scenario", "fully-observed", "--lam", "0.01", "--force"]
    rng, codes = np.random.default_rng(3), []
    for _ in range(15):
        interrupted(
            lambda: codes.append(CliRunner().invoke(app, words).exit_code), 10 ** rng.uniform(-2.5, -0.5)
        )
        left = {each.name for each in tmp_path.iterdir()}
        assert left <= {"table.csv", "model", "predictions.csv"}
        if "model" in left:
            pulasso.load(tmp_path / "model")
        if "predictions.csv" in left:
            assert len(pd.read_csv("predictions.csv")) == 60
    assert set(codes) <= {0, 1, 130}


CASES = {each.__name__: each for each in (saving, fitting, cross_validation, commands)}


if __name__ == "__main__":
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # workers of pytest-xdist ignore it, and hand that on
    warnings.simplefilter("ignore")  # the small grid ends early; what lies below it does not matter here
    with tempfile.TemporaryDirectory() as folder:
        here = os.getcwd()
        CASES[sys.argv[1]](Path(folder))
        os.chdir(here)
