"""The routes, one function a group, over what is served at the moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import FileResponse, PlainTextResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from arcaneqa.answer.answer import MOST_CHARACTERS
from arcaneqa.apps.http.contract import (
    AskRequest,
    AskResponse,
    EntityHit,
    EntityResponse,
    FeedbackRequest,
    FeedbackResponse,
    KnowledgeBaseResponse,
    ReloadResponse,
    RunRequest,
    RunResponse,
)
from arcaneqa.apps.http.current import Current
from arcaneqa.apps.http.feedback import Feedback
from arcaneqa.apps.http.gate import WorkKind
from arcaneqa.apps.http.portrait import Portrait
from arcaneqa.apps.http.problems import CROWDED, MISUNDERSTOOD, PROBLEMS, UNAUTHORISED, UNKNOWN, UNSUPPORTED
from arcaneqa.apps.http.prometheus import Metrics
from arcaneqa.support.errors import ArcaneError

# The pages people see: questions, an entity, the API. Each is a file; what it shows comes from the
# API.


PAGE = Path(__file__).parent / "page"


def pages() -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.api_route("/", methods=["GET", "HEAD"])
    async def questions() -> FileResponse:
        return FileResponse(PAGE / "index.html")

    @router.api_route("/entity/{name:path}", methods=["GET", "HEAD"])
    async def entity(name: str) -> FileResponse:  # noqa: ARG001 - the page reads its own address
        return FileResponse(PAGE / "entity.html")

    @router.api_route("/docs", methods=["GET", "HEAD"])
    async def api() -> FileResponse:
        return FileResponse(PAGE / "api.html")

    return router


# For those who run the service: is it alive, how is it doing, and a change to a new index.


def operations(current: Current, metrics: Metrics) -> APIRouter:
    router = APIRouter(tags=["operations"])

    @router.post("/v1/reload", responses=UNAUTHORISED | UNSUPPORTED)
    async def reload() -> ReloadResponse:
        """Answer from the index that is in the folder now; requests under way end with the old one."""
        return ReloadResponse(reloaded=await current.reload())

    @router.get("/healthz", response_class=PlainTextResponse)
    async def health() -> str:
        return "ok"

    @router.get("/readyz", response_class=PlainTextResponse)
    async def ready(response: Response) -> str:
        if current.answerer.engine.is_closing:
            response.status_code = 503
            return "closing"
        if not current.is_warm:
            response.status_code = 503
            return "warming up: questions are answered, but take longer"
        return "ready"

    @router.get("/metrics", response_class=PlainTextResponse)
    async def measured() -> Response:
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    return router


# The knowledge base: what is in it, and entities by their names.


def knowledge(current: Current, keeps_feedback: bool) -> APIRouter:
    router = APIRouter(responses=UNAUTHORISED | CROWDED, tags=["knowledge base"])

    @router.get("/v1/kb")
    async def knowledge_base() -> KnowledgeBaseResponse:
        """What this service knows about, with questions to try."""
        with current.gate.place(WorkKind.LOOK), current.visit() as answerer:
            known = await answerer.look(Portrait.knowledge_base)
            return known.model_copy(update={"keeps_feedback": keeps_feedback})

    @router.get("/v1/entities", responses=MISUNDERSTOOD | UNSUPPORTED)
    async def entities(
        q: Annotated[str, Query(min_length=1, max_length=200, description="The beginning of a name.")],
        limit: Annotated[int, Query(ge=1, le=50)] = 8,
    ) -> list[EntityHit]:
        """Entities by label, for completion."""
        with current.gate.place(WorkKind.LOOK), current.visit() as answerer:
            return await answerer.look(lambda portrait: portrait.entities(q, limit))

    @router.get("/v1/entity", responses=MISUNDERSTOOD | UNSUPPORTED | UNKNOWN)
    async def entity(
        id: Annotated[
            str,
            Query(min_length=1, max_length=MOST_CHARACTERS, description="Short name, IRI or name."),
        ],
        page: Annotated[int, Query(ge=0, le=100_000, description="0 for the first.")] = 0,
        relation: Annotated[
            str | None,
            Query(max_length=MOST_CHARACTERS, description="Only this relation, as `facts` names it."),
        ] = None,
        inverse: Annotated[bool, Query(description="Of that relation, what leads to the entity.")] = False,
    ) -> EntityResponse:
        """What is known of an entity: its classes and its facts by relation, in both directions."""
        with current.gate.place(WorkKind.LOOK), current.visit() as answerer:
            return await answerer.look(lambda portrait: portrait.entity(id, page, relation, inverse))

    return router


# Questions are answered, as a whole or step by step as it happens; programs are run; judgements of
# answers are kept, where the service was started with a file for them.


T = TypeVar("T")
GONE = 499
"""What proxies log where the client did not wait; nobody reads it."""


def questions(current: Current) -> APIRouter:
    async def place() -> AsyncIterator[None]:
        """Turned away before anything is done or sent, streams included."""
        with current.gate.place(WorkKind.QUESTION):
            yield

    router = APIRouter(responses=PROBLEMS, dependencies=[Depends(place)], tags=["questions"])

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
    router = APIRouter(responses=PROBLEMS, tags=["programs"])

    @router.post("/v1/run", response_model=RunResponse)
    async def run(request: RunRequest) -> Response | RunResponse:
        """Execute a program."""
        with current.gate.place(WorkKind.PROGRAM), current.visit() as answerer:
            if request.format == "json":
                return await answerer.run(request)
            headers = {"Content-Disposition": f'attachment; filename="answers.{request.format}"'}
            return Response(await answerer.file(request), media_type=MEDIA[request.format], headers=headers)

    return router


def feedback(current: Current, kept: Feedback) -> APIRouter:
    router = APIRouter(responses=PROBLEMS, tags=["feedback"])

    @router.post("/v1/feedback")
    async def judge(request: FeedbackRequest) -> FeedbackResponse:
        """Say whether a reading was right, and which would have been."""
        with current.gate.place(WorkKind.LOOK), current.visit() as answerer:
            return FeedbackResponse(kept=await answerer.look(lambda _: kept.keep(answerer.qa, request)))

    return router
