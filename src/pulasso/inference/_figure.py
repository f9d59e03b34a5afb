"""Axes to draw on, made only when somebody draws."""

from typing import Any

__all__ = ["new_axes"]


def new_axes(ax: Any) -> Any:
    """Return the given axes, or new ones; name the extra that brings matplotlib if it is missing."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot() needs matplotlib; install it with `pip install pulasso[plots]`.") from None
    return pyplot.subplots(layout="constrained")[1]
