"""Solvers: every one minimises the same F and stops on the same certificate."""

from collections.abc import Callable

from pulasso.solvers._quadratic import QuadraticModel
from pulasso.solvers._result import Record, SolverResult
from pulasso.solvers.em import solve_em
from pulasso.solvers.proximal_gradient import solve_proximal_gradient
from pulasso.solvers.summed import Entries, SummedProblem, SummedSteps, Sums, solve_summed_path
from pulasso.solvers.working_set import solve_working_set, solve_working_set_path

__all__ = [
    "SOLVERS",
    "Entries",
    "QuadraticModel",
    "Record",
    "SolverResult",
    "SummedProblem",
    "SummedSteps",
    "Sums",
    "solve_em",
    "solve_proximal_gradient",
    "solve_summed_path",
    "solve_working_set",
    "solve_working_set_path",
]

SOLVERS: dict[str, Callable[..., SolverResult]] = {
    "working-set": solve_working_set,
    "proximal-gradient": solve_proximal_gradient,
    "em": solve_em,
}
