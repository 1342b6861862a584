"""A few threads that work on one thing together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock

from arcaneqa.processors import processors

_LATELY = 0.1
"""Seconds in which a thread that reads for several questions comes back for their next step."""


class Team:
    """The caller's thread and its helpers, which are started when first needed.

    Where callers have met lately each works alone: together they keep the processors busy, and nobody waits
    for anybody.
    """

    def __init__(self) -> None:
        self._most = processors()
        self._lock = Lock()
        self._callers = 0
        self._met = float("-inf")
        self._helpers: ThreadPoolExecutor | None = None
        self._process = 0

    def work(self, part: Callable[[int, int], None], most: int, release: Callable[[], None]) -> None:
        """Call `part(worker, workers)` for every worker at once, of whom there are at most so many.

        Parts may wait for each other. Where one fails, or cannot begin, `release` must end the waiting of the
        others; then the failure is raised.
        """
        workers = min(self._most, most)
        has_company = self._enter()
        try:
            if workers < 2 or has_company:
                part(0, 1)
            else:
                self._share(part, workers, release)
        finally:
            with self._lock:
                self._callers -= 1

    def _enter(self) -> bool:
        """Whether there are, or were lately, several callers at once."""
        with self._lock:
            self._callers += 1
            now = time.monotonic()
            if self._callers > 1:
                self._met = now
            return now - self._met < _LATELY

    def _share(self, part: Callable[[int, int], None], workers: int, release: Callable[[], None]) -> None:
        def held_up(worker: int) -> None:
            try:
                part(worker, workers)
            except BaseException:
                release()
                raise

        others: list[Future[None]] = []
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

    def _awake(self) -> ThreadPoolExecutor:
        # A process that was split off has none of its parent's threads.
        if self._helpers is None or self._process != os.getpid():
            self._helpers = ThreadPoolExecutor(self._most - 1, "encoder")
            self._process = os.getpid()
        return self._helpers
