"""Files that appear whole or not at all, and values as JSON with arrays beside it, which run no code."""

from pulasso.storage._files import DAMAGED, as_path, new_file, refuse_existing, regular_file
from pulasso.storage._folder import read_folder, write_folder
from pulasso.storage._values import CannotBeSavedError, Codec

__all__ = [
    "DAMAGED",
    "CannotBeSavedError",
    "Codec",
    "as_path",
    "new_file",
    "read_folder",
    "refuse_existing",
    "regular_file",
    "write_folder",
]
