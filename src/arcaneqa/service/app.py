"""The HTTP API and the page, over one knowledge base and one model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from fastapi.staticfiles import StaticFiles
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from arcaneqa import __version__
from arcaneqa.answer import ArcaneQA
from arcaneqa.errors import ArcaneError, BudgetExceeded, EndpointError
from arcaneqa.kb.endpoint.errors import Unsupported
from arcaneqa.service.contract import (
    AskRequest,
    AskResponse,
    EntityHit,
    KnowledgeBaseResponse,
    Problem,
    RunRequest,
    RunResponse,
)
from arcaneqa.service.desk import Desk
from arcaneqa.service.engine import Busy
from arcaneqa.service.memory import give_back_now_and_then
from arcaneqa.service.metrics import Measured, Metrics
from arcaneqa.service.portrait import Portrait
from arcaneqa.service.safety import HEADERS, Safety

T = TypeVar("T")
PAGE = Path(__file__).parent / "page"
GONE = 499
"""What proxies log where the client did not wait; nobody reads it."""
Responses = dict[int | str, dict[str, Any]]
UNAUTHORISED: Responses = {401: {"model": Problem, "description": "The bearer token is missing or wrong."}}
MISUNDERSTOOD: Responses = {422: {"model": Problem, "description": "The request is not of the right form."}}
UNSEARCHED: Responses = {
    501: {"model": Problem, "description": "The endpoint behind this service cannot search names so."}
}
PROBLEMS: Responses = {
    **UNAUTHORISED,
    **MISUNDERSTOOD,
    400: {"model": Problem, "description": "The request makes no sense for this knowledge base."},
    413: {"model": Problem, "description": "The body is too long."},
    429: {"model": Problem, "description": "Too many questions wait; see Retry-After."},
    503: {"model": Problem, "description": "The work would take more time or space than a request gets."},
}


def create_app(
    qa: ArcaneQA, *, token: str | None = None, seconds: float = 30.0, together: int = 16, waiting: int = 64
) -> FastAPI:
    desk = Desk(qa, seconds, together, waiting)
    portrait = Portrait(qa)
    metrics = Metrics(desk.engine, lambda: qa.scorer.reads)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        tidying = asyncio.create_task(give_back_now_and_then())
        yield
        tidying.cancel()
        await asyncio.to_thread(desk.close)

    app = FastAPI(
        title="ArcaneQA",
        version=__version__,
        summary="Ask a knowledge base in English; every answer comes with the program that found it.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.add_middleware(Safety, token=token)
    app.add_middleware(Measured, metrics=metrics)  # added last, so outermost: it sees refusals too

    async def place() -> AsyncIterator[None]:
        """Turned away before anything is done or sent, streams included."""
        with desk.place():
            yield

    @app.exception_handler(Busy)
    async def busy(_: Request, error: Busy) -> JSONResponse:
        headers = {"Retry-After": str(error.retry_after)}
        return JSONResponse({"detail": str(error)}, 429, headers)

    @app.exception_handler(ArcaneError)
    async def refused(_: Request, error: ArcaneError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, _status(error))

    @app.exception_handler(RequestValidationError)
    async def misunderstood(_: Request, error: RequestValidationError) -> JSONResponse:
        return JSONResponse({"detail": _sentence(error)}, 422)

    @app.exception_handler(Exception)
    async def failed(_: Request, __: Exception) -> JSONResponse:
        # Answered outside of every middleware, so the headers are put on here; the server logs the error.
        headers = {name.decode(): value.decode() for name, value in HEADERS}
        return JSONResponse({"detail": "The service failed; its log says why."}, 500, headers)

    @app.post("/v1/ask", response_model=AskResponse, responses=PROBLEMS, dependencies=[Depends(place)])
    async def ask(request: AskRequest, connection: Request) -> Response | AskResponse:
        """Answer a question, or say why not."""
        answer = await _unless_gone(desk.ask(request), connection)
        return Response(status_code=GONE) if answer is None else answer

    @app.post(
        "/v1/ask/stream",
        response_class=EventSourceResponse,
        responses=PROBLEMS,
        dependencies=[Depends(place)],
    )
    async def stream(request: AskRequest) -> AsyncIterator[ServerSentEvent]:
        """The same as server-sent events: `links`, each `step` as it happens, the `answer`."""
        try:
            async for name, data in desk.stream(request):
                yield ServerSentEvent(event=name, data=data)
        except ArcaneError as error:
            yield ServerSentEvent(event="problem", data={"detail": str(error)})

    @app.post("/v1/run", responses=PROBLEMS)
    async def run(request: RunRequest) -> RunResponse:
        """Execute a program."""
        return await desk.run(request)

    @app.get("/v1/kb", responses=UNAUTHORISED)
    async def knowledge_base() -> KnowledgeBaseResponse:
        """What this service knows about, with questions to try."""
        return await desk.away(portrait.knowledge_base)

    @app.get("/v1/entities", responses=UNAUTHORISED | MISUNDERSTOOD | UNSEARCHED)
    async def entities(
        q: Annotated[str, Query(min_length=1, max_length=200, description="The beginning of a name.")],
        limit: Annotated[int, Query(ge=1, le=50)] = 8,
    ) -> list[EntityHit]:
        """Entities by label, for completion."""
        return await desk.away(lambda: portrait.entities(q, limit))

    @app.get("/healthz", response_class=PlainTextResponse)
    async def health() -> str:
        return "ok"

    @app.get("/readyz", response_class=PlainTextResponse)
    async def ready(response: Response) -> str:
        if desk.engine.is_closing:
            response.status_code = 503
            return "closing"
        return "ready"

    @app.get("/metrics", response_class=PlainTextResponse)
    async def measured() -> Response:
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(PAGE / "index.html")

    app.mount("/page", StaticFiles(directory=PAGE), name="page")
    return app


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


def _sentence(error: RequestValidationError) -> str:
    """Where and what is wrong, without repeating what was sent."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    sentence = f"{where}: {first['msg']}."
    return sentence.encode("utf-8", "replace").decode()


def _status(error: ArcaneError) -> int:
    """Whose fault it is: this service's limits, the endpoint behind it, or the request."""
    match error:
        case BudgetExceeded():
            return 503
        case Unsupported():
            return 501
        case EndpointError():
            return 502
    return 400
