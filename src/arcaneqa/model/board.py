"""Where threads that read together see what is to be done, and tell what they have done.

Work comes in turns, a turn has rounds (the layers of an encoder), and a round has tasks that anybody may
take. A round begins when all tasks of the one before have ended. Nobody waits for a helper that has not
begun: its tasks are taken by others. And whoever comes late for a turn, however late, finds that it is over:
every count carries the number of its turn.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.core import types

from arcaneqa.compiled import compiled
from arcaneqa.model.atomics import add_one, change, pause, read, write
from arcaneqa.ragged import Ints

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
