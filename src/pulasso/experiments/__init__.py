"""The paper's figures and tables, each by one call, with our numbers beside the paper's.

``pulasso reproduce all`` runs them; :func:`reproduce` does the same from Python. One file per figure or table
holds its `SETTINGS`, `run`, `summarize`, `judge` and `draw`; :mod:`pulasso.experiments.registry` lists them.
"""

from pulasso.experiments.claims import Claim
from pulasso.experiments.registry import NAMES, Experiment, get_experiment
from pulasso.experiments.reproduce import reproduce

__all__ = ["NAMES", "Claim", "Experiment", "get_experiment", "reproduce"]
