"""The caller's thread and its helpers, which read one thing together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Lock
from weakref import WeakSet

from arcaneqa.model.board import MOST_HELPERS
from arcaneqa.processors import other_processors, processors

_LATELY = 0.1
"""Seconds in which a thread that reads for several questions comes back for their next step."""


_teams: WeakSet[Team] = WeakSet()


class Team:
    """How many may work on one call, and the helpers' threads, which are started when first needed.

    Where callers have met lately each works alone: together they keep the processors busy, and nobody waits
    for anybody.
    """

    def __init__(self) -> None:
        self.most = min(processors(), MOST_HELPERS + 1)
        self._begin()
        _teams.add(self)

    def _begin(self) -> None:
        self._lock = Lock()
        self._callers = 0
        self._met = float("-inf")
        self._helpers: ThreadPoolExecutor | None = None

    @contextmanager
    def gathered(self) -> Iterator[int]:
        """How many may work together for the one who calls now."""
        with self._lock:
            self._callers += 1
            now = time.monotonic()
            if self._callers > 1:
                self._met = now
            has_company = now - self._met < _LATELY
        try:
            yield 1 if has_company else self.most
        finally:
            with self._lock:
                self._callers -= 1

    def wake(self, help_out: Callable[[], None]) -> bool:
        """Have a helper do something; whether it could be asked to. Whoever calls does not wait for it."""
        try:
            if self._helpers is None:
                self._helpers = ThreadPoolExecutor(self.most - 1, "encoder")
            self._helpers.submit(_elsewhere, other_processors(), help_out)
        except RuntimeError:  # the system lets the process have no more threads, or it is about to end
            return False
        return True


def _elsewhere(others: set[int], work: Callable[[], None]) -> None:
    """Work on one of these processors. A busy system would leave a helper where it was woken, in the way of
    whoever waits for it."""
    if others:
        with suppress(OSError):  # a sandbox may not let it choose
            os.sched_setaffinity(0, others)
    work()


def _split_off() -> None:
    """A process that was split off has none of its parent's threads, and nobody who would open a lock."""
    for team in list(_teams):
        team._begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_split_off)
