"""Arrays in an ``.npz`` file that may come from anywhere.

Reading trusts nothing: the declared dtypes and shapes say how large every member and the whole file must be,
members are stored uncompressed, so that the file on the disk is as large as what it unfolds to, and anything
that differs is refused before memory is taken for it. Names in the archive are compared, never used as paths.
"""

import hashlib
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from pulasso.exceptions import SavedModelError
from pulasso.storage._files import regular_file, uninterrupted

__all__ = ["read_arrays", "write_arrays"]

DTYPE = re.compile(r"[<>|](?:b1|[iu][1248]|f[248]|U\d{1,7})")
MAX_DIMENSIONS = 8
HEADER_BYTES = 10_000  # of one array: NumPy's own limit
ENTRY_BYTES = 512  # of one array in the directory of the archive: fixed fields, name, 64-bit sizes
END_OF_ARCHIVE = struct.Struct("<4s4H2LH")
LAST_CODE_POINT = 0x10FFFF
# How Python says that an archive of arrays cannot be read: flags for encryption and unknown compression among them.
DAMAGED = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)
CHUNK_BYTES = 2**20


def write_arrays(path: Path, arrays: Mapping[str, NDArray]) -> dict[str, Any]:
    """Write arrays and return what `read_arrays` must know about them, as JSON holds it."""
    # Ctrl-C in the middle of an archive would come out as an error of `zipfile`.
    with uninterrupted(), open(path, "wb") as stream:
        members: dict[str, Any] = dict(arrays)
        np.savez(stream, **members)  # numbers and text only, so nothing is pickled: the encoder sees to it
    declared = {
        name: {"dtype": array.dtype.str, "shape": list(array.shape)} for name, array in arrays.items()
    }
    return {"sha256": _hash(path), "members": declared}


def read_arrays(path: Path, declared: Any) -> dict[str, NDArray]:
    """Read arrays that are what was declared, or raise a `SavedModelError`."""
    members = _read_declaration(declared)
    size = regular_file(path)
    wanted = sum(dtype.itemsize * prod(shape) for dtype, shape in members.values())
    room = len(members) * (HEADER_BYTES + 2 * ENTRY_BYTES) + ENTRY_BYTES
    if not wanted <= size <= wanted + room:
        raise SavedModelError(
            f"{path} has {size} bytes, which does not fit the {wanted} that its arrays need."
        )
    if _hash(path) != declared["sha256"]:
        raise SavedModelError(f"{path} is damaged: its hash is not the one that was saved with it.")
    try:
        with open(path, "rb") as stream:
            _check_directory(stream, size, len(members))
            with zipfile.ZipFile(stream) as archive:
                _check_members(archive, members)
                return {name: _read_member(archive, name, *members[name]) for name in members}
    except SavedModelError as error:
        raise SavedModelError(f"{path}: {error}") from None
    except DAMAGED as error:
        raise SavedModelError(f"{path} is damaged: {error}") from None


def _hash(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _read_declaration(declared: Any) -> dict[str, tuple[np.dtype, tuple[int, ...]]]:
    """Return dtype and shape of every array, from JSON that may say anything."""
    members: dict[str, tuple[np.dtype, tuple[int, ...]]] = {}
    entries = declared.get("members") if isinstance(declared, dict) else None
    if not isinstance(entries, dict) or not isinstance(declared.get("sha256"), str):
        raise SavedModelError("the list of arrays is missing or not one.")
    for name, entry in entries.items():
        dtype, shape = (entry.get("dtype"), entry.get("shape")) if isinstance(entry, dict) else (None, None)
        if not isinstance(dtype, str) or not DTYPE.fullmatch(dtype):
            raise SavedModelError(f"array {name!r} has the dtype {dtype!r}, which no saved model uses.")
        sizes: list[Any] = shape if isinstance(shape, list) and len(shape) <= MAX_DIMENSIONS else [None]
        if not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 2**48 for n in sizes):
            raise SavedModelError(f"array {name!r} has the shape {shape!r}, which is not one.")
        members[name] = (np.dtype(dtype), tuple(sizes))
    return members


def _check_directory(stream: IO[bytes], size: int, n_members: int) -> None:
    """Refuse an archive whose directory is larger than its members need, before it is read."""
    if size < END_OF_ARCHIVE.size:
        raise SavedModelError("it is too short to be an archive.")
    stream.seek(size - END_OF_ARCHIVE.size)
    mark, *_, directory_bytes, _, _ = END_OF_ARCHIVE.unpack(stream.read(END_OF_ARCHIVE.size))
    if mark != b"PK\x05\x06" or directory_bytes > n_members * ENTRY_BYTES:
        raise SavedModelError("its directory is not that of a saved model.")
    stream.seek(0)


def _check_members(archive: zipfile.ZipFile, members: Mapping[str, Any]) -> None:
    found = [info.filename for info in archive.infolist()]
    if sorted(found) != sorted(f"{name}.npy" for name in members):
        raise SavedModelError("it does not hold the arrays that were declared.")
    for info in archive.infolist():
        dtype, shape = members[info.filename.removesuffix(".npy")]
        expected = dtype.itemsize * prod(shape)
        stored = info.compress_type == zipfile.ZIP_STORED and info.compress_size == info.file_size
        if not stored or not expected <= info.file_size <= expected + HEADER_BYTES:
            raise SavedModelError(f"{info.filename!r} is compressed, or not as large as declared.")


def _read_member(archive: zipfile.ZipFile, name: str, dtype: np.dtype, shape: tuple[int, ...]) -> NDArray:
    with archive.open(f"{name}.npy") as stream:
        version = npy.read_magic(stream)
        read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}.get(version)
        if read_header is None:
            raise SavedModelError(f"array {name!r} has an unknown version {version}.")
        found_shape, fortran, found_dtype = read_header(stream)
        if found_dtype != dtype or found_shape != shape:
            raise SavedModelError(f"array {name!r} is {found_dtype} {found_shape}, not {dtype} {shape}.")
        array = np.empty(prod(shape), dtype)
        _fill(array, stream, name)
    _check_values(array, name)
    array = array.astype(dtype.newbyteorder("="), copy=False)
    return array.reshape(shape, order="F" if fortran else "C")


def _fill(array: NDArray, stream: IO[bytes], name: str) -> None:
    bytes_of = array.view(np.uint8) if array.nbytes else np.empty(0, np.uint8)
    for start in range(0, len(bytes_of), CHUNK_BYTES):
        chunk = stream.read(min(CHUNK_BYTES, len(bytes_of) - start))
        if len(chunk) < min(CHUNK_BYTES, len(bytes_of) - start):
            raise SavedModelError(f"array {name!r} ends early.")
        bytes_of[start : start + len(chunk)] = np.frombuffer(chunk, np.uint8)
    if stream.read(1):
        raise SavedModelError(f"array {name!r} goes on after its end.")


def _check_values(array: NDArray, name: str) -> None:
    """Refuse bytes that no value of the dtype has: text outside Unicode, truth values beyond 0 and 1."""
    if not array.nbytes:
        return
    if array.dtype.kind == "b" and array.view(np.uint8).max() > 1:
        raise SavedModelError(f"array {name!r} holds truth values that are neither true nor false.")
    if array.dtype.kind == "U":
        points = array.view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
        if points.max() > LAST_CODE_POINT:
            raise SavedModelError(f"array {name!r} holds text that is not Unicode.")
