"""Gradients in all features for the certificate of all blocks, from as few passes over X as will do.

Where the gradient in the linear predictor moves by d, that in a column x moves by ``x'd``, which is at most the product
of their lengths (Cauchy-Schwarz). From gradients that are known at other points most blocks outside of the working set
are certified by that bound alone; only columns that it leaves in doubt are read, once for all points in question.
"""

import numpy as np
from numpy.typing import NDArray

from pulasso.design import DenseDesign, StandardizedDesign
from pulasso.penalties import PENALTIES
from pulasso.problem import Point, Problem

__all__ = ["Gradients"]

KNOWN = 3  # points whose gradients are kept: d is counted from the plane through these
FAR = 10.0  # a plane is left alone where a point in it takes more than so many times one of these
# Of the columns may be in doubt, where they lie along or across memory; else all are read.
FEW, FEW_ACROSS = 0.2, 0.02
COPIED = 2**18  # numbers of X at a time
# A pass over fewer numbers, shorter columns, or fewer of them for each output, costs less than the bound does.
MANY, LONG, WIDE = 2**20, 40, 150
# Sums of n numbers are trusted up to so many times sqrt(n) units of rounding, which grows like a random walk.
ROUNDING = 4.0


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
        n_features, n_outputs = problem.shape
        is_large = self.design.base.x.size >= max(MANY, LONG * n_features) and n_features >= WIDE * n_outputs
        self._few = _few(self.design.base)
        self.bounds = is_known and weight is not None and self._few > 0 and is_large
        if self.bounds and weight is not None:
            # Rows that the lengths of columns do not count must not move gradients either.
            self.bounds = not problem.loss.sample_weight[weight == 0].any()
            self._root = np.sqrt(weight)[:, None]
            self._lengths = np.ones((len(gradient), 1)) if spread is None else spread[:, None]
            # What is summed has the size of the columns before they are centred.
            sizes = self._lengths + np.abs(self.design.mean / self.design.scale)[:, None]
            self._rounding = ROUNDING * np.sqrt(len(weight)) * np.finfo(self.design.dtype).eps * sizes

    def at(self, points: list[Point], lams: NDArray, outside: NDArray) -> list[NDArray]:
        """Return gradients that give the certificate of the blocks outside, all of them at zero, at each point.

        They are exact in all blocks that may violate it, and close to exact in others.
        """
        if all(point.grad_linear is self._known[-1][0] for point in points):
            return [self._known[-1][1]] * len(points)
        if not self.bounds:
            return self._read(points)
        found = self._from_bounds(points, lams, outside)
        if found is not None:
            return found
        # With the last and one in the middle known, the others are close to a plane; if not, they are read at once.
        n = len(points)
        both = sorted({(n - 1) // 2, n - 1})
        by_place = dict(zip(both, self._read([points[i] for i in both]), strict=True))
        rest = [i for i in range(n) if i not in both]
        others = [points[i] for i in rest]
        found = self._from_bounds(others, lams[rest], outside)
        by_place |= zip(rest, self._products(self.design, others) if found is None else found, strict=True)
        return [by_place[i] for i in range(n)]

    def _from_bounds(self, points: list[Point], lams: NDArray, outside: NDArray) -> list[NDArray] | None:
        """Return gradients that are exact where they have to be, or None if that is in too many columns."""
        found: list[NDArray] = []
        is_read = np.zeros(self.problem.shape[0], dtype=bool)
        for point, lam in zip(points[::-1], lams[::-1], strict=True):  # the last is the least certain
            near, in_doubt = self._bounded(point, float(lam), outside)
            is_read[in_doubt] = True
            if is_read.mean() > self._few:
                return None
            found.insert(0, near)
        features = np.flatnonzero(is_read)
        at_once = max(1, COPIED // self.problem.design.shape[0])
        for start in range(0, len(features), at_once):
            some = features[start : start + at_once]
            for near, own in zip(found, self._products(self.design.select(some), points), strict=True):
                near[some] = own
        return found

    def _read(self, points: list[Point]) -> list[NDArray]:
        """Return the whole gradient at several points, in one pass over X."""
        gradients = self._products(self.design, points)
        self._known += [(point.grad_linear, each) for point, each in zip(points, gradients, strict=True)]
        del self._known[: -(KNOWN if self.bounds else 1)]
        return gradients

    def _products(self, design: StandardizedDesign, points: list[Point]) -> list[NDArray]:
        stacked = design.rmatmul(np.hstack([point.grad_linear for point in points]))
        return np.split(stacked, len(points), axis=1)

    def _bounded(self, point: Point, lam: float, outside: NDArray) -> tuple[NDArray, NDArray]:
        """Return a gradient that is close enough but in some features, and these."""
        near, reach = self._nearest(point.grad_linear)
        penalty = self.problem.penalty
        zero = np.zeros(self.problem.shape)
        is_certain = penalty.subdiff_distance(zero, np.abs(near) + reach, lam) <= 0
        return near, penalty.blocks.entries(np.flatnonzero(outside & ~is_certain))[0]

    def _nearest(self, grad_linear: NDArray) -> tuple[NDArray, NDArray]:
        """Return the gradient at the nearest point of the plane through the known ones, and how far off it may be."""
        (base, gradient), *others = self._known[::-1]
        rest, near, share = self._scaled(grad_linear - base), gradient, 1.0
        combined = np.zeros(rest.shape[1])  # sizes of all that was summed, to which its rounding is relative
        if others:
            ways = np.array([self._scaled(other - base).ravel() for other, _ in others])
            factors = np.linalg.lstsq(ways @ ways.T, ways @ rest.ravel(), rcond=1e-10)[0]
            if np.abs(factors).max() <= FAR:
                rest = rest - (factors @ ways).reshape(rest.shape)
                share -= factors.sum()
                near = share * gradient
                for factor, (other, own) in zip(factors.tolist(), others, strict=True):
                    near += factor * own
                    combined += abs(factor) * _norms(self._scaled(other))
        combined += abs(share) * _norms(self._scaled(base))
        near = near.copy() if near is gradient else near
        return near, self._lengths * _norms(rest) + self._rounding * combined

    def _scaled(self, change: NDArray) -> NDArray:
        """Return a change of the gradient in the linear predictor, for columns whose rows are scaled to unit length."""
        return np.divide(change, self._root, out=np.zeros_like(change), where=self._root > 0)


def _few(base: object) -> float:
    """Return which share of the columns can be read in clearly less time than all of them."""
    x = base.x  # type: ignore[attr-defined]
    if isinstance(base, DenseDesign):
        return FEW if x.strides[0] == x.itemsize else FEW_ACROSS
    return FEW if x.format == "csc" else 0.0  # sparse rows are searched from end to end


def _norms(change: NDArray) -> NDArray:
    return np.sqrt(np.square(change).sum(axis=0))
