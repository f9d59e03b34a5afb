"""Saved models as files: JSON and arrays in a folder that appears whole or not at all, and runs no code."""

from pulasso.storage._arrays import DAMAGED, read_arrays, write_arrays
from pulasso.storage._files import as_path, new_file, new_folder, refuse_existing, regular_file
from pulasso.storage._values import CannotBeSavedError, Decoder, Dispensable, Encoder

__all__ = [
    "DAMAGED",
    "CannotBeSavedError",
    "Decoder",
    "Dispensable",
    "Encoder",
    "as_path",
    "new_file",
    "new_folder",
    "read_arrays",
    "refuse_existing",
    "regular_file",
    "write_arrays",
]
