"""Who may compute, and when: one gate that every request passes, whatever it asks for.

Requests are of three kinds. Each kind has its own places, so that many of one are turned away before they
crowd out another, and the workers take turns among the kinds by the time each has had of them: six hundred
programs delay each other, not a question.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from arcaneqa.support.errors import ArcaneError, BudgetExceeded

T = TypeVar("T")
WORKERS = 4
"""Threads for all kinds of work but searching, which has one of its own."""
_FIRST_GUESS = 0.05
"""Seconds that a piece of work takes, until some were measured."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` is the deadline of a request, `together` how many questions search at the same time,
    `waiting` how many more may queue, `threshold` the confidence that an answer needs, unless the
    request says it."""

    seconds: float = 30.0
    together: int = 16
    waiting: int = 64
    threshold: float | None = None


class WorkKind(StrEnum):
    QUESTION = "question"
    PROGRAM = "program"
    LOOK = "look"
    """Names, descriptions, counts: what a page asks for while somebody types."""


class Busy(ArcaneError):
    """There is no place; come back in `retry_after` seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"The service is busy; try again in {retry_after} s.")
        self.retry_after = retry_after


@dataclass
class _Lane:
    """One kind of requests. `had` is the workers' time it had, as far as that counts for whose turn it is."""

    places: int
    inside: int = 0
    running: int = 0
    had: float = 0.0
    usual: float = _FIRST_GUESS
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)


class Gate:
    """Used from one event loop. A kind may hold all workers but one, so that a long piece of work of one kind
    never stands in the way of every other."""

    def __init__(self, places: Mapping[WorkKind, int], workers: int = WORKERS) -> None:
        self._lanes = {kind: _Lane(places[kind]) for kind in WorkKind}
        self._free = workers
        self._most = max(1, workers - 1)
        self._workers = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="worker")

    @contextmanager
    def place(self, kind: WorkKind) -> Iterator[None]:
        """A place for one request, from its first work to its answer; `Busy` where there is none."""
        lane = self._lanes[kind]
        if lane.inside >= lane.places:
            raise self.busy(kind)
        lane.inside += 1
        try:
            yield
        finally:
            lane.inside -= 1

    def inside(self, kind: WorkKind) -> int:
        return self._lanes[kind].inside

    def busy(self, kind: WorkKind) -> Busy:
        lane = self._lanes[kind]
        return Busy(retry_after=max(1, round(len(lane.waiting) * lane.usual / self._most)))

    async def work(self, kind: WorkKind, until: float, job: Callable[[], T]) -> T:
        """Do a job on a worker when it is this kind's turn; not at all once `until` has passed (on the clock
        of the event loop, which is the monotonic one)."""
        await self._turn(self._lanes[kind], until)
        loop, lane, started = asyncio.get_running_loop(), self._lanes[kind], time.perf_counter()
        try:
            future = self._workers.submit(job)
        except RuntimeError:  # closed meanwhile
            self._done(lane, 0.0)
            raise Busy(retry_after=5) from None

        def tell(_: object) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is gone, and so is everybody who waits
                loop.call_soon_threadsafe(self._done, lane, time.perf_counter() - started)

        future.add_done_callback(tell)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        self._workers.shutdown(wait=False, cancel_futures=True)

    async def _turn(self, lane: _Lane, until: float) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if not lane.waiting and not lane.running:
            # Time that a kind did not want before is not owed to it now.
            others = [other.had for other in self._lanes.values() if other.waiting or other.running]
            lane.had = max(lane.had, min(others, default=lane.had))
        lane.waiting.append(turn)
        self._deal()
        try:
            async with asyncio.timeout_at(until):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():  # a worker was kept free for nobody
                self._done(lane, 0.0)
            turn.cancel()
            if isinstance(error, TimeoutError):
                raise BudgetExceeded("The request waited for its turn until its time was over.") from None
            raise

    def _deal(self) -> None:
        """Give free workers to whoever's turn it is."""
        while self._free:
            for lane in self._lanes.values():
                while lane.waiting and lane.waiting[0].done():  # gave up waiting
                    lane.waiting.popleft()
            ready = [lane for lane in self._lanes.values() if lane.waiting and lane.running < self._most]
            if not ready:
                return
            lane = min(ready, key=lambda lane: lane.had)
            lane.waiting.popleft().set_result(None)
            lane.running += 1
            lane.had += lane.usual
            self._free -= 1

    def _done(self, lane: _Lane, seconds: float) -> None:
        lane.had += seconds - lane.usual  # what it had in advance was a guess
        lane.usual = 0.9 * lane.usual + 0.1 * seconds
        lane.running -= 1
        self._free += 1
        self._deal()
