"""Estimation error of both models in the paper's design of section 5.1, which figures 1 and 2 share.

X is standard normal, s features matter, their coefficients are uniform on [-1, -0.5] and [0.5, 1], the model without
features gives all classes the same probability, half of the rows are unlabeled, the others are shared evenly
by the classes, and ``lam = c sqrt(log p / n)``.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pulasso.datasets import Simulation, simulate_multinomial, simulate_ordinal
from pulasso.estimators import PathResult, fit_path
from pulasso.theory import (
    MultinomialConstants,
    OrdinalConstants,
    Sample,
    curvature_along,
    error_bound,
    theorem_lam,
)
from reproduction.anchored import AS_IN_THE_PAPER
from reproduction.cells import Cell, generator
from reproduction.claims import standard_error

CASE_CONTROL, SINGLE = "case-control", "single-training-set"
MODELS = ("multinomial", "ordinal")
GROUPS = {"multinomial": "rows", "ordinal": "entries"}
OF_THEOREM = np.inf  # stands for the c of the theorem, which differs from truth to truth
NEAR = 0.01  # a distance over which the curvature at the truth does not change
SIMULATE: dict[str, Any] = {"multinomial": simulate_multinomial, "ordinal": simulate_ordinal}


def size(wanted: float, n_positive: int) -> int:
    """Return the number of rows nearest to `wanted` of which half can be shared evenly by the classes."""
    return 2 * n_positive * max(1, round(wanted / (2 * n_positive)))


def estimate(cell: Cell, fixed: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the error of the coefficients, ``||theta_hat - theta*||``, for every c of the grid.

    The true coefficients depend on the repetition but not on n, nor on K in the ordinal model: errors at several n
    and K are then compared on the same truths. `error_with_offsets` counts intercepts too, or the first threshold
    and the gaps between thresholds, which are entries of theta in the paper's ordinal model; `curvature` is that of
    the loss at the truth, along a direction in which all classes move together. The first row, at a c without limit,
    has the lam of the theorem; its c is in `c_of_theorem`, and in `bound` is the error that the theorem allows.
    """
    model, s, p, k, n = (cell[name] for name in ("model", "s", "p", "K", "n"))
    scenario = cell.get("scenario", CASE_CONTROL)
    rng = generator(seed, "estimation", model, s, p, cell["repetition"])
    data = SIMULATE[model](n, p, n_active=s, n_positive=k, scenario=scenario, random_state=rng)
    lam, bound = by_theorem(data, s)
    rate = np.sqrt(np.log(p) / n)
    cs = np.append(lam / rate, fixed["cs"])  # the lam of the theorem is the largest by far
    path = fit_path(
        data.X,
        data.z,
        response=model,
        lams=cs * rate,
        groups=GROUPS[model],
        anchor=AS_IN_THE_PAPER,
        standardize=False,
        tol=fixed["tol"],
        **data.scenario_params,
    )
    error = _norms(path.coefs - data.coef)
    return {
        "c": np.append(OF_THEOREM, fixed["cs"]),
        "c_of_theorem": lam / rate,
        "bound": bound,
        "error": error,
        "error_with_offsets": np.hypot(error, _norms(_offset_errors(path, data))),
        "size_of_truth": _norms(data.coef[None])[0],
        "curvature": _curvature(data, rng),
        "n_selected": path.n_active,
        "kkt": path.kkt,
    }


def by_theorem(data: Simulation, s: int) -> tuple[float, float]:
    """Return the lam of the theorem for these data, with C = 1, and the error that it allows.

    The theorems bound the features, which the simulation does not: the bound is the largest entry of X. Both numbers
    are the most favourable ones, in a neighbourhood of the truth that has no width.
    """
    size, p, n_positive = len(data.X), data.X.shape[1], len(data.prevalence)
    largest, norm = float(np.abs(data.X).max()), float(np.abs(np.atleast_2d(data.coef)).sum(axis=1).max())
    frequency = data.label_frequency
    ratios = _sampling_ratios(data) if frequency is None else frequency / (1.0 - frequency)
    if data.thresholds is None:
        constants: Any = MultinomialConstants(largest, norm, ratios)
        sample = Sample(
            size, p, n_positive, np.full(s, np.sqrt(n_positive))
        )  # groups of rows, and their weights
    else:
        gaps = _gaps(data.thresholds)[0]
        norm, smallest = max(norm, float(np.abs(gaps).sum())), float(gaps[1:].min(initial=np.inf))
        constants, sample = OrdinalConstants(largest, norm, smallest, ratios), Sample(size, p, 1, np.ones(s))
    lam = theorem_lam(constants, sample)
    return lam, error_bound(constants, sample, lam)


def _sampling_ratios(data: Simulation) -> NDArray:
    counts = np.bincount(data.z)
    return counts[1:] / (data.prevalence * counts[0])


def _offset_errors(path: PathResult, data: Simulation) -> NDArray:
    """Return by how much intercepts, or the first threshold and the gaps, are missed; one row for each lam."""
    if path.intercepts is not None:
        return path.intercepts - data.intercept
    return _gaps(path.thresholds) - _gaps(data.thresholds)


def _gaps(thresholds: Any) -> NDArray:
    return np.diff(np.atleast_2d(thresholds), axis=1, prepend=0.0)


def _curvature(data: Simulation, rng: np.random.Generator) -> float:
    direction = np.broadcast_to(rng.normal(size=data.X.shape[1]), data.coef.shape)
    return float(curvature_along(data, direction, [NEAR / np.linalg.norm(direction)])[0])


def _norms(stack: NDArray) -> NDArray:
    return np.sqrt((stack.reshape(len(stack), -1) ** 2).sum(axis=1))


def mean_errors(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return means and standard errors of both errors, and means of the other numbers, for every group."""
    return table.groupby(by, sort=False, as_index=False).agg(
        error=("error", "mean"),
        se=("error", standard_error),
        error_with_offsets=("error_with_offsets", "mean"),
        se_with_offsets=("error_with_offsets", standard_error),
        curvature=("curvature", "mean"),
        size_of_truth=("size_of_truth", "mean"),
        c_of_theorem=("c_of_theorem", "median"),
        bound=("bound", "median"),
        n_selected=("n_selected", "mean"),
        repetitions=("error", "size"),
    )
