"""Reading the reference numbers that R computed."""

import json
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent.parent / "reference"


def numbers(name):
    """Return a JSON file of the folder."""
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def table(path):
    """Return a CSV file with a header as a mapping from column to values."""
    path = FOLDER / path
    header = path.read_text(encoding="utf-8").splitlines()[0].split(",")
    return dict(zip(header, np.loadtxt(path, delimiter=",", skiprows=1).T, strict=True))


def features(columns):
    """Return the columns x1, x2, ... of a table as a matrix."""
    return np.column_stack(
        [columns[f"x{j}"] for j in range(1, 1 + sum(name.startswith("x") for name in columns))]
    )
