"""What fits cost beyond the memory of one machine: in readings of the data, and in passes over X.

Four tasks, each with the figure as its last line:

    python benchmarks/scale.py tall      # a path over a .npy file, with a limit on memory
    python benchmarks/scale.py cluster   # the same file, read by two workers of a dask LocalCluster
    python benchmarks/scale.py wide      # a million sparse columns in memory, in passes over X
    python benchmarks/scale.py model     # what one pass costs, and what that says about a path and about 1e9 rows

The full sizes (5,000,000 x 200 and 100,000 x 1,000,000) are the defaults; sizes are arguments. `--publish` keeps the
figures in benchmarks/SCALE.md.

The limit on memory is a control group where this process may make one (as root, mostly): it counts the page cache,
too, so that a file larger than the limit is read from the disk every time. Elsewhere it is RLIMIT_AS, which does not
count the page cache: there every reading, of the path and of the yardstick, takes what it has read out of the cache.
`--limit address-space --cache keep` leaves it there, and compares with copies from memory.
"""

import argparse
import json
import os
import resource
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from confine import limit_memory, source_of
from scale_data import INFORMATIVE, LABEL_FREQUENCY, make_tall, make_wide

READINGS = 40  # the yardstick: this many readings of the data
ALLOWED = 4.0  # times their cost
SETTINGS = {"scenario": "single-training-set", "label_frequency": LABEL_FREQUENCY}
HERE = Path(__file__).parent


@contextmanager
def clock(into, name, cpu=time.process_time):
    """Note seconds by the clock and of the processor."""
    wall, used = time.perf_counter(), cpu()
    yield
    into[name] = {"seconds": time.perf_counter() - wall, "cpu": cpu() - used}


def no_sum(x, *own):
    """A function of a chunk that only has it read."""
    return 0


def report(task, facts, figure):
    """Print what was measured, keep it, and end with the figure."""
    print(json.dumps(facts, indent=2))
    print(figure)
    return {"task": task, "facts": facts, "figure": figure}


# -- tasks -------------------------------------------------------------------------------------------------


def tall(options):
    """A path over a file that is larger than the memory allowed."""
    x_file, z_file = make_tall(options.folder, options.rows or 5_000_000, options.features or 200)
    limit_memory(options)
    from pulasso import fit_path
    from pulasso.data.chunks import LocalChunks

    source = source_of(x_file, options.cache)
    chunks = LocalChunks(source, options.threads)
    facts = facts_of(options, source)
    read(chunks, facts, "reading before")
    chunks.n_passes = 0
    with clock(facts, "path"):
        path = fit_path(chunks, np.load(z_file), n_lams=options.lams or 20, **SETTINGS)
    facts |= outcome(path, chunks)
    read(chunks, facts, "reading after")
    facts["peak resident MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return report("tall", facts, readings_figure("out of core", facts))


def cluster(options):
    """The same path, with the file read by two workers."""
    x_file, z_file = make_tall(options.folder, options.rows or 5_000_000, options.features or 200)
    limit_memory(options)
    from dask.distributed import Client, LocalCluster

    from pulasso import fit_path
    from pulasso.data.chunks import LocalChunks
    from pulasso.data.chunks.dask import DaskChunks

    source = source_of(x_file, options.cache)
    facts = facts_of(options, source)
    local = LocalChunks(source, options.threads)
    read(local, facts, "reading before")
    half = f"{options.memory / 2}GiB"
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=half, dashboard_address=None) as workers,
        Client(workers) as client,
    ):

        def cpu():
            return time.process_time() + sum(client.run(time.process_time).values())

        chunks = DaskChunks.of_source(source)
        with clock(facts, "path", cpu):
            path = fit_path(chunks, np.load(z_file), n_lams=options.lams or 20, **SETTINGS)
        facts |= outcome(path, chunks)
        peaks = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
        facts["peak resident MB of workers"] = list(peaks.values())
    read(local, facts, "reading after")
    return report("cluster", facts, readings_figure("two workers", facts))


def facts_of(options, source):
    """Return what is known before a path starts."""
    gigabytes = source.shape[0] * source.row_bytes / 1e9
    return {
        "shape": source.shape,
        "GB": round(gigabytes, 3),
        "memory limit GiB": options.memory,
        "limit by": options.limit,
        "page cache": options.cache,
        "threads": options.threads,
        "load before": round(os.getloadavg()[0], 2),
        "cores": len(os.sched_getaffinity(0)),
    }


