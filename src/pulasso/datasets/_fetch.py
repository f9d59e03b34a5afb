"""Finding the files of a data set: a local folder first, then the cache, then the network, by checksum."""

import gzip
import hashlib
import os
import warnings
from functools import cache
from pathlib import Path

import pandas as pd

from pulasso.exceptions import DataFileError

__all__ = ["GITHUB", "find", "read_table"]

LOCAL_FOLDER = "PULASSO_DATA"
GITHUB = "https://raw.githubusercontent.com"
REGISTRY = Path(__file__).parent / "registry.txt"


@cache
def checksums() -> dict[str, str]:
    """Return the SHA-256 of every known file by ``folder/name``, in the format of pooch."""
    lines = REGISTRY.read_text(encoding="utf-8").splitlines()
    return dict(line.split() for line in lines if not line.startswith("#"))


def find(file: str, *urls: str, as_text: str | None = None) -> Path:
    """Return where a file lies, after a download if need be.

    The folder that the environment variable ``PULASSO_DATA`` names is looked at first; files found there, plain
    or gzipped, must have the known checksum, too.

    Parameters
    ----------
    file : str
        Folder of the data set and name as downloaded, ``folder/name``.
    *urls : str
        Folders on the network that serve the same bytes, the origin first.
    as_text : str, optional
        The same table as text, ``folder/name``, which a local folder may hold instead.
    """
    home, packed = os.environ.get(LOCAL_FOLDER), f"{file}.gz"
    if home:
        for each in filter(None, (file, packed, as_text)):
            path = Path(home) / each
            if path.is_file():
                content = path.read_bytes()
                if each == packed:
                    _check(path, gzip.decompress(content), file)
                else:
                    _check(path, content, each)
                return path
    return _download(file, urls)


def _check(path: Path, content: bytes, file: str) -> None:
    found, known = hashlib.sha256(content).hexdigest(), checksums()[file]
    if found != known:
        raise DataFileError(
            f"{path} is damaged or another version: its SHA-256 begins with {found[:12]}, not {known[:12]}. "
            f"Remove the file, or unset {LOCAL_FOLDER}, to have it downloaded again."
        )


def _download(file: str, urls: tuple[str, ...]) -> Path:
    folder, name = file.split("/")
    by_hand = f"let {LOCAL_FOLDER} name a folder that holds {file}."
    try:
        import pooch
    except ImportError:
        raise ImportError(
            f'{name} has to be downloaded, which needs pooch: pip install "pulasso[data]". Or {by_hand}'
        ) from None
    cached, failures = pooch.os_cache("pulasso") / folder, []
    for url in urls:
        try:
            known = f"sha256:{checksums()[file]}"
            return Path(pooch.retrieve(f"{url}/{name}", known, fname=name, path=cached))
        except (OSError, ValueError) as error:  # no network, no such page, or other bytes than expected
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            failures.append(f"{url}/{name}: {why}")
    raise OSError(f"{name} could not be downloaded. {'; '.join(failures)}. Do it by hand, and {by_hand}")


def read_table(path: Path, delimiter: str = ",") -> pd.DataFrame:
    """Return a data frame saved by R, or a table with a header, all of it as text: loaders know what is a number."""
    if path.suffix not in (".rds", ".rda"):
        return pd.read_csv(path, sep=delimiter, dtype=str, keep_default_na=False)
    try:
        import rdata
    except ImportError:
        raise ImportError(
            f'{path.name} is a file of R, which needs rdata: pip install "pulasso[data]".'
        ) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a data.table is read as the data frame that it is
        if path.suffix == ".rds":
            return rdata.read_rds(path)
        return next(iter(rdata.read_rda(path).values()))
