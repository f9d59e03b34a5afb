"""Data that come in pieces of rows, from a disk or from other machines, and sums over them."""

from pulasso.pieces._protocol import Pieces, split
from pulasso.pieces.dataset import DatasetSource
from pulasso.pieces.local import LocalPieces
from pulasso.pieces.opening import as_pieces, is_in_pieces
from pulasso.pieces.sources import ArraySource, NpySource

__all__ = [
    "ArraySource",
    "DatasetSource",
    "LocalPieces",
    "NpySource",
    "Pieces",
    "as_pieces",
    "is_in_pieces",
    "split",
]
