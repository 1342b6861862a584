"""A few threads that work on one thing together."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock


def threads() -> int:
    """As many as may run at once; OMP_NUM_THREADS is heeded, as by other numerical libraries."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdigit() and int(asked):
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Team:
    """The caller's thread and its helpers, which are started when first needed.

    Helpers are for one caller at a time: another one, who comes meanwhile, works alone.
    """

    def __init__(self) -> None:
        self._most = threads()
        self._lock = Lock()
        self._helpers: ThreadPoolExecutor | None = None
        self._process = 0

    def work(self, part: Callable[[int, int], None], most: int, release: Callable[[], None]) -> None:
        """Call `part(worker, workers)` for every worker at once, of whom there are at most so many.

        Parts may wait for each other. Where one fails, or cannot begin, `release` must end the waiting of the
        others; then the failure is raised.
        """
        workers = min(self._most, most)
        if workers < 2 or not self._lock.acquire(blocking=False):
            part(0, 1)
            return

        def held_up(worker: int) -> None:
            try:
                part(worker, workers)
            except BaseException:
                release()
                raise

        others: list[Future[None]] = []
        try:
            try:
                helpers = self._awake()
                others += (helpers.submit(held_up, worker) for worker in range(1, workers))
                held_up(0)
            except BaseException:
                release()
                raise
            finally:
                wait(others)
            for other in others:
                other.result()
        finally:
            self._lock.release()

    def _awake(self) -> ThreadPoolExecutor:
        # A process that was split off has none of its parent's threads.
        if self._helpers is None or self._process != os.getpid():
            self._helpers = ThreadPoolExecutor(self._most - 1, "encoder")
            self._process = os.getpid()
        return self._helpers
