"""Several starts for one fit: which stationary points exist, and how much depends on the one that is kept."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import listed
from pulasso.path import solve_path
from pulasso.problem import Params, Problem
from pulasso.restarts import Cluster, em_start, merge, naive_start, random_start
from pulasso.runs import run_steps, spawn
from pulasso.solvers import Solution
from pulasso.tables import Printable, Printout, make_frame

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["StationaryPoints", "explore"]

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


@dataclass(frozen=True, eq=False, repr=False)
class StationaryPoints(Printable):
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
        chosen = f"The best of {len(self)} stationary points was chosen"
        remedy = (
            "What is selected and predicted depends on the start: see stationary_points_. A larger lam brings "
            "the objective closer to a convex one."
        )
        if where is None:
            return f"{chosen}; down the path the solver did not converge. {remedy}"
        return (
            f"{chosen}; the path led to another one, whose objective is {self.above_best[where]:.2g} higher and "
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

    def _printout(self) -> Printout:
        rows = []
        for i in range(len(self)):
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
        title, table = (
            f"Stationary points of {type(self.best).__name__}",
            (["point", *COLUMNS.values()], rows),
        )
        return Printout(title, self._facts(), [table], n_rows=POINTS_SHOWN)


def explore(
    estimator: Any,
    problem: Problem,
    path: Solution,
    *,
    n_restarts: int,
    entropy: NDArray[np.uint32],
    scale: float = 1.0,
    **running: Any,
) -> tuple[StationaryPoints, Solution]:
    """Solve from other starts and return the distinct points with the best solution.

    Parameters
    ----------
    estimator : estimator
        Says which solver, lam, tol and max_iter; the template of the fitted models.
    problem : Problem
        In memory.
    path : Solution
        The solution at the end of the path.
    n_restarts : int
        Random starts, besides the naive and the EM solution.
    entropy : array of uint32
        From :func:`draw_entropy`.
    scale : float
        Size of the random steps; see :func:`random_start`.
    **running
        For :func:`run_steps`: n_jobs, run, progress.
    """
    problem = problem.at_lam(float(estimator.lam))
    settings = {"solver": estimator.solver, "tol": estimator.tol, "max_iter": estimator.max_iter}
    seeds = dict.fromkeys(("naive", "em"))
    seeds |= {f"random {i + 1}": seed for i, seed in enumerate(spawn(entropy, n_restarts))}
    steps = {name: (name, seed, problem, path.params, scale, settings) for name, seed in seeds.items()}
    found = run_steps(_solve_from, steps, title="starts", **running)
    solutions = {"path": path}
    solutions |= {name: Solution.from_arrays(arrays) for name, arrays in zip(steps, found, strict=True)}
    clusters = merge(list(solutions.values()))
    return _collect(estimator, problem, solutions, clusters), list(solutions.values())[clusters[0].first]


def _solve_from(
    name: str,
    seed: np.random.SeedSequence | None,
    problem: Problem,
    center: Params,
    scale: float,
    settings: Mapping[str, Any],
) -> dict[str, NDArray]:
    """Make one start and solve from there."""
    if name == "naive":
        start = naive_start(problem)
    elif name == "em":
        start = em_start(problem)
    else:
        start = random_start(problem, center, np.random.default_rng(seed), scale)
    return next(solve_path(problem, np.array([problem.lam]), start=start, **settings)).to_arrays()


def _collect(
    estimator: Any, problem: Problem, solutions: Mapping[str, Solution], clusters: list[Cluster]
) -> StationaryPoints:
    names, results = list(solutions), list(solutions.values())
    points = [results[cluster.first] for cluster in clusters]
    weight, response = problem.loss.sample_weight, problem.response
    differ, distance = np.zeros(len(points)), np.zeros(len(points))
    best = None
    for i, point in enumerate(points):
        proba = np.exp(response.log_proba(problem.design.matmul(point.params.theta), point.params.offsets))
        best = proba if best is None else best
        differ[i] = weight @ (proba.argmax(axis=1) != best.argmax(axis=1))
        distance[i] = weight @ np.abs(proba - best).mean(axis=1)
    members = [set(cluster.members) for cluster in clusters]
    models = tuple(_model(estimator, problem, point) for point in points)
    return StationaryPoints(
        models=models,
        objective=np.array([point.objective for point in points]),
        kkt=np.array([point.kkt for point in points]),
        n_starts=np.array([len(each) for each in members]),
        starts=tuple(tuple(names[i] for i in cluster.members) for cluster in clusters),
        n_active=np.array([np.count_nonzero(model.group_norms_) for model in models]),
        predictions_differ=differ,
        proba_difference=distance,
        not_converged={
            names[i]: results[i].objective for i in range(len(names)) if i not in set().union(*members)
        },
    )


def _model(estimator: Any, problem: Problem, solution: Solution) -> Any:
    model = copy(estimator)
    model.__dict__.pop("stationary_points_", None)
    model._store_problem(problem)
    model._store_solution(problem, solution, n_iter=solution.n_iter)
    return model
