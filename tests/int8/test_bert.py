"""The compiled encoder against the library it was trained with, and against itself cut up in other ways."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arcaneqa.int8 import bert, kernels
from arcaneqa.int8.bert import BertReader
from arcaneqa.int8.buffers import Workplace, in_large_pages
from arcaneqa.int8.instructions import MULTIPLIES_BYTES
from arcaneqa.int8.stored_arrays import Floats
from arcaneqa.int8.threads import Helper, Team
from arcaneqa.model.reader import TorchReader
from arcaneqa.model.stored import Stored, bundled_model, read_stored
from arcaneqa.support.errors import ModelError

_T = TypeVar("_T")
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
    """Weights that are stored as floats."""
    plain = replace(stored, arrays={name: stored.floats(name) for name in stored.names()})
    assert np.allclose(BertReader(plain).read(ids, LENGTHS), expected, atol=1e-4)


@pytest.mark.skipif(not MULTIPLIES_BYTES, reason="the processor multiplies no bytes")
def test_a_processor_that_multiplies_no_bytes_reads_the_same(stored: Stored, ids: NDArray[np.int32]) -> None:
    """Else its answers, and how sure they are, would be others."""
    found = BertReader(stored, in_bytes=False).read(ids, LENGTHS)
    assert np.array_equal(found, BertReader(stored).read(ids, LENGTHS))


@pytest.mark.skipif(not MULTIPLIES_BYTES, reason="the processor multiplies no bytes")
def test_bytes_lose_little(stored: Stored, ids: NDArray[np.int32], expected: Floats) -> None:
    found = BertReader(stored).read(ids, LENGTHS)
    norms = np.linalg.norm(found, axis=1) * np.linalg.norm(expected, axis=1)
    cosines = (found * expected).sum(1) / norms
    # A scale or a sum that is wrong anywhere leaves far less.
    assert cosines.mean() > 0.994
    assert cosines.min() > 0.95


def test_a_word_that_the_table_does_not_have_is_an_error(stored: Stored) -> None:
    with pytest.raises(ModelError, match="knows more words"):
        BertReader(stored).read(np.array([1_000, 30_522], np.int32), np.array([2]))


@given(st.lists(st.integers(1, 300), min_size=1, max_size=4))
def test_copies_lie_apart_and_begin_with_a_line_of_the_cache(sizes: list[int]) -> None:
    arrays = [np.full((2, size), number + 1, np.uint8) for number, size in enumerate(sizes)]
    copies = in_large_pages(arrays)
    assert all(np.array_equal(copy, array) for copy, array in zip(copies, arrays, strict=True))
    assert all(copy.ctypes.data % 64 == 0 for copy in copies)


@given(st.lists(st.integers(1, 120), min_size=1, max_size=6), st.integers(2, 7), st.booleans())
@settings(max_examples=25, deadline=None)
def test_any_number_of_threads_reads_the_same(lengths: list[int], workers: int, in_bytes: bool) -> None:
    reader = _reader(in_bytes)
    ids = np.random.default_rng(sum(lengths)).integers(1_000, 20_000, sum(lengths)).astype(np.int32)
    reader._team = _team(1)
    alone = reader.read(ids, np.array(lengths))
    reader._team = _team(workers)
    assert np.array_equal(alone, reader.read(ids, np.array(lengths)))


@given(
    st.lists(st.integers(1, 120), min_size=1, max_size=6),
    st.floats(0, 1),
    st.integers(1, 4),
    st.booleans(),
)
@settings(max_examples=25, deadline=None)
def test_what_is_wanted_is_read_the_same(
    lengths: list[int], share: float, workers: int, in_bytes: bool
) -> None:
    """Also where nothing is wanted of an input, or at all."""
    reader, draw = _reader(in_bytes), np.random.default_rng(sum(lengths))
    ids = draw.integers(1_000, 20_000, sum(lengths)).astype(np.int32)
    is_wanted = draw.random(len(ids)) < share
    reader._team = _team(workers)
    everything = reader.read(ids, np.array(lengths))
    found = reader.read(ids, np.array(lengths), is_wanted)
    assert np.array_equal(found[is_wanted], everything[is_wanted])


@cache
def _reader(in_bytes: bool) -> BertReader:
    return BertReader(read_stored(bundled_model()), in_bytes and MULTIPLIES_BYTES)


def _team(workers: int) -> Team:
    team = Team()
    team.most = workers
    return team


def test_whoever_comes_while_others_read_reads_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    team, now = _team(3), [0.0]
    monkeypatch.setattr("arcaneqa.int8.threads.time.monotonic", lambda: now[0])
    with team.gathered() as first, team.gathered() as second:
        assert (first, second) == (3, 1)
    with team.gathered() as soon_after:
        assert soon_after == 1, "who met lately will meet again"
    now[0] = 1.0
    with team.gathered() as later:
        assert later == 3


@pytest.mark.parametrize("is_first", [True, False])
def test_a_helper_that_fails_holds_up_nobody(
    stored: Stored, ids: NDArray[np.int32], monkeypatch: pytest.MonkeyPatch, is_first: bool
) -> None:
    """Others do its part, and the next call wakes it again."""
    reader = BertReader(stored)
    reader._team = _team(1)
    alone = reader.read(ids, LENGTHS)
    reader._team = _team(3)
    whole, helped = kernels.encode, list[int]()
    failed = threading.Event()

    def encode(*arguments: Any) -> None:
        helper = arguments[-2]
        if helper == (0 if is_first else 1) and not failed.is_set():
            failed.set()
            raise MemoryError
        if helper >= 0:
            helped.append(helper)
        elif not failed.is_set():
            assert failed.wait(20)
        whole(*arguments)

    monkeypatch.setattr(bert, "encode", encode)
    for _ in range(3):
        found = _within(20, lambda: reader.read(ids, LENGTHS))
        assert np.array_equal(found, alone)
        time.sleep(0.02)  # all helpers fall asleep
    assert {0, 1} <= set(helped)


@pytest.mark.parametrize("error", [RuntimeError, OSError])
def test_where_no_helper_can_be_had_the_caller_reads_alone(
    stored: Stored, ids: NDArray[np.int32], monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """No thread, or nothing that it could be woken with."""
    reader = BertReader(stored)
    reader._team = _team(1)
    alone = reader.read(ids, LENGTHS)

    def none(*_: object) -> Helper:
        raise error

    monkeypatch.setattr(bert, "Helper", none)
    reader._team = _team(3)
    assert np.array_equal(_within(20, lambda: reader.read(ids, LENGTHS)), alone)
    monkeypatch.undo()
    assert np.array_equal(_within(20, lambda: reader.read(ids, LENGTHS)), alone)
    assert set(_only_workplace(reader).helpers) == {0, 1}, "as soon as there are some they help"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="threads cannot choose a processor")
def test_a_helper_stays_off_the_processor_of_whoever_wakes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    heard, went = threading.Event(), threading.Event()

    def listen(bell: int) -> None:
        os.read(bell, 8)
        heard.set()

    helper = Helper(listen, went.set)
    chosen: list[tuple[int, set[int]]] = []

    def refused(thread: int, others: set[int]) -> None:
        chosen.append((thread, others))
        raise PermissionError

    monkeypatch.setattr("arcaneqa.int8.threads.other_processors", lambda: {1})
    monkeypatch.setattr(os, "sched_setaffinity", refused)
    assert helper.wake()
    assert chosen == [(helper._thread.native_id, {1})]
    assert heard.wait(20), "where it may not choose it works where it is"
    assert went.wait(20)
    assert not helper.wake(), "what its bell was may be somebody else's file by now"


def test_nobody_waits_for_a_helper_that_has_not_begun(
    stored: Stored, ids: NDArray[np.int32], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a busy machine: the only helper does something else until all is read."""
    reader = BertReader(stored)
    reader._team = _team(1)
    alone = reader.read(ids, LENGTHS)
    reader._team, busy, whole = _team(2), threading.Event(), kernels.encode

    def encode(*arguments: Any) -> None:
        if arguments[-2] >= 0:
            busy.wait(60)
        whole(*arguments)

    monkeypatch.setattr(bert, "encode", encode)
    try:
        assert np.array_equal(_within(20, lambda: reader.read(ids, LENGTHS)), alone)
    finally:
        busy.set()


