"""Groups of coefficients: what the user writes (`Groups`) and what the solvers use (`Blocks`).

The coefficients form a matrix theta of shape (n_features, n_outputs), with one output per class (class 0 has
none) in the multinomial model and a single one in the ordinal model. Both objects cut that matrix into
disjoint blocks ``theta[R_j, C_j]``, which the penalty ``lam * sum_j weight_j * ||theta[R_j, C_j]||_2`` keeps
or drops as a whole. `Groups` can be written before the data are seen; `Groups.resolve` holds it against them.
"""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg, plain
from pulasso.exceptions import GroupError
from pulasso.penalties._reading import (
    freeze_classes,
    freeze_columns,
    freeze_weights,
    name_of,
    named_items,
)
from pulasso.penalties._resolving import CUTS, Axes, block_weights
from pulasso.penalties.blocks import Blocks

__all__ = ["Blocks", "Groups"]

Column = int | str
Columns = Column | Iterable[Column]
Classes = Hashable | Iterable[Hashable] | None
Weights = float | ArrayLike | Mapping[Any, float] | None
Rest = Literal["error", "rows", "entries"]


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
        if not isinstance(self.rest, str) or self.rest not in ("error", "rows", "entries"):
            raise GroupError(
                f"{arg('rest')} must be 'error', 'rows' or 'entries', not {self.rest!r}.", parameter="rest"
            )
        split = self.kind in ("entries", "blocks") or self.by_class or self.rest == "entries"
        if self.symmetric and split:
            raise GroupError(
                f"{arg('symmetric', 'True')} compares a group's coefficients across all classes, so every group "
                "must span them all.",
                parameter="symmetric",
                remedy=f"Leave out {arg('by_class', 'True')} and {arg('rest', repr('entries'))}, "
                f"or set {arg('symmetric', 'False')}.",
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

        Examples
        --------
        >>> Groups.rows(weights={"age": 0})  # always in the model
        Groups.rows(weights={'age': 0.0})
        """
        return cls("rows", weights=freeze_weights(weights), symmetric=symmetric)

    @classmethod
    def entries(cls, weights: Weights = None) -> Groups:
        """Every coefficient is its own group: the l1 penalty.

        Parameters
        ----------
        weights : None, number, sequence, or mapping
            A sequence has length n_features or shape (n_features, n_outputs); the keys of a mapping are
            columns ("age") or single coefficients ("age[dog]").
        """
        return cls("entries", weights=freeze_weights(weights))

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

        Examples
        --------
        >>> Groups.from_columns({"weather": ["rain", "frost"]}, rest="rows")
        Groups.from_columns({'weather': ('rain', 'frost')}, rest='rows')
        """
        named = named_items(sets, "group")
        spec = tuple((name, freeze_columns(columns, name), None) for name, columns in named)
        return cls("columns", spec, freeze_weights(weights), symmetric, by_class, rest)

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

        Examples
        --------
        >>> Groups.from_blocks({"early": ([0, 1], "mild"), "late": ([0, 1], "severe")})
        Groups.from_blocks({'early': ((0, 1), ('mild',)), 'late': ((0, 1), ('severe',))})
        """
        spec = []
        for name, block in named_items(blocks, "block"):
            if not isinstance(block, tuple | list) or len(block) != 2:
                raise GroupError(
                    f"Block {name!r} must be a pair (columns, classes), not {block!r}.", parameter="groups"
                )
            spec.append((name, freeze_columns(block[0], name), freeze_classes(block[1])))
        return cls("blocks", tuple(spec), freeze_weights(weights))

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

        Examples
        --------
        >>> Groups.from_labels(["soil", "soil", "wind"])
        Groups.from_labels(['soil', 'soil', 'wind'])
        """
        if isinstance(labels, str) or np.asarray(labels, dtype=object).ndim != 1:
            raise GroupError(
                f"{arg('labels')} must be a one-dimensional sequence: one group label per column of {arg('X')}.",
                parameter="labels",
            )
        labels = [plain(label) for label in labels]
        for column, label in enumerate(labels):
            if label is None or (label == label) is not True:  # NaN equals nothing, pandas.NA answers NA
                raise GroupError(
                    f"Column {column} has no group label ({label!r}); give it one of its own.",
                    parameter="labels",
                )
        spec = tuple(name_of(label) for label in labels)
        return cls("labels", spec, freeze_weights(weights), symmetric)

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

        Examples
        --------
        >>> from sklearn.preprocessing import OneHotEncoder
        >>> Groups.from_transformer(OneHotEncoder().fit([["red", "big"], ["blue", "small"]]))
        Groups.from_labels(['x0', 'x0', 'x1', 'x1'])
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
            f"{arg('groups')} must be 'rows', 'entries' or a Groups object, not {spec!r}.",
            parameter="groups",
            remedy="For sets of columns write Groups.from_columns({'name': [columns], ...}).",
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
        axes = Axes(n_features, n_outputs, feature_names, class_names)
        cut = CUTS[self.kind](self, axes)
        return Blocks(cut.index, block_weights(self.weights, cut, axes), cut.names, self.symmetric)

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
