"""A few threads search for everybody: the steps of a thread's questions share each call of the scorer.

A question waits in a bounded queue, joins the others of a thread between two steps, and leaves when it is
done, out of time or given up by whoever asked. The rest of the service never touches the scorer.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from arcaneqa.induction.found import Outcome
from arcaneqa.induction.guide import Choice, Guide
from arcaneqa.induction.scorer import Decision, Scores
from arcaneqa.induction.search import Search
from arcaneqa.induction.together import Underway, score_together
from arcaneqa.induction.topics import Topics
from arcaneqa.processors import processors
from arcaneqa.service.gate import Busy

Watcher = Callable[[Decision, Scores], None]
"""Told of the leading hypothesis at each step with a choice, not of the last one among whole programs; called
on the engine's thread."""


@dataclass(eq=False)
class Job:
    """A question; `until` is its deadline on the monotonic clock, waiting in the queue included."""

    question: str
    topics: Sequence[Topics]
    until: float
    choices: Sequence[Choice] = ()
    watcher: Watcher | None = None
    outcome: Future[Outcome] = field(default_factory=Future)
    is_abandoned: bool = False

    def abandon(self) -> None:
        """Nobody waits any more: the search ends before its next step, its outcome is cancelled."""
        self.is_abandoned = True


@dataclass(eq=False)
class _Running:
    job: Job
    search: Underway
    since: float = field(default_factory=time.monotonic)


class Engine:
    """`together` is how many questions search at the same time, `waiting` how many more may queue.

    There are as many threads as processors: while one is in Python the others read, which needs no Python.
    """

    def __init__(self, search: Search, together: int = 16, waiting: int = 64) -> None:
        self._together = together
        # A burst may arrive between two steps, before any of it is taken in.
        self._queue: queue.Queue[Job | None] = queue.Queue(maxsize=together + waiting)
        self._closing = threading.Event()
        threads = min(processors(), together)
        shares = [len(range(number, together, threads)) for number in range(threads)]
        self._searchers = [_Searcher(search, self._queue, self._closing, share) for share in shares]

    @property
    def load(self) -> tuple[int, int]:
        """Questions under way and questions waiting."""
        return sum(searcher.load for searcher in self._searchers), self._queue.qsize()

    @property
    def is_closing(self) -> bool:
        return self._closing.is_set()

    def submit(self, job: Job) -> Future[Outcome]:
        if self._closing.is_set():
            raise Busy(retry_after=5)
        try:
            self._queue.put_nowait(job)
        except queue.Full:
            ahead = self._queue.qsize() / self._together
            recent = max(searcher.recent for searcher in self._searchers)
            raise Busy(retry_after=max(1, round(ahead * recent))) from None
        return job.outcome

    def close(self, seconds: float = 30.0) -> None:
        """Finish what runs and waits, take nothing new."""
        self._closing.set()
        until = time.monotonic() + seconds
        try:
            for _ in self._searchers:
                self._queue.put(None, timeout=max(0.0, until - time.monotonic()))
        except queue.Full:
            return
        for searcher in self._searchers:
            searcher.join(until - time.monotonic())
        if any(searcher.is_alive for searcher in self._searchers):
            return
        while not self._queue.empty():  # somebody submitted in the very moment of closing
            late = self._queue.get_nowait()
            if late is not None:
                late.outcome.cancel()


class _Searcher:
    """One thread and the questions it searches for, at most `most` at a time."""

    def __init__(
        self, search: Search, waiting: queue.Queue[Job | None], closing: threading.Event, most: int
    ) -> None:
        self._search = search
        self._queue = waiting
        self._closing = closing
        self._most = most
        self._running: list[_Running] = []
        self.recent = 0.2  # seconds a question took lately, a moving average
        self._thread = threading.Thread(target=self._serve, name="search", daemon=True)
        self._thread.start()

    @property
    def load(self) -> int:
        return len(self._running)

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def join(self, seconds: float) -> None:
        self._thread.join(max(0.0, seconds))

    def _serve(self) -> None:
        is_open = True
        while is_open or self._running:
            is_open = is_open and self._admit()
            self._step()

    def _admit(self) -> bool:
        """Take in waiting questions; sleeps while there is nothing at all to do. False when closing."""
        while len(self._running) < self._most:
            try:
                job = self._queue.get(block=not self._running and not self._closing.is_set())
            except queue.Empty:
                return not self._closing.is_set()
            if job is None:
                return False
            if job.is_abandoned:
                job.outcome.cancel()
            else:
                seconds = job.until - time.monotonic()
                steps = self._search.steps(job.question, job.topics, seconds)
                self._running.append(_Running(job, Underway(steps, Guide(job.choices))))
        return True

    def _step(self) -> None:
        """Move every search one step on with one call of the scorer."""
        self._running = [running for running in self._running if self._advance(running)]
        if not self._running:
            return
        try:
            score_together(self._search.scorer, [running.search for running in self._running])
        except Exception as error:
            for running in self._running:
                _fail(running.job, error)
            self._running = []
            return
        for running in self._running:
            _tell(running)

    def _advance(self, running: _Running) -> bool:
        """Whether the search goes on; if not, its outcome is settled."""
        job = running.job
        if job.is_abandoned:
            job.outcome.cancel()
            return False
        try:
            outcome = running.search.advance()
        except Exception as error:
            _fail(job, error)
            return False
        if outcome is None:
            return True
        self.recent = 0.9 * self.recent + 0.1 * (time.monotonic() - running.since)
        # A future that was cancelled meanwhile takes no result, and this thread must live on.
        if job.outcome.set_running_or_notify_cancel():
            job.outcome.set_result(outcome)
        return False


def _fail(job: Job, error: Exception) -> None:
    if job.outcome.set_running_or_notify_cancel():
        job.outcome.set_exception(error)


def _tell(running: _Running) -> None:
    watcher, search = running.job.watcher, running.search
    if watcher is None or search.told is None:
        return
    for decision, scores in zip(search.asked, search.told, strict=True):
        if len(decision.candidates) > 1 and not decision.is_last:
            try:
                watcher(decision, scores)
            except Exception:  # its event loop is gone, and so is whoever asked
                running.job.abandon()
            return
