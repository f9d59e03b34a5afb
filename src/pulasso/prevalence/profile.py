r"""Profile likelihood: the best likelihood that any model reaches at each value of a labelling number.

For every value of one number all other unknowns are fitted again: coefficients, intercepts or cutpoints, and
the other numbers. Two statistics follow at every value,

.. math::

   LR = 2 (\ell_{max} - \ell_p), \qquad LM = U^2 / I_{eff},

with the slope U of the log-likelihood in the number and its efficient information :math:`I_{eff} = I_{tt} -
I_{t\theta} I_{\theta\theta}^{-1} I_{\theta t}` there. Where the number is identified the two agree and are
chi-squared with one degree of freedom at the true value. Where features say little about classes they do not:
the likelihood then has spurious maxima far from the truth and LR rejects the truth much too often (a number
that the null model does not contain, Davies 1977), while LM keeps its distribution (Andrews and Mikusheva
2015, Quantitative Economics 6), but has little power far away. So it matters which case this is (Andrews and
Cheng 2012, Econometrica 80). If the information at the maximum, and at the ordinary fit with the number held
in the middle, both promise a small standard error, the interval holds what LR accepts. Else it also holds
what LM accepts, as long as LR stays below the quantile of chi-squared with *all* unknowns (Scheffe's
projection bound), or without that bound if features hardly matter at all: the usual interval where the number
is identified, a wide one where it is not.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import chi2

from pulasso.prevalence.likelihood import Evaluation, JointLikelihood

__all__ = ["Maximum", "Profile", "maximize", "profile_numbers"]

# Where the search starts: the middle, a low and a high number for all classes (the likelihood is not convex).
STARTS = (0.5, 0.25, 0.75)
# Curves end at numbers closer than this to 0 or 1.
EDGE = 2e-3
# Curves go down by at least this much, so that they can be drawn.
DEPTH = 6.0
# Walk from the maximum in half standard errors, at most so far in logits at once, faster every time.
HALF, SHORTEST_STEP, LONGEST_STEP, FASTER = 0.5, 0.02, 0.7, 1.35
GRADIENT_TOL, MAX_STEPS = 1e-5, 60
# A curve that rises above the maximum by this much has found a better one.
BETTER, ROUNDS = 1e-2, 3
SAME = 1e-4
# A number with a standard error of at most this is identified, and its likelihood ratio can be trusted.
STRONG = 0.08
# Provided that features matter at all: twice the log-likelihood they add is at least so much for each
# coefficient.
CLEAR = 10.0


@dataclass(frozen=True, eq=False)
class Profile:
    """The profile likelihood of one number.

    Attributes
    ----------
    numbers : array of shape (n_points,)
        Increasing values of the number.
    drop : array of shape (n_points,)
        How far the log-likelihood lies below its maximum there.
    score : array of shape (n_points,)
        The statistic LM there.
    interval : tuple of float
        All numbers that are compatible with the data; 0 or 1 (the largest possible number) where that is no
        bound.
    """

    numbers: NDArray
    drop: NDArray
    score: NDArray
    interval: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Maximum:
    """The joint maximum over all unknowns, with one profile for each free number."""

    unknowns: NDArray
    value: float
    profiles: list[Profile]


@dataclass(frozen=True, eq=False)
class Point:
    """The best fit at one held number: its free value, minus the log-likelihood, the statistic LM, all unknowns."""

    free: float
    value: float
    score: float
    unknowns: NDArray


class _Memory:
    """Evaluates a likelihood over some of its unknowns, once for each point that the optimiser visits."""

    def __init__(self, joint: JointLikelihood, unknowns: NDArray, free: NDArray):
        self.joint, self.unknowns, self.free = joint, unknowns.copy(), free
        self.seen: tuple[bytes, Evaluation] | None = None

    def at(self, values: NDArray) -> Evaluation:
        key = values.tobytes()
        if self.seen is None or self.seen[0] != key:
            self.unknowns[self.free] = values
            self.seen = (key, self.joint.evaluate(self.unknowns))
        return self.seen[1]


def maximize(
    joint: JointLikelihood, start: NDArray, held: int | slice | None = None
) -> tuple[NDArray, float]:
    """Return the best unknowns near `start` and minus their log-likelihood, some unknowns held where they are.

    A trust region with the Fisher information as curvature: it is positive where the likelihood is not
    concave.
    """
    free = np.ones(len(start), dtype=bool)
    if held is not None:
        free[held] = False
    memory = _Memory(joint, start, free)
    found = minimize(
        lambda v: memory.at(v).value,
        start[free],
        jac=lambda v: memory.at(v).gradient[free],
        hess=lambda v: memory.at(v).information[np.ix_(free, free)],
        method="trust-exact",
        options={"gtol": GRADIENT_TOL * joint.counts.total, "maxiter": MAX_STEPS},
    )
    best = start.copy()
    best[free] = found.x
    return best, float(found.fun)


def profile_numbers(joint: JointLikelihood, level: float) -> Maximum:
    """Return the joint maximum and the profile of every free number, with intervals of this level."""
    plain, best, value = _search(joint)
    clear = _signal(joint, plain) > CLEAR * joint.x.shape[1] * joint.response.n_outputs
    for rounds_left in reversed(range(ROUNDS)):
        profiles: list[Profile] = []
        for k in range(joint.n_numbers):
            anchored = replace(joint, anchor=None if joint.common else k)
            here, there = _move(joint, anchored, best), _move(joint, anchored, plain)
            # The statistic is judged by fewer degrees of freedom where the number is identified.
            strong = clear and max(_number_error(anchored, each, k) for each in (here, there)) <= STRONG
            bound = chi2.ppf(level, 1 if strong else len(best)) / 2.0 if clear else np.inf
            points = _walk(anchored, here, there, k, max(bound, DEPTH))
            lowest = min(points, key=lambda point: point.value)
            if lowest.value < value - BETTER and rounds_left:
                best, value = maximize(joint, _move(anchored, joint, lowest.unknowns))
                break
            profiles.append(_profile(anchored, points, value, k, level, bound))
        if len(profiles) == joint.n_numbers:
            break
    return Maximum(best, value, profiles)


def _search(joint: JointLikelihood) -> tuple[NDArray, NDArray, float]:
    """Return the best model at the middle number, and the best of the maxima that several starts lead to."""
    found = []
    for number in STARTS:
        share = number / joint.response.n_positive if joint.scenario == "case-control" else number
        t = joint.scale_of(np.full(joint.response.n_positive, share))
        model, _ = maximize(joint, joint.null(joint.gather(t)), held=slice(joint.n_model, None))
        found.append((model, *maximize(joint, model)))
    best = min(found, key=lambda each: each[2])
    return found[0][0], best[1], best[2]


def _signal(joint: JointLikelihood, model: NDArray) -> float:
    """Return twice the log-likelihood that features add to the null model at the same numbers."""
    null = joint.null(model[joint.n_model :])
    return 2.0 * (joint.log_likelihood(model) - joint.log_likelihood(null))


def _move(old: JointLikelihood, new: JointLikelihood, unknowns: NDArray) -> NDArray:
    """Return the same unknowns with the numbers anchored otherwise."""
    moved = unknowns.copy()
    moved[old.n_model :] = new.gather(old.spread(unknowns[old.n_model :])[0])
    return moved


# -- along the profile ---------------------------------------------------------------------------------------


def _walk(joint: JointLikelihood, best: NDArray, plain: NDArray, k: int, deep: float) -> list[Point]:
    """Return points of the profile from one edge to the other, the maximum among them."""
    middle = _point(joint, k, best, joint.evaluate(best).value)
    step = float(np.clip(HALF * _standard_error(joint, best, k), SHORTEST_STEP, LONGEST_STEP))
    down = list(_walk_one_way(joint, middle, plain, k, -step, deep))
    up = list(_walk_one_way(joint, middle, plain, k, step, deep))
    return [*down[::-1], middle, *up]


def _walk_one_way(
    joint: JointLikelihood, middle: Point, plain: NDArray, k: int, step: float, deep: float
) -> Iterator[Point]:
    """Follow two chains of fits, from the maximum and from the plain model, until they meet; the better one counts."""
    index = joint.n_model + k
    chains, free = [middle.unknowns, plain], middle.free
    while True:
        free += step
        fits = []
        for chain in chains:
            start = chain.copy()
            start[index] = free
            fits.append(maximize(joint, start, held=index))
        unknowns, value = min(fits, key=lambda fit: fit[1])
        chains = [fit[0] for fit in fits]
        if len(fits) == 2 and abs(fits[0][1] - fits[1][1]) < SAME:
            chains = chains[:1]
        point = _point(joint, k, unknowns, value)
        yield point
        if (
            value - middle.value > deep
            or not EDGE < _number(joint, point.unknowns, k) < _ceiling(joint) - EDGE
        ):
            return
        step = float(np.sign(step) * min(FASTER * abs(step), LONGEST_STEP))


def _point(joint: JointLikelihood, k: int, unknowns: NDArray, value: float) -> Point:
    """Compute the statistic LM where number k was held."""
    at, index = joint.evaluate(unknowns), joint.n_model + k
    rest = np.arange(len(unknowns)) != index
    across = at.information[rest, index]
    solved = np.linalg.solve(at.information[np.ix_(rest, rest)], np.column_stack([across, at.gradient[rest]]))
    efficient = at.information[index, index] - across @ solved[:, 0]
    slope = at.gradient[index] - across @ solved[:, 1]
    return Point(float(unknowns[index]), value, float(slope**2 / efficient), unknowns)


def _standard_error(joint: JointLikelihood, unknowns: NDArray, k: int) -> float:
    """Return the standard error of free number k, from the inverse Fisher information."""
    information = joint.evaluate(unknowns).information
    unit = np.zeros(len(information))
    unit[joint.n_model + k] = 1.0
    return float(np.sqrt(np.linalg.solve(information, unit)[joint.n_model + k]))


def _number_error(joint: JointLikelihood, unknowns: NDArray, k: int) -> float:
    """Return the standard error of number k itself."""
    number = _number(joint, unknowns, k)
    slope = number * (_ceiling(joint) - number) / _ceiling(joint)
    return slope * _standard_error(joint, unknowns, k)


def _number(joint: JointLikelihood, unknowns: NDArray, k: int) -> float:
    return float(joint.numbers(joint.spread(unknowns[joint.n_model :])[0])[k])


def _ceiling(joint: JointLikelihood) -> float:
    """Return the largest possible number: prevalences that are all equal stay below 1 / K."""
    is_shared = joint.common and joint.scenario == "case-control"
    return 1.0 / joint.response.n_positive if is_shared else 1.0


def _profile(
    joint: JointLikelihood, points: list[Point], value: float, k: int, level: float, bound: float
) -> Profile:
    """Turn points into a curve with its interval; the score counts where the drop is at most `bound`."""
    numbers = np.array([_number(joint, point.unknowns, k) for point in points])
    drop = np.maximum(np.array([point.value for point in points]) - value, 0.0)
    score = np.array([point.score for point in points])
    statistic = np.where(drop <= bound, np.minimum(score, 2.0 * drop), 2.0 * drop)
    # Roots of the statistics are almost straight in logits, so that a chord finds the end between two points.
    root, cut = np.sqrt(statistic), np.sqrt(chi2.ppf(level, 1))
    accepted = np.flatnonzero(root <= cut)
    ends = []
    for last, next_one, no_bound in ((accepted[0], -1, 0.0), (accepted[-1], 1, _ceiling(joint))):
        beyond = last + next_one
        if not 0 <= beyond < len(points):
            ends.append(no_bound)
            continue
        part = (cut - root[last]) / (root[beyond] - root[last])
        logits = np.log(numbers[[last, beyond]]) - np.log1p(-numbers[[last, beyond]])
        ends.append(float(1.0 / (1.0 + np.exp(-(logits[0] + part * (logits[1] - logits[0]))))))
    return Profile(numbers, drop, score, (ends[0], ends[1]))
