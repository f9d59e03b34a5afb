"""Gradients in all features for the certificate of all blocks, from as few passes over X as will do.

Where the gradient in the linear predictor moves by d, that in a column x moves by ``x'd``, which is at most the product
of their lengths (Cauchy-Schwarz). From gradients that are known at other points most blocks outside of the working set
are certified by that bound alone; only columns that it leaves in doubt are read.
"""

import numpy as np
from numpy.typing import NDArray

from pulasso.design import StandardizedDesign
from pulasso.penalties import PENALTIES
from pulasso.problem import Point, Problem

__all__ = ["Gradients"]

KNOWN = 3  # points whose gradients are kept: d is counted from the plane through these
FEW = 0.2  # of the columns may be in doubt; for more, all are read
MANY, LONG = 2**20, 40  # a pass over fewer numbers, or shorter columns, costs less than the bound does
ROUNDING = 100.0  # units of rounding, relative to the gradients that are combined


class Gradients:
    """Knows the gradient in all features at a few points, and what follows from it for others.

    Parameters
    ----------
    problem : Problem
    point : Point
    gradient : array of shape (n_features, n_outputs)
        The gradient at this point.
    """

    def __init__(self, problem: Problem, point: Point, gradient: NDArray):
        assert isinstance(problem.design, StandardizedDesign)
        self.problem, self.design = problem, problem.design
        self._known = [(point.grad_linear, gradient)]
        weight, spread = self.design.weight, self.design.spread
        # A penalty of another kind might not ask less of smaller gradients.
        is_known = type(problem.penalty.formula) in PENALTIES.values()
        least = max(MANY, LONG * problem.design.shape[1])
        self.bounds = is_known and weight is not None and self.design.base.x.size >= least
        if self.bounds and weight is not None:
            # Rows that the lengths of columns do not count must not move gradients either.
            self.bounds = not problem.loss.sample_weight[weight == 0].any()
            self._root = np.sqrt(weight)[:, None]
            self._lengths = np.ones((len(gradient), 1)) if spread is None else spread[:, None]

    def at(self, points: list[Point], lams: NDArray, outside: NDArray) -> list[NDArray]:
        """Return gradients that give the certificate of the blocks outside, all of them at zero, at each point.

        They are exact in all blocks that may violate it, and close to exact in others.
        """
        if all(point.grad_linear is self._known[-1][0] for point in points):
            return [self._known[-1][1]] * len(points)
        if not self.bounds:
            return self._read(points)
        found: list[NDArray] = [np.empty(0)] * len(points)
        for i in _halving(len(points)):
            bounded = self._bounded(points[i], float(lams[i]), outside)
            found[i] = self._read([points[i]])[0] if bounded is None else bounded
        return found

    def _read(self, points: list[Point]) -> list[NDArray]:
        """Return the whole gradient at several points, in one pass over X."""
        m = self.problem.shape[1]
        stacked = self.design.rmatmul(np.hstack([point.grad_linear for point in points]))
        gradients = [stacked[:, i * m : (i + 1) * m] for i in range(len(points))]
        self._known += [(point.grad_linear, each) for point, each in zip(points, gradients, strict=True)]
        del self._known[: -(KNOWN if self.bounds else 1)]
        return gradients

    def _bounded(self, point: Point, lam: float, outside: NDArray) -> NDArray | None:
        """Return a gradient that is exact where it has to be, or None if that is in too many columns."""
        near, reach = self._nearest(point.grad_linear)
        largest = np.abs(near) + self._lengths * reach
        penalty = self.problem.penalty
        zero = np.zeros(self.problem.shape)
        in_doubt = np.flatnonzero(outside & (penalty.subdiff_distance(zero, largest, lam) > 0))
        if penalty.blocks.sizes[in_doubt].sum() > FEW * near.size:
            return None
        if len(in_doubt):
            features = np.unique(penalty.blocks.entries(in_doubt)[0])
            near[features] = self.design.select(features).rmatmul(point.grad_linear)
        return near

    def _nearest(self, grad_linear: NDArray) -> tuple[NDArray, NDArray]:
        """Return the gradient at the nearest point of the plane through the known ones, and how far off it may be.

        The distance is one number for each output, for columns of unit length.
        """
        (base, gradient), *others = self._known[::-1]
        rest = self._scaled(grad_linear - base)
        near, combined = gradient.copy(), np.abs(gradient).max(axis=0)
        if others:
            ways = np.array([self._scaled(other - base).ravel() for other, _ in others])
            factors = np.linalg.lstsq(ways @ ways.T, ways @ rest.ravel(), rcond=1e-10)[0]
            rest = rest - (factors @ ways).reshape(rest.shape)
            for factor, (_, other) in zip(factors.tolist(), others, strict=True):
                near += factor * (other - gradient)
                combined += abs(factor) * np.abs(other).max(axis=0)
        rounding = ROUNDING * np.finfo(self.design.dtype).eps * combined
        return near, np.sqrt(np.square(rest).sum(axis=0)) + rounding

    def _scaled(self, change: NDArray) -> NDArray:
        """Return a change of the gradient in the linear predictor, for columns whose rows are scaled to unit length."""
        return np.divide(change, self._root, out=np.zeros_like(change), where=self._root > 0)


def _halving(n: int) -> list[int]:
    """Return 0..n-1 in an order in which each lies between those before it: the last, the middle, the quarters, ..."""
    order, spans = [n - 1], [(-1, n - 1)]
    for before, after in spans:
        middle = (before + after) // 2
        if before < middle:
            order.append(middle)
            spans += [(before, middle), (middle, after)]
    return order
