"""Our own solvers against each other, and how cost grows: time, memory, passes over X, the first fit."""

import os
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
from compare import N_FOLDS, fold_numbers
from environments import HERE
from runner import Runner
from tasks import MANY_CLASSES, TASKS, Task, classes_task, growth_task, paired_tasks, passes_task

__all__ = ["GROWTH", "OWN"]

TOL = 1e-6
GROWTH = {"n": (1000, 2000, 4000), "p": (5000, 10000, 20000), "K": (1, 2, 4, 8), "n_lams": (50, 100, 200)}
GROUPS, GROUPS_QUICK = 60, 10  # at the end of paths for ever more classes
GROWTH_QUICK = {"n": (100, 200), "p": (200, 400), "K": (1, 2), "n_lams": (10, 20)}


def _row(what: str, seed: int, case: str, value: float, unit: str, at_most=None, goal=None, **more) -> dict:
    return {"what": what, "seed": seed, "case": case, "value": value, "unit": unit} | {
        "at_most": at_most,
        "goal": goal,
        **more,
    }


def _fit(runner: Runner, task: Task, seed: int, tol: float = TOL, **options):
    run = runner.run("pulasso", runner.put(task, seed), tol, **options)
    if run.failed:
        raise RuntimeError(f"{task.name}: {run.failed}")
    return run


def pu_against_naive(runner: Runner, seed: int, quick: bool) -> list[dict]:
    """A presence-only path against a naive path of the same size, down to 0.05 lam_max."""
    rows = []
    for response in ("multinomial", "ordinal"):
        pu, naive = (_fit(runner, task, seed) for task in paired_tasks(seed, response, quick))
        ratio = pu.facts["warm"] / naive.facts["warm"]
        seconds = f"{pu.facts['warm']:.2f} s / {naive.facts['warm']:.2f} s"
        kkt = float(max(pu.evaluation.kkt.max(), naive.evaluation.kkt.max()))
        rows.append(_row("PU / naive path", seed, response, ratio, "x", 3.0, 1.5, detail=seconds, kkt=kkt))
    return rows


def anchored_against_plain(runner: Runner, seed: int, quick: bool) -> list[dict]:
    """A path held to the told shares, by the default strength of cross-validation, against the same path without."""
    rows = []
    for response in ("multinomial", "ordinal"):
        plain, _ = paired_tasks(seed, response, quick)
        held = replace(plain, name=f"anchored {response}", settings={**plain.settings, "anchor": 3.0})
        anchored, free = (_fit(runner, task, seed) for task in (held, plain))
        seconds = f"{anchored.facts['warm']:.2f} s / {free.facts['warm']:.2f} s"
        ratio, kkt = anchored.facts["warm"] / free.facts["warm"], float(anchored.evaluation.kkt.max())
        rows.append(_row("anchored / plain path", seed, response, ratio, "x", 1.5, detail=seconds, kkt=kkt))
    return rows


def many_classes(runner: Runner, seed: int, quick: bool) -> list[dict]:
    """Seconds as the classes double, with all labels and with half of them, on paths that end at as many groups."""
    rows = []
    for words, scenario in (("all labels", "fully-observed"), ("PU", "single-training-set")):
        before = None
        for n_classes in MANY_CLASSES[:2] if quick else MANY_CLASSES:
            task = _until(
                runner,
                classes_task(seed, n_classes, quick, scenario),
                seed,
                GROUPS_QUICK if quick else GROUPS,
            )
            run = _fit(runner, task, seed)
            seconds, ending = run.facts["warm"], int(run.evaluation.n_rows[-1])
            factor = seconds / before if before else np.nan
            limit = 2.5 if before and n_classes >= 9 else None
            detail = f"{seconds:.3f} s to {task.ratios[-1]:.2f} lam_max, {ending} groups at the end"
            row = _row(
                f"classes doubled, {words}", seed, f"{n_classes} classes", factor, "x", limit, detail=detail
            )
            rows.append(row | {"seconds": seconds, "size": n_classes})
            before = seconds
    return rows


def _until(runner: Runner, task: Task, seed: int, n_groups: int) -> Task:
    """Return the same task on a path that ends where so many groups are active."""
    reached = _fit(runner, task, seed, repeats=0, tol=1e-3).evaluation.n_rows <= n_groups
    last = task.ratios[np.flatnonzero(reached)[-1]]
    return replace(task, name=f"{task.name}-until", ratios=np.geomspace(1.0, last, len(task.ratios)))


def presence_only(runner: Runner, seed: int, quick: bool) -> list[dict]:
    """Half of the labels beside all of them, the same lams relative to lam_max; more groups enter without labels."""
    rows = []
    for n_classes in MANY_CLASSES[:2] if quick else MANY_CLASSES[1:4]:
        runs = [
            _fit(runner, classes_task(seed, n_classes, quick, how), seed)
            for how in ("single-training-set", "fully-observed")
        ]
        half, everything = (run.facts["warm"] for run in runs)
        ending = " and ".join(str(int(run.evaluation.n_rows[-1])) for run in runs)
        detail = f"{half:.2f} s / {everything:.2f} s, {ending} groups at the end"
        case = f"{n_classes} classes"
        rows.append(_row("PU / all labels", seed, case, half / everything, "x", 3.0, detail=detail))
    return rows


