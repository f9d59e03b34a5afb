"""Tables and plots from the rows that were measured."""

import csv
import datetime
import json
import os
import platform
import shutil
from math import nan
from pathlib import Path
from statistics import median

from compare import COMPARISONS, CROSS_VALIDATED, GAP
from environments import HERE

__all__ = ["publish", "write_report"]

COLUMNS = {
    "task": "task", "solver": "solver", "tol": "tol", "warm": "warm s", "cold": "cold s", "cpu": "CPU s",
    "peak_mb": "peak MB", "kkt": "KKT", "gap": "gap", "ours_above": "ours above", "time_ratio": "time ratio",
    "default_ratio": "to our default", "cold_ratio": "cold ratio", "cpu_ratio": "CPU ratio", "load": "load",
}  # fmt: skip


def write_report(folder: Path, paths, own, skipped, *, threads, quick) -> None:
    """Write paths.csv, own.csv, report.md and the plots."""
    _write_csv(folder / "paths.csv", paths)
    _write_csv(folder / "own.csv", own)
    parts = [_heading(threads, quick), _targets(paths), _path_table(paths), _own_table(own)]
    parts.append(_hand_measured(paths))
    if skipped:
        parts.append("## Skipped\n\n" + "\n".join(f"- {line}" for line in skipped))
    (folder / "report.md").write_text("\n\n".join(part for part in parts if part) + "\n")
    try:
        from plots import draw_classes, draw_growth, draw_ratios
    except ImportError:
        print("no plots: matplotlib is not installed")
        return
    draw_ratios(paths, folder / "ratios.png")
    draw_growth(own, folder / "growth.png")
    draw_classes(paths, own, folder / "classes.png")


def publish(folder: Path, to: Path, pictures: Path) -> None:
    """Copy report and pictures to where they are kept."""
    shutil.copyfile(folder / "report.md", to)
    pictures.mkdir(parents=True, exist_ok=True)
    for picture in sorted(folder.glob("*.png")):
        shutil.copyfile(picture, pictures / picture.name)


def _heading(threads, quick) -> str:
    words = "default" if threads is None else str(threads)
    lines = [
        "# Benchmark results",
        "Written by `make bench`. *How to read the tables*, in benchmarks/README.md, says what the columns mean."
        if not quick
        else "Tiny sizes (`--quick`): these numbers say that everything runs, and nothing else.",
        "One run, one process after the other, nothing put together by hand; what was measured by hand, of packages "
        "that no registry offers, stands in the last table alone. Most tasks are one data set (column *seeds*), and "
        "times vary by 5 to 25 % from run to run, so ratios below 1.3 mean nothing.",
        f"{datetime.date.today()}, Python {platform.python_version()}, {os.cpu_count()} cores, "
        f"BLAS threads: {words}, load of the machine at the end: {os.getloadavg()[0]:.1f}.",
    ]
    return "\n\n".join(lines)


def _write_csv(path: Path, rows: list[dict]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)


def _number(value) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, bool | str):
        return str(value)
    if abs(value) < 0.005 and value != 0:
        return f"{value:.1e}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _table(header, rows) -> str:
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _by(rows, *names) -> dict:
    groups: dict = {}
    for row in rows:
        groups.setdefault(tuple(row.get(name) for name in names), []).append(row)
    return groups


def _targets(paths) -> str:
    """One line per task: the fastest accurate peer against ours, median over seeds."""
    wanted = {c.task: (c.at_least, c.goal) for c in COMPARISONS}
    wanted |= {f"{task} CV": asked for task, asked in CROSS_VALIDATED.items()}
    lines = []
    for (task,), rows in _by(paths, "task").items():
        peers = [row for row in rows if not row["solver"].startswith("pulasso") and row.get("time_ratio")]
        peers = [row for row in peers if row.get("counts", True)]
        if not peers:
            continue
        fastest = [_fastest(of_seed) for of_seed in _by(peers, "seed").values()]
        at_least, goal = wanted.get(task, (None, None))
        wall = median(row["time_ratio"] for row in fastest)
        cpu = median(row.get("cpu_ratio") or nan for row in fastest)  # not known where others do the work
        names = ", ".join(sorted({row["solver"] for row in fastest}))
        at_default = median(row.get("default_ratio") or nan for row in fastest)
        numbers = (wall, min(row["time_ratio"] for row in fastest), cpu, at_default, at_least, goal)
        worse = any(row.get("accurate") is False for row in peers)
        judged = not worse and all(map(_close, fastest))
        verdict = _verdict(wall, cpu, at_least, goal) if judged else "not judged"
        objective = "ours above theirs: see below" if worse else _objective(fastest)
        bound = "> " if any(row.get("is_bound") for row in fastest) else ""
        cells = [bound + _number(wall), *map(_number, numbers[1:])]
        lines.append([task, names, str(len(fastest)), *cells, verdict, objective])
    if not lines:
        return ""
    header = [
        "task",
        "fastest peer",
        "seeds",
        "time ratio (median)",
        "(smallest)",
        "CPU ratio",
        "to our default",
        "at least",
    ]
    header += ["goal", "met", "objective"]
    words = (
        f"Peers whose gap exceeds {GAP:g} count only where no other answered, and are not judged: a ratio of times "
        "means little where the objectives differ. The smaller of wall and CPU ratio decides whether a goal is met. "
        "A solver that was not accurate within the time limit counts with that limit: `>` says it is larger."
    )
    return f"## How many times faster than the fastest peer\n\n{words}\n\n" + _table(header, lines)


