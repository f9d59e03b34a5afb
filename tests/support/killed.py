"""Work in a child process that is killed at a chosen moment: nothing is cleaned up, no handler runs."""

import itertools
import os
import signal
import traceback
from unittest.mock import patch

# Between these calls nothing on the disk changes but the inside of temporary files.
MOMENTS = ("fsync", "link", "replace", "rename", "unlink")


def start(function):
    """Run a function in a child process; return its id."""
    child = os.fork()
    if child == 0:
        try:
            function()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return child


def wait_for(child):
    """Return whether a child came to its end, or was killed; anything else is an error."""
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return False
    assert os.waitstatus_to_exitcode(status) == 0, "the child failed"
    return True


def until_killed(function, moment):
    """Run a function in a child that is killed just before its n-th change on the disk; say whether it came so far."""
    left = itertools.count(moment, -1)

    def deadly(call):
        def wrapped(*arguments, **settings):
            if next(left) == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **settings)

        return wrapped

    def work():
        with patch.multiple(os, **{name: deadly(getattr(os, name)) for name in MOMENTS}):
            function()

    return not wait_for(start(work))


def at_every_moment(function, every=1):
    """Yield the moments at which a function was killed, from its first change on the disk to its last."""
    for moment in itertools.count(0, every):
        if not until_killed(function, moment):
            return
        yield moment
