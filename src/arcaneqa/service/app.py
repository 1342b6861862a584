"""The HTTP API and the page, over one knowledge base and one model."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from fastapi.staticfiles import StaticFiles
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from arcaneqa import __version__
from arcaneqa.answer import ArcaneQA
from arcaneqa.errors import ArcaneError, BudgetExceeded
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
from arcaneqa.service.metrics import Metrics
from arcaneqa.service.portrait import Portrait
from arcaneqa.service.safety import Safety

PAGE = Path(__file__).parent / "page"
PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request makes no sense for this knowledge base."},
    429: {"model": Problem, "description": "Too many questions wait; see Retry-After."},
    503: {"model": Problem, "description": "The work would take more time or space than a request gets."},
}


def create_app(
    qa: ArcaneQA, *, token: str | None = None, seconds: float = 30.0, together: int = 16, waiting: int = 64
) -> FastAPI:
    desk = Desk(qa, seconds, together, waiting)
    portrait = Portrait(qa)
    metrics = Metrics(desk.engine)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        desk.close()

    app = FastAPI(
        title="ArcaneQA",
        version=__version__,
        summary="Ask a knowledge base in English; every answer comes with the program that found it.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.add_middleware(Safety, token=token)

    @app.middleware("http")
    async def measure(request: Request, call: Callable[[Request], Awaitable[Response]]) -> Response:
        started = time.perf_counter()
        response = await call(request)
        route = request.scope.get("route")
        metrics.observe(getattr(route, "path", "other"), response.status_code, time.perf_counter() - started)
        return response

    @app.exception_handler(Busy)
    async def busy(_: Request, error: Busy) -> JSONResponse:
        headers = {"Retry-After": str(error.retry_after)}
        return JSONResponse({"detail": str(error)}, 429, headers)

    @app.exception_handler(ArcaneError)
    async def refused(_: Request, error: ArcaneError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 503 if isinstance(error, BudgetExceeded) else 400)

    @app.post("/v1/ask", responses=PROBLEMS)
    async def ask(request: AskRequest) -> AskResponse:
        """Answer a question, or say why not."""
        return await desk.ask(request)

    @app.post("/v1/ask/stream", response_class=EventSourceResponse, responses=PROBLEMS)
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

    @app.get("/v1/kb")
    async def knowledge_base() -> KnowledgeBaseResponse:
        """What this service knows about, with questions to try."""
        return await desk.away(portrait.knowledge_base)

    @app.get("/v1/entities")
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
