"""From columns to numbers: one-hot encoding and filling in, remembered for the tables of tomorrow."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pulasso._messages import listed
from pulasso.cli.names import suggestion
from pulasso.cli.running import CommandError
from pulasso.exceptions import SavedModelError

if TYPE_CHECKING:
    from pandas import DataFrame, Series

__all__ = ["Column", "Recipe", "learn_recipe", "refuse_missing"]

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
        if self.levels is None:
            return [self.name]
        return [
            f"{self.name}={level}" for level in (self.levels[1:] if len(self.levels) == 2 else self.levels)
        ]


@dataclass(frozen=True)
class Recipe:
    """How a table becomes features; `to_json` and `from_json` keep it beside the model."""

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
                    if not texts or not isinstance(fill, int | float | str | None):
                        raise SavedModelError(f"column {name!r:.60} of the saved model is described wrongly.")
                    columns.append(Column(name, None if levels is None else tuple(levels), fill))
                case _:
                    raise SavedModelError("the columns of the saved model are described wrongly.")
        return cls(tuple(columns))

    @property
    def categories(self) -> dict[str, list[str]]:
        """Features that belong together, by the column they are made of."""
        return {each.name: each.outputs for each in self.columns if each.levels is not None}

    def check(self, frame: "DataFrame", path: Any) -> list[str]:
        """Refuse a table that lacks columns; return words about categories that are new."""
        lacking = [each.name for each in self.columns if each.name not in frame.columns]
        if lacking:
            hints = suggestion(lacking[0], [name for name in frame.columns if name not in self._names()])
            raise CommandError(f"{path} lacks {_columns(lacking)}, which the model needs.{hints}")
        words = []
        for column in self.columns:
            if column.levels is not None:
                new = sorted(set(_texts(frame[column.name]).dropna()) - set(column.levels))
                if new:
                    # Of two levels only the second has a feature, so that everything else is like the first.
                    alike = (
                        f"were {column.levels[0]!r}"
                        if len(column.levels) == 2
                        else "had none of the known values"
                    )
                    words.append(
                        f"{path} has values of {column.name!r} that the fit did not see: {listed(new)}. These rows "
                        f"are predicted as if they {alike}."
                    )
        return words

    def _names(self) -> set[str]:
        return {each.name for each in self.columns}

    def encode(self, frame: "DataFrame") -> "DataFrame":
        """Return the features, in order, as floats; what is missing and has no fill stays missing."""
        import pandas as pd

        if not self.categories and not any(each.fill is not None for each in self.columns):
            names = [each.name for each in self.columns]
            # A table of numbers is used as it is: a copy of a large one would double the memory.
            same = list(frame.columns) == names
            return _as_numbers(frame if same else frame[names])
        parts = [chunk for each in self.columns for chunk in _encode_column(each, frame[each.name])]
        return pd.concat(parts, axis=1)


def learn_recipe(frame: "DataFrame", missing: str, path: Any) -> Recipe:
    """Look at the columns that are to be features and decide what becomes of each.

    Parameters
    ----------
    frame : DataFrame
    missing : {"refuse", "drop", "mean", "median"}
    path : path
        For messages.
    """
    if not len(frame.columns):
        raise CommandError(f"{path} has no column left to use as a feature. Check --drop and --keep.")
    columns = []
    for name in frame.columns:
        series = frame[name]
        if series.dtype.kind in "mM":
            raise CommandError(
                f"Column {name!r} of {path} holds dates. Turn them into numbers (days since ...), or --drop it."
            )
        if _is_text(series):
            columns.append(_learn_category(series, missing, path))
        else:
            fill = None
            if missing in ("mean", "median") and series.notna().any():
                fill = float(getattr(series.astype(float), missing)())
            columns.append(Column(str(name), None, fill))
    return Recipe(tuple(columns))


def _learn_category(series: "Series", missing: str, path: Any) -> Column:
    import pandas as pd

    texts = _texts(series)
    known = texts.dropna()
    numeric = pd.to_numeric(known, errors="coerce")
    if len(known) and 0.5 < numeric.notna().mean() < 1.0:
        odd = known[numeric.isna()]
        raise CommandError(
            f"Column {series.name!r} of {path} holds numbers, and in {len(odd)} rows {listed(odd.unique())}. If that "
            f"means a missing value, give --na {odd.iloc[0]!r}; otherwise correct it, or --drop the column."
        )
    counts = known.value_counts()
    if len(counts) > MANY_LEVELS and len(counts) > len(known) / 2:
        raise CommandError(
            f"Column {series.name!r} of {path} is text with {len(counts)} different values in {len(known)} rows, such "
            f"as {counts.index[0]!r}: a name or a number of the row, not a feature. Leave it out: --drop "
            f"{series.name!r}."
        )
    fill = str(counts.index[0]) if missing in ("mean", "median") and len(counts) else None
    return Column(str(series.name), tuple(sorted(map(str, counts.index))), fill)


def refuse_missing(frame: "DataFrame", path: Any) -> None:
    """Name the columns with missing values, how many, and the options that deal with them."""
    counts = frame.isna().sum()
    counts = counts[counts > 0].sort_values(ascending=False)
    if not len(counts):
        return
    rows = int(frame.isna().any(axis=1).sum())
    named = listed([f"{name!r} ({n})" for name, n in counts.items()], show=str)
    raise CommandError(
        f"{path} has missing values in {len(counts)} of {len(frame.columns)} columns: {named}; {rows} of "
        f"{len(frame)} rows are concerned. Say what to do: --missing median (or mean) fills them in, text by its most "
        "frequent value; --missing drop leaves these rows out; --drop leaves columns out."
    )


def _is_text(series: "Series") -> bool:
    from pandas.api.types import is_numeric_dtype

    return not is_numeric_dtype(series.dtype)  # which truth values are, too


def _texts(series: "Series") -> "Series":
    """Return a column as text, missing values kept."""
    return series.astype(object).where(series.notna(), None).map(str, na_action="ignore")


def _as_numbers(frame: "DataFrame") -> "DataFrame":
    others = [name for name, dtype in frame.dtypes.items() if str(dtype) not in ("float64", "float32")]
    return frame.assign(**{name: _numbers(frame[name]) for name in others}) if others else frame


def _numbers(series: "Series") -> "Series":
    import pandas as pd

    try:
        return pd.to_numeric(series).astype(float)
    except (ValueError, TypeError):
        text = series[pd.to_numeric(series, errors="coerce").isna() & series.notna()].iloc[0]
        raise CommandError(
            f"Column {series.name!r} holds text, such as {text!r}, but only numbers in the fit. Correct the table, "
            "or mark text that means a missing value by --na."
        ) from None


def _encode_column(column: Column, series: "Series") -> "list[Series]":
    if column.levels is None:
        numbers = _numbers(series)
        return [numbers if column.fill is None else numbers.fillna(column.fill)]
    texts = _texts(series)
    if column.fill is not None:
        texts = texts.where(texts.notna(), str(column.fill))
    gap = texts.isna()
    outputs = []
    for name in column.outputs:
        shown = (texts == name.removeprefix(f"{column.name}=")).astype(float)
        outputs.append((shown.mask(gap) if gap.any() else shown).rename(name))
    return outputs


def _columns(names: list[str]) -> str:
    return f"{'column' if len(names) == 1 else 'columns'} {listed(names)}"
