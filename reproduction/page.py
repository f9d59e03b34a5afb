"""One page, complete in itself, that shows every experiment in a folder beside what the paper says."""

import base64
import csv
import json
from pathlib import Path
from typing import Any

from reproduction.registry import NAMES, get_experiment

TEMPLATES = Path(__file__).parent / "templates"
NOT_JUDGED = "tiny"  # a handful of small fits decides nothing


def render_page(folder: Path) -> tuple[str, dict[str, str]]:
    """Return the page about all results in a folder, and why some of them could not be read."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    sections, damaged = [], {}
    for name in (name for name in NAMES if (folder / name / "claims.json").is_file()):
        try:
            sections.append(_section(folder / name))
        except (OSError, ValueError, LookupError, TypeError) as error:
            damaged[name] = f"{type(error).__name__}: {error}"
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    template = environment.get_template("page.html.j2")
    return template.render(sections=sections, damaged=damaged, style=style), damaged


def _section(home: Path) -> dict[str, Any]:
    """Return what the page says about one experiment, from the files in its folder."""
    experiment = get_experiment(home.name)
    settings = json.loads((home / "settings.json").read_text(encoding="utf-8"))
    claims = json.loads((home / "claims.json").read_text(encoding="utf-8"))
    summary, beside = _read(home / "summary.csv"), home / "beside.csv"
    return {
        "name": home.name,
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
