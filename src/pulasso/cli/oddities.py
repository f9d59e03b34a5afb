"""Labels that look odd: misspelt ones, and steps of a scale that are treated as unordered."""

import re
from typing import Any

from pulasso._messages import listed
from pulasso.cli.labels import Observed

__all__ = ["say_what_is_odd"]

# Words that usually are steps of a scale, from low to high.
SCALES = (
    ("none", "very low", "low", "mid", "middle", "medium", "moderate", "high", "very high"),
    ("absent", "rare", "occasional", "frequent", "common", "abundant", "dominant"),
    ("healthy", "benign", "minimal", "mild", "medium", "moderate", "severe", "critical", "fatal"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("xs", "small", "s", "m", "medium", "l", "large", "xl"),
    ("i", "ii", "iii", "iv", "v"),
    ("poor", "fair", "good", "very good", "excellent"),
)
RARE = 0.2  # a label is suspected to be a misspelling if it is at most this often as its twin
SHORTEST_WORD = 5  # shorter ones differ by one letter for good reasons


def say_what_is_odd(observed: Observed, ordered: bool) -> list[str]:
    """Return warnings about labels that look like misspellings, or like steps of a scale."""
    counts: dict[Any, int] = {**observed.counts}
    if observed.marker is not None:
        counts[observed.marker] = observed.n_unlabeled
    words = [
        f"The labels {common!r} ({counts[common]} rows) and {rare!r} ({counts[rare]}) look alike and count as two "
        "classes. If one is a misspelling, correct the table."
        for common, rare in _twins(counts)
    ]
    scale = None if ordered else _scale(list(counts))
    if scale is not None:
        words.append(
            f"The labels {listed(scale)} look like steps of a scale, but are treated as unordered. If their order "
            f'matters, give --ordered "{"<".join(map(str, scale))}", lowest first.'
        )
    return words


def _twins(counts: dict[Any, int]) -> list[tuple[Any, Any]]:
    labels = sorted((each for each in counts if isinstance(each, str)), key=lambda each: -counts[each])
    return [
        (common, rare)
        for i, common in enumerate(labels)
        for rare in labels[i + 1 :]
        if _look_alike(common, rare, seldom=counts[rare] <= RARE * counts[common])
    ]


def _look_alike(one: str, two: str, seldom: bool) -> bool:
    plain_one, plain_two = (re.sub(r"[\s_.-]+", " ", each).strip().casefold() for each in (one, two))
    if plain_one == plain_two:
        return True
    words, others = plain_one.split(), plain_two.split()
    if not seldom or len(words) != len(others):
        return False
    different = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
    return all(min(map(len, pair)) >= SHORTEST_WORD and _one_slip(*pair) for pair in different)


def _one_slip(one: str, two: str) -> bool:
    """Say whether one letter was changed, left out, added, or swapped with its neighbour; digits count as meant."""
    if re.sub(r"\D", "", one) != re.sub(r"\D", "", two):
        return False
    short, long = sorted((one, two), key=len)
    if len(long) == len(short) + 1:
        return any(long[:i] + long[i + 1 :] == short for i in range(len(long)))
    if len(long) > len(short):
        return False
    at = [i for i, (a, b) in enumerate(zip(one, two, strict=True)) if a != b]
    swapped = len(at) == 2 and at[1] == at[0] + 1 and one[at[0]] == two[at[1]] and one[at[1]] == two[at[0]]
    return len(at) == 1 or swapped


def _scale(labels: list[Any]) -> list[Any] | None:
    """Return labels in the order of a scale that holds at least three of them, and all but one."""
    by_text = {re.sub(r"^(stage|grade|level)[\s_]+", "", str(each).casefold()): each for each in labels}
    for scale in SCALES:
        found = [by_text[step] for step in scale if step in by_text]
        if len(found) >= 3 and len(found) >= len(labels) - 1:
            return found
    return None
