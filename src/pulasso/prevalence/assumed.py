"""The number of a scenario that a sweep varies, and the values that are assumed for it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from pulasso._messages import arg, listed
from pulasso.data.parameters import as_numbers, shown
from pulasso.exceptions import InputError, ScenarioError
from pulasso.scenarios import SCENARIOS

__all__ = ["last_step", "name_of", "read_grid", "varied_number", "with_number"]


def last_step(estimator: Any) -> tuple[Any, str]:
    """Return the estimator at the end of a pipeline, and the prefix of its parameters."""
    prefix = ""
    while hasattr(estimator, "steps"):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    return estimator, prefix


def varied_number(estimator: Any) -> tuple[str, Any]:
    """Return the parameter that is varied, and its value in the estimator."""
    core, _ = last_step(estimator)
    scenario = getattr(core, "scenario", None)
    asks_for = {cls.name: cls.asks_for for cls in SCENARIOS}
    parameter = asks_for.get(scenario) if isinstance(scenario, str) else getattr(scenario, "asks_for", None)
    if parameter is None:
        raise ScenarioError(
            f"{type(core).__name__} with scenario={scenario!r} has no number to vary.",
            parameter="scenario",
            remedy=f"It needs one of {listed(name for name, asks in asks_for.items() if asks)}.",
        )
    own = getattr(core if isinstance(scenario, str) else scenario, parameter)
    return parameter, None if isinstance(own, str) else own


def with_number(estimator: Any, parameter: str, value: Any) -> Any:
    """Return an unfitted copy under another assumed number."""
    model, (core, prefix) = clone(estimator), last_step(estimator)
    if isinstance(core.scenario, str):
        return model.set_params(**{f"{prefix}{parameter}": value})
    return model.set_params(**{f"{prefix}scenario": replace(core.scenario, **{parameter: value})})


def read_grid(grid: Any, reference: Any, parameter: str) -> tuple[list[Any], int]:
    """Return all values, and the place of the reference among them."""
    if (
        isinstance(grid, str | bytes | Mapping)
        or not isinstance(grid, Iterable)
        or not getattr(grid, "ndim", 1)
    ):
        raise InputError(
            f"{arg('grid', shown(grid))} is no list of values.",
            parameter="grid",
            remedy=f"Give one value for each assumed {parameter}: [0.1, 0.2], or [{{1: 0.2, 2: 0.1}}, ...].",
        )
    values = list(grid)
    for value in values:
        # The classes are not known yet; what is wrong with one of them is said by its fit.
        if isinstance(value, str) or value is None:
            raise InputError(f"grid holds {value!r}, which is no number, array or mapping.", parameter="grid")
        _check_assumed("grid", value)
    names = [name_of(value) for value in values]
    if not values or len(set(names)) < len(names):
        problem = f"holds a value more than once: {listed(values)}" if values else "is empty"
        raise InputError(f"grid {problem}.", parameter="grid", remedy=f"Give several values of {parameter}.")
    if reference is not None:
        _check_assumed("reference", reference)
    if reference is None:
        return values, len(values) // 2
    if name_of(reference) in names:
        return values, names.index(name_of(reference))
    if all(isinstance(value, int | float) for value in [*values, reference]):
        values = sorted([*values, reference])
        return values, values.index(reference)
    return [reference, *values], 0


def _check_assumed(name: str, value: Any) -> None:
    numbers = as_numbers(name, list(value.values()) if isinstance(value, Mapping) else value)
    if numbers.ndim > 1:
        raise InputError(
            f"{name} holds an array of shape {numbers.shape}; give one number per class.", parameter=name
        )


def name_of(value: Any) -> str:
    """Return a name that is equal for equal values."""
    if isinstance(value, Mapping):
        entries = sorted(value.items(), key=lambda item: str(item[0]))
        return ", ".join(f"{key}: {float(each)!r}" for key, each in entries)
    return ", ".join(repr(float(each)) for each in np.atleast_1d(np.asarray(value, dtype=float)))
