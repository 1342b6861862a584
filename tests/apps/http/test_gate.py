"""The gate: every kind has its turn, waiting counts, and what is given up frees its place."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable

import pytest

from arcaneqa.apps.http.gate import Busy, Gate, WorkKind
from arcaneqa.support.errors import BudgetExceeded

PLACES = dict.fromkeys(WorkKind, 100)


def at_gate(scenario: Callable[[Gate], Awaitable[None]], workers: int = 2) -> None:
    async def run() -> None:
        gate = Gate(PLACES, workers)
        try:
            await asyncio.wait_for(scenario(gate), 20)
        finally:
            gate.close()

    asyncio.run(run())


def soon() -> float:
    return time.monotonic() + 30


def test_long_work_of_one_kind_leaves_a_worker_for_the_others() -> None:
    """Programs that hold every worker they can get: a question is done at once all the same."""
    blocked = threading.Event()

    async def scenario(gate: Gate) -> None:
        programs = [asyncio.create_task(gate.work(WorkKind.PROGRAM, soon(), blocked.wait)) for _ in range(50)]
        await asyncio.sleep(0.01)
        assert await asyncio.wait_for(gate.work(WorkKind.QUESTION, soon(), lambda: "done"), 5) == "done"
        assert await asyncio.wait_for(gate.work(WorkKind.LOOK, soon(), lambda: "seen"), 5) == "seen"
        blocked.set()
        await asyncio.gather(*programs)

    at_gate(scenario)


def test_the_kinds_take_turns() -> None:
    """Six hundred programs were there first: the questions do not wait for most of them."""
    order: list[str] = []

    def work(name: str) -> Callable[[], None]:
        def done() -> None:
            time.sleep(0.001)
            order.append(name)

        return done

    async def scenario(gate: Gate) -> None:
        tasks = [
            asyncio.create_task(gate.work(WorkKind.PROGRAM, soon(), work("program"))) for _ in range(600)
        ]
        await asyncio.sleep(0)
        tasks += [
            asyncio.create_task(gate.work(WorkKind.QUESTION, soon(), work("question"))) for _ in range(10)
        ]
        await asyncio.gather(*tasks)

    at_gate(scenario)
    assert len(order) == 610
    assert max(place for place, name in enumerate(order) if name == "question") < 100


def test_time_not_wanted_before_is_not_owed() -> None:
    """A kind that was idle for long does not then keep the workers from one that was busy."""

    async def scenario(gate: Gate) -> None:
        for _ in range(30):
            await gate.work(WorkKind.PROGRAM, soon(), lambda: time.sleep(0.002))
        order: list[str] = []

        def note(name: str) -> Callable[[], None]:
            def done() -> None:
                time.sleep(0.002)
                order.append(name)

            return done

        tasks = [asyncio.create_task(gate.work(WorkKind.PROGRAM, soon(), note("program"))) for _ in range(20)]
        tasks += [asyncio.create_task(gate.work(WorkKind.LOOK, soon(), note("look"))) for _ in range(20)]
        await asyncio.gather(*tasks)
        assert "program" in order[:12]

    at_gate(scenario)


def test_waiting_counts_and_work_past_its_time_is_not_begun() -> None:
    blocked, begun = threading.Event(), []

    async def scenario(gate: Gate) -> None:
        first = asyncio.create_task(gate.work(WorkKind.PROGRAM, soon(), blocked.wait))
        await asyncio.sleep(0.01)
        with pytest.raises(BudgetExceeded, match="waited for its turn"):
            await gate.work(WorkKind.PROGRAM, time.monotonic() + 0.05, lambda: begun.append(1))
        blocked.set()
        await first
        await gate.work(WorkKind.PROGRAM, soon(), lambda: None)

    at_gate(scenario)
    assert not begun


def test_who_gives_up_waiting_leaves_the_worker_to_the_next() -> None:
    blocked = threading.Event()

    async def scenario(gate: Gate) -> None:
        first = asyncio.create_task(gate.work(WorkKind.PROGRAM, soon(), blocked.wait))
        others = [asyncio.create_task(gate.work(WorkKind.PROGRAM, soon(), lambda: 1)) for _ in range(20)]
        await asyncio.sleep(0.01)
        for other in others:
            other.cancel()
        await asyncio.sleep(0)
        blocked.set()
        await first
        for _ in range(5):
            assert await gate.work(WorkKind.PROGRAM, soon(), lambda: 2) == 2

    at_gate(scenario)


def test_places_are_of_a_kind() -> None:
    async def scenario(_: Gate) -> None:
        gate = Gate({WorkKind.QUESTION: 1, WorkKind.PROGRAM: 1, WorkKind.LOOK: 1})
        with gate.place(WorkKind.PROGRAM):
            with pytest.raises(Busy) as refused, gate.place(WorkKind.PROGRAM):
                pass
            assert refused.value.retry_after >= 1
            with gate.place(WorkKind.QUESTION):
                assert gate.inside(WorkKind.QUESTION) == 1
        with gate.place(WorkKind.PROGRAM):
            pass
        gate.close()

    at_gate(scenario)
