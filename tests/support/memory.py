"""How much memory something takes beyond what was there before."""

import tracemalloc
from contextlib import contextmanager


class Peak:
    """Bytes above the start, once the measurement is over."""

    nbytes = 0


@contextmanager
def peak_memory():
    """Measure the peak of traced allocations (NumPy's are traced) inside the block."""
    peak = Peak()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        yield peak
        peak.nbytes = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
