"""The one way up: results and models hand themselves to pictures and reports, which live above them."""

from importlib import import_module
from typing import Any

__all__ = ["from_above"]


def from_above(module: str, name: str) -> Any:
    """Return a name of a module on a higher floor, loaded when it is called for.

    Imports point downward. A method such as ``result.plot()`` is a convenience that leads upward, so
    it looks its target up by name instead of importing it.

    Examples
    --------
    >>> from_above("report", "write_report").__name__
    'write_report'
    """
    return getattr(import_module(f"pulasso.{module}"), name)
