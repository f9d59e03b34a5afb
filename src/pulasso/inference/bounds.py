"""How many false selections stability selection lets through on average, at most."""

import numpy as np

from pulasso.data.inputs import check_number

__all__ = ["check_threshold", "largest_q", "pairs_bound", "selection_bound"]


LARGEST = 1e100  # so that no square overflows


def check_threshold(threshold: float) -> None:
    """Refuse a threshold for which no bound holds."""
    check_number("threshold", threshold, above=0.5, most=1.0)


def selection_bound(q: float, threshold: float, n_groups: int) -> float:
    """Return Meinshausen and Buehlmann's bound on the expected number of false selections.

        E[V] <= q^2 / ((2 threshold - 1) n_groups)

    It holds if the groups without effect are exchangeable (any of them is as likely to be selected as any
    other), and if the model does not select worse than chance. With complementary pairs it holds without
    either (Shah and Samworth), for V = the number of selected groups that a subsample selects with a
    probability of at most ``q / n_groups``.

    Parameters
    ----------
    q : float
        Expected number of groups that a subsample of half the rows selects.
    threshold : float
        Above 0.5, at most 1.
    n_groups : int
        Number of groups to select from.

    References
    ----------
    N. Meinshausen and P. Bühlmann, *Stability selection*, JRSS B 72 (2010). R. D. Shah and R. J. Samworth,
    *Variable selection with error control: another look at stability selection*, JRSS B 75 (2013).

    Examples
    --------
    >>> selection_bound(10, 0.75, 200)
    1.0
    """
    check_threshold(threshold)
    _check_counts(q, n_groups)
    return float(q) ** 2 / ((2.0 * threshold - 1.0) * n_groups)


def pairs_bound(q: float, threshold: float, n_groups: int, n_pairs: int) -> float:
    """Return Shah and Samworth's sharper bound for complementary pairs; NaN outside its range.

    With ``theta = q / n_groups`` and B pairs, the expected number of selected groups that a subsample
    selects with a probability of at most theta is at most ``C theta q``, where

        C = 1 / (2 (2 threshold - 1 - 1/(2B)))                    for thresholds up to 3/4,
        C = 4 (1 - threshold + 1/(2B)) / (1 + 1/B)                above,

    if the share of pairs in which *both* subsamples select such a group has a unimodal distribution (their
    Theorem 2). It is known for ``theta <= 1 / sqrt(3)`` and thresholds above
    ``min(1/2 + theta^2, 1/2 + 1/(2B) + 3/4 theta^2)``.

    Parameters
    ----------
    q, threshold, n_groups
        As for :func:`selection_bound`.
    n_pairs : int
        B, half the number of subsamples.

    Examples
    --------
    >>> round(pairs_bound(10, 0.75, 200, 50), 4)
    0.5102
    >>> round(pairs_bound(10, 0.9, 200, 50), 4)
    0.2157
    """
    check_threshold(threshold)
    _check_counts(q, n_groups)
    check_number("n_pairs", n_pairs, least=1, whole=True)
    q, theta, pair = float(q), float(q) / float(n_groups), 1.0 / float(n_pairs)
    least = min(0.5 + theta**2, 0.5 + pair / 2 + 0.75 * theta**2)
    if theta > 1.0 / np.sqrt(3.0) or threshold <= least:
        return float("nan")
    if threshold <= 0.75:
        room = 2.0 * threshold - 1.0 - pair / 2
        factor = 0.5 / room if room > 0 else np.nan
    else:
        factor = 4.0 * (1.0 - threshold + pair / 2) / (1.0 + pair)
    return float(factor * theta * q)


def _check_counts(q: float, n_groups: int) -> None:
    check_number("q", q, least=0.0, most=LARGEST)
    check_number("n_groups", n_groups, least=1, whole=True)


def largest_q(expected_false: float, threshold: float, n_groups: int) -> int:
    """Return the largest q whose bound is at most the number of false selections that one accepts."""
    check_threshold(threshold)
    # 2 * 0.6 - 1 is a little less than 0.2: rounding must not cost a group.
    return min(n_groups, int(np.sqrt(expected_false * (2.0 * threshold - 1.0) * n_groups) + 1e-9))
