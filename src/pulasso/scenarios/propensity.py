"""A fitted propensity: the chance of a label as a logistic function of columns of X."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import did_you_mean, listed, plain
from pulasso.exceptions import ScenarioError
from pulasso.numerics import softplus_pair
from pulasso.scenarios.label_model import LabelModel

__all__ = ["Propensity", "find_columns", "label_rows", "take_columns", "thin_rows"]


@dataclass(frozen=True, eq=False)
class Propensity:
    """What is known or was fitted of ``P(labelled | y = k, x) = sigmoid(intercept_k + coef_k^T w + offset)``.

    Of a case-control sample: ``exp`` in place of ``sigmoid``, how much denser records are than on average.

    Attributes
    ----------
    columns : tuple of str or int
        The columns w, as the user named them.
    intercept : array of shape (K,)
    coef : array of shape (K, n_columns)
        Per unit of the columns; equal rows where classes share one propensity.
    lam : float
        Strength of the lasso on the effects of columns of unit variance.
    kkt : float
        Largest violation of stationarity in intercepts and effects, relative to ``lam_max_`` like that of the classes:
        together with ``kkt_`` the certificate of both.
    objective : tuple of float
        The objective of classes and labelling together after every step of the fit; it never increases.
    identification : str
        What the data can tell of it, in words.
    warnings : tuple of str
        What was said about its fit.
    positions : tuple of int
        Where the columns, and after them the offset, lie in X; empty where nothing was fitted yet.
    directions : array of shape (n_directions, K, 1 + n_columns), optional
        How far intercepts and effects may be from the truth by chance: their covariance is the sum of the outer
        products of these with themselves. From the curvature of the objective and from what rows add to its gradient,
        with effects that are zero taken as known; nan where it has none. None of a propensity that is known.

    Examples
    --------
    >>> from pulasso.scenarios import Propensity
    >>> print(Propensity(columns=("km_to_road",), intercept=[-0.5], coef=[[-1.2]]))
    intercept -0.5; km_to_road -1.2
    """

    columns: tuple
    intercept: NDArray
    coef: NDArray
    lam: float = 0.0
    kkt: float = float("nan")
    objective: tuple = ()
    identification: str = ""
    warnings: tuple = ()
    positions: tuple = ()
    directions: NDArray | None = None

    def __post_init__(self) -> None:
        try:
            intercept = np.atleast_1d(np.asarray(self.intercept, dtype=float))
            coef = np.atleast_2d(np.asarray(self.coef, dtype=float))
        except (TypeError, ValueError):
            intercept, coef = np.empty(0), np.empty((0, 0))
        wanted = (len(intercept), len(self.columns)) if isinstance(self.columns, Sequence) else None
        if coef.shape != wanted or not (np.isfinite(intercept).all() and np.isfinite(coef).all()):
            raise ScenarioError(
                "A propensity takes finite numbers: intercept, one for each positive class, and coef, one row for each "
                "of them with an entry for every column.",
                parameter="propensity",
            )
        object.__setattr__(self, "intercept", intercept)
        object.__setattr__(self, "coef", coef)

    @property
    def is_constant(self) -> bool:
        """Whether no column matters."""
        return not self.coef.any()

    @property
    def standard_error(self) -> NDArray | None:
        """Standard errors of the effects, shape (K, n_columns)."""
        return None if self.directions is None else np.sqrt(np.square(self.directions[..., 1:]).sum(axis=0))

    def moved(self, direction: NDArray) -> "Propensity":
        """Return the propensity with other numbers: `direction`, of shape (K, 1 + n_columns), is added."""
        return replace(self, intercept=self.intercept + direction[:, 0], coef=self.coef + direction[:, 1:])

    def __str__(self) -> str:
        effects = [
            f"{name} {', '.join(f'{value:+.3g}' for value in dict.fromkeys(by_class.tolist()))}"
            for name, by_class in zip(self.columns, self.coef.T, strict=True)
            if by_class.any()
        ]
        shown = ", ".join(f"{value:.3g}" for value in dict.fromkeys(self.intercept.tolist()))
        return f"intercept {shown}; " + ("; ".join(effects) or "no column matters: a constant")


def find_columns(
    wanted: Sequence[Any], parameter: str, n_features: int, names: Sequence[str] | None
) -> NDArray[np.intp]:
    """Return the positions of columns that are given by name or by position, or say which one there is not."""
    known = {} if names is None else {str(name): j for j, name in enumerate(names)}
    found = []
    for each in map(plain, wanted):
        if isinstance(each, str) and each in known:
            found.append(known[each])
        elif isinstance(each, int) and not isinstance(each, bool) and -n_features <= each < n_features:
            found.append(each % n_features)
        else:
            there = f"columns {listed(known)}" if known else f"{n_features} columns without names"
            raise ScenarioError(
                f"{parameter} names the column {each!r}, which X does not have.{did_you_mean(each, known)}",
                parameter=parameter,
                remedy=f"X has {there}.",
            )
    if len(set(found)) < len(found):
        raise ScenarioError(
            f"{parameter} names a column twice, once by its name and once by its position.",
            parameter=parameter,
        )
    return np.array(found, dtype=np.intp)


def take_columns(x: Any, columns: NDArray[np.intp]) -> NDArray:
    """Return some columns of an array or a sparse matrix as an array of floats."""
    part = x[:, columns]
    return np.asarray(part.toarray() if hasattr(part, "toarray") else part, dtype=float)


def label_rows(logits: NDArray, negative_frequency: float = 0.0) -> LabelModel:
    """Return the label model of rows whose members of class k are labelled with these log odds.

    Parameters
    ----------
    logits : array of shape (n_samples, K)
    negative_frequency : float, default=0.0
        Of class 0: how often it is confirmed.
    """
    shape = (len(logits), logits.shape[1] + 1)
    labeled, hidden = np.empty(shape), np.empty(shape)
    with np.errstate(divide="ignore"):  # log 0 = -inf: class 0 is never labelled, or always
        labeled[:, 0], hidden[:, 0] = np.log(negative_frequency), np.log1p(-negative_frequency)
    more, less = softplus_pair(logits)
    labeled[:, 1:], hidden[:, 1:] = -less, -more
    return LabelModel(labeled, hidden)


def thin_rows(base: LabelModel, log_density: NDArray) -> LabelModel:
    """Return the label model of rows whose class k has records of this relative density, in logs.

    Parameters
    ----------
    base : LabelModel
        Of records of constant density.
    log_density : array of shape (n_samples, K)
    """
    labeled = np.tile(base.log_labeled, (len(log_density), 1))
    labeled[:, 1:] += log_density
    return LabelModel(labeled, np.tile(base.log_hidden, (len(log_density), 1)))
