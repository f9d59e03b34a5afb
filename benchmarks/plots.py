"""Two figures: how many times faster, and how cost grows."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator
from tasks import MANY_CLASSES

__all__ = ["draw_classes", "draw_growth", "draw_ratios"]

AXES = {"n": "rows", "p": "columns", "K": "classes besides class 0", "n_lams": "lams"}


def draw_ratios(paths: list[dict], to: Path) -> None:
    """One mark per task, peer and seed, on a logarithmic scale; right of 1 ours is faster."""
    rows = [row for row in paths if row.get("time_ratio") and not row["solver"].startswith("pulasso")]
    if not rows:
        return
    labels = list(dict.fromkeys(f"{row['task']}: {row['solver']}" for row in rows))[::-1]
    figure, axes = plt.subplots(figsize=(7, 1 + 0.3 * len(labels)), layout="constrained")
    for row in rows:
        level = labels.index(f"{row['task']}: {row['solver']}")
        axes.plot(row["time_ratio"], level, "o", color="C0", alpha=0.6)
    axes.axvline(1.0, color="0.5", linewidth=1)
    axes.set(xscale="log", xlabel="their seconds / ours", yticks=range(len(labels)), yticklabels=labels)
    figure.savefig(to, dpi=150)
    plt.close(figure)


def draw_growth(own: list[dict], to: Path) -> None:
    """Seconds against each size; the dashed line grows by 2.2 with every doubling."""
    rows = [row for row in own if row["what"].startswith("growth")]
    if not rows:
        return
    figure, panels = plt.subplots(1, 4, figsize=(13, 3.2), layout="constrained")
    for panel, (axis, words) in zip(panels, AXES.items(), strict=True):
        here = [row for row in rows if row["what"] == f"growth in {axis}"]
        for seed in dict.fromkeys(row["seed"] for row in here):
            points = [(row["size"], row["seconds"]) for row in here if row["seed"] == seed]
            panel.plot(*zip(*points, strict=True), "o-", label=f"seed {seed}")
            (first, seconds), (last, _) = points[0], points[-1]
            panel.plot([first, last], [seconds, seconds * (last / first) ** 1.1375], "--", color="0.6")
        panel.set(xscale="log", yscale="log", xlabel=words, ylabel="seconds" if axis == "n" else "")
        sizes = sorted({row["size"] for row in here})
        panel.set_xticks(sizes, [f"{size:,}" for size in sizes])
        panel.minorticks_off()
        panel.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        panel.yaxis.set_major_formatter("{x:g}")
    panels[0].legend(frameon=False)
    figure.savefig(to, dpi=150)
    plt.close(figure)


def draw_classes(paths: list[dict], own: list[dict], to: Path) -> None:
    """Seconds against the number of classes: all solvers on one path, and ours where as many groups are active."""
    seconds: dict[str, list[tuple[int, float]]] = {}
    for row in paths:
        is_path = row["task"].startswith("T-K") and "default" not in row["solver"]
        if is_path and row.get("warm"):
            name = row["solver"] + (" (limit)" if row.get("is_bound") else "")
            seconds.setdefault(name, []).append((int(row["task"][3:]), row["warm"]))
    at_groups = [row for row in own if row["what"].startswith("classes doubled")]
    if not seconds and not at_groups:
        return
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
    for name, points in seconds.items():
        left.plot(*zip(*sorted(points), strict=True), "^" if name.endswith("(limit)") else "o-", label=name)
    for what in dict.fromkeys(row["what"] for row in at_groups):
        points = [(row["size"], row["seconds"]) for row in at_groups if row["what"] == what]
        right.plot(*zip(*points, strict=True), "o-", label=what.removeprefix("classes doubled, "))
    for panel, words in ((left, "the same path"), (right, "ours, until as many groups are active")):
        panel.set(xscale="log", yscale="log", xlabel="classes", title=words)
        panel.set_xticks(MANY_CLASSES, MANY_CLASSES)
        panel.minorticks_off()
        if panel.lines:
            panel.legend(frameon=False)
        else:
            panel.remove()
    left.set(ylabel="seconds")
    figure.savefig(to, dpi=150, bbox_inches="tight")
    plt.close(figure)
