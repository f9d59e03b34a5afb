"""What every solver returns."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import NamedTuple

from pulasso.problem import Params

__all__ = ["Callback", "History", "Record", "SolverResult"]


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
class SolverResult:
    """Where a solver ended.

    Attributes
    ----------
    params : Params
    objective : float
        The minimised F.
    kkt : float
        The certificate at `params`: KKT violation relative to lam_max.
    n_iter : int
    converged : bool
        Whether `kkt` is at most the tolerance.
    history : tuple of Record
    message : str
        Why the solver stopped.
    """

    params: Params
    objective: float
    kkt: float
    n_iter: int
    converged: bool
    history: tuple[Record, ...]
    message: str