def read(chunks, facts, name):
    """Read everything once, by as many threads as the path."""
    with clock(facts, name):
        chunks.map_reduce(no_sum, [()] * len(chunks.lengths))


def outcome(path, chunks):
    """Return what a path ended with."""
    return {
        "passes": chunks.n_passes,
        "steps": int(path.n_iter.sum()),
        "lams": len(path),
        "selected": int(path.n_active[-1]),
        "worst KKT": float(path.kkt.max()),
        "converged": bool(path.converged.all()),
        "objective": float(path.objective[-1]),
        "load after": round(os.getloadavg()[0], 2),
    }


def readings_figure(name, facts):
    """Say how many times the cost of the yardstick a path took, by the clock and of the processor."""
    ratios = {}
    for unit in ("seconds", "cpu"):
        once = (facts["reading before"][unit] + facts["reading after"][unit]) / 2
        ratios[unit] = facts["path"][unit] / (READINGS * once)
    n, p = facts["shape"]
    verdict = "within" if ratios["seconds"] <= ALLOWED else "NOT within"
    seconds = facts["path"]["seconds"]
    limited = f"{facts['memory limit GiB']:g} GiB by {facts['limit by']}, page cache {facts['page cache']}"
    return (
        f"{name}, {n:,} x {p}, {limited}: {facts['lams']} lams in {seconds:.0f} s "
        f"and {facts['passes']} passes, {ratios['seconds']:.2f} times the cost of {READINGS} readings "
        f"({ratios['cpu']:.2f} in processor time): {verdict} {ALLOWED:g}"
    )


