"""One thread for linear algebra while results must not depend on how many there are."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread"]


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let matrix products use one thread: with several, the order of sums and the last bits depend on them."""
    pools = _Pools.of_process(len(sys.modules))
    _common.enter(pools.common)
    try:
        with pools.own.limit(limits=1):
            yield
    finally:
        _common.leave()


class _Pools:
    """The thread pools of BLAS: one for each thread that calls it (OpenMP), or one for the whole process."""

    def __init__(self) -> None:
        every = ThreadpoolController().select(user_api="blas")
        is_own = {each["filepath"]: each.get("threading_layer") == "openmp" for each in every.info()}
        self.own = every.select(filepath=[file for file, own in is_own.items() if own])
        self.common = every.select(filepath=[file for file, own in is_own.items() if not own])

    @staticmethod
    @lru_cache(maxsize=1)
    def of_process(n_modules: int) -> "_Pools":
        """Look for the pools; again only after imports, as looking takes milliseconds."""
        return _Pools()


class _Common:
    """Limits that belong to the process: the first who needs them sets them, the last lifts them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.n_users = 0
        self.limits: list[tuple[ThreadpoolController, Any]] = []

    def enter(self, pools: ThreadpoolController) -> None:
        """Limit what is not limited yet."""
        with self.lock:
            self.n_users += 1
            if not any(pools is each for each, _ in self.limits):
                self.limits.append((pools, pools.limit(limits=1)))

    def leave(self) -> None:
        """Bring everything back once nobody needs the limits."""
        with self.lock:
            self.n_users -= 1
            while self.limits and not self.n_users:
                pools, limit = self.limits.pop()
                for library in pools.lib_controllers:
                    # Newer versions of threadpoolctl listen only to the thread that came first.
                    if hasattr(library, "clear_controlling_thread"):
                        library.clear_controlling_thread(force=True)
                limit.restore_original_limits()


_common = _Common()
