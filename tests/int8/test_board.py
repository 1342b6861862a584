"""Tasks that anybody may take: each is taken once, and never in a turn that is over."""

from __future__ import annotations

import os
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given, settings
from hypothesis import strategies as st

from arcaneqa.int8.threads import announce, board, dismiss, end, left, next_turn, take, turn_of, wait_for

ROUNDS = 3


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=6))
@settings(deadline=None)
def test_whoever_is_late_finds_nothing(turns: list[tuple[int, int]]) -> None:
    """However many tasks a later turn has, and however many of them are still there."""
    shown = board(ROUNDS)
    place = shown.ctypes.data
    for tasks, taken in turns:
        announce(shown, tasks, ROUNDS, 0)
        turn = turn_of(place)
        for before in range(turn):
            assert take(place, before, 0, 0) == -1
            assert not wait_for(place, before, 0)
        found = [take(place, turn, 0, own=5) for _ in range(taken)]
        assert sorted(task for task in found if task >= 0) == sorted({task for task in found if task >= 0})
        assert sum(task >= 0 for task in found) == min(tasks, taken)


def test_in_every_round_each_takes_its_own_task_first() -> None:
    shown = board(ROUNDS)
    place = shown.ctypes.data
    announce(shown, 3, ROUNDS, 0)
    for round_ in range(ROUNDS):
        assert [take(place, 1, round_, own) for own in (2, 0, 2, 1)] == [2, 0, 1, -1]


def test_many_threads_take_every_task_once() -> None:
    shown = board(ROUNDS)
    place = shown.ctypes.data
    for turn in range(1, 200):
        announce(shown, 7, ROUNDS, 0)

        def work(own: int, turn: int = turn) -> list[tuple[int, int]]:
            found = []
            for round_ in range(ROUNDS):
                while (task := take(place, turn, round_, own)) >= 0:
                    found.append((round_, task))
                    end(place, round_)
                assert wait_for(place, turn, round_)
            return found

        with ThreadPoolExecutor(4) as threads:
            taken = Counter(one for found in threads.map(work, range(4)) for one in found)
        assert taken == Counter((round_, task) for round_ in range(ROUNDS) for task in range(7))


def test_a_helper_is_woken_once_and_again_when_it_has_gone_to_sleep() -> None:
    shown = board(ROUNDS)
    place = shown.ctypes.data
    assert announce(shown, 2, ROUNDS, 2) == 0b11
    assert announce(shown, 2, ROUNDS, 2) == 0, "both count as awake"
    heard, rung = os.pipe()
    assert next_turn(place, 1, 0, heard) == 2
    with ThreadPoolExecutor(1) as thread:
        turn = thread.submit(next_turn, place, 2, 0, heard)
        time.sleep(0.05)
        os.write(rung, bytes(8))  # once too often, or by somebody else
        time.sleep(0.05)
        assert not turn.done(), "nothing came"
        assert announce(shown, 2, ROUNDS, 2) == 0b01
        os.write(rung, bytes(8))
        assert turn.result(20) == 3
        left(shown, 1)
        assert announce(shown, 2, ROUNDS, 2) == 0b10
        turn = thread.submit(next_turn, place, 4, 0, heard)
        dismiss(shown)
        os.write(rung, bytes(8))
        assert turn.result(20) < 0