def test_helpers_end_with_the_place_they_work_at(stored: Stored, ids: NDArray[np.int32]) -> None:
    """Awake or asleep."""
    for pause in (0.0, 0.02):
        reader = BertReader(stored)
        reader._team = _team(3)
        reader.read(ids, LENGTHS)
        time.sleep(pause)
        threads = [helper._thread for helper in _only_workplace(reader).helpers.values()]
        assert len(threads) == 2
        del reader
        gc.collect()
        for thread in threads:
            thread.join(20)
            assert not thread.is_alive()


def test_many_callers_with_helpers_read_as_one_alone(
    stored: Stored, ids: NDArray[np.int32], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Helpers come late for turns that others have finished, and must leave the next ones' buffers alone."""
    monkeypatch.setattr("arcaneqa.int8.threads._LATELY", -1.0)  # nobody counts as company
    reader = BertReader(stored)
    reader._team = _team(1)
    ends = np.cumsum(LENGTHS)[:-1]
    inputs = [*np.split(ids, ends), ids]
    lengths = [*(np.array([length]) for length in LENGTHS), LENGTHS]
    alone = [reader.read(*one) for one in zip(inputs, lengths, strict=True)]
    reader._team = _team(4)

    def ask(seed: int) -> None:
        draw = np.random.default_rng(seed)
        for place in draw.integers(0, len(inputs), 25).tolist():
            assert np.array_equal(reader.read(inputs[place], lengths[place]), alone[place])

    def all_at_once() -> None:
        with ThreadPoolExecutor(5) as callers:
            list(callers.map(ask, range(5)))

    _within(60, all_at_once)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be split off")
def test_a_process_that_is_split_off_reads_with_helpers_of_its_own(
    stored: Stored, ids: NDArray[np.int32]
) -> None:
    reader = BertReader(stored)
    reader._team = _team(2)
    alone = reader.read(ids, LENGTHS)
    reader._team._lock.acquire()  # as by another thread, which the child has not
    child = os.fork()
    if child == 0:
        reader.read(ids, LENGTHS)
        is_same = np.array_equal(reader.read(ids, LENGTHS), alone)
        os._exit(0 if is_same and _only_workplace(reader).helpers else 1)
    reader._team._lock.release()
    status = _within(60, lambda: os.waitpid(child, 0)[1])
    assert os.waitstatus_to_exitcode(status) == 0


def _only_workplace(reader: BertReader) -> Workplace:
    [found] = reader._workplaces._free
    return found


def _within(seconds: float, work: Callable[[], _T]) -> _T:
    """What a thread of its own does, which may be left hanging: then the test fails and does not hang."""
    done: Future[_T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return done.result(seconds)
