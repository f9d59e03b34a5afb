"""Columns of labels in files: which value marks unlabeled rows, and which labels look misspelt or ordered."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import Message, arg, listed, plain
from pulasso.data.labels import MEANS_UNLABELED
from pulasso.exceptions import LabelError

__all__ = ["LabelColumn", "label_warnings", "parse_labels", "read_label_column"]

NAN = float("nan")
# What an empty label is written as. "None" and "null" are not here: they may be names of classes.
EMPTY = ("", "NA", "NaN", "nan", "<NA>")
# Text by which tables usually say "no label".
NO_LABEL = MEANS_UNLABELED | {
    "-", ".", "0", "bg", "control", "none", "null", "undetermined", "unclassified", "unidentified", "u", "other"
}  # fmt: skip
MANY_CLASSES = 20  # with more than these, and fewer than two rows for each, a column does not hold classes
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
RARE = 0.2  # a label may be a misspelling if it is at most this often as the one that it resembles
SHORTEST_WORD = 5  # shorter ones differ by one letter for good reasons


@dataclass(frozen=True)
class LabelColumn:
    """Labels as estimators take them, with the arguments that explain them.

    Attributes
    ----------
    y : array of shape (n_rows,)
        Numbers or text; None where there is no label.
    settings : dict
        unlabeled=, negative= and, for ordered classes, class_order=.
    guess : Message or None
        Which value was taken as the marker of unlabeled rows, if nobody said so, and why.
    """

    y: NDArray
    settings: dict[str, Any]
    guess: Message | None = None

    @property
    def is_unlabeled(self) -> NDArray[np.bool_]:
        """Which rows have no label."""
        marker = self.settings.get("unlabeled")
        return np.array([each is None or each == marker for each in self.y.tolist()], dtype=bool)


def read_label_column(
    column: Any,
    *,
    unlabeled: str | None = None,
    negative: str | None = None,
    class_order: Sequence[str] | None = None,
    name: str = "y",
    hidden: bool = True,
) -> LabelColumn:
    """Return labels and the arguments that explain them, guessing the marker of unlabeled rows if it is not given.

    Parameters
    ----------
    column : array-like of shape (n_rows,)
    unlabeled, negative : str, optional
        The marker ("" for empty cells) and the name of class 0, as text.
    class_order : sequence of str, optional
        Ordered classes as text, class 0 first.
    name : str
        Of the column, for messages.
    hidden : bool
        Whether members of other classes may be among the unlabeled rows; if not, these are class 0.

    Examples
    --------
    >>> found = read_label_column(["oak", "", "fir", ""], name="species")
    >>> found.settings, found.guess
    ({'unlabeled': nan}, "Unlabeled rows: the 2 without a value in 'species' (as with unlabeled=float('nan')).")
    """
    y = parse_labels(column)
    counts = Counter(each for each in y.tolist() if each is not None)
    _refuse_measurements(counts, name)
    order = None if class_order is None else [_as_label(each, counts) for each in class_order]
    settings: dict[str, Any] = {} if order is None else {"class_order": order}
    if negative is not None:
        settings["negative"] = _as_label(negative, counts)
    if unlabeled is not None:
        settings["unlabeled"] = NAN if unlabeled.strip() in EMPTY else _as_label(unlabeled, counts)
        if order is not None and negative is None and order[0] not in counts:
            settings["negative"] = order[0]  # the lowest class is class 0, whatever marks unlabeled rows
        return LabelColumn(y, settings)
    marker, why = _guess_marker(len(y), counts, settings, name, hidden)
    return LabelColumn(y, settings if marker is None else {**settings, "unlabeled": marker}, why)


# --- text as labels ---------------------------------------------------------------------------------------


def parse_labels(column: Any) -> NDArray:
    """Return labels as an object array of whole numbers, numbers or text, with None where there is none.

    Examples
    --------
    >>> parse_labels(["1", "2", "NA"]).tolist(), parse_labels(["1", "a", ""]).tolist()
    ([1, 2, None], ['1', 'a', None])
    """
    values = [plain(each) for each in (column.tolist() if hasattr(column, "tolist") else column)]
    values = [None if _is_empty(each) else each for each in values]
    known = [each for each in values if each is not None]
    if known and all(isinstance(each, str) for each in known):
        for convert in (_whole, _decimal):
            try:
                numbers = {each: convert(each) for each in set(known)}
            except ValueError:
                continue
            values = [None if each is None else numbers[each] for each in values]
            break
    elif known and all(isinstance(each, float) and each.is_integer() for each in known):
        values = [None if each is None else int(each) for each in values]
    y = np.empty(len(values), dtype=object)
    y[:] = values
    return y


def _is_empty(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip() in EMPTY
    return value is None or value != value or type(value).__name__ == "NAType"


def _whole(text: str) -> int:
    if not re.fullmatch(r"-?(0|[1-9]\d{0,17})", text.strip()):  # 007 is a code, not the number 7
        raise ValueError(text)
    return int(text)


def _decimal(text: str) -> float:
    number = float(text)
    if text.strip().lstrip("+-").isdigit() and int(text) != number:  # two such labels would become one number
        raise ValueError(text)
    return number


def _as_label(text: str, counts: Mapping[Any, int]) -> Any:
    """Return the text of a class as a label of the same kind as those in the table."""
    by_text = {str(label): label for label in counts}
    kinds = {type(label) for label in counts}
    if text in by_text or len(kinds) != 1 or kinds & {str, bool}:
        return by_text.get(text, text)
    try:
        return kinds.pop()(text)
    except ValueError:
        return text


# --- the marker of unlabeled rows -------------------------------------------------------------------------


def _guess_marker(
    n_rows: int, counts: Counter, settings: dict[str, Any], name: str, hidden: bool
) -> tuple[Any, Message | None]:
    """Take what can hardly mean anything else; None leaves it to the checks of the labels to say what is wrong."""
    order, n_empty = settings.get("class_order"), n_rows - counts.total()
    if n_empty:
        as_if = arg("unlabeled", "float('nan')")
        return NAN, Message(f"Unlabeled rows: the {n_empty} without a value in {name!r} (as with {as_if}).")
    telling = [each for each in counts if str(each).strip().casefold() in NO_LABEL]
    if order:
        _refuse_left_out(order, counts, telling)
    if "negative" in settings or (order and order[0] not in counts):
        return None, None
    if order:
        marker, why = order[0], f"the first of {arg('class_order')}"
    elif not any(isinstance(each, str) for each in counts):
        marker, why = min(counts), "the smallest label"
    elif len(telling) == 1:
        marker, why = telling[0], "which usually means that"
    else:  # of several words the first one would be a bad guess
        what = "marks unlabeled rows" if hidden else "is class 0, which the others are compared with"
        labels = listed([f"{label!r} ({n} rows)" for label, n in counts.most_common()], show=str)
        raise LabelError(
            f"Which value of {name!r} {what}?",
            parameter="unlabeled",
            remedy=f"Give {arg('unlabeled')}, with one of {labels}.",
        )
    rows = f"the {counts[marker]} of {n_rows}"
    if hidden:
        found = f"Unlabeled rows: {rows} with {name} = {marker!r}, {why}. If another value marks them, give"
    else:
        found = f"Class 0: {rows} rows with {name} = {marker!r}, {why}. If class 0 is another one, name it by"
    return marker, Message(f"{found} {arg('unlabeled')}.")


def _refuse_left_out(order: list, counts: Counter, telling: list) -> None:
    """Say what may be meant where one label is missing in the order: that it marks unlabeled rows."""
    left_out = [each for each in counts if each not in order]
    if len(left_out) == 1 and left_out[0] in telling:
        raise LabelError(
            f"{arg('class_order')} leaves out {left_out[0]!r} ({counts[left_out[0]]} rows), which usually marks "
            "unlabeled rows.",
            parameter="unlabeled",
            remedy=f"Try {arg('unlabeled', repr(left_out[0]))}.",
        )


def _refuse_measurements(counts: Counter, name: str) -> None:
    """Refuse a column without labels, and one of which almost every value is another one."""
    if not counts:
        raise LabelError(f"Column {name!r} holds no label at all.", parameter="y")
    numbers = all(isinstance(each, int | float) for each in counts)
    decimals = numbers and any(isinstance(each, float) and not each.is_integer() for each in counts)
    many = len(counts) > MANY_CLASSES and 2 * len(counts) > counts.total()
    if many or decimals:
        raise LabelError(
            f"Column {name!r} holds {len(counts)} different {'numbers with decimals' if decimals else 'values'} in "
            f"{counts.total()} rows, such as {listed(list(counts)[:2])}: it looks like "
            f"{'a measurement' if numbers else 'a name or a number of the row'}, not like classes.",
            parameter="y",
            remedy="Name the column that holds the classes"
            + (", or cut this one into classes first: low, mid, high." if numbers else "."),
        )


# --- labels that look misspelt or ordered -----------------------------------------------------------------


def label_warnings(y: NDArray, class_order: Sequence[Any] | None = None) -> list[Message]:
    """Return what to look at: labels that resemble each other, and unordered ones that are steps of a scale.

    Examples
    --------
    >>> label_warnings(np.array(["moderate"] * 9 + ["modreate"]))[0]
    "The labels 'moderate' (9 rows) and 'modreate' (1) look alike and count as two classes. If one is a \
misspelling, correct the table."
    """
    counts = Counter(each for each in y.tolist() if each is not None)
    words = [
        f"The labels {common!r} ({counts[common]} rows) and {rare!r} ({counts[rare]}) look alike and count as two "
        "classes. If one is a misspelling, correct the table."
        for common, rare in _look_alikes(counts)
    ]
    scale = None if class_order is not None else _scale(counts)
    if scale is not None:
        words.append(
            f"The labels {listed(scale)} look like steps of a scale, but are treated as unordered. If their order "
            f"matters, give {arg('class_order', str(scale))}, lowest first."
        )
    return [Message(each) for each in words]


def _look_alikes(counts: Counter) -> list[tuple[str, str]]:
    labels = [label for label, _ in counts.most_common() if isinstance(label, str)]
    return [
        (common, rare)
        for common, rare in combinations(labels, 2)
        if _resemble(common, rare, seldom=counts[rare] <= RARE * counts[common])
    ]


def _resemble(one: str, two: str, seldom: bool) -> bool:
    plain_one, plain_two = (re.sub(r"[\s_.-]+", " ", each).strip().casefold() for each in (one, two))
    if plain_one == plain_two:
        return True
    words, others = plain_one.split(), plain_two.split()
    if not seldom or len(words) != len(others):
        return False
    different = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
    return all(min(map(len, pair)) >= SHORTEST_WORD and _one_letter_apart(*pair) for pair in different)


def _one_letter_apart(one: str, two: str) -> bool:
    """Say whether one letter was changed, left out, added, or swapped with its neighbour; digits count as meant."""
    if re.sub(r"\D", "", one) != re.sub(r"\D", "", two):
        return False
    short, long = sorted((one, two), key=len)
    if len(long) == len(short) + 1:
        return any(long[:i] + long[i + 1 :] == short for i in range(len(long)))
    at = [i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b]
    swapped = len(at) == 2 and at[1] == at[0] + 1 and one[at[0] : at[1] + 1] == two[at[1]] + two[at[0]]
    return len(long) == len(short) and (len(at) == 1 or swapped)


def _scale(labels: Iterable[Any]) -> list[Any] | None:
    """Return labels in the order of a scale that holds at least three of them, and all but one."""
    by_text = {re.sub(r"^(stage|grade|level)[\s_]+", "", str(each).casefold()): each for each in labels}
    for scale in SCALES:
        found = [by_text[step] for step in scale if step in by_text]
        if len(found) >= 3 and len(found) >= len(by_text) - 1:
            return found
    return None
