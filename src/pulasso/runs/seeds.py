"""Random numbers for many steps: one stream for each, the same whoever computes it and in which order."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.runs._checkpoint import Run

__all__ = ["draw_entropy", "spawn"]

WORDS = 4  # 128 bits, as NumPy itself takes from the operating system


def draw_entropy(random_state: Any, run: Run | None = None) -> NDArray[np.uint32]:
    """Return the numbers from which all streams of a run grow.

    Parameters
    ----------
    random_state : int, Generator, RandomState or None
        A generator is asked for a few numbers; None asks the operating system.
    run : Run, optional
        Saves the numbers, and has them if it was interrupted: what was left to chance is not drawn twice.

    Examples
    --------
    >>> draw_entropy(7)
    array([7, 0, 0, 0], dtype=uint32)
    """
    saved = None if run is None else run.load("seeds")
    if saved is None:
        words = _draw(random_state)
        saved = {"words": words} if run is None else run.save("seeds", {"words": words})
    return saved["words"]


def _draw(random_state: Any) -> NDArray[np.uint32]:
    if random_state is None:
        random_state = np.random.default_rng()
    if isinstance(random_state, np.random.Generator):
        return random_state.integers(2**32, size=WORDS, dtype=np.uint32)
    if isinstance(random_state, np.random.RandomState):
        return random_state.randint(2**32, size=WORDS, dtype=np.uint32)
    whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if not whole or not 0 <= random_state < 2**128:
        raise ValueError(
            f"random_state={random_state!r} must be a whole number from 0, a NumPy generator, or None."
        )
    words = [int(random_state) >> (32 * i) & 0xFFFFFFFF for i in range(WORDS)]
    return np.array(words, dtype=np.uint32)


def spawn(entropy: NDArray[np.uint32], n_streams: int) -> list[np.random.SeedSequence]:
    """Return one seed for each stream; the first ones are the same however many are asked for."""
    return np.random.SeedSequence(entropy.tolist()).spawn(n_streams)