def _close(row) -> bool:
    """Say whether a row came near enough to the best known objective; cross-validation has none."""
    return row.get("gap") is None or row["gap"] <= GAP


def _fastest(rows) -> dict:
    """Return the fastest of the accurate peers, or of all if none is accurate."""
    return min([row for row in rows if _close(row)] or rows, key=lambda row: row["time_ratio"])


def _verdict(wall, cpu, at_least, goal) -> str:
    if at_least is None:
        return ""
    ratio = min(wall, cpu) if cpu == cpu else wall
    return "goal" if ratio >= goal else "yes" if ratio >= at_least else "NO"


def _objective(rows) -> str:
    """Say how the objectives of ours and of the fastest peer compare."""
    if any(row.get("is_bound") for row in rows):
        return "not reached in time"
    if not all(map(_close, rows)):
        return f"differ: gap up to {max(row['gap'] for row in rows):.1e}"
    if any(row.get("gap") is None for row in rows):
        return "not compared: see the notes"
    return "equal" if all(row.get("accurate") for row in rows) else "each at its own"


def _path_table(paths) -> str:
    """All solvers of all tasks, medians over seeds."""
    if not paths:
        return ""
    lines, notes = [], []
    for (task, solver, tol), rows in _by(paths, "task", "solver", "tol").items():
        medians = {"task": task, "solver": solver, "tol": tol}
        for name in list(COLUMNS)[3:]:
            values = [row[name] for row in rows if row.get(name) is not None]
            middle_or_worst = max if name in ("kkt", "gap", "ours_above") else median
            medians[name] = middle_or_worst(values) if values else None
        cells = {name: _number(medians[name]) for name in COLUMNS}
        if not _close(medians):
            cells["gap"] = f"**{cells['gap']}**"
        lines.append(list(cells.values()))
        notes += [f"- {task}, {solver}: {row['note']}" for row in rows if row.get("note")]
    words = "Medians over seeds; KKT, gap and `ours above` are the worst of all lams and seeds. "
    words += f"A gap in bold exceeds {GAP:g}."
    table = _table(list(COLUMNS.values()), lines)
    return "\n\n".join(["## All solvers", words, table, "\n".join(dict.fromkeys(notes))]).rstrip()


def _own_table(own) -> str:
    """Our own comparisons, median over seeds."""
    if not own:
        return ""
    lines = []
    for (what, case), rows in _by(own, "what", "case").items():
        values = [row["value"] for row in rows if row["value"] == row["value"]]
        middle = median(values) if values else None
        first = rows[0]
        limit, least = first.get("at_most"), first.get("at_least")
        verdict = ""
        if middle is not None and (limit or least):
            verdict = "yes" if middle <= (limit or middle) and middle >= (least or middle) else "NO"
        asked = f"<= {_number(limit)}" if limit else f">= {_number(least)}" if least else ""
        detail = first.get("detail", "")
        lines.append([what, case, f"{_number(middle)} {first['unit']}" if values else "", asked,
                      _number(first.get("goal")), verdict, detail, _number(first.get("load"))])  # fmt: skip
    header = ["what", "case", "median", "asked", "goal", "met", "first seed", "load"]
    return "## Our own solvers, growth, passes, memory, first fit\n\n" + _table(header, lines)


def _hand_measured(paths) -> str:
    """Packages that no registry offers: their seconds were taken by hand, see the file for versions."""
    known = json.loads((HERE / "hand_measured.json").read_text())
    own_rows = [row for row in paths if row["solver"].startswith("pulasso, default")]
    ours = {task: median(row["warm"] for row in rows) for (task,), rows in _by(own_rows, "task").items()}
    lines = []
    for row in known["rows"]:
        seconds = ours.get(row["task"])
        ratio = _number(row["seconds"] / seconds) if seconds else ""
        numbers = map(_number, (row["seconds"], row.get("kkt"), seconds))
        lines.append([row["task"], row["solver"], row["setting"], *numbers, ratio, row["date"], row["note"]])
    header = ["task", "solver", "setting", "seconds", "KKT", "ours, this run", "ratio", "date", "note"]
    return f"## Measured by hand\n\n{known['words']}\n\n" + _table(header, lines)
