"""Other starts for the same problem, and which of the points they lead to are the same.

PU losses are not convex: F may have several stationary points, and where a solver ends depends on where it
begins. Nothing here finds all of them; several starts that lead to one point are evidence, not proof.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from pulasso.build import scale_by_null
from pulasso.losses import ObservedLoss, find_null_model
from pulasso.path import lams_down_to, solve_path
from pulasso.problem import Params, Problem
from pulasso.scenarios import FullyObserved, LabelCounts
from pulasso.solvers import Solution, solve_em

__all__ = ["MERGE_COEF", "MERGE_OBJECTIVE", "Cluster", "em_start", "merge", "naive_start", "random_start"]

# A start need not be solved well, it is only where the solver begins.
START_TOL, START_STEPS, EM_STEPS = 1e-3, 100, 25
# Random starts move log odds by at least this much, in units of log odds: a null model has no spread of its own.
LEAST_SPREAD = 1.0
# Their sizes range from `scale` divided by this to `scale` times it, equally likely in logs.
RANGE_OF_SIZES = 3.0
# Two solutions are one stationary point if they agree to this accuracy: F relative to 1 + |F|, and the
# parameters (on the penalised scale) relative to 1 + the largest of them. Solves of one point at the default tol
# agree to 1e-11 and 1e-4; other points differ by 1e-4 in F, as a rule.
MERGE_OBJECTIVE, MERGE_COEF = 1e-7, 1e-2


def naive_start(problem: Problem) -> Params:
    """Return the solution at the same lam under the naive reading, in which unlabeled means class 0."""
    loss = cast(ObservedLoss, problem.loss)
    counts = LabelCounts.from_codes(loss.codes, np.arange(loss.label_model.n_positive + 1), loss.weight)
    naive = ObservedLoss(FullyObserved().label_model(counts), loss.codes, loss.weight)
    scaled = scale_by_null(replace(problem, loss=naive, anchor=None), find_null_model(naive, counts).log_odds)
    lams = lams_down_to(problem.lam, scaled.lam_max)
    return list(solve_path(scaled, lams, tol=START_TOL, max_iter=START_STEPS))[-1].params


def em_start(problem: Problem) -> Params:
    """Return where EM, begun at the null model without a path, is after some steps."""
    assert problem.null is not None
    return solve_em(problem, problem.null, tol=START_TOL, max_iter=EM_STEPS).params


def random_start(problem: Problem, center: Params, rng: np.random.Generator, scale: float) -> Params:
    """Return parameters around a solution, on its support and off it, with other intercepts.

    A Gaussian step is taken on all groups of the solution and on as many others. It is scaled so that the
    linear predictor moves, in root mean square over the rows, by about `scale` times its own size.

    Parameters
    ----------
    problem : Problem
    center : Params
    rng : Generator
    scale : float
    """
    blocks, response = problem.blocks, problem.response
    active = blocks.norms(center.theta) > 0
    # Unpenalised groups that are zero are constant columns, and excluded ones stay zero.
    others = np.flatnonzero(~active & blocks.is_penalized)
    n_others = min(len(others), max(1, int(np.count_nonzero(active))))
    chosen = np.concatenate([np.flatnonzero(active), rng.choice(others, n_others, replace=False)])
    step = np.zeros(problem.shape)
    entries = blocks.entries(chosen)
    step[entries] = rng.normal(size=len(entries[0]))
    moved = _root_mean_square(problem, problem.design.matmul(step))
    own = _root_mean_square(problem, problem.design.matmul(center.theta))
    size = scale * max(own, LEAST_SPREAD) * RANGE_OF_SIZES ** rng.uniform(-1.0, 1.0)
    # The way through class log odds ends in the model's domain, whatever the free parameters are.
    log_odds = response.log_odds(np.zeros((1, response.n_outputs)), center.offsets)[0]
    offsets = response.null_offsets(log_odds + scale * rng.normal(size=len(log_odds)))
    return Params(center.theta + step * (size / moved if moved > 0 else 0.0), offsets)


def _root_mean_square(problem: Problem, linear: NDArray) -> float:
    return float(np.sqrt(np.mean(problem.loss.sample_weight @ np.square(linear))))


@dataclass(frozen=True)
class Cluster:
    """Solutions that are one stationary point: their positions, the one that stands for all first."""

    members: tuple[int, ...]

    @property
    def first(self) -> int:
        """Position of the solution that stands for the point."""
        return self.members[0]


def merge(results: Sequence[Solution]) -> list[Cluster]:
    """Return the distinct stationary points among solutions, the smallest objective first.

    Solutions that did not converge are no stationary points and are left out, unless there are no others. Of
    solutions that are one point the first in `results` stands for it.

    Parameters
    ----------
    results : sequence of Solution
    """
    converged = [i for i, result in enumerate(results) if result.converged]
    clusters: list[list[int]] = []
    for i in converged or range(len(results)):
        home = next((each for each in clusters if _are_one(results[each[0]], results[i])), None)
        if home is None:
            clusters.append([i])
        else:
            home.append(i)
    clusters.sort(key=lambda each: results[each[0]].objective)
    return [Cluster(tuple(each)) for each in clusters]


def _are_one(one: Solution, other: Solution) -> bool:
    if abs(one.objective - other.objective) > MERGE_OBJECTIVE * (1.0 + abs(one.objective)):
        return False
    gap = one.params - other.params
    largest = max(np.abs(one.params.theta).max(initial=0.0), np.abs(one.params.offsets).max(initial=0.0))
    apart = max(np.abs(gap.theta).max(initial=0.0), np.abs(gap.offsets).max(initial=0.0))
    return bool(apart <= MERGE_COEF * (1.0 + largest))
