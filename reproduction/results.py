"""Run experiments and write what came out: tables, figures, settings, and one page that shows them all."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from platform import python_version
from time import perf_counter
from typing import TYPE_CHECKING, Any

from pulasso import __version__
from pulasso.storage import new_file
from reproduction.cells import at_scale
from reproduction.page import render_page, verdict
from reproduction.registry import get_experiment, names_wanted

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

PAGE = "index.html"
NEEDED = ("pandas", "matplotlib", "jinja2")
MADE_WITH = ("numpy", "scipy", "scikit-learn")  # packages that numbers may depend on
DOTS_PER_INCH = 130


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
        Folder. Each experiment gets a folder with table.csv (one row per repetition), summary.csv, figure.png,
        figure.svg, settings.json, claims.json and made.json (date and versions), tables of the paper also beside.csv;
        ``index.html`` shows all that were ever run there. Finished cells are saved in ``cells`` and used again.
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
    ImportError
        If tables, figures or the page could not be written.
    OSError
        If some experiment could not be reproduced, after all others were; the message says which, and why.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ImportError(f'Reproducing needs {" and ".join(missing)}: pip install ".[reproduction]".')
    wanted = names_wanted([names] if isinstance(names, str) else names)
    for name in wanted:
        at_scale(get_experiment(name).SETTINGS, scale)  # a wrong word is known before anything is computed
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    failures: dict[str, Exception] = {}
    for name in wanted:
        try:
            _reproduce_one(name, scale, folder, seed, {"n_jobs": n_jobs, "progress": progress}, say)
        except (
            OSError,
            ValueError,
            ImportError,
            MemoryError,
        ) as error:  # must not cost the other experiments
            failures[name] = error
            say(_named(name, error))
    if len(failures) < len(wanted) or (folder / PAGE).is_file():
        _write_page(folder, say)
    if failures:
        words = " ".join(_named(name, error) for name, error in failures.items())
        raise OSError(f"Not everything could be reproduced. {words}") from next(iter(failures.values()))
    return folder / PAGE


def _named(name: str, error: Exception) -> str:
    return f"{name}: {str(error) or type(error).__name__}"


def _reproduce_one(
    name: str, scale: str, folder: Path, seed: int, how: dict[str, Any], say: Callable[[str], Any]
) -> None:
    experiment, home = get_experiment(name), folder / name
    start = perf_counter()
    table = experiment.run(scale, seed, checkpoint=folder / "cells", **how)
    seconds = perf_counter() - start
    claims = experiment.judge(table)
    home.mkdir(parents=True, exist_ok=True)
    _write_table(table, home)
    write_text(home / "summary.csv", _as_csv(experiment.summarize(table)))
    if hasattr(experiment, "beside_paper"):
        write_text(home / "beside.csv", _as_csv(experiment.beside_paper(table)))
    _save_figure(experiment.draw(table), home)
    asked = {"experiment": name, "scale": scale, "seed": seed, "pulasso": __version__}
    write_json(home / "settings.json", {**asked, "settings": plain_settings(experiment.SETTINGS[scale])})
    write_json(home / "claims.json", [asdict(claim) for claim in claims])
    say(f"{name} ({scale}): {len(table)} rows in {seconds:.0f} s")
    for claim in claims:
        say(f"  {verdict(claim.holds, scale)}: {claim.text} [{claim.evidence}]")


def plain_settings(settings: Any) -> Any:
    """Return settings as JSON holds them."""
    return json.loads(
        json.dumps(settings, default=lambda value: getattr(value, "tolist", lambda: repr(value))())
    )


def _write_table(table: "DataFrame", home: Path) -> None:
    """Write every repetition and, if they are new, when and with what they were made."""
    file, text = home / "table.csv", _as_csv(table)
    old = file.read_text(encoding="utf-8") if (home / "made.json").is_file() and file.is_file() else None
    if text != old:
        versions = {"python": python_version(), "pulasso": __version__}
        versions |= {name: metadata.version(name) for name in MADE_WITH}
        # Before the table: after a kill in between, the next run finds another table, and dates it again.
        write_json(home / "made.json", {"date": datetime.now(UTC).date().isoformat(), "versions": versions})
        write_text(file, text)


def _write_page(folder: Path, say: Callable[[str], Any]) -> None:
    text, damaged = render_page(folder)
    write_text(folder / PAGE, text)
    for name, why in damaged.items():
        say(f"{folder / name} is damaged and left out of the page ({why}); reproduce it again.")
    say(str(folder / PAGE))


def _as_csv(table: "DataFrame") -> str:
    return table.to_csv(index=False, lineterminator="\n")


def write_text(file: Path, text: str) -> None:
    """Write a text; the file that was there before stays until the new one is complete."""
    with new_file(file, force=True) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def write_json(file: Path, content: Any) -> None:
    """Write JSON in lines."""
    write_text(file, json.dumps(content, indent=2) + "\n")


def _save_figure(figure: "Figure", folder: Path) -> None:
    """Write figure.svg and figure.png; the same table gives the same bytes."""
    import matplotlib

    # No date, and names of parts that do not change.
    with (
        matplotlib.rc_context({"svg.hashsalt": "pulasso", "svg.fonttype": "none"}),
        new_file(folder / "figure.svg", force=True) as part,
    ):
        figure.savefig(part, format="svg", metadata={"Date": None})
    with new_file(folder / "figure.png", force=True) as part:
        figure.savefig(part, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
