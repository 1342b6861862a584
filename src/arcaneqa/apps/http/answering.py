"""Answers requests: a few threads search for everybody, linking and deciding on worker threads."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeVar
from uuid import uuid4

from arcaneqa.answer.answer import Answer, as_asked, refusal
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.answer.describe import items_of_result, table_of_result, unit_of
from arcaneqa.answer.export import Format, rows_of_answer, write_rows
from arcaneqa.answer.heatmap import heat_map
from arcaneqa.answer.shown import shown
from arcaneqa.answer.support import support
from arcaneqa.answer.talks import Talks
from arcaneqa.apps.http.contract import (
    AskRequest,
    AskResponse,
    NamedEntity,
    OtherReading,
    RunRequest,
    RunResponse,
    facts_sent,
    items_sent,
    rows_sent,
    shown_sent,
    support_sent,
    table_sent,
)
from arcaneqa.apps.http.gate import Busy, Gate, Limits, WorkKind
from arcaneqa.apps.http.portrait import Portrait
from arcaneqa.apps.http.settled_mentions import mentions_sent, settled
from arcaneqa.induction.found import Considered, SearchOutcome
from arcaneqa.induction.scorer import Decision, Scores
from arcaneqa.induction.search import NEVER, GivenChoice, Guide, Search, Underway, score_together
from arcaneqa.induction.topics import Topics
from arcaneqa.language.expression import Expression, Sort
from arcaneqa.language.phrase import paraphrase
from arcaneqa.language.run import Budget, Result, execute
from arcaneqa.language.sparql import to_sparql
from arcaneqa.language.text import parse, print_program
from arcaneqa.language.tree import program_tree
from arcaneqa.links import Links
from arcaneqa.support.memory import processors

# A few threads search for everybody: the steps of a thread's questions share each call of the
# scorer.


Watcher = Callable[[Decision, Scores], None]
"""Told of the leading hypothesis at each step with a choice, not of the last one among whole programs; called
on the engine's thread."""


@dataclass(eq=False)
class Job:
    """A question; `until` is its deadline on the monotonic clock, waiting in the queue included."""

    question: str
    topics: Sequence[Topics]
    until: float
    choices: Sequence[GivenChoice] = ()
    watcher: Watcher | None = None
    outcome: Future[SearchOutcome] = field(default_factory=Future)
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

    def submit(self, job: Job) -> Future[SearchOutcome]:
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


# Answers requests: linking and concluding on worker threads, searching in the engine.


MOST_CANDIDATES = 8
"""Of each step, that a page is sent."""
CONCLUDING = 5.0
"""Seconds to put an answer into words, and to end."""
T = TypeVar("T")
Event = tuple[str, dict[str, Any]]


