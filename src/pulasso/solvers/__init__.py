"""Solvers: every one minimises the same F and stops on the same certificate."""

from collections.abc import Callable

from pulasso.solvers._result import Record, SolverResult
from pulasso.solvers.em import solve_em
from pulasso.solvers.proximal_gradient import solve_proximal_gradient

__all__ = ["SOLVERS", "Record", "SolverResult", "solve_em", "solve_proximal_gradient"]

SOLVERS: dict[str, Callable[..., SolverResult]] = {
    "working-set": solve_proximal_gradient,
    "proximal-gradient": solve_proximal_gradient,
    "em": solve_em,
}
