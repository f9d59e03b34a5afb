"""Groups of coefficients: what the user writes (`Groups`) and what the solvers use (`Blocks`).

The coefficients form a matrix theta of shape (n_features, n_outputs), with one output per class (class 0 has
none) in the multinomial model and a single one in the ordinal model. Both objects cut that matrix into
disjoint blocks ``theta[R_j, C_j]``, which the penalty ``lam * sum_j weight_j * ||theta[R_j, C_j]||_2`` keeps
or drops as a whole. `Groups` can be written before the data are seen; `Groups.resolve` holds it against them.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from numbers import Integral, Number
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso.exceptions import GroupError

__all__ = ["Blocks", "Groups"]

Column = int | str
Columns = Column | Iterable[Column]
Classes = Hashable | Iterable[Hashable] | None
Weights = float | ArrayLike | Mapping[Any, float] | None
Rest = Literal["error", "rows", "entries"]

# A spelling suggestion compares with every name, some 20 microseconds each: a million would take 20 seconds.
MAX_NAMES_COMPARED = 20_000


@dataclass(frozen=True, eq=False, repr=False)
class Blocks:
    """Disjoint blocks that cover the coefficient matrix, with one penalty weight each.

    Parameters
    ----------
    index : ndarray of shape (n_features, n_outputs)
        Number of the block that each entry of theta belongs to, from 0 to n_blocks - 1.
    weights : ndarray of shape (n_blocks,)
        0 = not penalised, infinity = kept at zero.
    names : sequence of str, length n_blocks
    symmetric : bool
        Whether the norm of a block should be the one that treats class 0 like the others (see `Groups.rows`).
        `norms` gives the plain norm all the same.
    """

    index: NDArray[np.intp]
    weights: NDArray[np.floating]
    names: Sequence[str]
    symmetric: bool = False

    def __post_init__(self) -> None:
        for field in ("index", "weights"):
            array = np.asarray(getattr(self, field)).view()
            array.flags.writeable = False
            object.__setattr__(self, field, array)

    def __repr__(self) -> str:
        return f"Blocks({self.n_blocks} blocks of a {self.shape[0]} x {self.shape[1]} matrix)"

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.weights)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape (n_features, n_outputs) of the coefficient matrix."""
        return self.index.shape

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """Number of coefficients in each block."""
        return np.bincount(self._flat, minlength=self.n_blocks)

    @cached_property
    def layout(self) -> Literal["rows", "entries", "general"]:
        """Whether the blocks are exactly the rows, or exactly the entries, in order: both have shortcuts."""
        n_features = self.shape[0]
        if self.n_blocks == self.index.size and np.array_equal(self._flat, np.arange(self.n_blocks)):
            return "entries"
        if self.n_blocks == n_features and (self.index == np.arange(n_features)[:, None]).all():
            return "rows"
        return "general"

    @cached_property
    def _flat(self) -> NDArray[np.intp]:
        return self.index.ravel()

    @cached_property
    def _sorted_entries(self) -> NDArray[np.intp]:
        return np.argsort(self._flat, kind="stable")

    @cached_property
    def _ends(self) -> NDArray[np.intp]:
        return np.cumsum(self.sizes)

    def norms(self, theta: NDArray[np.floating]) -> NDArray[np.floating]:
        """Euclidean norm of every block of theta, shape (n_blocks,)."""
        if self.layout == "entries":
            return np.abs(theta).ravel()
        if self.layout == "rows":
            return np.sqrt(np.einsum("ij,ij->i", theta, theta))
        squares = np.bincount(self._flat, weights=np.square(theta).ravel(), minlength=self.n_blocks)
        # bincount answers in float64, whatever the precision of theta
        return np.sqrt(squares).astype(np.result_type(theta.dtype, np.float32), copy=False)

    def expand(self, values: NDArray) -> NDArray:
        """Spread one value per block over the entries of the matrix; the result may be a read-only view."""
        if self.layout == "entries":
            return values.reshape(self.shape)
        if self.layout == "rows":
            return np.broadcast_to(values[:, None], self.shape)
        return values[self.index]

    def members(self, block: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows and columns of the entries of one block, so that ``theta[blocks.members(j)]`` is the block."""
        end = self._ends[block]
        start = end - self.sizes[block]
        entries = np.arange(start, end) if self.layout != "general" else self._sorted_entries[start:end]
        return np.divmod(entries, self.shape[1])

    def with_weights(self, weights: NDArray[np.floating]) -> Blocks:
        """The same blocks under other weights."""
        return replace(self, weights=weights)


@dataclass(frozen=True, eq=False, repr=False)
class Groups:
    """Which coefficients enter or leave the model together, and how heavily each group is penalised.

    Use one of the constructors: `rows`, `entries`, `from_columns`, `from_blocks`, `from_labels`,
    `from_transformer`. All of them take ``weights``:

    - None: the square root of the group's size, so that single coefficients get 1;
    - a number for all groups;
    - a sequence in the order of the groups;
    - a mapping from a group's name to its weight; the groups left out keep the default.

    Weight 0 leaves a group unpenalised, infinity keeps it out of the model.

    Examples
    --------
    >>> from pulasso import Groups
    >>> Groups.from_columns({"colour": [0, 1, 2], "size": [3]}, weights={"size": 0})
    Groups.from_columns({'colour': (0, 1, 2), 'size': (3,)}, weights={'size': 0.0})
    """

    kind: Literal["rows", "entries", "columns", "blocks", "labels"]
    spec: tuple = ()  # (name, columns, classes) per set for "columns" and "blocks", names for "labels"
    weights: float | NDArray[np.floating] | tuple[tuple[Any, float], ...] | None = None
    symmetric: bool = False
    by_class: bool = False
    rest: Rest = "error"

    def __post_init__(self) -> None:
        if self.rest not in ("error", "rows", "entries"):
            raise GroupError(f"rest must be 'error', 'rows' or 'entries', not {self.rest!r}.")
        split = self.kind in ("entries", "blocks") or self.by_class or self.rest == "entries"
        if self.symmetric and split:
            raise GroupError(
                "symmetric=True compares a group's coefficients across all classes, so every group must span "
                "them all: leave out by_class=True and rest='entries', or set symmetric=False."
            )

    @classmethod
    def rows(cls, weights: Weights = None, symmetric: bool = False) -> Groups:
        """One group per column of X, across all classes.

        Parameters
        ----------
        weights : None, number, sequence of length n_features, or mapping column -> weight
        symmetric : bool
            Measure a row gamma by ``sqrt(gamma^T (I - 11^T / (K + 1)) gamma)`` instead of its length: the
            answer then does not depend on which class is class 0.
        """
        return cls("rows", weights=_freeze_weights(weights), symmetric=symmetric)

    @classmethod
    def entries(cls, weights: Weights = None) -> Groups:
        """Every coefficient is its own group: the l1 penalty.

        Parameters
        ----------
        weights : None, number, sequence, or mapping
            A sequence has length n_features or shape (n_features, n_outputs); the keys of a mapping are
            columns ("age") or single coefficients ("age[dog]").
        """
        return cls("entries", weights=_freeze_weights(weights))

    @classmethod
    def from_columns(
        cls,
        sets: Mapping[Any, Columns] | Iterable[Iterable[Column]],
        weights: Weights = None,
        symmetric: bool = False,
        by_class: bool = False,
        rest: Rest = "error",
    ) -> Groups:
        """One group per set of columns, across all classes.

        Parameters
        ----------
        sets : mapping name -> columns, or sequence of collections of columns
            A column is an index, counted from 0, or a name. Sets without a name are "group 1", "group 2", ...
        weights : None, number, sequence, or mapping name -> weight
            A sequence has one weight per set, or one per group if there are more of these.
        symmetric : bool
            See `rows`.
        by_class : bool
            One group per set and class, instead of one per set.
        rest : {"error", "rows", "entries"}
            What becomes of columns in no set: an error, one group per column, or one per coefficient.
        """
        named = _named(sets, "group")
        spec = tuple((name, _freeze_columns(columns, name), None) for name, columns in named)
        return cls("columns", spec, _freeze_weights(weights), symmetric, by_class, rest)

    @classmethod
    def from_blocks(
        cls,
        blocks: Mapping[Any, tuple[Columns, Classes]] | Iterable[tuple[Columns, Classes]],
        weights: Weights = None,
    ) -> Groups:
        """One group per block of columns x classes.

        Parameters
        ----------
        blocks : mapping name -> (columns, classes), or sequence of (columns, classes)
            Columns as in `from_columns`; classes are labels, or None for all of them. Class 0 has no
            coefficients. Together the blocks cover every coefficient once.
        weights : None, number, sequence, or mapping name -> weight
        """
        spec = []
        for name, block in _named(blocks, "block"):
            if not isinstance(block, tuple | list) or len(block) != 2:
                raise GroupError(f"Block {name!r} must be a pair (columns, classes), not {block!r}.")
            spec.append((name, _freeze_columns(block[0], name), _freeze_classes(block[1])))
        return cls("blocks", tuple(spec), _freeze_weights(weights))

    @classmethod
    def from_labels(cls, labels: Sequence[Any], weights: Weights = None, symmetric: bool = False) -> Groups:
        """Columns with the same label form one group, as in R's grpreg and PUlasso.

        Parameters
        ----------
        labels : sequence of length n_features
            The groups are in the order in which the labels appear; their names are the labels as text.
        weights : None, number, sequence, or mapping label -> weight
        symmetric : bool
            See `rows`.
        """
        if isinstance(labels, str) or np.ndim(labels) != 1:
            raise GroupError("labels must be a one-dimensional sequence: one group label per column of X.")
        labels = [_plain(label) for label in labels]
        for column, label in enumerate(labels):
            if label is None or (label == label) is not True:  # NaN equals nothing, pandas.NA answers NA
                raise GroupError(f"Column {column} has no group label ({label!r}); give it one of its own.")
        spec = tuple(_name(label) for label in labels)
        return cls("labels", spec, _freeze_weights(weights), symmetric)

    @classmethod
    def from_transformer(cls, transformer: Any, weights: Weights = None, symmetric: bool = False) -> Groups:
        """One group per source column of a fitted transformer: all that was made from "colour" is one group.

        Parameters
        ----------
        transformer : fitted ColumnTransformer, OneHotEncoder, SplineTransformer, Pipeline, ...
            Its output is the X that the model is fitted on.
        weights : None, number, sequence, or mapping source column -> weight
        symmetric : bool
            See `rows`.
        """
        from pulasso.penalties._transformer_groups import source_names

        return cls.from_labels(source_names(transformer), weights, symmetric)

    @classmethod
    def of(cls, spec: str | Groups) -> Groups:
        """Turn "rows", "entries" or a `Groups` into a `Groups`."""
        if isinstance(spec, Groups):
            return spec
        if isinstance(spec, str) and spec in ("rows", "entries"):
            return cls.rows() if spec == "rows" else cls.entries()
        raise GroupError(
            f"groups must be 'rows', 'entries' or a Groups object, not {spec!r}; "
            "for sets of columns write Groups.from_columns({'name': [columns], ...})."
        )

    def resolve(
        self,
        n_features: int,
        n_outputs: int,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[Any] | None = None,
    ) -> Blocks:
        """Check the groups against the data and number the block of every coefficient.

        Parameters
        ----------
        n_features, n_outputs : int
            Shape of the coefficient matrix.
        feature_names : sequence of str, length n_features, optional
            Names of the columns of X; without them columns are known by index.
        class_names : sequence of length n_outputs, optional
            Labels of all classes but class 0; without them classes are 1, 2, ...

        Raises
        ------
        GroupError
            If a group is empty, overlaps another or names what is not there, if a coefficient is in no group,
            or if weights are negative, missing or too many.
        """
        axes = _Axes(n_features, n_outputs, feature_names, class_names)
        cut = _CUTS[self.kind](self, axes)
        return Blocks(cut.index, _block_weights(self.weights, cut, axes), cut.names, self.symmetric)

    def _key(self) -> tuple:
        weights: Any = self.weights
        if isinstance(weights, np.ndarray):
            weights = (weights.shape, weights.tobytes())
        return (self.kind, self.spec, weights, self.symmetric, self.by_class, self.rest)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Groups) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        constructor = self.kind if self.kind in ("rows", "entries") else f"from_{self.kind}"
        arguments = []
        if self.kind == "labels":
            arguments.append(reprlib.repr(list(self.spec)))
        elif self.kind == "columns":
            arguments.append(reprlib.repr({name: columns for name, columns, _ in self.spec}))
        elif self.kind == "blocks":
            arguments.append(reprlib.repr({name: (columns, classes) for name, columns, classes in self.spec}))
        if self.weights is not None:
            by_name = dict(self.weights) if isinstance(self.weights, tuple) else None
            arguments.append(f"weights={reprlib.repr(by_name or np.asarray(self.weights).tolist())}")
        arguments += [f"{flag}=True" for flag in ("symmetric", "by_class") if getattr(self, flag)]
        if self.rest != "error":
            arguments.append(f"rest={self.rest!r}")
        return f"Groups.{constructor}({', '.join(arguments)})"


# Reading what the user wrote, before the data are known.


def _name(value: Any) -> str:
    """Text of a group label; 1, 1.0 and "1" are the same group, whichever way a file was read."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _named(items: Any, noun: str) -> list[tuple[str, Any]]:
    if isinstance(items, Mapping):
        named = [(_name(name), item) for name, item in items.items()]
    elif isinstance(items, Iterable) and not isinstance(items, str):
        named = [(f"{noun} {number}", item) for number, item in enumerate(items, start=1)]
        for _, item in named:
            if isinstance(item, str | Number):
                raise GroupError(
                    f"{item!r} stands where a collection of columns is expected: "
                    "write [[0, 1, 2]] for one group of three columns, [[0], [1], [2]] for three groups."
                )
    else:
        raise GroupError(f"Expected a mapping name -> {noun} or a sequence of {noun}s, not {items!r}.")
    repeated = _first_repeated([name for name, _ in named])
    if repeated is not None:
        raise GroupError(f"Two groups are called {repeated!r}; give each a name of its own.")
    return named


def _freeze_columns(columns: Any, group: str) -> tuple[Column, ...]:
    if isinstance(columns, str | Number):
        columns = (columns,)
    elif not isinstance(columns, Iterable):
        raise GroupError(f"Group {group!r}: {columns!r} is not a collection of columns.")
    elif isinstance(columns, set | frozenset):
        columns = sorted(columns, key=str)  # so that equal sets make equal groups
    return tuple(_freeze_column(column, f"Group {group!r}") for column in columns)


def _freeze_column(column: Any, who: str) -> Column:
    if isinstance(column, bool | np.bool_):
        raise GroupError(f"{who}: {column} is not a column; np.flatnonzero(mask) turns a mask into indices.")
    if isinstance(column, str):
        return str(column)
    if isinstance(column, Integral):
        return int(column)
    raise GroupError(f"{who}: {column!r} is not a column; give an index (int) or a name (str).")


def _freeze_classes(classes: Classes) -> tuple[Hashable, ...] | None:
    if classes is None:
        return None
    if isinstance(classes, str | Number) or not isinstance(classes, Iterable):
        classes = (classes,)
    elif isinstance(classes, set | frozenset):
        classes = sorted(classes, key=str)
    return tuple(_plain(label) for label in classes)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _freeze_weights(weights: Any) -> Any:
    """A number, a read-only array, or pairs (name, weight) sorted by name; None stays None."""
    if weights is None:
        return None
    try:
        if isinstance(weights, Mapping):
            pairs = [(_plain(key), float(weight)) for key, weight in weights.items()]
            return tuple(sorted(pairs, key=lambda pair: str(pair[0]))) or None
        array = np.asarray(
            np.asarray(weights, dtype=float) + 0.0
        )  # a copy without -0.0: equal bytes if equal
    except (TypeError, ValueError):
        raise GroupError(
            f"weights must be None, a number, a sequence of numbers or a mapping name -> number, "
            f"not {reprlib.repr(weights)}."
        ) from None
    if array.ndim == 0:
        return float(array)
    array.flags.writeable = False
    return array


def _first_repeated(values: Iterable[Hashable]) -> Any:
    seen = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


# Holding it against the data.


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


class _Axes:
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
        self.classes = tuple(map(_plain, range(1, n_outputs + 1) if class_names is None else class_names))
        if feature_names is not None and len(feature_names) != n_features:
            raise GroupError(f"There are {len(feature_names)} feature_names for {n_features} columns of X.")
        if len(self.classes) != n_outputs:
            raise GroupError(f"There are {len(self.classes)} class_names for {n_outputs} outputs.")

    @property
    def suffixes(self) -> tuple[Any, ...]:
        """Classes to tell apart in names: none if there is one output only."""
        return self.classes if self.shape[1] > 1 else ()

    @cached_property
    def positions(self) -> dict[str, int]:
        """Position of each named column."""
        names = [] if self.features is None else [str(name) for name in self.features]
        repeated = _first_repeated(names)
        if repeated is not None:
            raise GroupError(f"X has two columns called {repeated!r}: rename one, or give columns by index.")
        return {name: position for position, name in enumerate(names)}

    def column(self, column: Column, who: str) -> int:
        """Position of a column given by index or name."""
        last = self.shape[0] - 1
        if isinstance(column, str):
            if self.features is None:
                raise GroupError(f"{who}: X has no column names, so no {column!r}; use indices 0 to {last}.")
            if column not in self.positions:
                advice = _did_you_mean(column, self.positions)
                raise GroupError(f"{who}: X has no column {column!r}; {advice}")
            return self.positions[column]
        if column < 0:
            raise GroupError(f"{who}: column {column} is negative; columns are counted from 0 to {last}.")
        if column > last:
            raise GroupError(f"{who}: X has no column {column}; columns are counted from 0 to {last}.")
        return column

    def output(self, label: Hashable, who: str) -> int:
        """Position of a class given by its label."""
        if label not in self.classes:
            known = _listed(self.classes)
            raise GroupError(f"{who}: there are no coefficients for class {label!r}, only for {known}.")
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


def _cut_rows(groups: Groups, axes: _Axes) -> _Cut:
    n_features, _ = axes.shape
    index = np.broadcast_to(np.arange(n_features)[:, None], axes.shape)
    return _Cut(index, _Names(axes.features, n_features), None, n_features)


def _cut_entries(groups: Groups, axes: _Axes) -> _Cut:
    n_features, n_outputs = axes.shape
    index = np.arange(n_features * n_outputs).reshape(axes.shape)
    return _Cut(index, _Names(axes.features, n_features, axes.suffixes), None, n_features, n_outputs)


def _cut_labels(groups: Groups, axes: _Axes) -> _Cut:
    n_features, _ = axes.shape
    n_labels = len(groups.spec)
    if n_labels != n_features:
        raise GroupError(f"There are {n_labels} group labels for {n_features} columns of X; give one each.")
    number = {name: j for j, name in enumerate(dict.fromkeys(groups.spec))}
    codes = np.array([number[name] for name in groups.spec], dtype=np.intp)
    return _Cut(np.broadcast_to(codes[:, None], axes.shape), tuple(number), tuple(number), len(number))


def _cut_sets(groups: Groups, axes: _Axes) -> _Cut:
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


def _rows_of(name: str, columns: tuple[Column, ...], axes: _Axes) -> list[int]:
    rows = [axes.column(column, f"Group {name!r}") for column in columns]
    if not rows:
        raise GroupError(f"Group {name!r} is empty: give it a column, or leave it out.")
    repeated = _first_repeated(rows)
    if repeated is not None:
        raise GroupError(f"Group {name!r} has column {axes.show(repeated)} twice; list it once.")
    return rows


def _outputs_of(name: str, classes: tuple[Hashable, ...] | None, axes: _Axes) -> list[int]:
    labels = axes.classes if classes is None else classes
    outputs = [axes.output(label, f"Group {name!r}") for label in labels]
    if not outputs:
        raise GroupError(f"Group {name!r} is empty: give it a class, or None for all classes.")
    repeated = _first_repeated(outputs)
    if repeated is not None:
        raise GroupError(f"Group {name!r} has class {axes.classes[repeated]!r} twice; list it once.")
    return outputs


def _overlap(groups: Groups, axes: _Axes, index: NDArray[np.intp], block: tuple, number: int) -> GroupError:
    row, output = np.argwhere(index[block] >= 0)[0]
    row, output = int(block[0][row, 0]), int(block[1][0, output])
    first, second = groups.spec[index[row, output]][0], groups.spec[number][0]
    place = axes.show(row, output if groups.kind == "blocks" else None)
    return GroupError(
        f"Groups {first!r} and {second!r} overlap: both have column {place}. "
        "A coefficient belongs to one group; take it out of one of the two."
    )


def _number_rest(groups: Groups, axes: _Axes, index: NDArray[np.intp], n_blocks: int) -> tuple[str, ...]:
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


def _left_out(groups: Groups, axes: _Axes, index: NDArray[np.intp]) -> GroupError:
    if groups.kind == "blocks":
        missing = [axes.show(row, output) for row, output in np.argwhere(index < 0).tolist()]
        advice = "Add a block for what is missing; (columns, None) takes in all classes."
    else:
        missing = [axes.show(row) for row in np.flatnonzero((index < 0).any(axis=1)).tolist()]
        advice = (
            "Add a group, or pass rest='rows' (one group per column) or rest='entries' (per coefficient)."
        )
    noun = "column" if len(missing) == 1 else "columns"
    return GroupError(f"In no group: {noun} {_listed(missing, limit=5, show=str)}. {advice}")


_CUTS = {
    "rows": _cut_rows,
    "entries": _cut_entries,
    "columns": _cut_sets,
    "blocks": _cut_sets,
    "labels": _cut_labels,
}


def _block_weights(given: Any, cut: _Cut, axes: _Axes) -> NDArray[np.floating]:
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
            "positive, or infinite (kept out of the model)."
        )
    return weights