class Answerer:
    """One per knowledge base. `visitors` counts the requests that it has not answered yet; `told` hears of
    every answer."""

    def __init__(
        self, qa: ArcaneQA, gate: Gate, limits: Limits, told: Callable[[Answer], None] = lambda _: None
    ) -> None:
        self.qa = qa
        self.portrait = Portrait(qa)
        self.visitors = 0
        self.gate = gate
        self.seconds, self.threshold, self.told = limits.seconds, limits.threshold, told
        self.engine = Engine(qa.search, limits.together, limits.waiting)
        self.talks = Talks(qa)

    async def ask(self, request: AskRequest) -> AskResponse:
        """The answer alone: nothing is prepared that only somebody who watches would see."""
        asking = _Asking(self, request)
        if asking.refused is not None:
            return asking.refused
        if not await asking.stands_alone():
            return await asking.follow()
        await asking.link()
        return await asking.answer(await asking.search(None))

    async def stream(self, request: AskRequest) -> AsyncIterator[Event]:
        """Events as they happen: `links`, then `step` for each choice, then `answer`."""
        asking = _Asking(self, request)
        if asking.refused is not None:
            yield "answer", asking.refused.model_dump()
            return
        if not await asking.stands_alone():
            yield "answer", (await asking.follow()).model_dump()
            return
        await asking.link()
        yield "links", await asking.away(lambda: mentions_sent(self.qa, asking.found, request.entities))
        loop = asyncio.get_running_loop()
        steps: asyncio.Queue[Considered | None] = asyncio.Queue()

        def watch(decision: Decision, scores: Scores) -> None:
            best = int(scores.log_probs.argmax())
            step = Considered(decision.context, decision.candidates, scores.log_probs, best)
            loop.call_soon_threadsafe(steps.put_nowait, step)

        search = asyncio.ensure_future(asking.search(watch))
        search.add_done_callback(lambda _: steps.put_nowait(None))
        try:
            while (step := await steps.get()) is not None:
                yield "step", step.to_json(MOST_CANDIDATES)
            outcome = await search
        finally:
            search.cancel()
        yield "answer", (await asking.answer(outcome)).model_dump()

    def response(self, request: AskRequest, answer: Answer, started: float) -> AskResponse:
        response = _response(request, answer, started)
        if not request.trace:
            return response
        response.tree = answer.tree
        if answer.trace is not None:
            steps = [self._step(answer.question, step) for step in answer.trace.steps]
            response.trace = answer.trace.to_json(0) | {"steps": steps}
        return response

    def _step(self, question: str, step: Considered) -> dict[str, Any]:
        """A step with its heat map, which only schema items have."""
        data = step.to_json(MOST_CANDIDATES)
        if (shown := heat_map(self.qa, question, step)) is not None:
            rows = zip(shown.candidates, shown.heat.weights.tolist(), strict=True)
            data["heat"] = {
                "words": shown.heat.words,
                "rows": [{"text": text, "weights": weights} for text, weights in rows],
            }
        return data

    async def run(self, request: RunRequest) -> RunResponse:
        until = time.monotonic() + self.seconds
        talk = None if request.conversation is None else self.talks.of(request.conversation)

        def ran() -> RunResponse:
            if talk is not None:
                talk.take(request.program, self.seconds)
            return response_of(self.qa, request, until)

        return await self.gate.work(WorkKind.PROGRAM, until, ran)

    async def file(self, request: RunRequest) -> str:
        """What a program finds, as rows to take away."""
        until = time.monotonic() + self.seconds
        return await self.gate.work(WorkKind.PROGRAM, until, lambda: file_of(self.qa, request, until))

    async def look(self, work: Callable[[Portrait], T]) -> T:
        """Something about the knowledge base, off the event loop, which never waits for it."""
        until = time.monotonic() + self.seconds
        return await self.gate.work(WorkKind.LOOK, until, lambda: work(self.portrait))

    def close(self) -> None:
        self.engine.close(CONCLUDING)
        self.portrait.close()


class _Asking:
    """One request on its way: linked, searched, answered, each when it is its turn."""

    def __init__(self, answerer: Answerer, request: AskRequest) -> None:
        request = request.model_copy(update={"question": as_asked(request.question)})
        self._answerer, self._request = answerer, request
        self._started = time.perf_counter()
        self._until = time.monotonic() + answerer.seconds
        self._threshold = answerer.threshold if request.threshold is None else request.threshold
        self._talk = answerer.talks.of(request.conversation)
        refused = refusal(request.question)
        self.refused = None if refused is None else self._response(refused)
        self.found = self._links = Links(request.question)

    async def stands_alone(self) -> bool:
        """Whether it is answered without what came before; where something of it is settled, it is."""
        request = self._request
        if request.choices or request.entities or request.exclude_mentioned:
            return True
        return await self.away(lambda: self._talk.stands_alone(request.question, self._left))

    async def follow(self) -> AskResponse:
        """The answer to a question that refers back."""

        def followed() -> AskResponse:
            answer = self._talk.ask(self._request.question, self._threshold, self._left)
            return self._response(answer)

        return await self.away(followed)

    @property
    def _left(self) -> float:
        return max(0.1, self._until - time.monotonic())

    def _response(self, answer: Answer) -> AskResponse:
        self._answerer.told(answer)
        response = self._answerer.response(self._request, answer, self._started)
        response.conversation = self._talk.id
        return response

    async def away(self, work: Callable[[], T]) -> T:
        return await self._answerer.gate.work(WorkKind.QUESTION, self._until, work)

    async def link(self) -> None:
        """`found` is what the words may mean; what the request says of them is settled for the search."""
        qa, request = self._answerer.qa, self._request

        def linked() -> tuple[Links, Links, Topics]:
            found = qa.linker.link(request.question)
            links = settled(qa, found, request.entities)
            return found, links, qa.topics(request.question, links)

        self.found, self._links, self._topics = await self.away(linked)

    async def search(self, watcher: Watcher | None) -> SearchOutcome:
        choices = [GivenChoice(choice.kind, choice.text, choice.variable) for choice in self._request.choices]
        job = Job(self._links.read, [self._topics], self._until, choices, watcher)
        try:
            return _within_choices(await asyncio.wrap_future(self._answerer.engine.submit(job)))
        finally:
            job.abandon()

    async def answer(self, outcome: SearchOutcome) -> AskResponse:
        # What was found is said, though the search took all its time.
        self._until = max(self._until, time.monotonic() + CONCLUDING)
        qa, request = self._answerer.qa, self._request

        def concluded() -> AskResponse:
            answer = qa.conclude(
                request.question, self._links, outcome, request.exclude_mentioned, self._threshold
            )
            self._talk.hear(answer)
            return self._response(answer)

        return await self.away(concluded)