def two_processes(runner: Runner, seed: int, quick: bool) -> list[dict]:
    """Cross-validation over two processes, once these are there, against one: wall time, with the fit of all rows."""
    task = TASKS["T5"](seed, quick=quick)
    folder = runner.put(task, seed, n_folds=N_FOLDS, fold_seed=seed)
    fold_numbers(len(task.z), seed).astype(np.int32).tofile(folder / "folds.bin")
    one, two = (
        runner.run("pulasso CV", folder, TOL, n_jobs=n_jobs, repeats=1, whole=False) for n_jobs in (1, 2)
    )
    if one.failed or two.failed:
        raise RuntimeError(one.failed or two.failed)
    seconds = [run.facts["warm"] for run in (one, two)]
    detail = f"{seconds[0]:.1f} s / {seconds[1]:.1f} s"
    return [
        _row(
            "one process / two, cross-validation",
            seed,
            "T5",
            seconds[0] / seconds[1],
            "x",
            detail=detail,
            at_least=1.7,
        )
    ]


def working_set_against_proximal_gradient(runner: Runner, seed: int, quick: bool) -> list[dict]:
    """Both to the same certificate; a proximal gradient that exceeds the time limit gives a lower bound."""
    rows = []
    for name in ("T1", "T4"):
        task = TASKS[name](seed, quick=quick)
        task = replace(task, ratios=np.geomspace(1, 0.2, 10))
        folder = runner.put(task, seed)
        fast = runner.run("pulasso", folder, TOL)
        slow = runner.run("pulasso", folder, TOL, judge=False, method="proximal-gradient", repeats=0)
        seconds = runner.limit if slow.failed else slow.facts["warm"]
        detail = f"{seconds:.1f} s / {fast.facts['warm']:.3f} s {slow.failed}".strip()
        ratio = seconds / fast.facts["warm"]
        rows.append(_row("proximal gradient / working set", seed, f"{name}, 10 lams to 0.2", ratio, "x",
                         detail=detail, at_least=20.0, goal=100.0))  # fmt: skip
    return rows


def growth(runner: Runner, seed: int, quick: bool) -> list[dict]:
    """Seconds as one size grows, the others fixed; the value of a row is the factor of its last doubling."""
    base = {"n": 1000, "p": 5000, "K": 2, "n_lams": 100}
    sizes = GROWTH
    if quick:
        base, sizes = {"n": 100, "p": 200, "K": 2, "n_lams": 10}, GROWTH_QUICK
    rows = []
    for axis, values in sizes.items():
        before = None
        for value in values:
            run = _fit(runner, growth_task(seed, **base | {axis: value}), seed)
            seconds, ending = run.facts["warm"], int(run.evaluation.n_rows[-1])
            limit = 2.2 if before and axis != "K" else None
            factor = seconds / before if before else np.nan
            row = _row(f"growth in {axis}", seed, str(value), factor, "x per doubling", limit)
            detail = f"{seconds:.3f} s, {ending} rows at the end"
            rows.append(row | {"seconds": seconds, "size": value, "detail": detail})
            before = seconds
    return rows


def passes(runner: Runner, seed: int, quick: bool) -> list[dict]:
    """Passes over X and memory beyond X of a wide path; memory is the peak of the resident set."""
    task = passes_task(seed, quick)
    facts = runner.script("ours_passes.py", runner.put(task, seed))
    if "failed" in facts:
        raise RuntimeError(f"passes: {facts['failed']}")
    counts = facts["passes"]
    n, p = task.X.shape
    results = len(task.ratios) * p * 3 * 8 / 2**20  # coefficients of two classes and a norm, at every lam
    detail = ", ".join(f"{name} {value:.1f}" for name, value in counts.items())
    size = f"n={n}, p={p}, {len(task.ratios)} lams, {facts['rows']} rows at the end"
    beyond = (facts["peak_mb"] - results) / facts["x_mb"]
    memory = f"{facts['peak_mb']:.0f} MB, {results:.0f} MB of it results; X has {facts['x_mb']:.0f} MB"
    return [
        _row("passes over X", seed, size, sum(counts.values()), "passes", 30.0, 10.0, detail=detail),
        _row("memory beyond X", seed, size, beyond, "of X", 0.3, detail=memory),
        _row("seconds", seed, size, facts["cold"], "s"),
    ]


def first_fit(runner: Runner, seed: int, quick: bool) -> list[dict]:
    """A process that imports and fits once, against scikit-learn's logistic regression; best of several."""
    seconds = {name: min(_process_seconds(runner, name) for _ in range(3 if quick else 7))
               for name in ("pulasso", "sklearn")}  # fmt: skip
    ratio = seconds["pulasso"] / seconds["sklearn"]
    detail = f"{seconds['pulasso']:.2f} s / {seconds['sklearn']:.2f} s"
    return [_row("first fit / scikit-learn", seed, "150 x 4", ratio, "x", 1.5, detail=detail)]


def _process_seconds(runner: Runner, package: str) -> float:
    script = [sys.executable, str(HERE / "peers" / "first_fit.py"), package]
    start = time.perf_counter()
    subprocess.run(script, check=True, env=runner.environment())
    return time.perf_counter() - start


def with_load(rows: list[dict]) -> list[dict]:
    """Add what the machine was doing otherwise."""
    return [row | {"load": os.getloadavg()[0]} for row in rows]


OWN = {
    "pu-naive": pu_against_naive,
    "anchored": anchored_against_plain,
    "many-classes": many_classes,
    "presence-only": presence_only,
    "two-processes": two_processes,
    "solvers": working_set_against_proximal_gradient,
    "growth": growth,
    "passes": passes,
    "first-fit": first_fit,
}