def _set_weights_by_name(weights: NDArray, given: tuple, cut: _Cut, axes: _Axes) -> None:
    """Write the weights of a mapping in place, single blocks ("age[dog]") after whole units ("age")."""
    targets = [_weight_target(key, cut, axes) for key, _ in given]
    repeated = _first_repeated((target.start, target.stop) for target in targets)
    if repeated is not None:
        raise GroupError(f"The weights name {cut.names[repeated[0]]!r} twice; give it one weight.")
    pairs = zip(targets, [weight for _, weight in given], strict=True)
    for target, weight in sorted(pairs, key=lambda pair: pair[0].start - pair[0].stop):
        weights[target] = weight


def _weight_target(key: Any, cut: _Cut, axes: _Axes) -> slice:
    """The blocks that a key of the weights stands for."""
    if cut.units is not None:
        unit = cut.unit_positions.get(_name(key))
    elif isinstance(key, str):
        unit = axes.positions.get(key)
    else:
        unit = axes.column(_freeze_column(key, "Weights"), "Weights")
    if unit is not None:
        return slice(unit * cut.copies, (unit + 1) * cut.copies)
    if key not in cut.block_positions:
        known = cut.unit_positions or axes.positions or cut.block_positions
        raise GroupError(f"Weights: there is no group {key!r}; {_did_you_mean(str(key), known)}")
    return slice(cut.block_positions[key], cut.block_positions[key] + 1)


def _wrong_number(given: NDArray, cut: _Cut, n_blocks: int) -> GroupError:
    expected = f"{n_blocks} (one per group)"
    if cut.n_units != n_blocks:
        noun = "column" if cut.units is None else "set"
        expected = f"{cut.n_units} (one per {noun}), shape ({cut.n_units}, {cut.copies}), or {expected}"
    got = len(given) if given.ndim == 1 else f"an array of shape {given.shape}"
    return GroupError(f"Wrong number of weights: got {got}, expected {expected}.")


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known)[:MAX_NAMES_COMPARED], n=3)
    return f"did you mean {' or '.join(map(repr, close))}?" if close else f"there are {_listed(known)}."


def _listed(values: Iterable[Any], limit: int = 10, show: Callable[[Any], str] = repr) -> str:
    values = list(values)
    more = f" and {len(values) - limit} more" if len(values) > limit else ""
    return ", ".join(map(show, values[:limit])) + more
