"""Data that come in chunks of rows, from a disk or from other machines, and sums over them."""

from pulasso.data.chunks.dataset import DatasetSource
from pulasso.data.chunks.local import LocalChunks
from pulasso.data.chunks.opening import as_chunked, is_chunked
from pulasso.data.chunks.selected import SelectedRows
from pulasso.data.chunks.sources import ArraySource, NpySource
from pulasso.design import Chunks, split

__all__ = [
    "ArraySource",
    "Chunks",
    "DatasetSource",
    "LocalChunks",
    "NpySource",
    "SelectedRows",
    "as_chunked",
    "is_chunked",
    "split",
]
