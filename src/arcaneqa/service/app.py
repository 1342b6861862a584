"""The HTTP API and the page, over one knowledge base and one model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from arcaneqa import __version__
from arcaneqa.answer import ArcaneQA
from arcaneqa.service.current import Current
from arcaneqa.service.memory import give_back_now_and_then
from arcaneqa.service.metrics import Measured, Metrics
from arcaneqa.service.problems import answer_problems
from arcaneqa.service.routes.knowledge import knowledge
from arcaneqa.service.routes.operations import operations
from arcaneqa.service.routes.programs import programs
from arcaneqa.service.routes.questions import questions
from arcaneqa.service.safety import Safety

PAGE = Path(__file__).parent / "page"


def create_app(
    qa: ArcaneQA,
    *,
    token: str | None = None,
    seconds: float = 30.0,
    together: int = 16,
    waiting: int = 64,
    hosts: Collection[str] = (),
) -> FastAPI:
    """`hosts` are names, beside those of this machine, that requests may call the service by."""
    current = Current(qa, seconds, together, waiting)
    metrics = Metrics(current)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        asides = [asyncio.create_task(give_back_now_and_then()), asyncio.create_task(current.look_out())]
        yield
        for aside in asides:
            aside.cancel()
        await current.close()

    app = FastAPI(
        title="ArcaneQA",
        version=__version__,
        summary="Ask a knowledge base in English; every answer comes with the program that found it.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.current = current
    app.add_middleware(Safety, token=token, hosts=hosts)
    app.add_middleware(Measured, metrics=metrics)  # added last, so outermost: it sees refusals too
    answer_problems(app)
    for router in (questions(current), programs(current), knowledge(current), operations(current, metrics)):
        app.include_router(router)

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(PAGE / "index.html")

    app.mount("/page", StaticFiles(directory=PAGE), name="page")
    return app
