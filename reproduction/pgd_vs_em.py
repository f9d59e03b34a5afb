"""Proximal gradient and EM as the paper has them, and as the library has them: time and iterations to one objective."""

from collections.abc import Callable, Mapping
from functools import partial
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from pulasso import MultinomialPULasso, OrdinalPULasso
from pulasso.estimators.fitting import problem_of, read
from pulasso.problem import Problem
from pulasso.solvers import SOLVERS, Record, solve_em, solve_proximal_gradient
from reproduction.anchored import AS_IN_THE_PAPER
from reproduction.cells import Cell, at_scale, generator, repetitions, run_cells
from reproduction.claims import Claim, standard_error
from reproduction.curves import CLEAR
from reproduction.drawing import LOOKS, legend_below, panels
from reproduction.estimation import CASE_CONTROL, GROUPS, MODELS, SIMULATE, SINGLE

TITLE = "Proximal gradient against EM"
PAPER = (
    "The paper prefers proximal gradient descent to its EM algorithms for its computational efficiency, and "
    "proves that both converge to stationary points of the same objective."
)
NOTES = (
    "All solvers start at the model without features, at one lam, and are timed until F has fallen by all but a "
    "millionth of what there is to fall. Data are standard normal with three active features; a size is changed "
    "one number at a time. Times are processor seconds of one thread, and the only numbers here that change from run "
    "to run.",
    "'Plain PGD' has one step size for coefficients and intercepts, by backtracking, and no acceleration: "
    "solve_proximal_gradient(accelerated=False, preconditioned=False). 'EM, solved' solves every M-step to the "
    "tolerance of the whole, as the paper's algorithms are written: solve_em(m_step_tol=tol). The paper does not say "
    "by what an M-step is solved; here by the library's accelerated proximal gradient, which favours EM. The others "
    "are the library's: 'PGD' is accelerated and scales the steps of intercepts, 'EM' stops M-steps early, "
    "'working-set' is the default. Iterations are gradient steps, E-steps, and Newton steps.",
)

PLAIN, PGD, EM_SOLVED, EM, DEFAULT = "plain PGD", "PGD", "EM, solved", "EM", "working-set"
SOLVED_BY = (PLAIN, EM_SOLVED, PGD, EM, DEFAULT)
ESTIMATORS: dict[str, Any] = {"multinomial": MultinomialPULasso, "ordinal": OrdinalPULasso}
TIMED = ("seconds",)
BASE = {"n": 1000, "p": 200, "K": 2, "scenario": CASE_CONTROL}
SIZES = (
    BASE,
    {**BASE, "scenario": SINGLE},
    {**BASE, "n": 4000},
    {**BASE, "p": 800},
    {**BASE, "K": 5},
)
_COMMON: dict[str, Any] = {"s": 3, "c": 0.2, "tol": 1e-5, "gap": 1e-6, "max_iter": 20_000}
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {**_COMMON, "tol": 1e-3, "gap": 1e-3, "sizes": ({**BASE, "n": 150, "p": 10},), "repetitions": 1},
    "quick": {**_COMMON, "sizes": SIZES[:1], "repetitions": 3},
    "paper": {**_COMMON, "sizes": SIZES, "repetitions": 5},
}


class _ReachedError(Exception):
    """The objective is low enough."""


