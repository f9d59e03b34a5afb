"""What every solver returns."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pulasso.problem import Params, Problem

__all__ = ["Callback", "History", "Record", "Solution", "Solver", "along_path"]


class Record(NamedTuple):
    """One line of a solver's history; `kkt` is NaN where the certificate was not computed."""

    n_iter: int
    objective: float
    kkt: float
    seconds: float


Callback = Callable[[Record], None]


@dataclass
class History:
    """Collects records and passes them on to a callback."""

    callback: Callback | None = None
    records: list[Record] = field(default_factory=list)
    started: float = field(default_factory=perf_counter)

    def add(self, n_iter: int, objective: float, kkt: float = float("nan")) -> None:
        """Note where the solver is."""
        record = Record(n_iter, objective, kkt, perf_counter() - self.started)
        self.records.append(record)
        if self.callback is not None:
            self.callback(record)


@dataclass(frozen=True, eq=False)
class Solution:
    """Where a solver ended, the same from every solver and storage.

    Attributes
    ----------
    lam : float
    params : Params
    objective : float
        The minimised F.
    kkt : float
        The certificate at `params`: the largest KKT violation, relative to its scale.
    n_iter : int
    converged : bool
        Whether `kkt` is at most the tolerance.
    history : tuple of Record
    message : str
        Why the solver stopped.
    class_shares : array of shape (K + 1,), optional
        Mean prediction over the rows that are a sample of the population.
    """

    lam: float
    params: Params
    objective: float
    kkt: float
    n_iter: int
    converged: bool
    history: tuple[Record, ...]
    message: str
    class_shares: NDArray | None = None

    def to_arrays(self) -> dict[str, NDArray]:
        """Return plain arrays, for checkpoints."""
        theta = self.params.theta
        nonzero = np.flatnonzero(theta)  # most are zero
        return {
            "nonzero": nonzero,
            "values": theta.ravel()[nonzero],
            "shape": np.array(theta.shape),
            "offsets": self.params.offsets,
            "numbers": np.array(
                [self.lam, self.objective, self.kkt, self.n_iter, self.converged], dtype=float
            ),
            "history": np.array(self.history, dtype=float).reshape(-1, len(Record._fields)),
            "message": np.array(self.message),
            "class_shares": np.empty(0) if self.class_shares is None else self.class_shares,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray]) -> "Solution":
        """Return the solution that gave these arrays."""
        theta = np.zeros(arrays["shape"], dtype=arrays["values"].dtype)
        theta.ravel()[arrays["nonzero"]] = arrays["values"]
        lam, objective, kkt, n_iter, converged = arrays["numbers"].tolist()
        history = tuple(Record(int(n), *rest) for n, *rest in arrays["history"].tolist())
        params, message = Params(theta, arrays["offsets"]), str(arrays["message"])
        shares = arrays["class_shares"] if arrays["class_shares"].size else None
        return cls(lam, params, objective, kkt, int(n_iter), bool(converged), history, message, shares)


# From a problem, a start and decreasing lams to a solution for each: see `solve_path`.
Solver = Callable[..., Iterator[Solution]]


def along_path(solve: Callable[..., Solution]) -> Solver:
    """Make a solver of one lam one of a path, each lam from the solution before it."""

    @wraps(solve)
    def solve_path(
        problem: Problem, start: Params, lams: NDArray, *, tol: NDArray | float, **settings: object
    ) -> Iterator[Solution]:
        for lam, accuracy in zip(lams, np.broadcast_to(tol, len(lams)), strict=True):
            solution = solve(problem.at_lam(float(lam)), start, tol=float(accuracy), **settings)
            start = solution.params
            yield solution

    return solve_path
