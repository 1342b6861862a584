"""The compiled encoder against the library it was trained with, and against itself cut up in other ways."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arcaneqa.model import bert, kernels
from arcaneqa.model.bert import BertReader
from arcaneqa.model.reader import TorchReader
from arcaneqa.model.stored import Floats, Stored, bundled_model, read_stored
from arcaneqa.model.threads import Team
from arcaneqa.model.tiles import MULTIPLIES_BYTES

LENGTHS = np.array([1, 7, 64, 33, 140, 6])


@pytest.fixture(scope="module")
def stored() -> Stored:
    return read_stored(bundled_model())


@pytest.fixture(scope="module")
def ids() -> NDArray[np.int32]:
    return np.random.default_rng(0).integers(1_000, 20_000, int(LENGTHS.sum()), np.int32)


@pytest.fixture(scope="module")
def expected(stored: Stored, ids: NDArray[np.int32]) -> Floats:
    return TorchReader(stored).read(ids, LENGTHS)


def test_floats_are_read_as_by_the_library(stored: Stored, ids: NDArray[np.int32], expected: Floats) -> None:
    """What a processor without products of bytes does."""
    assert np.allclose(BertReader(stored, in_bytes=False).read(ids, LENGTHS), expected, atol=1e-4)


@pytest.mark.skipif(not MULTIPLIES_BYTES, reason="the processor multiplies no bytes")
def test_bytes_lose_little(stored: Stored, ids: NDArray[np.int32], expected: Floats) -> None:
    found = BertReader(stored).read(ids, LENGTHS)
    norms = np.linalg.norm(found, axis=1) * np.linalg.norm(expected, axis=1)
    cosines = (found * expected).sum(1) / norms
    # A scale or a sum that is wrong anywhere leaves far less.
    assert cosines.mean() > 0.994
    assert cosines.min() > 0.95


@given(st.lists(st.integers(1, 120), min_size=1, max_size=6), st.integers(2, 7), st.booleans())
@settings(max_examples=25, deadline=None)
def test_any_number_of_threads_reads_the_same(lengths: list[int], workers: int, in_bytes: bool) -> None:
    reader = _reader(in_bytes)
    ids = np.random.default_rng(sum(lengths)).integers(1_000, 20_000, sum(lengths)).astype(np.int32)
    reader._team = _team(1)
    alone = reader.read(ids, np.array(lengths))
    reader._team = _team(workers)
    assert np.array_equal(alone, reader.read(ids, np.array(lengths)))


@cache
def _reader(in_bytes: bool) -> BertReader:
    return BertReader(read_stored(bundled_model()), in_bytes and MULTIPLIES_BYTES)


def _team(workers: int) -> Team:
    team = Team()
    team._most = workers
    return team


def test_whoever_comes_while_the_team_works_works_alone() -> None:
    team, seen = _team(2), list[tuple[int, int]]()

    def part(worker: int, workers: int) -> None:
        if worker == 0 and workers == 2:
            team.work(lambda *numbers: seen.append(numbers), 2, lambda: None)

    team.work(part, 2, lambda: None)
    team.work(lambda *numbers: seen.append(numbers), 1, lambda: None)
    assert seen == [(0, 1), (0, 1)]


def test_callers_who_have_met_work_alone_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    team, seen, now = _team(2), list[int](), [0.0]
    monkeypatch.setattr("arcaneqa.model.threads.time.monotonic", lambda: now[0])

    def part(worker: int, workers: int) -> None:
        if worker == 0:
            seen.append(workers)

    team.work(part, 2, lambda: None)
    team.work(lambda *_: team.work(part, 2, lambda: None), 1, lambda: None)
    team.work(part, 2, lambda: None)
    now[0] = 1.0
    team.work(part, 2, lambda: None)
    assert seen == [2, 1, 1, 2]


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_a_thread_that_fails_holds_up_nobody(
    stored: Stored, ids: NDArray[np.int32], monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """The others wait for it at the end of a layer; they must get away, and whoever asked must hear of it."""
    reader = BertReader(stored)
    reader._team = _team(1)
    alone = reader.read(ids, LENGTHS)
    reader._team = _team(3)
    whole = kernels.encode

    def encode(*arguments: Any) -> None:
        if arguments[-2] == failing:
            raise MemoryError
        whole(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(bert, "encode", encode)
        with pytest.raises(MemoryError):
            _within(20, lambda: reader.read(ids, LENGTHS))
    assert np.array_equal(reader.read(ids, LENGTHS), alone), "the team works on"


def test_a_thread_that_cannot_begin_holds_up_nobody(stored: Stored, ids: NDArray[np.int32]) -> None:
    reader = BertReader(stored)
    reader._team = _team(3)

    class Exhausted(ThreadPoolExecutor):
        """As where the system lets a process have no more threads."""

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            if args[0] == 2:
                raise RuntimeError("can't start new thread")
            return super().submit(fn, *args, **kwargs)

    reader._team._helpers, reader._team._process = Exhausted(2), os.getpid()
    with pytest.raises(RuntimeError, match="thread"):
        _within(20, lambda: reader.read(ids, LENGTHS))


def _within(seconds: float, work: Callable[[], object]) -> None:
    """What a thread of its own does, which may be left hanging: then the test fails and does not hang."""
    done: Future[object] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    done.result(seconds)
