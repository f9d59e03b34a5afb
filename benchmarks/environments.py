"""Where the solvers live: one environment per family of packages, made on first use.

Python peers go into `.venv-peers/<name>`; adelie needs one of its own because it pins an older NumPy. R and
its glmnet are not installed from here: they are used if found (Debian: ``apt install r-cran-glmnet
r-cran-jsonlite``, and r-cran-doparallel for parallel cross-validation).
"""

import functools
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["DEFAULT_TOL", "SOLVERS", "Solver", "command", "missing"]

HERE = Path(__file__).resolve().parent
PEERS = HERE.parent / ".venv-peers"
PACKAGES = {
    "adelie": ["adelie==1.1.52"],
    "celer": ["celer==0.7.4"],
    "skglm": ["skglm==0.5"],
}


@dataclass(frozen=True)
class Solver:
    """One script, the place where it runs, and the tolerances to try, loose to tight.

    Attributes
    ----------
    home : str
        "ours" (this Python), "here" (this Python, for a package that we depend on), "R", or the name of an
        environment.
    own_objective : dict
        What the solver minimises instead, if it cannot minimise the task's objective.
    """

    script: str
    home: str
    tols: tuple[float, ...]
    own_objective: tuple[tuple[str, object], ...] = ()


DEFAULT_TOL = 1e-6  # ours
SOLVERS = {
    "pulasso": Solver("ours.py", "ours", (1e-3, 1e-4, 1e-5, 1e-6)),
    "glmnet": Solver("glmnet_path.R", "R", (1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13)),
    "glmnet ungrouped": Solver(
        "glmnet_path.R", "R", (1e-7, 1e-8, 1e-9, 1e-10, 1e-11), (("penalty", "entries-all"),)
    ),
    "adelie": Solver("adelie_path.py", "adelie", (1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12)),
    "skglm": Solver("skglm_path.py", "skglm", (1e-4, 1e-5, 1e-6, 1e-7)),
    "celer": Solver("celer_path.py", "celer", (1e-4, 1e-6, 1e-8), (("fit_intercept", False),)),
    "saga": Solver("saga_path.py", "here", (1e-4,), (("penalty", "entries-all"),)),
    "pulasso CV": Solver("ours_cv.py", "ours", (1e-6,)),
    "cv.glmnet": Solver("glmnet_cv.R", "R", (1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13)),
    "adelie CV": Solver("adelie_cv.py", "adelie", (1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12)),
}


def command(solver: Solver) -> list[str]:
    """Return how to start a solver's script, installing what it needs."""
    script = str(HERE / "peers" / solver.script)
    if solver.home == "R":
        return ["Rscript", script]
    return [sys.executable if solver.home in ("ours", "here") else str(_python_of(solver.home)), script]


def missing(solver: Solver) -> str:
    """Return why a solver cannot run here; nothing if it can."""
    if solver.home == "R":
        return "" if _r_has_glmnet() else "Rscript with glmnet and jsonlite was not found"
    if solver.home in ("ours", "here"):
        return ""
    try:
        _python_of(solver.home)
    except subprocess.CalledProcessError:
        return f"{' '.join(PACKAGES[solver.home])} could not be installed"
    return ""


@functools.cache
def _r_has_glmnet() -> bool:
    if shutil.which("Rscript") is None:
        return False
    test = "stopifnot(requireNamespace('glmnet'), requireNamespace('jsonlite'))"
    return subprocess.run(["Rscript", "-e", test], capture_output=True, check=False).returncode == 0


@functools.cache
def _python_of(name: str) -> Path:
    """Return the Python of an environment, made now if it is not there."""
    folder = PEERS / name
    python = folder / "bin" / "python"
    if (folder / ".installed").exists():
        return python
    PEERS.mkdir(exist_ok=True)
    (PEERS / ".gitignore").write_text("*\n")
    print(f"installing {' '.join(PACKAGES[name])} into {folder.relative_to(HERE.parent)}", flush=True)
    base = os.environ.get("PEERS_PYTHON", sys.executable)
    subprocess.run([base, "-m", "venv", "--clear", str(folder)], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES[name]], check=True)
    (folder / ".installed").touch()
    return python
