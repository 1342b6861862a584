"""The caller's thread and its helpers, which read one thing together."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from typing import Any
from weakref import WeakSet

import numba
import numpy as np
from numba.core import types

from arcaneqa.int8.instructions import add_one, change, pause, read, write
from arcaneqa.support.compiled import compiled
from arcaneqa.support.memory import other_processors, processors
from arcaneqa.support.ragged import Ints

# Where threads that read together see what is to be done, and tell what they have done.


_LINE = 8
"""Numbers in a line of the cache: each count has one to itself, or threads would take it from each other."""
MOST_HELPERS = 62
_TASKS = MOST_HELPERS + 1
"""Of a round, at most: one for everybody."""
_ROUND = _LINE + -(-_TASKS // _LINE) * _LINE
_NUMBER, _SHARED, _FLAGS, _ROUNDS = 0, _LINE, 2 * _LINE, (2 + MOST_HELPERS) * _LINE
_TURN = 20
"""A count's bits below the number of its turn."""
_COUNT = (1 << _TURN) - 1
_LOOKS = 5_000
"""At a count, about a tenth of a millisecond, before a thread sleeps a little: on a busy machine the others
may not even be running."""
_SLEEP = 30
"""Microseconds."""
_STAY = 200_000
"""Looks of a helper that has nothing to do, some four milliseconds, before it goes to sleep: between two
calls of one question there is less (over a large knowledge base more than two for a third of them), and to be
woken takes a good part of a call."""
_OVER = -1
"""In place of a turn's number: there will be no other."""


def _part_of_it(function: Any) -> Any:
    return numba.njit(nogil=True, error_model="numpy")(function)


_usleep: Any = types.ExternalFunction("usleep", types.intc(types.uint32))
_read: Any = types.ExternalFunction("read", types.intp(types.intc, types.uintp, types.uintp))


@_part_of_it
def _step_aside() -> None:
    _usleep(_SLEEP)


def board(rounds: int) -> Ints:
    """The turn's number, and how many tasks its rounds have; which helpers are awake; and of every round,
    how many tasks have ended, and in which turn each was taken last."""
    return np.zeros(_ROUNDS + rounds * _ROUND, np.int64)


def left(board: Ints, helper: int) -> None:
    """A helper that counts as awake is not: it could not begin."""
    board[_FLAGS + helper * _LINE] = 0


def dismiss(board: Ints) -> None:
    """Helpers that look at the board, or are woken, work no more."""
    board[_NUMBER] = _OVER


@compiled
def announce(board: Ints, tasks: int, rounds: int, helpers: int) -> int:
    """A new turn. Which of the first `helpers` sleep, a bit for each; they count as awake from here on."""
    place = board.ctypes.data
    turn = board[_NUMBER] + 1
    for round_ in range(rounds):
        write(place + (_ROUNDS + round_ * _ROUND) * 8, turn << _TURN)
    write(place + _SHARED * 8, turn << _TURN | tasks)
    write(place, turn)
    asleep = 0
    for helper in range(helpers):
        asleep += change(_flag(place, helper), 0, 1) << helper
    return asleep


@_part_of_it
def turn_of(board: int) -> int:
    turn: int = read(board)
    return turn


@_part_of_it
def tasks_of(board: int, turn: int) -> int:
    """None where the turn is over."""
    shared: int = read(board + _SHARED * 8)
    return shared & _COUNT if shared >> _TURN == turn else 0


@_part_of_it
def take(board: int, turn: int, round_: int, own: int) -> int:
    """A task of a round that nobody has taken; -1 where there is none. Whoever takes the same one in every
    round finds in its cache what it left there."""
    tasks = tasks_of(board, turn)
    for number in range(tasks):
        task: int = (own + number) % tasks
        place = board + (_ROUNDS + round_ * _ROUND + _LINE + task) * 8
        last: int = read(place)
        if last < turn and change(place, last, turn):
            return task
    return -1


@_part_of_it
def end(board: int, round_: int) -> None:
    """Of a task that was taken."""
    add_one(board + (_ROUNDS + round_ * _ROUND) * 8)


@_part_of_it
def wait_for(board: int, turn: int, round_: int) -> bool:
    """Until all tasks of a round have ended; whether they did, or the turn was over."""
    place, tasks, looks = board + (_ROUNDS + round_ * _ROUND) * 8, tasks_of(board, turn), 0
    while True:
        ended = read(place)
        if ended >> _TURN != turn:
            return False
        if ended & _COUNT >= tasks:
            return True
        looks += 1
        if looks > _LOOKS:
            _step_aside()
        else:
            pause()


@_part_of_it
def next_turn(board: int, turn: int, helper: int, bell: int) -> int:
    """A helper waits for a turn after this one, first awake, then asleep until the bell rings; negative where
    it is dismissed."""
    flag = _flag(board, helper)
    now: int = turn
    for _ in range(_STAY):
        now = read(board)
        if now != turn:
            return now
        pause()
    write(flag, 0)
    now = read(board)
    if now != turn:
        # Whoever announced it may have taken the helper to be awake still, and not ring.
        change(flag, 0, 1)
    while now == turn:
        # Into the rest of the flag's line. It may have rung too often: then it is heard again.
        _read(bell, flag + 8, 8)
        now = read(board)
    return now


@_part_of_it
def _flag(board: int, helper: int) -> int:
    return board + (_FLAGS + helper * _LINE) * 8


# The caller's thread and its helpers, which read one thing together.


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
