"""A chunk may itself be worked on in slices that stay in the cache."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

__all__ = ["SLICE_BYTES", "map_reduce_slices"]

T = TypeVar("T")
SLICE_BYTES = 2**22  # small enough to be still in the cache when it is read again


def map_reduce_slices(function: Callable[..., T], block: Any, own: tuple, shared: tuple) -> T:
    """Return ``function`` of one block, as a sum over slices of rows that stay in the cache.

    Only large dense blocks in C order are cut; what belongs to each row (labels, weights) is cut along.
    """
    is_cut = isinstance(block, np.ndarray) and block.flags.c_contiguous and block.nbytes > 2 * SLICE_BYTES
    if not is_cut:
        return function(block, *own, *shared)
    step = max(1, SLICE_BYTES // max(1, block.nbytes // len(block)))
    total: Any = None
    for first in range(0, len(block), step):
        rows = slice(first, first + step)
        mine = (part[rows] if np.ndim(part) and len(part) == len(block) else part for part in own)
        result = function(block[rows], *mine, *shared)
        total = result if total is None else total + result
    return total
