"""From the columns of a table to numbers: one-hot encoding and filling in, saved as JSON beside the model.

scikit-learn's ColumnTransformer could do the same, but neither be saved without pickles nor leave a table of numbers
where it is.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pulasso._messages import Message, arg, did_you_mean, listed
from pulasso.data.tables import read_table
from pulasso.exceptions import InputError, SavedModelError

if TYPE_CHECKING:
    from pandas import DataFrame, Series

__all__ = ["Column", "Recipe", "learn_recipe", "read_groups"]

# Text that takes more values than this, in more than half as many as there are rows, is no category.
MANY_LEVELS = 20


@dataclass(frozen=True)
class Column:
    """One column of the table and what becomes of it.

    Attributes
    ----------
    name : str
    levels : tuple of str, or None
        Of a category: one output for each, or only for the second if there are two. None for numbers.
    fill : float, str or None
        What missing values become; None if they are not filled.
    """

    name: str
    levels: tuple[str, ...] | None = None
    fill: float | str | None = None

    @property
    def outputs(self) -> list[str]:
        """Names of the features that are made of it."""
        return [self.name] if self.levels is None else [f"{self.name}={level}" for level in self.shown]

    @property
    def shown(self) -> tuple[str, ...]:
        """Levels with a feature of their own."""
        levels = self.levels or ()
        return levels[1:] if len(levels) == 2 else levels

    def encode(self, series: "Series") -> "list[Series]":
        """Return its features as floats; what is missing and has no fill stays missing."""
        if self.levels is None:
            numbers = _as_numbers(series)
            return [numbers if self.fill is None else numbers.fillna(self.fill)]
        texts = _as_text(series)
        if self.fill is not None:
            texts = texts.where(texts.notna(), str(self.fill))
        gap = texts.isna()
        features = [(texts == level).astype(float).rename(f"{self.name}={level}") for level in self.shown]
        return [each.mask(gap) for each in features] if gap.any() else features


@dataclass(frozen=True)
class Recipe:
    """How a table becomes features; `to_json` and `from_json` store it beside the model.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"rain": [1, 2, 3], "soil": ["clay", "sand", "clay"]})
    >>> recipe = learn_recipe(table)
    >>> recipe.encode(table).columns.tolist(), recipe.categories
    (['rain', 'soil=sand'], {'soil': ['soil=sand']})
    """

    columns: tuple[Column, ...]

    def to_json(self) -> list[dict[str, Any]]:
        """Return it as JSON holds it."""
        entries = [{**asdict(each), "levels": each.levels and list(each.levels)} for each in self.columns]
        return [{name: part for name, part in entry.items() if part is not None} for entry in entries]

    @classmethod
    def from_json(cls, tree: Any) -> "Recipe":
        """Return the recipe that was saved, or raise a `SavedModelError`."""
        columns = []
        for entry in tree if isinstance(tree, list) else [None]:
            match entry:
                case {"name": str(name), **rest} if set(rest) <= {"levels", "fill"}:
                    levels: Any = rest.get("levels")
                    fill: Any = rest.get("fill")
                    texts = levels is None or (isinstance(levels, list) and set(map(type, levels)) <= {str})
                    if texts and isinstance(fill, int | float | str | None):
                        columns.append(Column(name, None if levels is None else tuple(levels), fill))
                        continue
            raise SavedModelError(f"the columns of the saved model are described wrongly: {entry!r:.60}.")
        return cls(tuple(columns))

    @property
    def categories(self) -> dict[str, list[str]]:
        """Features that belong together, by the column they are made of."""
        return {each.name: each.outputs for each in self.columns if each.levels is not None}

    def check(self, frame: "DataFrame", path: Any) -> list[Message]:
        """Refuse a table that lacks columns; return warnings about categories that are new."""
        names = [each.name for each in self.columns]
        lacking = [name for name in names if name not in frame.columns]
        if lacking:
            hint = did_you_mean(lacking[0], [name for name in frame.columns if name not in names])
            noun = "column" if len(lacking) == 1 else "columns"
            raise InputError(
                f"{path} lacks {noun} {listed(lacking)}, which the model needs.{hint}", parameter="X"
            )
        words = []
        for column in self.columns:
            if column.levels is None:
                continue
            new = sorted(set(_as_text(frame[column.name]).dropna()) - set(column.levels))
            if new:
                # Of two levels only the second has a feature, so that everything else is like the first.
                two = len(column.levels) == 2
                alike = f"were {column.levels[0]!r}" if two else "had none of the known values"
                words.append(
                    f"{path} has values of {column.name!r} that the fit did not see: {listed(new)}. These rows are "
                    f"predicted as if they {alike}."
                )
        return [Message(each) for each in words]

    def encode(self, frame: "DataFrame") -> "DataFrame":
        """Return the features, in order, as floats; what is missing and has no fill stays missing."""
        import pandas as pd

        names = [each.name for each in self.columns]
        if self.categories or any(each.fill is not None for each in self.columns):
            return pd.concat(
                [part for each in self.columns for part in each.encode(frame[each.name])], axis=1
            )
        # A table of numbers is used as it is: a copy of a large one would double the memory.
        frame = frame if list(frame.columns) == names else frame[names]
        others = [name for name, dtype in frame.dtypes.items() if str(dtype) not in ("float64", "float32")]
        return frame.assign(**{name: _as_numbers(frame[name]) for name in others}) if others else frame


def learn_recipe(frame: "DataFrame", missing: str = "refuse", path: Any = "The table") -> Recipe:
    """Look at the columns that are to be features and decide what becomes of each.

    Parameters
    ----------
    frame : DataFrame
    missing : {"refuse", "drop", "mean", "median", "keep"}
        How missing values are filled in, if at all; those of text by the most frequent value.
    path : path
        For messages.
    """
    from pandas.api.types import is_numeric_dtype

    if not len(frame.columns):
        raise InputError(
            f"{path} has no column left to use as a feature.",
            parameter="X",
            remedy=f"Check {arg('drop')} and {arg('keep')}.",
        )
    columns = []
    for name, series in frame.items():
        fill = None
        if series.dtype.kind in "mM":
            raise InputError(
                f"Column {name!r} of {path} holds dates.",
                parameter="X",
                remedy=f"Turn them into numbers (days since ...), or leave it out by {arg('drop')}.",
            )
        if not is_numeric_dtype(series.dtype):  # which truth values are, too
            columns.append(_learn_category(series, missing, path))
        else:
            if missing in ("mean", "median") and series.notna().any():
                fill = float(getattr(series.astype(float), missing)())
            columns.append(Column(str(name), None, fill))
    return Recipe(tuple(columns))


def _learn_category(series: "Series", missing: str, path: Any) -> Column:
    import pandas as pd

    known = _as_text(series).dropna()
    numeric = pd.to_numeric(known, errors="coerce")
    if len(known) and 0.5 < numeric.notna().mean() < 1.0:
        odd = known[numeric.isna()]
        raise InputError(
            f"Column {series.name!r} of {path} holds numbers, and in {len(odd)} rows {listed(odd.unique())}.",
            parameter="X",
            remedy=f"If that means a missing value, give {arg('na', repr(odd.iloc[0]))}; otherwise correct it, or "
            f"leave the column out by {arg('drop')}.",
        )
    counts = known.value_counts()
    if len(counts) > MANY_LEVELS and len(counts) > len(known) / 2:
        raise InputError(
            f"Column {series.name!r} of {path} is text with {len(counts)} different values in {len(known)} rows, such "
            f"as {counts.index[0]!r}: a name or a number of the row, not a feature.",
            parameter="X",
            remedy=f"Leave it out: {arg('drop', repr(series.name))}.",
        )
    fill = str(counts.index[0]) if missing in ("mean", "median") and len(counts) else None
    return Column(str(series.name), tuple(sorted(map(str, counts.index))), fill)


def read_groups(path: Path, recipe: Recipe | None) -> tuple[dict[str, list[str]], dict[str, float]]:
    """Read a table of column, group and perhaps weight; return the features of each group, and the weights.

    Categorical columns that it leaves out are groups of their own.
    """
    if recipe is None:
        raise InputError(
            f"{arg('groups')}: {path} names columns, but {arg('X')} is a matrix without names.",
            parameter="groups",
        )
    frame = read_table(path).frame
    if frame is None or not {"column", "group"} <= set(frame.columns):
        raise InputError(
            f"{arg('groups')}: {path} must be a table with the columns column, group and perhaps weight.",
            parameter="groups",
        )
    outputs = {each.name: each.outputs for each in recipe.columns}
    pairs = list(zip(frame["column"].map(str), frame["group"].map(str), strict=True))
    unknown = [name for name, _ in pairs if name not in outputs]
    if unknown:
        raise InputError(
            f"{arg('groups')}: {path} names {listed(unknown)}, which is no feature of the table."
            f"{did_you_mean(unknown[0], outputs)}",
            parameter="groups",
        )
    sets: dict[str, list[str]] = {}
    for name, group in pairs:
        sets.setdefault(group, []).extend(outputs[name])
    named = {name for name, _ in pairs}
    sets |= {name: members for name, members in recipe.categories.items() if name not in named}
    given = frame.dropna(subset=["weight"]) if "weight" in frame.columns else frame[:0].assign(weight=0.0)
    try:
        return sets, dict(zip(given["group"].map(str), given["weight"].map(float), strict=True))
    except (TypeError, ValueError):
        raise InputError(
            f"{arg('groups')}: {path} holds a weight that is not a number.", parameter="groups"
        ) from None


def _as_text(series: "Series") -> "Series":
    """Return a column as text, missing values as they are."""
    return series.astype(object).where(series.notna(), None).map(str, na_action="ignore")


def _as_numbers(series: "Series") -> "Series":
    import pandas as pd

    try:
        return pd.to_numeric(series).astype(float)
    except (ValueError, TypeError):
        text = series[pd.to_numeric(series, errors="coerce").isna() & series.notna()].iloc[0]
        raise InputError(
            f"Column {series.name!r} holds text, such as {text!r}, but only numbers in the fit.",
            parameter="X",
            remedy=f"Correct the table, or mark text that means a missing value by {arg('na')}.",
        ) from None
