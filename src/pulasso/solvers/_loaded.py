"""The blocks that the working-set solver looks at, and where it stands on them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pulasso.design import StandardizedDesign, column_store
from pulasso.penalties import Blocks
from pulasso.problem import Params, Point, Problem

__all__ = ["Certificate", "Loaded", "LoadedSet"]


@dataclass(frozen=True, eq=False)
class Loaded:
    """Blocks and their entries, one block after the other, as (slot, output) pairs."""

    blocks: NDArray
    slots: NDArray
    outputs: NDArray
    sizes: NDArray
    weights: NDArray

    @classmethod
    def nothing(cls) -> "Loaded":
        """Return an empty set."""
        none = np.empty(0, dtype=np.intp)
        return cls(none, none, none, none, np.empty(0))

    @cached_property
    def starts(self) -> NDArray:
        """Where each block begins among the entries."""
        return np.cumsum(self.sizes) - self.sizes

    def norms(self, values: NDArray) -> NDArray:
        """Return the norm of every block, given the values of its entries."""
        if len(self.sizes) == len(values):
            return np.abs(values)
        return np.sqrt(np.add.reduceat(values**2, self.starts))

    def entries_of(self, which: NDArray) -> NDArray:
        """Return the numbers of the entries of some of the blocks."""
        sizes = self.sizes[which]
        return np.repeat(self.starts[which] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())


class LoadedSet:
    """Loaded blocks with their columns, coefficients and the point they make up.

    ``theta`` holds the loaded rows only; all others are zero.
    """

    def __init__(self, problem: Problem, start: Point):
        assert isinstance(problem.design, StandardizedDesign)
        self.design, self.problem = problem.design, problem
        self.blocks: Blocks = problem.penalty.blocks
        self.slot_of = np.full(problem.shape[0], -1, dtype=np.intp)
        self.unload()
        self.load(np.flatnonzero(self.blocks.norms(start.params.theta) > 0))
        self.return_to(start)

    def unload(self) -> None:
        """Forget all blocks."""
        self.loaded = Loaded.nothing()
        self.store = column_store(self.design)
        self.slot_of[:] = -1
        self.theta = np.empty((0, self.problem.shape[1]))

    def load(self, blocks: NDArray) -> None:
        """Add blocks, and the columns of their features, to what is looked at."""
        rows, outputs = self.blocks.entries(blocks)
        new = np.unique(rows[self.slot_of[rows] < 0])
        if len(new):
            self.slot_of[new] = len(self.store.features) + np.arange(len(new))
            self.store.load(new)
            self.theta = self.grown(self.theta)
        old = self.loaded
        self.loaded = Loaded(
            np.append(old.blocks, blocks),
            np.append(old.slots, self.slot_of[rows]),
            np.append(old.outputs, outputs),
            np.append(old.sizes, self.blocks.sizes[blocks]),
            np.append(old.weights, self.blocks.weights[blocks]),
        )

    def grown(self, theta: NDArray) -> NDArray:
        """Return coefficients of fewer slots with zeros for those loaded since."""
        missing = len(self.store.features) - len(theta)
        return np.vstack([theta, np.zeros((missing, theta.shape[1]))])

    def return_to(self, point: Point) -> None:
        """Make a point that holds the coefficients of all features the current one."""
        self.point = point
        self.theta[:] = point.params.theta[self.store.features]

    def entries(self, theta: NDArray) -> NDArray:
        """Return the coefficients of the loaded entries."""
        return theta[self.loaded.slots, self.loaded.outputs]

    def penalty(self, theta: NDArray) -> float:
        """Return ``sum_j weight_j ||theta_j||`` over the loaded blocks."""
        return float(self.loaded.weights @ self.loaded.norms(self.entries(theta)))

    def evaluate(self, problem: Problem, params: Params, linear: NDArray) -> Point:
        """Evaluate loss and gradients; `params.theta` holds the loaded rows only."""
        loss, grad_eta = problem.loss.value_and_grad(problem.response.log_odds(linear, params.offsets))
        grad_linear, grad_offsets = problem.response.pullback(linear, params.offsets, grad_eta)
        return Point(
            params, linear, loss, problem.lam * self.penalty(params.theta), grad_linear, grad_offsets
        )

    def full_params(self) -> Params:
        """Return the parameters of all features."""
        theta = np.zeros(self.problem.shape)
        theta[self.store.features] = self.theta
        return Params(theta, self.point.params.offsets)


class Certificate:
    """Gradient and KKT violations of the loaded blocks at the current point.

    Attributes
    ----------
    gradient : array of shape (n_slots, n_outputs)
    kkt : float
        Largest violation, relative to lam_max.
    needed : array of bool, shape (n_loaded,)
        Blocks that are not zero, or should not be.
    """

    def __init__(self, where: LoadedSet, lam: float):
        loaded, point = where.loaded, where.point
        self.gradient = where.store.rmatmul(point.grad_linear)
        entries, theta = where.entries(self.gradient), where.entries(where.theta)
        norms = loaded.norms(theta)
        active = norms > 0
        limits = lam * loaded.weights
        slope = np.divide(limits, norms, out=np.zeros_like(norms), where=active)
        residual = loaded.norms(entries + np.repeat(slope, loaded.sizes) * theta)
        violation = np.where(active, residual, np.maximum(0.0, residual - limits))
        worst = max(violation.max(initial=0.0), np.abs(point.grad_offsets).max(initial=0.0))
        self.kkt = float(worst / where.problem.kkt_scale)
        self.needed = active | (violation > 0)
