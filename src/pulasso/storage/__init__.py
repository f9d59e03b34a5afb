"""Files that appear whole or not at all, and values as JSON with arrays beside it, which run no code."""

from pulasso.storage._files import DAMAGED, as_path, is_part_of, new_file, refuse_existing
from pulasso.storage._folder import read_description, read_folder, write_folder
from pulasso.storage._values import CannotBeSavedError, Codec, Optional

__all__ = [
    "DAMAGED",
    "CannotBeSavedError",
    "Codec",
    "Optional",
    "as_path",
    "is_part_of",
    "new_file",
    "read_description",
    "read_folder",
    "refuse_existing",
    "write_folder",
]
