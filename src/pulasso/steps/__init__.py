"""Long computations in named steps: in parallel, with progress, kept in a folder and taken up again."""

from pulasso.steps._checkpoint import Checkpoint
from pulasso.steps._fingerprint import data_hash, describe
from pulasso.steps._one_thread import one_blas_thread
from pulasso.steps._run import run_steps

__all__ = ["Checkpoint", "data_hash", "describe", "one_blas_thread", "run_steps"]
