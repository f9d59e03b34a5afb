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
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import chi2

from pulasso.prevalence.likelihood import JointLikelihood
from pulasso.prevalence.maximum import features_matter, find_maximum, maximize

__all__ = ["Profile", "profile_numbers"]

# Curves end at numbers closer than this to 0 or to the largest possible number.
EDGE = 2e-3
# Curves go down by at least this much, so that they can be drawn.
DEPTH = 6.0
# Walk from the maximum in half standard errors, at most so far in logits at once, faster every time.
HALF, SHORTEST_STEP, LONGEST_STEP, FASTER = 0.5, 0.02, 0.7, 1.35
# A curve that rises above the maximum by this much has found a better one.
BETTER, ROUNDS = 1e-2, 3
# Two fits whose likelihoods differ by less are the same fit.
SAME = 1e-4
# A number with a standard error of at most this is identified, and its likelihood ratio can be trusted.
STRONG = 0.08


class Profile(NamedTuple):
    """The profile likelihood of one number."""

    numbers: NDArray  # increasing values of the number, shape (n_points,)
    drop: NDArray  # how far the log-likelihood lies below its maximum there
    interval: tuple[
        float, float
    ]  # what is compatible with the data; 0 or the ceiling where nothing bounds it


class Point(NamedTuple):
    """The best fit at one held number."""

    number: float
    value: float  # minus the log-likelihood
    score: float  # the statistic LM
    unknowns: NDArray


def profile_numbers(joint: JointLikelihood, level: float) -> tuple[NDArray, list[Profile]]:
    """Return the joint maximum and the profile of every free number, with intervals of this level."""
    plain, best, value = find_maximum(joint)
    clear = features_matter(joint, plain)
    for rounds_left in reversed(range(ROUNDS)):
        profiles: list[Profile] = []
        for k in range(joint.scale.n_free):
            anchored = replace(joint, scale=joint.scale.anchored(k))
            here, there = (_move(joint, anchored, each) for each in (best, plain))
            # The statistic is judged by fewer degrees of freedom where the number is identified.
            strong = clear and max(_number_error(anchored, each, k) for each in (here, there)) <= STRONG
            bound = chi2.ppf(level, 1 if strong else len(best)) / 2.0 if clear else np.inf
            points = _walk(anchored, here, there, k, max(bound, DEPTH))
            lowest = min(points, key=lambda point: point.value)
            if lowest.value < value - BETTER and rounds_left:
                best, value = maximize(joint, _move(anchored, joint, lowest.unknowns))
                break
            profiles.append(_profile(anchored, points, value, level, bound))
        if len(profiles) == joint.scale.n_free:
            break
    return best, profiles


def _move(old: JointLikelihood, new: JointLikelihood, unknowns: NDArray) -> NDArray:
    """Return the same unknowns with the numbers anchored otherwise."""
    model, free = np.split(unknowns, [old.n_model])
    return np.append(model, new.scale.gather(old.scale.spread(free)[0]))


# -- along the profile ---------------------------------------------------------------------------------------


def _walk(joint: JointLikelihood, best: NDArray, plain: NDArray, k: int, deep: float) -> list[Point]:
    """Return points of the profile from one edge to the other, the maximum among them."""
    middle = _point(joint, k, best)
    step = float(np.clip(HALF * _standard_error(joint, best, k), SHORTEST_STEP, LONGEST_STEP))
    down = list(_walk_one_way(joint, middle, plain, k, -step, deep))
    up = list(_walk_one_way(joint, middle, plain, k, step, deep))
    return [*down[::-1], middle, *up]


def _walk_one_way(
    joint: JointLikelihood, middle: Point, plain: NDArray, k: int, step: float, deep: float
) -> Iterator[Point]:
    """Follow two chains of fits, from the maximum and from the plain model, until they meet; the better one counts."""
    index = joint.n_model + k
    chains, free = [middle.unknowns, plain], middle.unknowns[index]
    while True:
        free += step
        fits = []
        for chain in chains:
            start = chain.copy()
            start[index] = free
            fits.append(maximize(joint, start, held=index))
        chains = [unknowns for unknowns, _ in fits]
        if len(fits) == 2 and abs(fits[0][1] - fits[1][1]) < SAME:
            chains = chains[:1]
        point = _point(joint, k, min(fits, key=lambda fit: fit[1])[0])
        yield point
        inside = EDGE < point.number < joint.scale.ceiling - EDGE
        if point.value - middle.value > deep or not inside:
            return
        step = float(np.sign(step) * min(FASTER * abs(step), LONGEST_STEP))


def _point(joint: JointLikelihood, k: int, unknowns: NDArray) -> Point:
    """Compute the statistic LM where number k was held."""
    value, gradient, information = joint.evaluate(unknowns)
    index = joint.n_model + k
    rest = np.arange(len(unknowns)) != index
    across = information[rest, index]
    solved = np.linalg.solve(information[np.ix_(rest, rest)], np.column_stack([across, gradient[rest]]))
    efficient = information[index, index] - across @ solved[:, 0]
    slope = gradient[index] - across @ solved[:, 1]
    return Point(_number(joint, unknowns, k), value, float(slope**2 / efficient), unknowns)


def _standard_error(joint: JointLikelihood, unknowns: NDArray, k: int) -> float:
    """Return the standard error of free number k, from the inverse Fisher information."""
    information = joint.evaluate(unknowns).information
    unit = np.zeros(len(information))
    unit[joint.n_model + k] = 1.0
    return float(np.sqrt(np.linalg.solve(information, unit)[joint.n_model + k]))


def _number_error(joint: JointLikelihood, unknowns: NDArray, k: int) -> float:
    """Return the standard error of number k itself."""
    number, ceiling = _number(joint, unknowns, k), joint.scale.ceiling
    return number * (ceiling - number) / ceiling * _standard_error(joint, unknowns, k)


def _number(joint: JointLikelihood, unknowns: NDArray, k: int) -> float:
    return float(joint.scale.numbers(unknowns[joint.n_model :])[k])


def _profile(
    joint: JointLikelihood, points: list[Point], value: float, level: float, bound: float
) -> Profile:
    """Turn points into a curve with its interval; the score counts where the drop is at most `bound`."""
    numbers, values, score = np.array([[each.number, each.value, each.score] for each in points]).T
    drop = np.maximum(values - value, 0.0)
    statistic = np.where(drop <= bound, np.minimum(score, 2.0 * drop), 2.0 * drop)
    # Roots of the statistics are almost straight in logits, so that a chord finds the end between two points.
    root, cut = np.sqrt(statistic), np.sqrt(chi2.ppf(level, 1))
    accepted = np.flatnonzero(root <= cut)
    ends = []
    for last, direction, no_bound in ((accepted[0], -1, 0.0), (accepted[-1], 1, joint.scale.ceiling)):
        beyond = last + direction
        if not 0 <= beyond < len(points):
            ends.append(no_bound)
            continue
        part = (cut - root[last]) / (root[beyond] - root[last])
        inner, outer = logit(numbers[[last, beyond]])
        ends.append(float(expit(inner + part * (outer - inner))))
    return Profile(numbers, drop, (ends[0], ends[1]))