def solve(cell: Cell, fixed: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return time and iterations of one solver until the objective is low enough; data do not depend on it."""
    model, n, p, k, scenario = (cell[name] for name in ("model", "n", "p", "K", "scenario"))
    rng = generator(seed, "solvers", model, n, p, k, scenario, cell["repetition"])
    data = SIMULATE[model](n, p, n_active=fixed["s"], n_positive=k, scenario=scenario, random_state=rng)
    estimator = ESTIMATORS[model](
        lam=fixed["c"] * np.sqrt(np.log(p) / n),
        groups=GROUPS[model],
        anchor=AS_IN_THE_PAPER,
        standardize=False,
        **data.scenario_params,
    )
    problem = problem_of(estimator, read(estimator, data.X, data.z)).at_lam(estimator.lam)
    assert problem.null is not None
    best = min(_by_default(problem, tol=0.01 * fixed["tol"]).objective, problem.at(problem.null).objective)
    target = best + fixed["gap"] * (problem.at(problem.null).objective - best)
    records: list[Record] = []

    def watch(record: Record) -> None:
        records.append(record)
        if record.objective <= target:
            raise _ReachedError

    start, reached = process_time(), False
    try:
        _way(cell["solver"], fixed)(problem, callback=watch)
    except _ReachedError:
        reached = True
    return {
        "seconds": process_time() - start,
        "n_iter": records[-1].n_iter,
        "reached": reached,
        "gap": (records[-1].objective - best) / (problem.at(problem.null).objective - best),
    }


def _by_default(problem: Problem, **settings: Any) -> Any:
    return next(SOLVERS["working-set"](problem, problem.null, np.array([problem.lam]), **settings))


def _way(solver: str, fixed: Mapping[str, Any]) -> Callable[..., Any]:
    """Return the function that solves a problem from the model without features."""
    tol = 0.01 * fixed["tol"]  # the objective stops a solver, not its certificate
    if solver == DEFAULT:
        return partial(_by_default, tol=tol)
    own: dict[str, Any] = {
        PLAIN: {"accelerated": False, "preconditioned": False},
        EM_SOLVED: {"m_step_tol": fixed["tol"]},
    }.get(solver, {})
    function = solve_em if solver in (EM, EM_SOLVED) else solve_proximal_gradient

    def run_it(problem: Problem, **watched: Any) -> Any:
        assert problem.null is not None
        return function(problem, problem.null, tol=tol, max_iter=fixed["max_iter"], **own, **watched)

    return run_it


def run(scale: str = "quick", seed: int = 0, **how: Any) -> pd.DataFrame:
    """Return one row for each solver and repetition; never in parallel, which would spoil the times."""
    settings = at_scale(SETTINGS, scale)
    cells = [
        {"model": model, **size, "solver": solver}
        for model in MODELS
        for size in settings["sizes"]
        for solver in SOLVED_BY
    ]
    fixed = {name: settings[name] for name in ("s", "c", "tol", "gap", "max_iter")}
    all_cells = repetitions(cells, settings["repetitions"])
    table = run_cells("pgd-vs-em", solve, all_cells, fixed, seed, **{**how, "n_jobs": None})
    return table.assign(size=[_words(row) for row in table.to_dict("records")])


def _words(row: Mapping[str, Any]) -> str:
    """Return what is different from the base size."""
    changed = [f"{name} = {row[name]}" for name in ("n", "p", "K") if row[name] != BASE[name]]
    return "single training set" if row["scenario"] == SINGLE else ", ".join(changed) or "base"


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean time and iterations of every solver, and how many repetitions reached the objective."""
    by = ["model", "size", "n", "p", "K", "scenario", "solver"]
    return table.groupby(by, sort=False, as_index=False).agg(
        seconds=("seconds", "mean"),
        seconds_se=("seconds", standard_error),
        n_iter=("n_iter", "mean"),
        n_iter_se=("n_iter", standard_error),
        reached=("reached", "sum"),
        repetitions=("reached", "size"),
        worst_gap=("gap", "max"),
    )


def judge(table: pd.DataFrame) -> list[Claim]:
    """Proximal gradient is faster than EM, as the paper has both and as the library has both."""
    return [
        _faster(table, PLAIN, EM_SOLVED, "as the paper has both"),
        _faster(table, PGD, EM, "as the library has both (not in the paper)"),
        _faster(table, PGD, PLAIN, "by the library (not in the paper)"),
        _faster(table, DEFAULT, PGD, "by the library (not in the paper)"),
        Claim(
            "every solver reaches the same objective, so all are at the same stationary point",
            bool(table["reached"].all()),
            f"{table['reached'].sum()} of {len(table)} runs; the worst is {table['gap'].max():.1e} of the way above it",
        ),
    ]


def _faster(table: pd.DataFrame, first: str, second: str, words: str) -> Claim:
    """Claim that one solver takes clearly less time on the same data, at every size."""
    key = ["model", "size"]
    logs = np.log(table.pivot(index=[*key, "repetition"], columns="solver", values="seconds"))
    ratio = (logs[second] - logs[first]).groupby(level=key, sort=False).agg(["mean", standard_error])
    clear = ratio["mean"] > CLEAR * ratio["standard_error"]
    times = np.exp(ratio["mean"])
    said = "; ".join(f"{model}, {size} {value:.1f}" for (model, size), value in times.items())
    return Claim(
        f"{words}, {first} takes clearly less time than {second} at every size",
        bool(clear.all()),
        f"{clear.sum()} of {len(clear)}; {second} takes so many times as long: {said}",
    )


def draw(table: pd.DataFrame) -> Figure:
    """Draw times and iterations on logarithmic axes, for every solver and size."""
    means = summarize(table)
    sizes = means["size"].unique().tolist()
    figure, axes = panels(2, 2)
    places = [(model, column) for model in MODELS for column in ("seconds", "n_iter")]
    for ax, (model, column) in zip(axes, places, strict=True):
        here = means[means["model"] == model]
        for offset, (look, solver) in enumerate(zip(LOOKS, SOLVED_BY, strict=False)):
            part = here[here["solver"] == solver].set_index("size").loc[sizes]
            at = [i + 0.16 * (offset - 2) for i in range(len(sizes))]
            bars = 2 * part[f"{column}_se"].replace(np.inf, 0)
            dots = {**look, "linestyle": "none", "markersize": 5, "capsize": 2}
            ax.errorbar(at, part[column], yerr=bars, label=solver, **dots)
        ax.set_xticks(
            range(len(sizes)), [size.replace(" training", "\ntraining") for size in sizes], fontsize=7
        )
        ax.set(
            yscale="log", title=f"{model}: {'time' if column == 'seconds' else 'iterations'} to one objective"
        )
        ax.set_ylabel("processor seconds" if column == "seconds" else "iterations")
    legend_below(figure)
    return figure
