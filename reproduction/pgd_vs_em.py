"""Proximal gradient, EM and the working-set solver at the same certificate: time, objective, error."""

from collections.abc import Mapping
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from pulasso import MultinomialPULasso, OrdinalPULasso
from reproduction.anchored import AS_IN_THE_PAPER
from reproduction.cells import Cell, at_scale, generator, repetitions, run_cells
from reproduction.claims import Claim, standard_error
from reproduction.drawing import LOOKS, panels
from reproduction.estimation import GROUPS, MODELS, SIMULATE

TITLE = "Proximal gradient against EM"
PAPER = (
    "The paper prefers proximal gradient descent to its EM algorithms for its computational efficiency, and "
    "proves that both converge to stationary points of the same objective."
)
NOTES = (
    "All solvers start at the model without features, go down the same path of lams, and stop at the same "
    "KKT violation, relative to lam_max. Times are processor seconds of one thread, and the only numbers "
    "here that change from run to run. EM solves every M-step by proximal gradient, as the paper suggests. "
    "The working-set solver is the library's default.",
)

SOLVERS = ("proximal-gradient", "em", "working-set")
SCENARIOS = ("case-control", "single-training-set")
ESTIMATORS: dict[str, Any] = {"multinomial": MultinomialPULasso, "ordinal": OrdinalPULasso}
TIMED = ("seconds",)
# Same stationary point: estimation errors that differ by less than this share.
SAME = 0.01
_COMMON = {"n": 1000, "p": 200, "s": 3, "K": 2, "c": 0.2, "tol": 1e-5, "max_iter": 20_000}
SETTINGS: dict[str, dict[str, Any]] = {
    "tiny": {**_COMMON, "n": 150, "p": 10, "tol": 1e-3, "repetitions": 1},
    "quick": {**_COMMON, "repetitions": 3},
    "paper": {**_COMMON, "repetitions": 10},
}


def solve(cell: Cell, fixed: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return time, objective, certificate and estimation error of one solver; data do not depend on it."""
    model, scenario = cell["model"], cell["scenario"]
    data = SIMULATE[model](
        fixed["n"],
        fixed["p"],
        n_active=fixed["s"],
        n_positive=fixed["K"],
        scenario=scenario,
        random_state=generator(seed, "solvers", model, scenario, cell["repetition"]),
    )
    estimator = ESTIMATORS[model](
        lam=fixed["c"] * np.sqrt(np.log(fixed["p"]) / fixed["n"]),
        groups=GROUPS[model],
        anchor=AS_IN_THE_PAPER,
        standardize=False,
        solver=cell["solver"],
        tol=fixed["tol"],
        max_iter=fixed["max_iter"],
        **data.scenario_params,
    )
    start = process_time()
    estimator.fit(data.X, data.z)
    seconds = process_time() - start
    return {
        "seconds": seconds,
        "error": float(np.linalg.norm(estimator.coef_ - data.coef)),
        "objective": estimator.objective_,
        "kkt": estimator.kkt_,
        "n_iter": estimator.n_iter_,
    }


def run(scale: str = "quick", seed: int = 0, **how: Any) -> pd.DataFrame:
    """Return one row for each solver and repetition; never in parallel, which would spoil the times."""
    settings = at_scale(SETTINGS, scale)
    cells = [
        {"model": model, "scenario": scenario, "solver": solver}
        for model in MODELS
        for scenario in SCENARIOS
        for solver in SOLVERS
    ]
    fixed = {name: value for name, value in settings.items() if name != "repetitions"}
    all_cells = repetitions(cells, settings["repetitions"])
    return run_cells("pgd-vs-em", solve, all_cells, fixed, seed, **{**how, "n_jobs": None})


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean time and error of every solver, and the worst certificate."""
    return table.groupby(["model", "scenario", "solver"], sort=False, as_index=False).agg(
        seconds=("seconds", "mean"),
        seconds_se=("seconds", standard_error),
        error=("error", "mean"),
        error_se=("error", standard_error),
        n_iter=("n_iter", "mean"),
        worst_kkt=("kkt", "max"),
    )


def judge(table: pd.DataFrame) -> list[Claim]:
    """Proximal gradient is faster than EM, and all solvers err alike."""
    seconds = summarize(table).set_index(["model", "scenario", "solver"])["seconds"].unstack("solver")
    by_em = seconds["em"] / seconds["proximal-gradient"]
    faster = seconds["proximal-gradient"] / seconds["working-set"]
    errors = table.pivot(index=["model", "scenario", "repetition"], columns="solver", values="error")
    spread = (errors.max(axis=1) - errors.min(axis=1)) / errors.min(axis=1)
    return [
        Claim(
            "proximal gradient takes less time than EM at the same KKT violation, in both models and scenarios",
            bool((by_em > 1).all()),
            "; ".join(
                f"{model}, {scenario}: EM {times:.1f} times" for (model, scenario), times in by_em.items()
            ),
        ),
        Claim(
            f"all solvers have equal estimation errors (within {SAME:.0%})",
            bool((spread < SAME).all()),
            f"largest relative difference {spread.max():.1e}, worst KKT violation {table['kkt'].max():.1e}",
        ),
        Claim(
            "the working-set solver is the fastest",
            bool((seconds["working-set"] <= seconds.min(axis=1)).all()),
            f"{faster.min():.1f} to {faster.max():.1f} times faster than proximal gradient",
        ),
    ]


def draw(table: pd.DataFrame) -> Figure:
    """Draw times on a logarithmic axis, and errors, for every solver."""
    means = summarize(table)
    places = list(dict.fromkeys(zip(means["model"], means["scenario"], strict=True)))
    figure, (left, right) = panels(2)
    for offset, (look, solver) in enumerate(zip(LOOKS, SOLVERS, strict=False)):
        part = means[means["solver"] == solver]
        at = [i + 0.25 * (offset - 1) for i in range(len(places))]
        left.bar(at, part["seconds"], 0.22, color=look["color"], label=solver)
        bars = 2 * part["error_se"].replace(np.inf, 0)
        right.errorbar(at, part["error"], yerr=bars, **{**look, "linestyle": "none"})
    for ax in (left, right):
        ax.set_xticks(range(len(places)), [f"{model}\n{scenario}" for model, scenario in places], fontsize=7)
    left.set(yscale="log", ylabel="processor seconds", title="time to the same certificate")
    right.set(ylabel="estimation error", title="error", ylim=(0, None))
    left.margins(y=0.25)
    left.legend(frameon=False, fontsize=8, loc="upper left", ncols=3)
    return figure
