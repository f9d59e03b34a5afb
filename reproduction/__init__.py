"""The figures and tables of the paper, with our numbers beside the paper's.

``python -m reproduction all`` runs them from a clone; :func:`reproduction.results.reproduce` does the same from Python.
One file per figure or table holds its `SETTINGS`, `run`, `summarize`, `judge` and `draw`; `registry.py` lists them.
"""

from reproduction.registry import NAMES, SCALES, get_experiment

__all__ = ["NAMES", "SCALES", "get_experiment"]