def _within_choices(outcome: SearchOutcome) -> SearchOutcome:
    """Programs that went against a settled choice are no readings."""
    return replace(outcome, found=tuple(found for found in outcome.found if found.score > NEVER / 2))


def _response(request: AskRequest, answer: Answer, started: float) -> AskResponse:
    shown = answer.shown(most=request.rows) if answer.table is None else None
    return AskResponse(
        id=uuid4().hex,
        question=answer.question,
        outcome=answer.outcome,
        program=answer.program,
        sparql=answer.sparql,
        answers=items_sent(answer.items[: request.rows]),
        total=len(answer.items) if answer.table is None else len(answer.table.rows),
        table=table_sent(answer.table, request.rows),
        shown=shown_sent(shown, request.rows, len(answer.items)),
        ordered=isinstance(answer.expression, Sort),
        unit=answer.unit,
        entities=[NamedEntity(**asdict(entity)) for entity in answer.entities],
        paraphrase=answer.paraphrase,
        score=answer.score,
        confidence=answer.confidence,
        expected=answer.expected,
        seconds=time.perf_counter() - started,
        reason=answer.reason,
        not_used=list(answer.not_used),
        readings=[OtherReading(**asdict(reading)) for reading in answer.readings],
        facts=None if answer.facts is None else facts_sent(answer.facts),
        carried=answer.carried,
        **(support_sent(answer.support) if request.support else {}),
    )


# Programs are run for a request: as a response, or as rows to take away.


def response_of(qa: ArcaneQA, request: RunRequest, until: float) -> RunResponse:
    program, result = _executed(qa, request, until)
    most, total = request.rows, 0
    if result.table is not None:
        most, total = rows_sent(len(result.table.columns), most), len(result.table.rows)
    items = items_of_result(qa.kb, result, request.rows)
    table = table_of_result(qa.kb, result, most)
    view = shown(qa.kb, program, items, table, request.columns == "all", request.rows)
    return RunResponse(
        program=print_program(program, qa.names),
        sparql=to_sparql(program, qa.kb.profile, qa.kb.schema, request.exclude_mentioned),
        paraphrase=paraphrase(program, qa.kb),
        answers=items_sent(items),
        total=_total(result),
        table=table_sent(table, most, total),
        shown=None if table is not None else shown_sent(view, request.rows, _total(result)),
        ordered=result.order is not None,
        unit=unit_of(program, qa.kb),
        tree=program_tree(program, qa.kb) if request.tree else None,
        **(support_sent(support(qa.kb, program, items)) if request.support else {}),
    )


def file_of(qa: ArcaneQA, request: RunRequest, until: float) -> str:
    """The rows in the format asked for."""
    program, result = _executed(qa, request, until)
    items = items_of_result(qa.kb, result, request.rows)
    table = table_of_result(qa.kb, result, request.rows)
    all_of_it = shown(qa.kb, program, items, table, is_whole=True, most=request.rows)
    return write_rows(rows_of_answer(items, all_of_it), Format(request.format))


def _total(result: Result) -> int:
    if result.value is not None or result.nothing:
        return int(not result.nothing)
    if result.table is not None:
        return len(result.table.rows)
    return len(result.nodes)


def _executed(qa: ArcaneQA, request: RunRequest, until: float) -> tuple[Expression, Result]:
    program = parse(request.program, qa.names, qa.kb.schema)
    budget = Budget(seconds=max(0.0, until - time.monotonic()))
    return program, execute(program, qa.kb, budget, request.exclude_mentioned)
