"""The label column: what its values are, and which of them marks unlabeled rows."""

import re
import shlex
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import listed, plain
from pulasso.cli.names import suggestion
from pulasso.cli.running import CommandError, note
from pulasso.data.labels import MEANS_UNLABELED

__all__ = ["Observed", "parse_class", "parse_order", "read_labels", "settle_labels"]

# What an empty label is written as. "None" and "null" are not here: they may be names of classes.
EMPTY = ("", "NA", "NaN", "nan", "<NA>")
MISSING = float("nan")
# Text by which tables usually say "no label".
NO_LABEL = MEANS_UNLABELED | {
    "-", ".", "0", "bg", "control", "none", "null", "undetermined", "unclassified", "unidentified", "u", "other"
}  # fmt: skip
MANY_CLASSES = 20  # with more than these, and fewer than two rows for each, a column does not hold classes


@dataclass(frozen=True)
class Observed:
    """Labels as the library takes them, with the arguments that explain them.

    Attributes
    ----------
    y : array of shape (n_rows,)
        Numbers or text; None where there is no label.
    settings : dict
        unlabeled=, negative= and, for ordered classes, class_order=.
    marker : label or None
        What marks unlabeled rows; None for empty cells.
    counts : dict from label to int
        Without the marker.
    n_unlabeled : int
    hidden : bool
        Whether members of other classes may be among the unlabeled rows; if not, these are class 0.
    """

    y: NDArray
    settings: dict[str, Any] = field(default_factory=dict)
    marker: Any = None
    counts: dict[Any, int] = field(default_factory=dict)
    n_unlabeled: int = 0
    hidden: bool = True

    @property
    def is_unlabeled(self) -> NDArray[np.bool_]:
        """Which rows have no label."""
        return np.array([each is None or each == self.marker for each in self.y.tolist()], dtype=bool)

    def only(self, rows: NDArray[np.bool_]) -> "Observed":
        """Return the labels of some of the rows."""
        left = Counter(self.y[rows].tolist())
        counts = {name: left[name] for name in self.counts if left[name]}
        return replace(self, y=self.y[rows], counts=counts, n_unlabeled=int(self.is_unlabeled[rows].sum()))


def parse_class(text: str, like: NDArray) -> Any:
    """Return the text of a class as a label of the same kind as those in the table."""
    for label in dict.fromkeys(like.tolist()):
        if label is not None and str(label) == text:
            return label
    try:
        numbers = [each for each in like.tolist() if each is not None]
        return type(numbers[0])(text) if numbers and not isinstance(numbers[0], str | bool) else text
    except ValueError:
        return text


def parse_order(text: str) -> list[str]:
    """Return the classes of "low<mid<high"."""
    classes = [each.strip() for each in text.split("<")]
    if len(classes) < 2 or not all(classes):
        raise CommandError(
            f'--ordered {text!r}: write the classes from lowest to highest with < between them, "low<mid<high". '
            "The first one is class 0."
        )
    return classes


def read_labels(
    column: Any,
    *,
    unlabeled: str | None,
    negative: str | None,
    ordered: str | None,
    name: str,
    hidden: bool = True,
) -> Observed:
    """Return labels and the arguments that explain them; says which label it takes as the marker."""
    y = settle_labels(column)
    counts = Counter(each for each in y.tolist() if each is not None)
    _refuse_measurements(counts, name)
    n_empty = len(y) - sum(counts.values())
    order = None if ordered is None else [parse_class(each, y) for each in parse_order(ordered)]
    settings: dict[str, Any] = {} if order is None else {"class_order": order}
    _refuse_left_out(order, counts, unlabeled, negative)
    marker = _find_marker(y, counts, n_empty, unlabeled, negative, order, name, hidden)
    settings["unlabeled"] = MISSING if marker is None else marker
    if negative is not None:
        settings["negative"] = parse_class(negative, y)
    elif order is not None and order[0] != marker:
        _refuse_unclear_lowest(order, counts, marker)
        settings["negative"] = order[0]  # the lowest class is class 0, whatever marks unlabeled rows
    if marker is not None and n_empty:
        raise CommandError(
            f"{n_empty} of {len(y)} cells in {name!r} are empty, but unlabeled rows are marked by {marker!r}. "
            f'If empty means unlabeled, give --unlabeled "" instead; otherwise fill these cells or delete the rows.'
        )
    n_unlabeled = n_empty if marker is None else counts.pop(marker, 0)
    ordered_counts = dict(sorted(counts.items(), key=lambda each: str(each[0])))
    return Observed(y, settings, marker, ordered_counts, n_unlabeled, hidden)


def _refuse_measurements(counts: Counter, name: str) -> None:
    """Refuse a column of which almost every value is another one."""
    decimals = [each for each in counts if isinstance(each, float) and not each.is_integer()]
    numbers = all(isinstance(each, int | float) for each in counts)
    many = len(counts) > MANY_CLASSES and 2 * len(counts) > sum(counts.values())
    if not (many or (numbers and decimals)):
        return
    what = "numbers with decimals" if numbers and decimals else "values"
    looks = "a measurement" if numbers else "a name or a number of the row"
    raise CommandError(
        f"--label: column {name!r} holds {len(counts)} different {what} in {sum(counts.values())} rows, such as "
        f"{listed(list(counts)[:2])}: it looks like {looks}, not like classes. Name the column that holds the classes"
        + (", or cut this one into classes first: low, mid, high." if numbers else ".")
    )


