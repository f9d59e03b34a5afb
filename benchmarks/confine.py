"""Limits on memory: a control group where that is allowed, the address space elsewhere."""

import atexit
import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["limit_memory", "source_of"]


def limit_memory(options):
    """Refuse more than so much memory to this process and to those that it starts; note by which means."""
    size = int(options.memory * 2**30)
    if options.limit != "address-space" and join_group(size):
        options.limit, options.cache = "cgroup", options.cache or "keep"
    elif options.limit == "cgroup":
        sys.exit("No control group with a limit on memory can be made here; try --limit address-space.")
    else:
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        options.limit, options.cache = "address-space", options.cache or "drop"


def join_group(size):
    """Make a control group of this process with a limit on memory and page cache; say whether that was allowed."""
    parent, limit = current_group()
    group = parent / f"pulasso-scale-{os.getpid()}"
    try:
        group.mkdir()
        atexit.register(leave_group, group)
        (group / limit).write_text(str(size))
        (group / "cgroup.procs").write_text(str(os.getpid()))
    except OSError:
        return False
    return True


def current_group():
    """Return the folder of this process's control group for memory, and the file of its limit."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):  # version 1 has a tree of its own for memory
            return Path("/sys/fs/cgroup/memory", path.lstrip("/")), "memory.limit_in_bytes"
    return Path("/sys/fs/cgroup", path.lstrip("/")), "memory.max"


def leave_group(group):
    """Bring all processes of the group back to where we were, and remove it."""
    with suppress(OSError):
        for process in (group / "cgroup.procs").read_text().split():
            (group.parent / "cgroup.procs").write_text(process)
        group.rmdir()


def source_of(file, cache):
    """Return a source of the rows of a file that, before the first reading, is not in memory."""
    from pulasso.data.chunks import NpySource

    class Dropping(NpySource):
        """Takes what it has read out of the page cache."""

        def read(self, number):
            block = super().read(number)
            drop(self.path, self.start + int(self.edges[number]) * self.row_bytes, block.nbytes)
            return block

    # Pages that are in memory already count for whoever brought them there.
    drop(file, 0, 0)
    return NpySource(file) if cache == "keep" else Dropping(file)


def drop(file, first, length):
    """Take bytes of a file out of the page cache; no length means all."""
    with open(file, "rb") as opened:
        os.posix_fadvise(opened.fileno(), first, length, os.POSIX_FADV_DONTNEED)
