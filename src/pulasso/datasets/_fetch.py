"""Finding the files of a data set: a local folder first, then the cache, then the network, by checksum."""

import csv
import gzip
import hashlib
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["File", "find", "read_table"]

LOCAL_FOLDER = "PULASSO_DATA"


@dataclass(frozen=True)
class File:
    """A file of a data set.

    Attributes
    ----------
    folder : str
        Name of the data set's folder under ``PULASSO_DATA`` and in the cache.
    name : str
        As downloaded.
    sha256 : str
        Of what the addresses serve.
    urls : tuple of str
        Addresses of the same bytes, the origin first.
    as_text : (str, str), optional
        Name and checksum of the same table as text, which a local folder may hold instead.
    """

    folder: str
    name: str
    sha256: str
    urls: tuple[str, ...]
    as_text: tuple[str, str] | None = None


def find(file: File) -> Path:
    """Return where the file lies, after a download if need be.

    The folder that the environment variable ``PULASSO_DATA`` names is looked at first; files found there, plain
    or gzipped, must have the known checksum, too.
    """
    home = os.environ.get(LOCAL_FOLDER)
    if home:
        names = [(file.name, file.sha256), (f"{file.name}.gz", file.sha256)]
        for name, sha256 in names + ([file.as_text] if file.as_text else []):
            path = Path(home) / file.folder / name
            if path.is_file():
                return _checked(path, sha256, unpack=name == f"{file.name}.gz")
    return _download(file)


def _checked(path: Path, sha256: str, unpack: bool) -> Path:
    content = path.read_bytes()
    found = hashlib.sha256(gzip.decompress(content) if unpack else content).hexdigest()
    if found != sha256:
        raise ValueError(
            f"{path} is damaged or another version: its SHA-256 begins with {found[:12]}, not {sha256[:12]}. "
            f"Remove the file, or unset {LOCAL_FOLDER}, to have it downloaded again."
        )
    return path


def _download(file: File) -> Path:
    try:
        import pooch
    except ImportError:
        raise ImportError(
            f'{file.name} has to be downloaded, which needs pooch: pip install "pulasso[data]". Or let '
            f"{LOCAL_FOLDER} name a folder that holds {file.folder}/{file.name}."
        ) from None
    failures = []
    for url in file.urls:
        try:
            path = pooch.retrieve(
                url,
                known_hash=f"sha256:{file.sha256}",
                fname=file.name,
                path=pooch.os_cache("pulasso") / file.folder,
            )
            return Path(path)
        except (OSError, ValueError) as error:  # no network, no such page, or other bytes than expected
            failures.append(f"{url}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
    raise OSError(
        f"{file.name} could not be downloaded. " + "; ".join(failures) + f". Download it by hand, and let "
        f"{LOCAL_FOLDER} name the folder that holds {file.folder}/{file.name}."
    )


def read_table(path: Path, delimiter: str = ",") -> dict[str, NDArray]:
    """Return the columns of a table with a header, or of a data frame saved by R, by name.

    Columns of numbers become floats, all others text; an empty entry makes a column text.
    """
    if path.suffix in (".rds", ".rda"):
        return _read_r(path)
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
    header, *rows = csv.reader(text.splitlines(), delimiter=delimiter)
    columns = np.array(rows, dtype=object).T
    return {name: _as_column(values) for name, values in zip(header, columns, strict=True)}


def _as_column(values: NDArray) -> NDArray:
    try:
        return values.astype(float)
    except (TypeError, ValueError):  # text, or a missing value of R
        return values.astype(str)


def _read_r(path: Path) -> dict[str, NDArray]:
    try:
        import rdata
    except ImportError:
        raise ImportError(
            f'{path.name} is a file of R, which needs rdata: pip install "pulasso[data]".'
        ) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a data.table is read as the data frame that it is
        found = rdata.read_rds(path) if path.suffix == ".rds" else rdata.read_rda(path)
    frame: Any = found if path.suffix == ".rds" else next(iter(found.values()))
    return {str(name): _as_column(frame[name].to_numpy(dtype=object)) for name in frame.columns}
