"""The caller's thread and its helpers, which read one thing together."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from weakref import WeakSet

from arcaneqa.model.board import MOST_HELPERS
from arcaneqa.processors import other_processors, processors

_LATELY = 0.1
"""Seconds in which a thread that reads for several questions comes back for their next step."""
_ONCE = (1).to_bytes(8, sys.byteorder)


_teams: WeakSet[Team] = WeakSet()


class Team:
    """How many may work on one call.

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


class Helper:
    """A thread that works, and sleeps at its bell, in compiled code: nothing that Python does holds it up
    when it wakes."""

    def __init__(self, work: Callable[[int], None], leave: Callable[[], None]) -> None:
        """`work` is given what to listen at; whoever sees it `leave` can wake it no more."""
        self._bell = _Bell()
        try:
            more = (work, leave, self._bell)
            self._thread = Thread(target=_work, args=more, name="encoder", daemon=True)
            self._thread.start()
        except BaseException:  # the system lets the process have no more threads
            self._bell.close()
            raise

    def wake(self) -> bool:
        """Whether it still can be woken."""
        if others := other_processors():
            # A busy system would let it wake where whoever waits for it is at work.
            with suppress(OSError):  # a sandbox may not let anybody choose
                os.sched_setaffinity(self._thread.native_id or 0, others)
        return self._bell.ring()


def _work(work: Callable[[int], None], leave: Callable[[], None], bell: _Bell) -> None:
    # Others do what it leaves undone, and whoever has the same trouble there tells it.
    with suppress(Exception):
        work(bell.heard_at)
    bell.close()
    leave()


class _Bell:
    """What `board.next_turn` sleeps at: to read from it takes until somebody has rung."""

    def __init__(self) -> None:
        if hasattr(os, "eventfd"):
            self.heard_at = self._rung_at = os.eventfd(0)
        else:
            self.heard_at, self._rung_at = os.pipe()
        self._lock = Lock()
        self._is_there = True

    def ring(self) -> bool:
        """False where nobody listens any more."""
        with self._lock:
            if self._is_there:
                os.write(self._rung_at, _ONCE)
            return self._is_there

    def close(self) -> None:
        with self._lock:
            self._is_there = False
            for one in {self.heard_at, self._rung_at}:
                os.close(one)


def _split_off() -> None:
    """Nobody opens a lock that another thread of the parent held."""
    for team in list(_teams):
        team._begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_split_off)
