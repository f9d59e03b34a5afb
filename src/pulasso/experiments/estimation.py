"""Estimation error of both models in the paper's design of section 5.1, which figures 1 and 2 share.

X is standard normal, s features matter, their coefficients are uniform on [-1, -0.5] and [0.5, 1], the model without
features gives all classes the same probability, half of the rows are unlabeled, the others are shared evenly
by the classes, and ``lam = c sqrt(log p / n)``.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.estimators import fit_path
from pulasso.experiments.claims import mean_and_se
from pulasso.experiments.runner import Cell, generator

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["GROUPS", "MODELS", "estimate", "mean_errors", "size"]

MODELS = ("multinomial", "ordinal")
GROUPS = {"multinomial": "rows", "ordinal": "entries"}
SIMULATE: dict[str, Any] = {"multinomial": simulate_multinomial, "ordinal": simulate_ordinal}


def size(wanted: float, n_positive: int) -> int:
    """Return the number of rows nearest to `wanted` of which half can be shared evenly by the classes."""
    return 2 * n_positive * max(1, round(wanted / (2 * n_positive)))


def estimate(cell: Cell, fixed: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the error of the coefficients, ``||theta_hat - theta*||``, for every c of the grid.

    The true coefficients depend on the repetition but not on n: errors at several n are then compared
    on the same truths.
    """
    model, s, p, k, n = (cell[name] for name in ("model", "s", "p", "K", "n"))
    rng = generator(seed, "estimation", model, s, p, k, cell["repetition"])
    data = SIMULATE[model](n, p, n_active=s, n_positive=k, random_state=rng)
    cs = np.array(fixed["cs"], dtype=float)
    path = fit_path(
        data.X,
        data.z,
        response=model,
        lams=cs * np.sqrt(np.log(p) / n),
        groups=GROUPS[model],
        standardize=False,
        tol=fixed["tol"],
        **data.scenario_params,
    )
    return {
        "c": cs,
        "error": _norms(path.coefs - data.coef),
        "size_of_truth": _norms(data.coef[None])[0],
        "n_selected": path.n_active,
        "kkt": path.kkt,
    }


def _norms(stack: NDArray) -> NDArray:
    return np.sqrt((stack.reshape(len(stack), -1) ** 2).sum(axis=1))


def mean_errors(table: "DataFrame", by: list[str]) -> "DataFrame":
    """Return mean and standard error of the error, and the mean number of selected features, for every group."""
    rows = []
    for key, part in table.groupby(by, sort=False):
        mean, se = mean_and_se(part["error"])
        numbers = {"error": mean, "se": se, "n_selected": part["n_selected"].mean(), "repetitions": len(part)}
        rows.append({**dict(zip(by, key, strict=True)), **numbers})
    return type(table)(rows)
