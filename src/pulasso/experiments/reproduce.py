"""Run experiments and write what came out: tables, figures, settings, and one page that shows them all."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from platform import python_version
from time import perf_counter
from typing import TYPE_CHECKING, Any

from pulasso._version import __version__
from pulasso.experiments.page import PAGE, verdict, write_page
from pulasso.experiments.registry import get_experiment, names_wanted
from pulasso.experiments.runner import at_scale
from pulasso.steps import describe

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

__all__ = ["reproduce"]

DOTS_PER_INCH = 130
MADE_WITH = ("numpy", "scipy", "scikit-learn")  # packages that numbers may depend on


def reproduce(
    names: str | Sequence[str] = "all",
    scale: str = "quick",
    out: str | os.PathLike = "runs/paper",
    *,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
    say: Callable[[str], Any] = lambda words: None,
) -> Path:
    """Reproduce figures and tables of the paper and return the page that shows them.

    Parameters
    ----------
    names : str or sequence of str
        "all", or names of experiments such as "figure-1".
    scale : {"tiny", "quick", "paper"}, default="quick"
        tiny shows that everything runs; quick takes minutes; paper has the repetitions for error bars.
    out : str or path, default="runs/paper"
        Folder. Each experiment gets a folder with table.csv (one row per repetition), summary.csv,
        figure.png, figure.svg, settings.json, claims.json and made.json (date and versions), tables of the
        paper also beside.csv; ``index.html`` shows all that were ever run there. Finished cells are kept in
        ``steps`` and used again.
    seed : int, default=0
        The same seed gives the same tables, times excepted.
    n_jobs : int, optional
        Processes. Experiments that measure time always run alone.
    progress : bool, optional
        None shows a bar if stderr is a terminal.
    say : callable
        Called with a line of text for every experiment and claim.

    Returns
    -------
    Path
        Of index.html.

    Raises
    ------
    OSError
        If data of some experiment could not be had, after all others were reproduced.

    Examples
    --------
    >>> from pulasso.experiments import reproduce
    >>> page = reproduce("figure-1", scale="quick", out="runs/paper")  # doctest: +SKIP
    """
    folder = Path(out)
    failures = []
    for name in names_wanted([names] if isinstance(names, str) else list(names)):
        try:
            _reproduce_one(name, scale, folder, seed, {"n_jobs": n_jobs, "progress": progress}, say)
        except OSError as error:  # data that could not be had must not cost the other experiments
            failures.append(f"{name}: {error}")
            say(failures[-1])
    if len(failures) == 0 or folder.is_dir():
        say(f"{write_page(folder)}")
    if failures:
        raise OSError("Not everything could be reproduced. " + " ".join(failures))
    return folder / PAGE


def _reproduce_one(
    name: str, scale: str, folder: Path, seed: int, how: dict[str, Any], say: Callable[[str], Any]
) -> None:
    experiment = get_experiment(name)
    settings = at_scale(experiment.SETTINGS, scale)
    start = perf_counter()
    table = experiment.run(scale, seed, cache=folder / "steps", **how)
    seconds = perf_counter() - start
    claims = experiment.judge(table)
    home = folder / name
    home.mkdir(parents=True, exist_ok=True)
    _write_table(table, home)
    experiment.summarize(table).to_csv(home / "summary.csv", index=False)
    if hasattr(experiment, "beside_paper"):
        experiment.beside_paper(table).to_csv(home / "beside.csv", index=False)
    _save(experiment.draw(table), home)
    asked = {"experiment": name, "scale": scale, "seed": seed, "pulasso": __version__}
    _write(home / "settings.json", {**asked, "settings": describe(settings)})
    _write(home / "claims.json", [asdict(claim) for claim in claims])
    say(f"{name} ({scale}): {len(table)} rows in {seconds:.0f} s")
    for claim in claims:
        say(f"  {verdict(claim.holds, scale)}: {claim.text} [{claim.evidence}]")


def _write_table(table: "DataFrame", home: Path) -> None:
    """Write every repetition and, if they are new, when and with what they were made."""
    file, text = home / "table.csv", table.to_csv(index=False)
    old = file.read_text(encoding="utf-8") if (home / "made.json").is_file() and file.is_file() else None
    if text != old:
        file.write_text(text, encoding="utf-8")
        versions = {"python": python_version(), "pulasso": __version__}
        versions |= {name: metadata.version(name) for name in MADE_WITH}
        _write(home / "made.json", {"date": datetime.now(UTC).date().isoformat(), "versions": versions})


def _save(figure: "Figure", home: Path) -> None:
    import matplotlib

    # The same table gives the same bytes: no date, and names of parts that do not change.
    with matplotlib.rc_context({"svg.hashsalt": "pulasso", "svg.fonttype": "none"}):
        figure.savefig(home / "figure.svg", metadata={"Date": None})
    figure.savefig(home / "figure.png", dpi=DOTS_PER_INCH, metadata={"Software": None})


def _write(file: Path, content: Any) -> None:
    file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
