"""Row groups of Parquet and Arrow datasets, whose columns are found by their names."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import listed
from pulasso.data.chunks.columns import check_names, check_shape, refuse_kinds
from pulasso.exceptions import DataFileError

__all__ = ["DatasetSource", "first_sentence"]


class DatasetSource:
    """Row groups of a Parquet or Arrow dataset.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
        All columns must be numbers. Those of every file are found by their names.
    """

    def __init__(self, dataset: Any):
        self.names = list(dataset.schema.names)
        check_names(self.names)
        refuse_kinds(_not_numbers(dataset.schema))
        self.feature_names: NDArray | None = np.array(self.names, dtype=object)
        self.fragments: list[Any] = []
        self.schemas: list[Any] = []
        lengths: list[int] = []
        for fragment in dataset.get_fragments():
            with _named_fragment(fragment):
                parts = _parts(fragment)
                lengths.extend(_n_rows(part) for part in parts)
                schema = _schema_to_read(fragment, dataset.schema)
            self.fragments.extend(parts)
            self.schemas.extend([schema] * len(parts))
        self.lengths = np.array(lengths, dtype=np.intp)
        self.shape = (int(self.lengths.sum()), len(self.names))
        check_shape(self.shape, "dataset")
        fields = (field for schema in self.schemas for field in schema)
        singles = all(str(field.type) in ("float", "halffloat") for field in fields)
        self.dtype = np.dtype(np.float32 if singles else np.float64)

    def read(self, number: int) -> NDArray:
        """Return a chunk."""
        fragment, n_rows = self.fragments[number], int(self.lengths[number])
        with _named_fragment(fragment):
            table = fragment.to_table(schema=self.schemas[number])
        if table.num_rows != n_rows:
            raise DataFileError(
                f"{_file_of(fragment)} had {n_rows} rows here when it was opened, and has {table.num_rows} now: "
                "somebody has replaced it. Start again."
            )
        block = np.empty((n_rows, self.shape[1]), dtype=self.dtype, order="F")
        for j, name in enumerate(self.names):
            block[:, j] = table.column(name).to_numpy()
        return block


def _not_numbers(schema: Any) -> list[tuple[str, Any]]:
    """Return names and types of columns that are not numbers: dates, text, categories, lists."""
    import pyarrow.types as kinds  # type: ignore[import-untyped]

    fine = (kinds.is_floating, kinds.is_integer, kinds.is_boolean, kinds.is_decimal)
    return [(field.name, field.type) for field in schema if not any(each(field.type) for each in fine)]


def _schema_to_read(fragment: Any, schema: Any) -> Any:
    """Return the columns of the dataset in their order, with the types that this file has; refuse missing ones."""
    import pyarrow
    import pyarrow.dataset  # type: ignore[import-untyped]

    own = fragment.physical_schema
    twice = [name for name in schema.names if len(own.get_all_field_indices(name)) > 1]
    if twice:
        raise DataFileError(f"{_file_of(fragment)} has more than one column named {listed(twice)}.")
    from_folders = pyarrow.dataset.get_partition_keys(fragment.partition_expression)
    missing = [name for name in schema.names if name not in own.names and name not in from_folders]
    if missing:
        raise DataFileError(
            f"{_file_of(fragment)} lacks {listed(missing, limit=5)}, which other files of the dataset have. Write it "
            "again with all columns, or take it out of the folder."
        )
    fields = [own.field(name) if name in own.names else schema.field(name) for name in schema.names]
    refuse_kinds(_not_numbers(fields), DataFileError, _file_of(fragment))
    return pyarrow.schema(fields)


def _file_of(fragment: Any) -> str:
    return getattr(fragment, "path", "A part of the dataset")


@contextmanager
def _named_fragment(fragment: Any) -> Iterator[None]:
    try:
        yield
    except DataFileError:
        raise
    except (OSError, ValueError) as error:  # those of pyarrow are both
        raise DataFileError(
            f"{_file_of(fragment)} cannot be read: {first_sentence(error)} "
            "The file is damaged or cut short; write it again, or take it out of the folder."
        ) from error


def _parts(fragment: Any) -> list[Any]:
    return fragment.split_by_row_group() if hasattr(fragment, "split_by_row_group") else [fragment]


def _n_rows(part: Any) -> int:
    # count_rows of a single row group counts those of the whole file.
    groups = getattr(part, "row_groups", None)
    return sum(group.num_rows for group in groups) if groups else part.count_rows()


def first_sentence(error: Exception) -> str:
    """Return the first line of what another library says, as a sentence."""
    lines = str(error).splitlines() or [type(error).__name__]
    return f"{lines[0].rstrip('.')}."
