"""What is installed and which kernel runs: the first thing to paste into a bug report."""

import platform
import sys
from importlib import metadata

from pulasso._version import __version__

__all__ = ["show_versions", "versions"]

PACKAGES = ("numpy", "scipy", "scikit-learn", "joblib", "pandas", "pyarrow", "matplotlib", "typer", "rich")


def versions() -> dict[str, str]:
    """Return versions of Python, of the packages in use, and the kernel that runs, by name."""
    from pulasso import kernels

    lines = {"python": sys.version.split()[0], "platform": platform.platform(), "pulasso": __version__}
    for name in PACKAGES:
        try:
            lines[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            lines[name] = "not installed"
    compiled = "native (compiled)" if kernels.ACTIVE == "native" else "numpy (no compiled library in use)"
    return {**lines, "kernel": compiled}


def show_versions() -> None:
    """Print versions of Python, of the packages in use, and the kernel that runs.

    Examples
    --------
    >>> import pulasso
    >>> pulasso.show_versions()  # doctest: +ELLIPSIS
    python        ...
    kernel        ...
    """
    print("\n".join(f"{name:<13} {value}" for name, value in versions().items()))
