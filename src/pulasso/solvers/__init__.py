"""Solvers: every one minimises the same F and stops on the same certificate."""

from pulasso.solvers._chunked_oracle import ChunkedOracle
from pulasso.solvers._solution import Record, Solution, Solver, along_path
from pulasso.solvers.curvature import least_curvature
from pulasso.solvers.em import solve_em
from pulasso.solvers.proximal_gradient import solve_proximal_gradient
from pulasso.solvers.working_set import is_chunked_problem, solve_working_set

__all__ = [
    "SOLVERS",
    "ChunkedOracle",
    "Record",
    "Solution",
    "Solver",
    "along_path",
    "is_chunked_problem",
    "least_curvature",
    "solve_em",
    "solve_proximal_gradient",
    "solve_working_set",
]

SOLVERS: dict[str, Solver] = {
    "working-set": solve_working_set,
    "proximal-gradient": along_path(solve_proximal_gradient),
    "em": along_path(solve_em),
}
