"""Answers requests: linking and concluding on worker threads, searching in the engine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, replace
from typing import Any, TypeVar
from uuid import uuid4

from arcaneqa.answer import ArcaneQA
from arcaneqa.answered import Answer, as_asked, refusal
from arcaneqa.induction.found import Considered, Outcome
from arcaneqa.induction.guide import NEVER, Choice
from arcaneqa.induction.scorer import Decision, Scores
from arcaneqa.induction.topics import Topics
from arcaneqa.links import Links
from arcaneqa.program.expression import Sort
from arcaneqa.service.contract import (
    AskRequest,
    AskResponse,
    NamedEntity,
    OtherReading,
    RunRequest,
    RunResponse,
)
from arcaneqa.service.engine import Engine, Job, Watcher
from arcaneqa.service.gate import Gate, Kind
from arcaneqa.service.items import facts_sent, items_sent, table_sent
from arcaneqa.service.portrait import Portrait
from arcaneqa.service.running import file_of, response_of
from arcaneqa.service.settled_mentions import settled, shown
from arcaneqa.showing.heatmap import heat_map

MOST_CANDIDATES = 8
"""Of each step, that a page is sent."""
CONCLUDING = 5.0
"""Seconds to put an answer into words, and to end."""
T = TypeVar("T")
Event = tuple[str, dict[str, Any]]


class Answerer:
    """One per knowledge base; `seconds` is the deadline of a request, waiting for a worker included.

    `visitors` counts the requests that it has not answered yet.
    """

    def __init__(
        self, qa: ArcaneQA, gate: Gate, seconds: float = 30.0, together: int = 16, waiting: int = 64
    ) -> None:
        self.qa = qa
        self.portrait = Portrait(qa)
        self.visitors = 0
        self.gate = gate
        self.seconds = seconds
        self.engine = Engine(qa.search, together, waiting)

    async def ask(self, request: AskRequest) -> AskResponse:
        """The answer alone: nothing is prepared that only somebody who watches would see."""
        asking = _Asking(self, request)
        if asking.refused is not None:
            return asking.refused
        await asking.link()
        return await asking.answer(await asking.search(None))

    async def stream(self, request: AskRequest) -> AsyncIterator[Event]:
        """Events as they happen: `links`, then `step` for each choice, then `answer`."""
        asking = _Asking(self, request)
        if asking.refused is not None:
            yield "answer", asking.refused.model_dump()
            return
        await asking.link()
        yield "links", await asking.away(lambda: shown(self.qa, asking.found, request.entities))
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

    def concluded(self, request: AskRequest, links: Links, outcome: Outcome, started: float) -> AskResponse:
        qa = self.qa
        answer = qa.conclude(request.question, links, outcome, request.exclude_mentioned, request.threshold)
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
        return await self.gate.work(Kind.PROGRAM, until, lambda: response_of(self.qa, request, until))

    async def file(self, request: RunRequest) -> str:
        """What a program finds, as rows to take away."""
        until = time.monotonic() + self.seconds
        return await self.gate.work(Kind.PROGRAM, until, lambda: file_of(self.qa, request, until))

    async def look(self, work: Callable[[Portrait], T]) -> T:
        """Something about the knowledge base, off the event loop, which never waits for it."""
        until = time.monotonic() + self.seconds
        return await self.gate.work(Kind.LOOK, until, lambda: work(self.portrait))

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
        refused = refusal(request.question)
        self.refused = None if refused is None else _response(request, refused, self._started)
        self.found = self._links = Links(request.question)

    async def away(self, work: Callable[[], T]) -> T:
        return await self._answerer.gate.work(Kind.QUESTION, self._until, work)

    async def link(self) -> None:
        """`found` is what the words may mean; what the request says of them is settled for the search."""
        qa, request = self._answerer.qa, self._request

        def linked() -> tuple[Links, Links, Topics]:
            found = qa.linker.link(request.question)
            links = settled(qa, found, request.entities)
            return found, links, qa.topics(request.question, links)

        self.found, self._links, self._topics = await self.away(linked)

    async def search(self, watcher: Watcher | None) -> Outcome:
        choices = [Choice(choice.kind, choice.text, choice.variable) for choice in self._request.choices]
        job = Job(self._links.read, [self._topics], self._until, choices, watcher)
        try:
            return _within_choices(await asyncio.wrap_future(self._answerer.engine.submit(job)))
        finally:
            job.abandon()

    async def answer(self, outcome: Outcome) -> AskResponse:
        # What was found is said, though the search took all its time.
        self._until = max(self._until, time.monotonic() + CONCLUDING)
        concluded = self._answerer.concluded
        return await self.away(lambda: concluded(self._request, self._links, outcome, self._started))


def _within_choices(outcome: Outcome) -> Outcome:
    """Programs that went against a settled choice are no readings."""
    return replace(outcome, found=tuple(found for found in outcome.found if found.score > NEVER / 2))


def _response(request: AskRequest, answer: Answer, started: float) -> AskResponse:
    return AskResponse(
        id=uuid4().hex,
        question=answer.question,
        program=answer.program,
        sparql=answer.sparql,
        answers=items_sent(answer.items[: request.rows]),
        total=len(answer.items),
        table=table_sent(answer.table, request.rows),
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
    )
