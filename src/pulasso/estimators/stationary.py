"""Several starts for one fit: which stationary points exist, and how much depends on the one that is kept."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import listed
from pulasso.estimators._assemble import Assembled
from pulasso.problem import Params, Problem
from pulasso.restarts import Cluster, em_start, merge, naive_start, random_start
from pulasso.runs import run_steps
from pulasso.runs.seeds import spawn
from pulasso.solvers import SOLVERS, Record, SolverResult
from pulasso.tables import html_facts, html_table, make_frame, text_facts, text_table

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["StationaryPoints", "arrays_of_result", "explore", "result_from_arrays"]

POINTS_SHOWN = 10
COLUMNS = {
    "objective": "objective",
    "above_best": "above best",
    "n_starts": "starts",
    "n_active": "groups",
    "predictions_differ": "other classes",
    "proba_difference": "mean |dP|",
    "kkt": "KKT",
}


@dataclass(frozen=True, eq=False)
class StationaryPoints:
    """Distinct stationary points of one objective, the best first.

    Prints as text, renders as HTML in notebooks, and converts by :meth:`to_frame`.

    Attributes
    ----------
    models : tuple of estimators
        One fitted estimator for each point.
    objective : array of shape (n_points,)
    kkt : array of shape (n_points,)
        KKT violation relative to lam_max.
    n_starts : array of shape (n_points,)
        How many starts led to the point.
    starts : tuple of tuple of str
        Which ones: "path", "naive", "em", "random 1", ...
    n_active : array of shape (n_points,)
        Number of groups that are not zero.
    predictions_differ : array of shape (n_points,)
        Share of the training rows (weighted) whose predicted class is not that of the best point.
    proba_difference : array of shape (n_points,)
        Mean over training rows and classes of ``|P(y | x) - P_best(y | x)|``.
    not_converged : dict of str to float
        Starts from which the solver did not reach its tolerance, with the objective that they reached.
    """

    models: tuple[Any, ...]
    objective: NDArray
    kkt: NDArray
    n_starts: NDArray
    starts: tuple[tuple[str, ...], ...]
    n_active: NDArray
    predictions_differ: NDArray
    proba_difference: NDArray
    not_converged: dict[str, float] = field(default_factory=dict)

    @property
    def best(self) -> Any:
        """The fitted estimator with the smallest objective."""
        return self.models[0]

    @property
    def path_index(self) -> int | None:
        """Position of the point that the path leads to, which `fit` finds by itself."""
        return next((i for i, names in enumerate(self.starts) if "path" in names), None)

    @property
    def above_best(self) -> NDArray:
        """By how much the objective exceeds the smallest one."""
        return self.objective - self.objective[0]

    def __len__(self) -> int:
        return len(self.models)

    def words_about_path(self) -> str:
        """Say what keeping the point that the path leads to would have cost."""
        where = self.path_index
        kept = f"The best of {len(self)} stationary points was kept"
        remedy = (
            "What is selected and predicted depends on the start: see stationary_points_. A larger lam brings "
            "the objective closer to a convex one."
        )
        if where is None:
            return f"{kept}; down the path the solver did not converge. {remedy}"
        return (
            f"{kept}; the path led to another one, whose objective is {self.above_best[where]:.2g} higher and "
            f"which predicts other classes for {100 * self.predictions_differ[where]:.1f} % of the rows. {remedy}"
        )

    def to_frame(self) -> "DataFrame":
        """Return one row for each point as a pandas data frame."""
        columns: dict[str, Any] = {name: getattr(self, name) for name in COLUMNS}
        return make_frame({**columns, "starts": [", ".join(names) for names in self.starts]})

    def _facts(self) -> dict[str, str]:
        n_all = int(self.n_starts.sum()) + len(self.not_converged)
        where = self.path_index
        found = f"{len(self)} distinct {'point' if len(self) == 1 else 'points'} from {n_all} starts"
        if not self.best.converged_:
            found += ", none of which converged"
        facts = {"found": f"{found}, lam {self.best.lam:.4g}", "the path led to": "no stationary point"}
        if where is not None:
            above = ", the best" if where == 0 else f", {self.above_best[where]:.2g} above the best"
            facts["the path led to"] = f"point {where}{above}"
        if self.not_converged:
            facts["not converged"] = f"from {listed(self.not_converged, show=str)}"
        return facts

    def _rows(self) -> tuple[list[str], list[list[str]]]:
        rows = []
        for i in range(min(len(self), POINTS_SHOWN)):
            rows.append(
                [
                    str(i),
                    f"{self.objective[i]:.8g}",
                    f"{self.above_best[i]:.1e}" if i else ".",
                    str(self.n_starts[i]),
                    str(self.n_active[i]),
                    f"{100 * self.predictions_differ[i]:.1f} %" if i else ".",
                    f"{self.proba_difference[i]:.2g}" if i else ".",
                    f"{self.kkt[i]:.0e}",
                ]
            )
        return ["point", *COLUMNS.values()], rows

    def _more(self) -> str:
        hidden = len(self) - POINTS_SHOWN
        return f"... and {hidden} more (see .to_frame())" if hidden > 0 else ""

    def __repr__(self) -> str:
        more = [f"  {self._more()}"] if self._more() else []
        title = f"Stationary points of {type(self.best).__name__}"
        return "\n".join([title, *text_facts(self._facts()), "", *text_table(*self._rows()), *more])

    def _repr_html_(self) -> str:
        title = escape(f"Stationary points of {type(self.best).__name__}")
        more = f"<p>{escape(self._more())}</p>" if self._more() else ""
        return (
            f"<div class='pulasso-summary'><h4>{title}</h4>{html_facts(self._facts())}"
            f"{html_table(*self._rows())}{more}</div>"
        )


def explore(
    estimator: Any,
    assembled: Assembled,
    path: SolverResult,
    *,
    n_restarts: int,
    entropy: NDArray[np.uint32],
    scale: float = 1.0,
    **running: Any,
) -> tuple[StationaryPoints, SolverResult]:
    """Solve from other starts and return the distinct points with the best solution.

    Parameters
    ----------
    estimator : estimator
        Says which solver, lam, tol and max_iter; the template of the fitted models.
    assembled : Assembled
    path : SolverResult
        The solution at the end of the path.
    n_restarts : int
        Random starts, besides the naive and the EM solution.
    entropy : array of uint32
        From :func:`draw_entropy`.
    scale : float
        Size of the random steps; see :func:`random_start`.
    **running
        For :func:`run_steps`: n_jobs, checkpoint, fingerprint, progress.
    """
    # Data in chunks are refused before.
    problem = cast(Problem, assembled.problem).at_lam(float(estimator.lam))
    settings = {"tol": estimator.tol, "max_iter": estimator.max_iter}
    seeds = dict.fromkeys(("naive", "em"))
    seeds |= {f"random {i + 1}": seed for i, seed in enumerate(spawn(entropy, n_restarts))}
    steps = {
        name: (name, seed, problem, assembled.null, path.params, scale, estimator.solver, settings)
        for name, seed in seeds.items()
    }
    found = run_steps(_solve_from, steps, title="starts", **running)
    results = {"path": path}
    results |= {name: result_from_arrays(arrays) for name, arrays in zip(steps, found, strict=True)}
    solutions = list(results.values())
    clusters = merge(solutions)
    points = _collect(estimator, assembled, problem, results, clusters)
    return points, solutions[clusters[0].first]


def _solve_from(
    name: str,
    seed: np.random.SeedSequence | None,
    problem: Problem,
    null: Params,
    center: Params,
    scale: float,
    solver: str,
    settings: Mapping[str, Any],
) -> dict[str, NDArray]:
    """Make one start and solve from there."""
    if name == "naive":
        start = naive_start(problem)
    elif name == "em":
        start = em_start(problem, null)
    else:
        start = random_start(problem, center, np.random.default_rng(seed), scale)
    return arrays_of_result(SOLVERS[solver](problem, start, **settings))


def _collect(
    estimator: Any,
    assembled: Assembled,
    problem: Problem,
    results: Mapping[str, SolverResult],
    clusters: list[Cluster],
) -> StationaryPoints:
    names, solutions = list(results), list(results.values())
    points = [solutions[cluster.first] for cluster in clusters]
    share, response = problem.loss.share, problem.response
    differ, distance = np.zeros(len(points)), np.zeros(len(points))
    best = None
    for i, point in enumerate(points):
        proba = np.exp(response.log_proba(problem.design.matmul(point.params.theta), point.params.offsets))
        best = proba if best is None else best
        differ[i] = share @ (proba.argmax(axis=1) != best.argmax(axis=1))
        distance[i] = share @ np.abs(proba - best).mean(axis=1)
    members = [set(cluster.members) for cluster in clusters]
    return StationaryPoints(
        models=tuple(_model(estimator, assembled, point) for point in points),
        objective=np.array([point.objective for point in points]),
        kkt=np.array([point.kkt for point in points]),
        n_starts=np.array([len(each) for each in members]),
        starts=tuple(tuple(names[i] for i in cluster.members) for cluster in clusters),
        n_active=np.array([np.count_nonzero(assembled.blocks.norms(point.params.theta)) for point in points]),
        predictions_differ=differ,
        proba_difference=distance,
        not_converged={
            names[i]: solutions[i].objective for i in range(len(names)) if i not in set().union(*members)
        },
    )


def _model(estimator: Any, assembled: Assembled, result: SolverResult) -> Any:
    model = copy(estimator)
    model.__dict__.pop("stationary_points_", None)
    model._store_data(assembled)
    model._store_solution(assembled, result, n_iter=result.n_iter)
    return model


def arrays_of_result(result: SolverResult) -> dict[str, NDArray]:
    """Return a solution as plain arrays, for :func:`run_steps`."""
    theta = result.params.theta
    nonzero = np.flatnonzero(theta)  # most are zero
    return {
        "nonzero": nonzero,
        "values": theta.ravel()[nonzero],
        "shape": np.array(theta.shape),
        "offsets": result.params.offsets,
        "objective": np.array(result.objective),
        "kkt": np.array(result.kkt),
        "n_iter": np.array(result.n_iter),
        "converged": np.array(result.converged),
        "history": np.array(result.history, dtype=float).reshape(-1, len(Record._fields)),
        "message": np.array(result.message),
    }


def result_from_arrays(arrays: Mapping[str, NDArray]) -> SolverResult:
    """Return the solution that :func:`arrays_of_result` was given."""
    theta = np.zeros(arrays["shape"], dtype=arrays["values"].dtype)
    theta.ravel()[arrays["nonzero"]] = arrays["values"]
    return SolverResult(
        Params(theta, arrays["offsets"]),
        float(arrays["objective"]),
        float(arrays["kkt"]),
        int(arrays["n_iter"]),
        bool(arrays["converged"]),
        tuple(Record(int(n), *map(float, rest)) for n, *rest in arrays["history"]),
        str(arrays["message"]),
    )
