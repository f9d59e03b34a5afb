"""Models with names that a page must not believe, and the reports about them."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pulasso import MultinomialPULasso, MultinomialPULassoCV, OrdinalPULassoCV
from pulasso.report import write_report

HOSTILE = "<script>alert('x')</script>"
BREAKING = "</script><b>\"&'$"
SETTINGS = {"scenario": "single-training-set", "label_frequency": 0.6, "tol": 1e-4}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def make_data(n_positive, n_features, n_samples, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_positive + 1, n_samples)
    shifts = np.zeros((n_positive + 1, n_features))
    shifts[1:, :4] = 1.5 * rng.normal(size=(n_positive, 4))
    X = rng.normal(size=(n_samples, n_features)) + shifts[truth]
    return X, np.where(rng.random(n_samples) < 0.6, truth, 0)


@pytest.fixture(scope="session")
def hostile():
    """A cross-validated model whose classes and features carry markup: model, held-out rows, their labels."""
    X, codes = make_data(2, 8, 420)
    names = [HOSTILE, BREAKING, *(f"feature {j}" for j in range(2, 8))]
    frame = pd.DataFrame(X, columns=names)
    z = np.array(["unlabeled", "oak", HOSTILE], dtype=object)[codes]
    model = MultinomialPULassoCV(
        anchor=0,
        n_lams=12,
        lam_min_ratio=0.01,
        cv=3,
        random_state=0,
        unlabeled="unlabeled",
        negative="none",
        **SETTINGS,
    )
    return model.fit(frame[:300], z[:300]), frame[300:], z[300:]


@pytest.fixture(scope="session")
def ordinal():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 5))
    y = np.digitize(2 * X[:, 0] + rng.logistic(size=300), [-0.5, 1.0, 2.5])
    z = np.where(rng.random(300) < 0.6, y, 0)
    model = OrdinalPULassoCV(n_lams=10, lam_min_ratio=0.01, cv=3, random_state=0, select="1se", **SETTINGS)
    return model.fit(X, z), X, z


@pytest.fixture(scope="session")
def plain():
    """One positive class, three features, one lam."""
    X, z = make_data(1, 4, 200)
    return MultinomialPULasso(lam=0.02, **SETTINGS).fit(X, z), X, z


@pytest.fixture(scope="session")
def page(hostile, tmp_path_factory):
    """The report on the hostile model."""
    model, X, z = hostile
    folder = tmp_path_factory.mktemp("report")
    command = "pulasso cv 'my table.csv' --label <species>"
    return write_report(model, folder / "report.html", X=X, z=z, command=command, seed=7)


@pytest.fixture(scope="session")
def chromium():
    """A program that is a real browser."""
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"no browser is installed ({', '.join(BROWSERS)})")
    return program


@pytest.fixture(scope="session")
def on_paper(chromium, tmp_path_factory):
    """Return a function that prints a page and returns the text of every sheet."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext of poppler is not installed")

    def print_out(file):
        folder = tmp_path_factory.mktemp("paper")
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        command = [chromium, *flags, f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=10000"]
        command += [f"--print-to-pdf={folder / 'page.pdf'}", Path(file).as_uri()]
        subprocess.run(command, capture_output=True, timeout=180, check=True)
        read = ["pdftotext", "-layout", str(folder / "page.pdf"), "-"]
        return subprocess.run(
            read, capture_output=True, text=True, check=True, encoding="utf-8"
        ).stdout.split("\f")

    return print_out


@pytest.fixture(scope="session")
def browser(chromium):
    """Return a function that loads a page in a real browser and returns its DOM and its messages."""

    def load(file, *flags):
        command = [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
            "--virtual-time-budget=10000", *flags, "--dump-dom", Path(file).as_uri(),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, encoding="utf-8")
        messages = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        return done.stdout, messages

    return load


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core, from the file named by PULASSO_AXE (see `make test-report`)."""
    file = os.environ.get("PULASSO_AXE")
    if not file or not Path(file).exists():
        pytest.skip("PULASSO_AXE names no axe.min.js; `make test-report` fetches it")
    return Path(file).read_text(encoding="utf-8")
