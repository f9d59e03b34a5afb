"""Long computations in named steps: in parallel, with progress, saved in a folder and resumed from there."""

from pulasso.runs._checkpoint import Run, checkpoint, open_run
from pulasso.runs._fingerprint import fingerprint
from pulasso.runs._processes import n_processes, shared_array
from pulasso.runs._steps import how_to_resume, run_steps
from pulasso.runs._threads import one_blas_thread
from pulasso.runs.seeds import draw_entropy, spawn

__all__ = [
    "Run",
    "checkpoint",
    "draw_entropy",
    "fingerprint",
    "how_to_resume",
    "n_processes",
    "one_blas_thread",
    "open_run",
    "run_steps",
    "shared_array",
    "spawn",
]