def wide(options):
    """A path over a million sparse columns, counted in passes over X."""
    from pulasso import fit_path

    counts = count_passes()
    facts = {"load before": round(os.getloadavg()[0], 2)}
    with clock(facts, "making data"):
        x, z = make_wide(options.rows or 100_000, options.features or 1_000_000, options.density)
    facts |= {"shape": x.shape, "stored numbers": int(x.nnz)}
    with clock(facts, "path"):
        path = fit_path(x, z, n_lams=options.lams or 50, **SETTINGS)
    facts["passes"] = {name: round(count, 3) for name, count in counts.items()}
    facts |= {"lams": len(path), "selected": int(path.n_active[-1]), "worst KKT": float(path.kkt.max())}
    facts |= {"converged": bool(path.converged.all()), "steps": int(path.n_iter.sum())}
    facts["peak resident MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    n, p = x.shape
    total = sum(counts.values())
    verdict = "at most" if total <= options.allowed else "MORE than"
    figure = (
        f"wide, {n:,} x {p:,} with {x.nnz:,} numbers: {len(path)} lams in {facts['path']['seconds']:.0f} s and "
        f"{total:.1f} passes over X: {verdict} {options.allowed}"
    )
    return report("wide", facts, figure)


def model(options):
    """Measure what a pass is made of, predict a path by it, and compare."""
    from pulasso import PUData, build_problem, fit_path
    from pulasso.data.chunks import LocalChunks, NpySource
    from pulasso.problem import Params
    from pulasso.solvers import ChunkedOracle

    n, p = options.rows or 200_000, options.features or 200
    x_file, z_file = make_tall(options.folder, n, p)
    chunks, z = LocalChunks(NpySource(x_file)), np.load(z_file)
    problem = build_problem(PUData.read(chunks, z), **SETTINGS)
    oracle = ChunkedOracle(problem, problem.null)
    params = Params(np.zeros(problem.shape), np.zeros(2))
    params.theta[:INFORMATIVE] = 0.1
    a = min(INFORMATIVE, p)
    facts = {"shape": (n, p), "load before": round(os.getloadavg()[0], 2)}
    for name, action in {
        "read": lambda: chunks.map_reduce(no_sum, [()] * len(chunks.lengths)),
        "gradient": lambda: oracle.evaluate(params),
        "Hessian": lambda: oracle.evaluate(params, np.arange(a)),
    }.items():
        facts[name] = min(timed(action) for _ in range(3))
    seconds = {
        "per byte read": facts["read"] / (8 * n * p),
        "per number, gradient": (facts["gradient"] - facts["read"]) / (n * p),
        "per row and pair of entries, Hessian": (facts["Hessian"] - facts["gradient"]) / (n * (2 * a) ** 2),
    }
    facts["seconds of a core"] = seconds
    chunks.n_passes = 0
    with clock(facts, "path"):
        path = fit_path(chunks, z, n_lams=options.lams or 20, **SETTINGS)
    shape = {
        "p": p,
        "passes": chunks.n_passes,
        "hessians": len(path),
        "entries": 2 * float(path.n_active.mean()),
    }
    predicted = predict(seconds, n=n, **shape)
    facts |= {"passes": chunks.n_passes, "lams": len(path), "predicted seconds of the path": predicted}
    per_core = predict(seconds, n=1e9, **shape)
    facts["1e9 rows"] = {
        "TB": 8e9 * p / 1e12,
        "hours of one core": per_core / 3600,
        "seconds of 100 workers with 4 cores": per_core / 400,
        "MB to and from a worker in one trip": (2 * 8 * p * 2 + 8 * (2 + shape["entries"]) ** 2) / 1e6,
    }
    figure = (
        f"model, {n:,} x {p}: predicted {predicted:.1f} s of a core for {len(path)} lams in {chunks.n_passes} passes, "
        f"measured {facts['path']['cpu']:.1f} s; 1e9 rows: {per_core / 3600:.0f} hours of one core, "
        f"{per_core / 400:.0f} seconds of 400"
    )
    return report("model", facts, figure)


def timed(action):
    """Return the seconds of the processor that something takes."""
    before = time.process_time()
    action()
    return time.process_time() - before


def predict(seconds, *, n, p, passes, hessians, entries):
    """Return the seconds of a core that a path takes: readings, gradients and Hessians."""
    one_pass = n * p * (8 * seconds["per byte read"] + seconds["per number, gradient"])
    return passes * one_pass + hessians * n * entries**2 * seconds["per row and pair of entries, Hessian"]


def count_passes():
    """Make products with X count themselves; loaded columns count as their share of X."""
    from pulasso.design import SparseDesign
    from pulasso.design.columns import SparseColumns

    counts = {"matmul": 0.0, "rmatmul": 0.0, "moments": 0.0, "columns": 0.0}

    def counted(owner, method, name, share):
        original = getattr(owner, method)

        def with_count(self, *arguments):
            counts[name] += share(self, *arguments)
            return original(self, *arguments)

        setattr(owner, method, with_count)

    for method in ("matmul", "rmatmul", "moments"):
        counted(SparseDesign, method, method, lambda *_: 1.0)
    counted(SparseColumns, "load", "columns", lambda self, features: len(features) / self.design.shape[1])
    return counts


TASKS = {"tall": tall, "cluster": cluster, "wide": wide, "model": model}


def publish(result):
    """Keep the figure of a task in SCALE.md, beside those of the others."""
    kept = HERE / "scale.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    facts = result["facts"]
    limited = f"{facts['limit by']}, {facts['page cache']}" if "limit by" in facts else "in memory"
    name = f"{result['task']} ({limited})"
    results[name] = result | {"taken": time.strftime("%Y-%m-%d")}
    kept.write_text(json.dumps(results, indent=2) + "\n")
    lines = ["# Figures of scale", "", "Taken by `make bench-scale`; all numbers are in scale.json.", ""]
    lines += [f"- {each['taken']}: {each['figure']}" for _, each in sorted(results.items())]
    (HERE / "SCALE.md").write_text("\n".join(lines) + "\n")


def main(arguments=None):
    """Run one task."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--features", type=int)
    parser.add_argument("--lams", type=int)
    parser.add_argument("--folder", type=Path, default=Path("runs/scale"))
    parser.add_argument("--memory", type=float, default=4.0, help="GiB")
    parser.add_argument("--limit", choices=("cgroup", "address-space"), help="by default what is allowed")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--cache", choices=("drop", "keep"), help="of pages; by default what is fair")
    parser.add_argument("--density", type=float, default=1e-4)
    parser.add_argument("--allowed", type=int, default=150, help="passes over X of the wide path")
    parser.add_argument("--publish", action="store_true")
    options = parser.parse_args(arguments)
    result = TASKS[options.task](options)
    if options.publish:
        publish(result)
    return 1 if "NOT" in result["figure"] or "MORE" in result["figure"] else 0


if __name__ == "__main__":
    sys.exit(main())
