"""Files of results, each of which is there whole or not at all, whenever a run is killed."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pulasso.storage import new_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["save_figure", "write_json", "write_text"]

DOTS_PER_INCH = 130


def write_text(file: Path, text: str) -> None:
    """Write a text; the file that was there before stays until the new one is complete."""
    with new_file(file, force=True) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def write_json(file: Path, content: Any) -> None:
    """Write JSON that a reader can read."""
    write_text(file, json.dumps(content, indent=2) + "\n")


def save_figure(figure: "Figure", folder: Path) -> None:
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
