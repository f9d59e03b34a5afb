"""How much memory something takes beyond what was there before."""

import os
import threading
import tracemalloc
from contextlib import contextmanager
from pathlib import Path


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


@contextmanager
def peak_of_processes():
    """Measure the peak of what this process and its children have in memory; what they share counts once."""
    peak, over = Peak(), threading.Event()
    before = _in_memory(os.getpid())

    def watch():
        while not over.wait(0.01):
            peak.nbytes = max(peak.nbytes, _in_memory(os.getpid()) - before)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        over.set()
        watcher.join()


def _in_memory(process):
    here = Path(f"/proc/{process}")
    try:
        total = next(
            each for each in (here / "smaps_rollup").read_text().splitlines() if each.startswith("Pss:")
        )
        children = " ".join(each.read_text() for each in here.glob("task/*/children")).split()
    except (OSError, StopIteration):  # it has ended
        return 0
    return 1024 * int(total.split()[1]) + sum(map(_in_memory, children))