def _refuse_left_out(
    order: list | None, counts: Counter, unlabeled: str | None, negative: str | None
) -> None:
    """Say what may be meant where one label is missing in --ordered: that it marks unlabeled rows."""
    left_out = [each for each in counts if order is not None and each not in order and str(each) != negative]
    if len(left_out) == 1 and unlabeled is None and str(left_out[0]).casefold() in NO_LABEL:
        raise CommandError(
            f"--ordered leaves out {left_out[0]!r} ({counts[left_out[0]]} rows), which usually marks unlabeled rows. "
            f"Try --unlabeled {shlex.quote(str(left_out[0]))}."
        )


def _refuse_unclear_lowest(order: list, counts: Counter, marker: Any) -> None:
    """Refuse to guess whether rows that carry the lowest class as a label are negatives for certain."""
    if marker is not None and marker in order:
        right = "<".join(map(str, [marker, *(each for each in order if each != marker)]))
        raise CommandError(
            f"--ordered: {marker!r} marks unlabeled rows, so that it is class 0 and must come first: "
            f"--ordered {shlex.quote(right)}. If it is no class at all, leave it out."
        )
    if order[0] not in counts:
        return
    named = "none" if marker is None else marker
    longer = shlex.quote("<".join(map(str, [named, *order])))
    which = (
        "class 0 is another one, put its name"
        if marker is None
        else f"{marker!r} is the lowest class, put it"
    )
    raise CommandError(
        f"--ordered starts with {order[0]!r}, which would be class 0, but {counts[order[0]]} rows carry it as their "
        f"label. If {which} first: --ordered {longer}. If these rows were confirmed to be "
        f"class 0, say --negative {shlex.quote(str(order[0]))}."
    )


def settle_labels(column: Any) -> NDArray:
    """Return labels as an object array of whole numbers, numbers or text, with None where there is none."""
    values = [plain(each) for each in (column.tolist() if hasattr(column, "tolist") else column)]
    values = [None if _is_empty(each) else each for each in values]
    known = [each for each in values if each is not None]
    if known and all(isinstance(each, str) for each in known):
        for convert in (_whole, float):
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


def _find_marker(
    y: NDArray,
    counts: Counter,
    n_empty: int,
    unlabeled: str | None,
    negative: str | None,
    order: list | None,
    name: str,
    hidden: bool,
) -> Any:
    if not counts:
        raise CommandError(f"column {name!r} holds no label at all. Check --label.")
    if unlabeled is not None:
        if unlabeled.strip() in EMPTY:
            if not n_empty:
                raise CommandError(
                    f'--unlabeled "": no cell of {name!r} is empty. Its labels are {_counted(counts)}.'
                )
            return None
        marker = parse_class(unlabeled, y)
        if marker not in counts:
            raise CommandError(
                f"--unlabeled {unlabeled!r} does not occur in {name!r}.{suggestion(unlabeled, counts)} "
                f"Its labels are {_counted(counts)}."
            )
        return marker
    if n_empty:
        note(f'Unlabeled rows: the {n_empty} without a value in {name!r} (as with --unlabeled "").')
        return None
    if negative is not None:
        raise CommandError(
            f"--negative {negative!r} names class 0, but nothing says which rows are unlabeled. Give --unlabeled "
            f"as well: one of {_counted(counts)}."
        )
    marker, why = _guess_marker(counts, order, name, hidden)
    if hidden:
        note(
            f"Unlabeled rows: the {counts[marker]} of {len(y)} with {name} = {marker!r}, {why}. If another value marks "
            "them, give --unlabeled."
        )
    else:
        note(
            f"Class 0: the {counts[marker]} of {len(y)} rows with {name} = {marker!r}, {why}. If class 0 is another "
            "one, name it by --unlabeled."
        )
    return marker


def _guess_marker(counts: Counter, order: list | None, name: str, hidden: bool) -> tuple[Any, str]:
    """Take the label that can hardly mean anything else; of several words the first one would be a bad guess."""
    if order is not None:
        if order[0] in counts:
            return order[0], "the first of --ordered"
        raise CommandError(
            f"--ordered starts with {order[0]!r}, which does not occur in {name!r}, and there is no --unlabeled. "
            f"Its labels are {_counted(counts)}.{suggestion(str(order[0]), counts)}"
        )
    if not any(isinstance(each, str) for each in counts):
        return min(counts), "the smallest label"
    found = [each for each in counts if each.strip().casefold() in NO_LABEL]
    if len(found) == 1:
        return found[0], "which usually means that"
    what = "marks unlabeled rows" if hidden else "is class 0, which the others are compared with"
    raise CommandError(f"Which value of {name!r} {what}? Give --unlabeled, with one of {_counted(counts)}.")


def _counted(counts: Counter) -> str:
    return listed([f"{label!r} ({n} rows)" for label, n in counts.most_common()], show=str)
