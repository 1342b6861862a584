"""Questions are answered, as a whole or step by step as it happens; programs are run; judgements of answers
are kept, where the service was started with a file for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any, TypeVar

from fastapi import APIRouter, Depends, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from arcaneqa.errors import ArcaneError
from arcaneqa.service.contract import (
    AskRequest,
    AskResponse,
    FeedbackRequest,
    FeedbackResponse,
    RunRequest,
    RunResponse,
)
from arcaneqa.service.current import Current
from arcaneqa.service.feedback import Feedback
from arcaneqa.service.gate import Kind
from arcaneqa.service.problems import PROBLEMS

T = TypeVar("T")
GONE = 499
"""What proxies log where the client did not wait; nobody reads it."""


def questions(current: Current) -> APIRouter:
    async def place() -> AsyncIterator[None]:
        """Turned away before anything is done or sent, streams included."""
        with current.gate.place(Kind.QUESTION):
            yield

    router = APIRouter(responses=PROBLEMS, dependencies=[Depends(place)])

    @router.post("/v1/ask", response_model=AskResponse)
    async def ask(request: AskRequest, connection: Request) -> Response | AskResponse:
        """Answer a question, or say why not."""
        with current.visit() as answerer:
            answer = await _unless_gone(answerer.ask(request), connection)
        return Response(status_code=GONE) if answer is None else answer

    @router.post("/v1/ask/stream", response_class=EventSourceResponse)
    async def stream(request: AskRequest) -> AsyncIterator[ServerSentEvent]:
        """The same as server-sent events: `links`, each `step` as it happens, the `answer`."""
        try:
            with current.visit() as answerer:
                async for name, data in answerer.stream(request):
                    yield ServerSentEvent(event=name, data=data)
        except ArcaneError as error:
            yield ServerSentEvent(event="problem", data={"detail": str(error)})

    return router


async def _unless_gone(work: Coroutine[Any, Any, T], connection: Request) -> T | None:
    """The result; None, and the work cancelled, where the client goes away before it is there."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(connection))
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        task.cancel()
        gone.cancel()


async def _gone(connection: Request) -> None:
    while (await connection.receive())["type"] != "http.disconnect":
        pass


MEDIA = {"csv": "text/csv", "tsv": "text/tab-separated-values", "md": "text/markdown"}


def programs(current: Current) -> APIRouter:
    router = APIRouter(responses=PROBLEMS)

    @router.post("/v1/run", response_model=RunResponse)
    async def run(request: RunRequest) -> Response | RunResponse:
        """Execute a program."""
        with current.gate.place(Kind.PROGRAM), current.visit() as answerer:
            if request.format == "json":
                return await answerer.run(request)
            headers = {"Content-Disposition": f'attachment; filename="answers.{request.format}"'}
            return Response(await answerer.file(request), media_type=MEDIA[request.format], headers=headers)

    return router


def feedback(current: Current, kept: Feedback) -> APIRouter:
    router = APIRouter(responses=PROBLEMS)

    @router.post("/v1/feedback")
    async def judge(request: FeedbackRequest) -> FeedbackResponse:
        """Say whether a reading was right, and which would have been."""
        with current.gate.place(Kind.LOOK), current.visit() as answerer:
            return FeedbackResponse(kept=await answerer.look(lambda _: kept.keep(answerer.qa, request)))

    return router
