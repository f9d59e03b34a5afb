"""Kill `pulasso cv` at random times and give the command again; load a model while another process replaces it.

    python torture/kills.py                 # 100 of each; the last line is the figure
    python torture/kills.py --rounds 3      # a taste

A command that was killed (SIGKILL) must be finished by the same command, with the files and bytes of one that nobody
disturbed. A model that is being replaced must load, as the old one or the new one, at any time.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import pulasso

N_ROWS, N_FEATURES = 1_500, 20
# A report says when it was written, so that no two are the same.
WORDS = (
    "--scenario=single-training-set",
    "--label-frequency=0.5",
    "--folds=3",
    "--n-lams=30",
    "--seed=0",
    "--no-report",
)
REPLACED = 10  # times in a round


def make_table():
    """Draw three classes that two features tell apart; half of the labels are lost."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(N_ROWS, N_FEATURES)).round(4)
    eta = np.column_stack([np.zeros(N_ROWS), x[:, 0], x[:, 1] - 0.5])
    y = np.argmax(eta + rng.gumbel(size=eta.shape), axis=1)
    return x, np.where(rng.random(N_ROWS) < 0.5, y, 0)


# -- a command that is killed ------------------------------------------------------------------------------


def start_command(folder):
    """Start the command in a folder that has its table already."""
    command = [sys.executable, "-c", "from pulasso.cli.main import main; main()", "cv", "../table.csv"]
    command += ["--label", "z", *WORDS, "--out", "results"]
    folder.mkdir(exist_ok=True)
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def files(folder):
    """Return everything that lies in a folder, by name."""
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def kill_commands(n_rounds, rng):
    """Return how many commands were killed, and how many were not finished, or differently, by the same command."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        x, z = make_table()
        head = ",".join(["z", *(f"x{j}" for j in range(N_FEATURES))])
        np.savetxt(folder / "table.csv", np.column_stack([z, x]), "%.6g", ",", header=head, comments="")
        for run in (
            "first",
            "undisturbed",
        ):  # the first finds cold files, and takes longer than those to come
            started = time.perf_counter()
            process = start_command(folder / run)
            said = process.communicate()[1].decode()
            if process.returncode:
                sys.exit(f"the command fails even if nobody disturbs it: {said}")
        undisturbed = time.perf_counter() - started
        expected = files(folder / "undisturbed")
        print(f"undisturbed: {undisturbed:.1f} s, {len(expected)} files", flush=True)
        runs = killed = unfinished = 0
        while killed < n_rounds:
            run, runs = folder / f"run {runs}", runs + 1
            process = start_command(run)
            time.sleep(rng.uniform(0.1, 1.0) * undisturbed)
            process.kill()
            process.communicate()
            if files(run) == expected:  # it was faster: there is nothing to finish
                shutil.rmtree(run)
                continue
            again = start_command(run)
            said = again.communicate()[1].decode()[-300:]
            if again.returncode or files(run) != expected:
                differ = sorted(n for n in expected | files(run) if expected.get(n) != files(run).get(n))
                print(f"{run.name}: exit {again.returncode}, differ: {differ}: {said}", flush=True)
                unfinished += 1
            killed += 1
            shutil.rmtree(run)
            if killed % 10 == 0:
                print(f"{killed} killed, {unfinished} not finished", flush=True)
    return killed, unfinished


# -- a model that is replaced ------------------------------------------------------------------------------


def load_while_replacing(n_rounds):
    """Return how often a model was loaded while another process replaced it, and how often that failed."""
    x, z = make_table()
    known = {"scenario": "single-training-set", "label_frequency": 0.5}
    models = [pulasso.MultinomialPULasso(lam, **known).fit(x, z) for lam in (0.01, 0.05)]
    loads = failed = 0
    with tempfile.TemporaryDirectory() as name:
        for number in range(n_rounds):
            folder = Path(name) / str(number)
            models[1].save(folder)
            writer = os.fork()
            if not writer:
                code = 1
                try:
                    for each in range(REPLACED):
                        models[each % 2].save(folder, force=True)
                    code = 0
                finally:
                    os._exit(code)
            ended = 0
            while not ended:
                try:
                    failed += pulasso.load(folder).lam not in (0.01, 0.05)
                except Exception as error:
                    failed += 1
                    print(f"round {number}: {error!r}", flush=True)
                loads += 1
                ended, status = os.waitpid(writer, os.WNOHANG)
            failed += status != 0
    return loads, failed


def main():
    """Do both, and print the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    loads, failed = load_while_replacing(given.rounds)
    print(f"{loads} loads while a model was replaced in {given.rounds} rounds, {failed} failed", flush=True)
    killed, unfinished = kill_commands(given.rounds, np.random.default_rng(given.seed))
    print(
        f"{killed} commands killed, {unfinished} not finished by the same command with the same bytes; "
        f"{loads} loads of a model that was being replaced, {failed} failed"
    )
    return 1 if failed or unfinished else 0


if __name__ == "__main__":
    sys.exit(main())
