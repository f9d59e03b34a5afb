"""Run a solver on a task in a process of its own, with a time limit, and keep what peers answered."""

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from environments import HERE, SOLVERS, command
from evaluate import Evaluation, evaluate, lam_max
from exchange import read_result, read_task, write_result, write_task
from tasks import Task

__all__ = ["Run", "Runner"]


@dataclass(frozen=True, eq=False)
class Run:
    """What one solver did on one task at one tolerance."""

    solver: str
    tol: float
    facts: dict
    evaluation: Evaluation | None

    @property
    def failed(self) -> str:
        return self.facts.get("failed", "")


@dataclass(frozen=True, eq=False)
class Runner:
    """Where tasks and answers are kept, and how long a solver may take.

    Attributes
    ----------
    folder : Path
    limit : float
        Seconds that one process may take.
    threads : int or None
        Threads of the linear algebra library; None leaves its default.
    fresh : bool
        Whether to run peers again although their answer is known from an earlier call.
    started : set of Path
        What this one has run.
    """

    folder: Path
    limit: float = 75.0
    threads: int | None = None
    fresh: bool = False
    started: set[Path] = field(default_factory=set)

    def put(self, task: Task, seed: int, **changes) -> Path:
        """Write a task, with its lams, where solvers can read it; `changes` make it another objective."""
        known = {key: value for key, value in task.settings.items() if key != "groups"}
        meta = {"name": task.name, "response": task.response, "penalty": task.penalty} | known | changes
        mark = "".join(f" {value}" for value in changes.values())
        size = "x".join(map(str, task.X.shape))
        name = f"{task.name} {size}x{len(task.ratios)}{mark} seed {seed}".replace(" ", "-")
        folder = self.folder / "tasks" / name
        lams = lam_max(task.X, task.z, meta | {"n_classes": int(task.z.max()) + 1}) * task.ratios
        write_task(folder, task.X, task.z, lams, meta)
        return folder

    def run(self, solver: str, folder: Path, tol: float, *, judge: bool = True, **options) -> Run:
        """Run a solver on a task folder, or look up what it answered before."""
        options = {"tol": tol} | options
        key = json.dumps([solver, options, self.threads], sort_keys=True)
        name = f"{solver.replace(' ', '-')}-{tol:g}-{hashlib.sha1(key.encode()).hexdigest()[:8]}"
        out = self.folder / "cache" / folder.name / name
        is_known = (out / "result.json").exists() and SOLVERS[solver].home != "ours"
        if not is_known or (self.fresh and out not in self.started):
            self.started.add(out)
            shutil.rmtree(out, ignore_errors=True)
            self._start(command(SOLVERS[solver]), folder, out, options)
        facts, coefs, free = read_result(out)
        if coefs is None or not judge:
            return Run(solver, tol, facts, None)
        x, z, lams, meta = read_task(folder)
        if len(coefs) < len(lams):
            facts["failed"] = f"stopped after {len(coefs)} of {len(lams)} lams"
            return Run(solver, tol, facts, None)
        return Run(solver, tol, facts, evaluate(x, z, lams, meta, coefs, free))

    def script(self, name: str, folder: Path, **options) -> dict:
        """Run another script of ours from the folder `peers`; return its facts."""
        out = self.folder / "cache" / folder.name / name
        shutil.rmtree(out, ignore_errors=True)
        ours = command(SOLVERS["pulasso"])
        self._start([ours[0], str(HERE / "peers" / name)], folder, out, options)
        return read_result(out)[0]

    def _start(self, start: list[str], folder: Path, out: Path, options: dict) -> None:
        words = [*start, str(folder), str(out), json.dumps({"repeats": 3} | options)]
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        # In a session of its own: a solver that takes too long is ended with all the workers it started.
        child = subprocess.Popen(words, env=self.environment(), start_new_session=True, **pipes)
        try:
            _, errors = child.communicate(timeout=self.limit)
            failed = "" if child.returncode == 0 else errors.strip()[-500:] or f"exit {child.returncode}"
            more = {}
        except subprocess.TimeoutExpired:
            failed, more = f"took more than {self.limit:g} s", {"at_least": self.limit}
        except BaseException:
            _end(child)
            raise
        _end(child)
        if failed:
            write_result(out, {"failed": failed, "load": os.getloadavg()[0]} | more)

    def environment(self) -> dict:
        """Return the environment of the child processes."""
        paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
        if self.threads:
            for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
                environment[name] = str(self.threads)
        return environment


def relative_gap(run: Run, best: np.ndarray) -> float:
    """Return the largest relative distance to the best known objective along the path."""
    return float(((run.evaluation.objective - best) / np.abs(best)).max())


def _end(child: subprocess.Popen) -> None:
    """End a process and whatever it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
