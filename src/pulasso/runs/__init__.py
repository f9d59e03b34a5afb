"""Long computations in named steps: in parallel, with progress, kept in a folder and taken up again."""

from pulasso.runs._checkpoint import Checkpoint
from pulasso.runs._fingerprint import data_hash, describe
from pulasso.runs._one_thread import one_blas_thread
from pulasso.runs._run import run_steps

__all__ = ["Checkpoint", "data_hash", "describe", "one_blas_thread", "run_steps"]
