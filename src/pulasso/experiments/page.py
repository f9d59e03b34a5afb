"""One page, complete in itself, that shows every experiment in a folder beside what the paper says."""

import base64
import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pulasso.experiments.registry import NAMES, get_experiment
from pulasso.experiments.writing import write_text

__all__ = ["PAGE", "verdict", "write_page"]

PAGE = "index.html"
TEMPLATES = Path(__file__).parent / "templates"
NOT_JUDGED = "tiny"  # a handful of small fits decides nothing


def write_page(folder: Path, say: Callable[[str], Any] = lambda words: None) -> Path:
    """Write ``index.html`` from the results in `folder` and return where it lies.

    Results that cannot be read are named by `say` and on the page, which shows all others.
    """
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise ImportError('The page needs jinja2: pip install "pulasso[experiments]".') from None
    found, damaged = [], []
    for name in (name for name in NAMES if (folder / name / "claims.json").is_file()):
        try:
            found.append(_section(folder, name))
        except (OSError, ValueError, LookupError, TypeError) as error:
            damaged.append({"name": name, "why": f"{type(error).__name__}: {error}"})
            say(
                f"{folder / name} is damaged and left out of the page ({damaged[-1]['why']}); reproduce it again."
            )
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    page = folder / PAGE
    template = environment.get_template("page.html.j2")
    write_text(page, template.render(sections=found, damaged=damaged, style=style))
    return page


def _section(folder: Path, name: str) -> dict[str, Any]:
    """Return what the page says about one experiment, from its files."""
    experiment, home = get_experiment(name), folder / name
    settings = json.loads((home / "settings.json").read_text(encoding="utf-8"))
    claims = json.loads((home / "claims.json").read_text(encoding="utf-8"))
    summary, beside = _read(home / "summary.csv"), home / "beside.csv"
    return {
        "name": name,
        "title": experiment.TITLE,
        "paper": experiment.PAPER,
        "notes": experiment.NOTES,
        "scale": settings["scale"],
        "seed": settings["seed"],
        "version": settings["pulasso"],
        "settings": json.dumps(settings["settings"], indent=1),
        "claims": [{**claim, "verdict": verdict(claim["holds"], settings["scale"])} for claim in claims],
        "image": base64.b64encode((home / "figure.png").read_bytes()).decode("ascii"),
        "beside": _read(beside) if beside.is_file() else [],
        "columns": summary[0],
        "rows": [[_number(cell) for cell in row] for row in summary[1:]],
    }


def _read(file: Path) -> list[list[str]]:
    """Return the rows of a CSV file, the header first."""
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines))


def verdict(holds: bool, scale: str) -> str:
    """Return what is said about a claim."""
    if scale == NOT_JUDGED:
        return "not judged"
    return "holds" if holds else "does not hold"


def _number(cell: str) -> str:
    """Return a number with as many digits as a reader compares; words stay."""
    try:
        value = float(cell)
    except ValueError:
        return cell
    return cell if cell.lstrip("-").isdigit() else f"{value:.4g}"
