"""What is installed and which kernel runs: the first thing to paste into a bug report."""

import platform
import sys
from importlib import metadata

__all__ = ["show_versions"]

PACKAGES = ("pulasso", "numpy", "scipy", "scikit-learn", "pandas", "matplotlib")


def show_versions() -> None:
    """Print versions of Python, of the packages in use, and the kernel that runs.

    Examples
    --------
    >>> import pulasso
    >>> pulasso.show_versions()  # doctest: +ELLIPSIS
    python        ...
    kernel        ...
    """
    from pulasso import kernels

    lines = {"python": sys.version.split()[0], "platform": platform.platform()}
    for name in PACKAGES:
        try:
            lines[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            lines[name] = "not installed"
    compiled = "native (compiled)" if kernels.ACTIVE == "native" else "numpy (no compiled library in use)"
    lines["kernel"] = compiled
    print("\n".join(f"{name:<13} {value}" for name, value in lines.items()))
