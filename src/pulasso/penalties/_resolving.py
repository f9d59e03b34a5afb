"""Holding groups against the data: numbering their blocks and weighing them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import arg, did_you_mean, listed, plain
from pulasso.exceptions import GroupError
from pulasso.penalties._reading import Column, first_repeated, freeze_column, name_of

if TYPE_CHECKING:
    from pulasso.penalties.groups import Groups


@dataclass(frozen=True, eq=False)
class _Names(Sequence):
    """Names ``stem`` or ``stem[class]``, made when asked for: nobody reads a million of them."""

    stems: Sequence[str] | None  # None: x0, x1, ...
    n_stems: int
    classes: tuple[Any, ...] = ()

    def __len__(self) -> int:
        return self.n_stems * max(1, len(self.classes))

    def __getitem__(self, position):
        if isinstance(position, slice):
            return tuple(self[i] for i in range(*position.indices(len(self))))
        position = range(len(self))[position]
        stem, output = divmod(position, max(1, len(self.classes)))
        name = f"x{stem}" if self.stems is None else str(self.stems[stem])
        return f"{name}[{self.classes[output]}]" if self.classes else name

    def __iter__(self) -> Iterator[str]:
        stems = (f"x{i}" for i in range(self.n_stems)) if self.stems is None else map(str, self.stems)
        return (f"{stem}[{label}]" for stem in stems for label in self.classes) if self.classes else stems

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | list | _Names) and tuple(self) == tuple(other)


class Axes:
    """The two sides of the coefficient matrix, columns of X and classes, by position and by name."""

    def __init__(
        self,
        n_features: int,
        n_outputs: int,
        feature_names: Sequence[str] | None,
        class_names: Sequence[Any] | None,
    ) -> None:
        self.shape = n_features, n_outputs
        self.features = feature_names
        self.classes = tuple(map(plain, range(1, n_outputs + 1) if class_names is None else class_names))
        if feature_names is not None and len(feature_names) != n_features:
            raise GroupError(
                f"There are {len(feature_names)} {arg('feature_names')} for {n_features} columns of {arg('X')}.",
                parameter="feature_names",
            )
        if len(self.classes) != n_outputs:
            raise GroupError(
                f"There are {len(self.classes)} {arg('class_names')} for {n_outputs} outputs.",
                parameter="class_names",
            )

    @property
    def suffixes(self) -> tuple[Any, ...]:
        """Classes to tell apart in names: none if there is one output only."""
        return self.classes if self.shape[1] > 1 else ()

    @cached_property
    def positions(self) -> dict[str, int]:
        """Position of each named column."""
        names = [] if self.features is None else [str(name) for name in self.features]
        repeated = first_repeated(names)
        if repeated is not None:
            raise GroupError(
                f"{arg('X')} has two columns called {repeated!r}: rename one, or give columns by index.",
                parameter="X",
            )
        return {name: position for position, name in enumerate(names)}

    def column(self, column: Column, who: str) -> int:
        """Position of a column given by index or name."""
        last = self.shape[0] - 1
        if isinstance(column, str):
            if self.features is None:
                raise GroupError(
                    f"{who}: {arg('X')} has no column names, so no {column!r}; use indices 0 to {last}.",
                    parameter="groups",
                )
            if column not in self.positions:
                raise GroupError(
                    f"{who}: {arg('X')} has no column {column!r}.",
                    parameter="groups",
                    remedy=_advice(column, self.positions),
                )
            return self.positions[column]
        if column < 0:
            raise GroupError(
                f"{who}: column {column} is negative; columns are counted from 0 to {last}.",
                parameter="groups",
            )
        if column > last:
            raise GroupError(
                f"{who}: {arg('X')} has no column {column}; columns are counted from 0 to {last}.",
                parameter="groups",
            )
        return column

    def output(self, label: Hashable, who: str) -> int:
        """Position of a class given by its label."""
        if label not in self.classes:
            known = listed(self.classes)
            raise GroupError(
                f"{who}: there are no coefficients for class {label!r}, only for {known}.", parameter="groups"
            )
        return self.classes.index(label)

    def show(self, row: int, output: int | None = None) -> str:
        """Name of a column, and of a class if there are several, for use in a message."""
        column = repr(row if self.features is None else str(self.features[row]))
        return column if output is None or not self.suffixes else f"{column} (class {self.classes[output]!r})"


@dataclass(frozen=True, eq=False)
class _Cut:
    """The matrix cut into blocks: first `copies` of them per unit (a column or a set), then the rest."""

    index: NDArray[np.intp]
    names: Sequence[str]
    units: Sequence[str] | None  # names of the sets; None if the units are the columns of X
    n_units: int
    copies: int = 1

    @cached_property
    def unit_positions(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.units or ())}

    @cached_property
    def block_positions(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.names)}


def _cut_rows(groups: Groups, axes: Axes) -> _Cut:
    n_features, _ = axes.shape
    index = np.broadcast_to(np.arange(n_features)[:, None], axes.shape)
    return _Cut(index, _Names(axes.features, n_features), None, n_features)


def _cut_entries(groups: Groups, axes: Axes) -> _Cut:
    n_features, n_outputs = axes.shape
    index = np.arange(n_features * n_outputs).reshape(axes.shape)
    return _Cut(index, _Names(axes.features, n_features, axes.suffixes), None, n_features, n_outputs)


def _cut_labels(groups: Groups, axes: Axes) -> _Cut:
    n_features, _ = axes.shape
    n_labels = len(groups.spec)
    if n_labels != n_features:
        raise GroupError(
            f"There are {n_labels} group labels for {n_features} columns of {arg('X')}; give one each.",
            parameter="groups",
        )
    number = {name: j for j, name in enumerate(dict.fromkeys(groups.spec))}
    codes = np.array([number[name] for name in groups.spec], dtype=np.intp)
    return _Cut(np.broadcast_to(codes[:, None], axes.shape), tuple(number), tuple(number), len(number))


def _cut_sets(groups: Groups, axes: Axes) -> _Cut:
    units = tuple(name for name, _, _ in groups.spec)
    index = np.full(axes.shape, -1, dtype=np.intp)
    for j, (name, columns, classes) in enumerate(groups.spec):
        block = np.ix_(_rows_of(name, columns, axes), _outputs_of(name, classes, axes))
        if (index[block] >= 0).any():
            raise _overlap(groups, axes, index, block, j)
        index[block] = j
    copies = axes.shape[1] if groups.by_class else 1
    if copies > 1:
        index = np.where(index >= 0, index * copies + np.arange(copies), -1)
    names = tuple(_Names(units, len(units), axes.suffixes if groups.by_class else ()))
    return _Cut(index, names + _number_rest(groups, axes, index, len(names)), units, len(units), copies)


def _rows_of(name: str, columns: tuple[Column, ...], axes: Axes) -> list[int]:
    rows = [axes.column(column, f"Group {name!r}") for column in columns]
    if not rows:
        raise GroupError(f"Group {name!r} is empty: give it a column, or leave it out.", parameter="groups")
    repeated = first_repeated(rows)
    if repeated is not None:
        raise GroupError(
            f"Group {name!r} has column {axes.show(repeated)} twice; list it once.", parameter="groups"
        )
    return rows


def _outputs_of(name: str, classes: tuple[Hashable, ...] | None, axes: Axes) -> list[int]:
    labels = axes.classes if classes is None else classes
    outputs = [axes.output(label, f"Group {name!r}") for label in labels]
    if not outputs:
        raise GroupError(
            f"Group {name!r} is empty: give it a class, or None for all classes.", parameter="groups"
        )
    repeated = first_repeated(outputs)
    if repeated is not None:
        raise GroupError(
            f"Group {name!r} has class {axes.classes[repeated]!r} twice; list it once.", parameter="groups"
        )
    return outputs


def _overlap(groups: Groups, axes: Axes, index: NDArray[np.intp], block: tuple, number: int) -> GroupError:
    row, output = np.argwhere(index[block] >= 0)[0]
    row, output = int(block[0][row, 0]), int(block[1][0, output])
    first, second = groups.spec[index[row, output]][0], groups.spec[number][0]
    place = axes.show(row, output if groups.kind == "blocks" else None)
    return GroupError(
        f"Groups {first!r} and {second!r} overlap: both have column {place}.",
        parameter="groups",
        remedy="A coefficient belongs to one group; take it out of one of the two.",
    )


def _number_rest(groups: Groups, axes: Axes, index: NDArray[np.intp], n_blocks: int) -> tuple[str, ...]:
    """Give blocks to the columns in no set, in place, and return the names of these blocks."""
    rest = np.flatnonzero((index < 0).any(axis=1)).tolist()
    if not rest:
        return ()
    if groups.rest == "error":
        raise _left_out(groups, axes, index)
    stems = [f"x{row}" if axes.features is None else str(axes.features[row]) for row in rest]
    if groups.rest == "rows":
        index[rest] = n_blocks + np.arange(len(rest))[:, None]
        return tuple(stems)
    index[rest] = n_blocks + np.arange(len(rest) * axes.shape[1]).reshape(len(rest), -1)
    return tuple(_Names(stems, len(stems), axes.suffixes))


def _left_out(groups: Groups, axes: Axes, index: NDArray[np.intp]) -> GroupError:
    if groups.kind == "blocks":
        missing = [axes.show(row, output) for row, output in np.argwhere(index < 0).tolist()]
        advice = "Add a block for what is missing; (columns, None) takes in all classes."
    else:
        missing = [axes.show(row) for row in np.flatnonzero((index < 0).any(axis=1)).tolist()]
        advice = (
            f"Add a group, or pass {arg('rest', repr('rows'))} (one group per column) or "
            f"{arg('rest', repr('entries'))} (per coefficient)."
        )
    noun = "column" if len(missing) == 1 else "columns"
    return GroupError(
        f"In no group: {noun} {listed(missing, limit=5, show=str)}.", parameter="groups", remedy=advice
    )


CUTS = {
    "rows": _cut_rows,
    "entries": _cut_entries,
    "columns": _cut_sets,
    "blocks": _cut_sets,
    "labels": _cut_labels,
}


def block_weights(given: Any, cut: _Cut, axes: Axes) -> NDArray[np.floating]:
    """One weight per block, from what the user gave for columns, sets or blocks."""
    weights = np.sqrt(np.bincount(cut.index.ravel(), minlength=len(cut.names)))
    n_blocks, n_named = len(weights), cut.n_units * cut.copies
    if isinstance(given, tuple):
        _set_weights_by_name(weights, given, cut, axes)
    elif isinstance(given, np.ndarray):
        if given.shape == (n_blocks,):
            weights = given
        elif given.shape in ((cut.n_units,), (cut.n_units, cut.copies)):
            weights[:n_named] = np.repeat(given, cut.copies) if given.ndim == 1 else given.ravel()
        else:
            raise _wrong_number(given, cut, n_blocks)
    elif given is not None:
        weights[:] = given
    wrong = np.flatnonzero(~(weights >= 0))  # NaN is not >= 0 either
    if len(wrong):
        raise GroupError(
            f"Group {cut.names[wrong[0]]!r} has weight {weights[wrong[0]]}; weights are 0 (not penalised), "
            "positive, or infinite (kept out of the model).",
            parameter="weights",
        )
    return weights


def _set_weights_by_name(weights: NDArray, given: tuple, cut: _Cut, axes: Axes) -> None:
    """Write the weights of a mapping in place, single blocks ("age[dog]") after whole units ("age")."""
    targets = [_weight_target(key, cut, axes) for key, _ in given]
    repeated = first_repeated((target.start, target.stop) for target in targets)
    if repeated is not None:
        raise GroupError(
            f"The weights name {cut.names[repeated[0]]!r} twice; give it one weight.", parameter="weights"
        )
    pairs = zip(targets, [weight for _, weight in given], strict=True)
    for target, weight in sorted(pairs, key=lambda pair: pair[0].start - pair[0].stop):
        weights[target] = weight


def _weight_target(key: Any, cut: _Cut, axes: Axes) -> slice:
    """The blocks that a key of the weights stands for."""
    if cut.units is not None:
        unit = cut.unit_positions.get(name_of(key))
    elif isinstance(key, str):
        unit = axes.positions.get(key)
    else:
        unit = axes.column(freeze_column(key, "Weights"), "Weights")
    if unit is not None:
        return slice(unit * cut.copies, (unit + 1) * cut.copies)
    if key not in cut.block_positions:
        known = cut.unit_positions or axes.positions or cut.block_positions
        raise GroupError(
            f"Weights: there is no group {key!r}.", parameter="weights", remedy=_advice(key, known)
        )
    return slice(cut.block_positions[key], cut.block_positions[key] + 1)


def _wrong_number(given: NDArray, cut: _Cut, n_blocks: int) -> GroupError:
    expected = f"{n_blocks} (one per group)"
    if cut.n_units != n_blocks:
        noun = "column" if cut.units is None else "set"
        expected = f"{cut.n_units} (one per {noun}), shape ({cut.n_units}, {cut.copies}), or {expected}"
    got = len(given) if given.ndim == 1 else f"an array of shape {given.shape}"
    return GroupError(f"Wrong number of weights: got {got}, expected {expected}.", parameter="weights")


def _advice(name: Any, known: Collection[str]) -> str:
    return did_you_mean(str(name), known).strip() or f"There are {listed(known)}."
