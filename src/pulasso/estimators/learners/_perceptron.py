"""The network that is built by default, as what it is: a few matrices. It predicts without torch."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from pulasso.exceptions import SavedModelError

__all__ = ["check_perceptron", "check_scale", "in_parts", "perceptron_scores", "perceptron_sizes"]

ROWS_AT_ONCE = 10_000
STEP = 3  # a linear layer, its rectifier and its dropout are numbered one after the other


def perceptron_scores(weights: Mapping[str, NDArray], x: NDArray) -> NDArray:
    """Return what a perceptron gives for rows, shape (n_samples, n_outputs)."""
    layers = _layers(weights)
    parts = []
    for rows in in_parts(x):
        for weight, bias in layers[:-1]:
            rows = np.maximum(rows @ weight.T + bias, 0.0)
        parts.append(rows @ layers[-1][0].T + layers[-1][1])
    return np.concatenate(parts)


def perceptron_sizes(weights: Mapping[str, NDArray]) -> list[int]:
    """Return the units of its hidden layers."""
    return [len(bias) for _, bias in _layers(weights)[:-1]]


def _layers(weights: Mapping[str, NDArray]) -> list[tuple[NDArray, NDArray]]:
    return [(weights[f"{i}.weight"], weights[f"{i}.bias"]) for i in range(0, STEP * len(weights) // 2, STEP)]


def check_perceptron(weights: Mapping[str, NDArray], n_features: int, n_outputs: int) -> None:
    """Refuse loaded weights that are no perceptron of so many features and outputs."""
    numbers = range(0, STEP * len(weights) // 2, STEP)
    if not weights or set(weights) != {f"{i}.{part}" for i in numbers for part in ("weight", "bias")}:
        raise SavedModelError("weights_ are not those of a perceptron.")
    n_in = n_features
    for weight, bias in _layers(weights):
        are_numbers = all(each.dtype == np.float64 and np.isfinite(each).all() for each in (weight, bias))
        if not are_numbers or bias.ndim != 1 or weight.shape != (len(bias), n_in):
            raise SavedModelError("weights_ do not fit together.")
        n_in = len(bias)
    if n_in != n_outputs:
        raise SavedModelError("weights_ are of other classes.")


def check_scale(mean: NDArray, scale: NDArray, n_features: int) -> None:
    """Refuse loaded numbers by which no column can be standardised."""
    are_numbers = all(each.dtype == np.float64 and each.shape == (n_features,) for each in (mean, scale))
    if not are_numbers or not np.isfinite(mean).all() or not (np.isfinite(scale) & (scale > 0)).all():
        raise SavedModelError("mean_ or scale_ is not what it should be.")


def in_parts(x: NDArray) -> Iterator[NDArray]:
    """Yield some rows after the other, at least once."""
    for first in range(0, max(len(x), 1), ROWS_AT_ONCE):
        yield x[first : first + ROWS_AT_ONCE]
